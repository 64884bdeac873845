/* SPDX-License-Identifier: Apache-2.0
 * step_condition - words, names and values of a condition. */
#include "replay/step/step_condition.h"

#include "base/nearest.h"
#include "base/quantity.h"

#include <string.h>

const struct step_condition_row step_conditions[STEP_QUANTITY_COUNT] = {
#define X(name, word, of, value, about) {word, about, of, value},
    STEP_EVENTS(X)
#undef X
};

const struct step_subject step_subject_any = {
    .node = STEP_ANY,
    .workload = STEP_ANY,
    .qp = STEP_ANY,
    .from = STEP_ANY,
    .to = STEP_ANY,
    .port = SCENARIO_ALL_PORTS,
    .priority = STEP_ANY_PRIORITY,
};

struct step_condition step_condition_of(enum step_quantity quantity)
{
    return (struct step_condition){.subject = step_subject_any, .quantity = quantity, .above = -1};
}

/* State of parsing one line. */
struct parse {
    struct step_words *words;
    const struct scenario *scenario;
    struct step_condition *condition;
    bool has_word; /* the condition's word was found; a subject needs none */
    bool subject_only;
    struct step_word word_at, subject_at, value_at;
};

/* ------------------------------------------------------------------ names */

static uint32_t find_node(const struct scenario *scenario, const char *name, size_t length)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (strlen(scenario->nodes[i].name) == length &&
            memcmp(scenario->nodes[i].name, name, length) == 0)
            return i;
    return STEP_ANY;
}

static uint32_t find_workload(const struct scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (strcmp(scenario->workloads[i].name, name) == 0)
            return i;
    return STEP_ANY;
}

/* `packets` is equivalent to `packet`. */
static enum step_quantity find_quantity(const char *word)
{
    const size_t length = strlen(word), without = length - (length > 1 && word[length - 1] == 's');
    int i = 0;
    while (i < STEP_QUANTITY_COUNT && (strncmp(step_conditions[i].word, word, without) != 0 ||
                                       (step_conditions[i].word[without] != '\0' &&
                                        strcmp(step_conditions[i].word, word) != 0)))
        i++;
    return (enum step_quantity)i;
}

static bool unknown(const struct parse *parse, const struct step_word *word)
{
    const struct scenario *scenario = parse->scenario;
    struct nearest nearest = nearest_to(word->text);
    for (int i = 0; !parse->subject_only && i < STEP_QUANTITY_COUNT; i++)
        nearest_offer(&nearest, step_conditions[i].word);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        nearest_offer(&nearest, scenario->nodes[i].name);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        nearest_offer(&nearest, scenario->workloads[i].name);
    const char *expected = parse->subject_only || parse->has_word
                               ? "a node, a port such as leaf0:p3, or a workload"
                               : "a node, a port, a workload, or a condition";
    return step_wrong_at(parse->words, word, "expected %s, not '%s'%s", expected, word->text,
                         nearest_hint(&nearest).text);
}

/* Finds a port by its vendor's name; STEP_ANY if there is none. */
static uint32_t find_called(const struct scenario_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->port_count; i++)
        if (node->ports[i].name != NULL && strcmp(node->ports[i].name, name) == 0)
            return i;
    return STEP_ANY;
}

/* NODE:pN or NODE:NAME; the colon is at `length`. */
static bool parse_port(struct parse *parse, const struct step_word *word, size_t length)
{
    struct step_subject *subject = &parse->condition->subject;
    const uint32_t node = find_node(parse->scenario, word->text, length);
    if (node == STEP_ANY) {
        struct step_word name = *word;
        name.text[length] = '\0';
        return unknown(parse, &name);
    }
    const unsigned count = parse->scenario->nodes[node].port_count;
    struct step_word number = {.column = word->column + (int)length + 2};
    const bool has_p = word->text[length + 1] == 'p';
    unsigned long long port = find_called(&parse->scenario->nodes[node], word->text + length + 1);
    strcpy(number.text, has_p ? word->text + length + 2 : "");
    if (!has_p && port == STEP_ANY)
        return step_wrong_at(parse->words, word, "expected a port such as %s",
                             scenario_port_name(&parse->scenario->nodes[node], 0).text);
    if (port == STEP_ANY && !step_word_number(parse->words, &number, count - 1u, &port))
        return false;
    subject->node = node;
    subject->port = (uint16_t)port;
    return true;
}

static bool parse_name(struct parse *parse, const struct step_word *word)
{
    struct step_subject *subject = &parse->condition->subject;
    if (subject->node != STEP_ANY || subject->workload != STEP_ANY)
        return step_wrong_at(parse->words, word, "expected one subject, but '%s' is a second one",
                             word->text);
    parse->subject_at = *word;
    subject->workload = find_workload(parse->scenario, word->text);
    if (subject->workload != STEP_ANY)
        return true;
    subject->node = find_node(parse->scenario, word->text, strlen(word->text));
    if (subject->node != STEP_ANY)
        return true;
    const char *colon = strrchr(word->text, ':');
    return colon != NULL ? parse_port(parse, word, (size_t)(colon - word->text))
                         : unknown(parse, word);
}

static bool parse_host(struct parse *parse, uint32_t *host)
{
    struct step_word word;
    if (!step_word_next(parse->words, &word))
        return false;
    *host = find_node(parse->scenario, word.text, strlen(word.text));
    if (*host == STEP_ANY)
        return unknown(parse, &word);
    return parse->scenario->nodes[*host].kind == SCENARIO_HOST ||
           step_wrong_at(parse->words, &word, "expected a host, but %s is a switch", word.text);
}

/* ------------------------------------------------------------------ values */

static bool parse_value_as(struct parse *parse, enum quantity_kind kind,
                           const struct step_word *word)
{
    struct step_condition *condition = parse->condition;
    char why[QUANTITY_WHY_BYTES];
    if (quantity_parse(kind, word->text, &condition->above, why) && condition->above >= 0)
        return true;
    return step_wrong_at(parse->words, word, "expected %s", quantity_expected(kind));
}

/* The kind of value is only known when the whole line is read. */
static bool settle_value(struct parse *parse)
{
    struct step_condition *condition = parse->condition;
    const struct step_condition_row *row = &step_conditions[condition->quantity];
    const struct step_word *value = &parse->value_at;
    if (value->column == 0) {
        const bool needed = row->value == STEP_NEEDS_SIZE || row->value == STEP_NEEDS_SHARE;
        return !needed ||
               step_wrong_at(parse->words, &parse->word_at,
                             "expected '%s > SIZE', such as '%s > 100KiB'", row->word, row->word);
    }
    if (row->value == STEP_NO_VALUE)
        return step_wrong_at(parse->words, value, "'%s' is not measured: expected no value",
                             row->word);
    if (row->value == STEP_MAY_TIME)
        return parse_value_as(parse, QUANTITY_TIME, value);
    condition->share = row->value == STEP_NEEDS_SHARE && strchr(value->text, '%') != NULL;
    return parse_value_as(parse, condition->share ? QUANTITY_PERCENT : QUANTITY_SIZE, value);
}

/* Whether the word applies to the subject. */
static bool settle_subject(struct parse *parse)
{
    const struct step_condition *condition = parse->condition;
    const struct step_condition_row *row = &step_conditions[condition->quantity];
    const struct step_subject *subject = &condition->subject;
    const struct step_word *at =
        parse->subject_at.column > 0 ? &parse->subject_at : &parse->word_at;
    const bool of_frame = (row->of & STEP_OF_FRAME) != 0;
    const bool of_io = (row->of & (STEP_OF_WORKLOAD | STEP_OF_COMMAND)) != 0;
    const bool of_port = (row->of & STEP_OF_PORT) != 0 || of_frame;
    if (subject->workload != STEP_ANY && !of_io)
        return step_wrong_at(parse->words, at, "expected a node: '%s' does not apply to a workload",
                             row->word);
    if (subject->node != STEP_ANY && (row->of & ~(unsigned)STEP_OF_WORKLOAD) == 0)
        return step_wrong_at(parse->words, at, "'%s' does not apply to a node", row->word);
    if (subject->port != SCENARIO_ALL_PORTS && !of_port)
        return step_wrong_at(parse->words, at, "expected a node: '%s' does not apply to a port",
                             row->word);
    if ((subject->from != STEP_ANY || subject->to != STEP_ANY) && !of_frame &&
        (row->of & STEP_OF_COMMAND) == 0)
        return step_wrong_at(parse->words, &parse->word_at,
                             "'from' and 'to' are for frames and commands, not for '%s'",
                             row->word);
    if (subject->priority != STEP_ANY_PRIORITY && !of_port)
        return step_wrong_at(parse->words, &parse->word_at, "'%s' has no priority", row->word);
    if (subject->qp != STEP_ANY && !of_frame)
        return step_wrong_at(parse->words, &parse->word_at, "'%s' has no queue pair", row->word);
    return true;
}

/* Quantities that are too expensive to check after every event need a node. */
static bool settle_node(struct parse *parse)
{
    const struct step_condition *condition = parse->condition;
    const enum step_quantity quantity = condition->quantity;
    const uint32_t node = condition->subject.node;
    if (quantity != STEP_QUEUE && quantity != STEP_INGRESS && quantity != STEP_BUFFER)
        return true;
    const char *word = step_conditions[quantity].word;
    if (node == STEP_ANY)
        return step_wrong_at(parse->words, &parse->word_at, "expected a node: '%s' applies to one",
                             word);
    return quantity == STEP_BUFFER || parse->scenario->nodes[node].kind == SCENARIO_SWITCH ||
           step_wrong_at(parse->words, &parse->subject_at,
                         "expected a switch: '%s' does not apply to a host", word);
}

/* ------------------------------------------------------------------ the line */

static bool is_filler(const char *word)
{
    return strcmp(word, "at") == 0 || strcmp(word, "of") == 0 || strcmp(word, "by") == 0;
}

static bool parse_number(struct parse *parse, unsigned long long most, unsigned long long *number)
{
    struct step_word word;
    return step_word_next(parse->words, &word) &&
           step_word_number(parse->words, &word, most, number);
}

/* A keyword that is followed by a word; *known is false if it is not one. */
static bool parse_pair(struct parse *parse, const char *word, bool *known)
{
    struct step_subject *subject = &parse->condition->subject;
    unsigned long long number = 0;
    *known = true;
    if (strcmp(word, "prio") == 0 || strcmp(word, "priority") == 0) {
        const bool well = parse_number(parse, PRIORITIES - 1, &number);
        subject->priority = (uint8_t)number;
        return well;
    }
    if (strcmp(word, "qp") == 0) {
        const bool well = parse_number(parse, (1u << 24) - 1, &number);
        subject->qp = (uint32_t)number;
        return well;
    }
    if (strcmp(word, "from") == 0)
        return parse_host(parse, &subject->from);
    if (strcmp(word, "to") == 0)
        return parse_host(parse, &subject->to);
    *known = false;
    return true;
}

static bool parse_word(struct parse *parse, const struct step_word *word)
{
    bool known;
    if (is_filler(word->text))
        return true;
    const enum step_quantity quantity = find_quantity(word->text);
    if (!parse->subject_only && !parse->has_word && quantity != STEP_QUANTITY_COUNT) {
        parse->condition->quantity = quantity;
        parse->has_word = true;
        parse->word_at = *word;
        return true;
    }
    if (!parse->subject_only && strcmp(word->text, ">") == 0)
        return step_word_next(parse->words, &parse->value_at);
    const bool well = parse_pair(parse, word->text, &known);
    return known ? well : parse_name(parse, word);
}

static bool parse_words(struct parse *parse)
{
    struct step_word word;
    for (;;) {
        if (!step_word_next(parse->words, &word))
            return false;
        if (word.text[0] == '\0') {
            if (parse->word_at.column == 0)
                parse->word_at = word;
            return true;
        }
        if (!parse_word(parse, &word))
            return false;
    }
}

bool step_condition_parse(struct step_words *words, const struct scenario *scenario,
                          struct step_condition *condition)
{
    struct parse parse = {.words = words, .scenario = scenario, .condition = condition};
    *condition = step_condition_of(STEP_EVENT);
    if (!parse_words(&parse))
        return false;
    if (!parse.has_word)
        return step_wrong_at(words, &parse.word_at,
                             "expected a condition: 'help conditions' lists the words");
    return settle_subject(&parse) && settle_node(&parse) && settle_value(&parse);
}

bool step_subject_parse(struct step_words *words, const struct scenario *scenario,
                        struct step_subject *subject)
{
    struct step_condition condition = step_condition_of(STEP_EVENT);
    struct parse parse = {
        .words = words, .scenario = scenario, .condition = &condition, .subject_only = true};
    if (!parse_words(&parse))
        return false;
    *subject = condition.subject;
    if (subject->from != STEP_ANY || subject->to != STEP_ANY)
        return step_wrong_at(words, &parse.word_at, "expected a node, without 'from' and 'to'");
    return true;
}
