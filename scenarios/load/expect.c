/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/expect.h"

#include "base/check.h"
#include "base/nearest.h"

#include <string.h>

enum { NAME_BYTES = 128 };

static const struct {
    const char *path, *plain;
    enum quantity_kind kind;
    enum expect_basis basis;
} quantities[] = {
#define EXPECTED(name, path, plain, kind, basis)                                                   \
    [EXPECT_##name] = {path, plain, kind, EXPECT_OVER_##basis},
#include "scenarios/load/quantity.def"
#define FIGURE(name, path, plain, kind, basis, known, value)                                       \
    [EXPECT_##name] = {"." path, "." plain, QUANTITY_##kind, EXPECT_OVER_##basis},
#include "scenarios/load/quantity_workload.def"
};

enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static const struct {
    const char *word;
    enum expect_quantity quantity;
    const char *one, *many; /* what the word forbids, as counted in a run */
} words[] = {
    {"no-lossless-drop", EXPECT_DROPS_LOSSLESS, "lossless frame dropped",
     "lossless frames dropped"},
    {"all-commands-complete", EXPECT_COMMANDS_LOST, "operation failed or unfinished",
     "operations failed or unfinished"},
    {"no-deadlock", EXPECT_PFC_DEADLOCKS, "deadlock", "deadlocks"},
    {"no-pause", EXPECT_PFC_PAUSE_FRAMES, "pause frame", "pause frames"},
    {"steady", EXPECT_UNSETTLED, "workload not steady", "workloads not steady"},
};

enum { WORDS = sizeof words / sizeof words[0] };

/* Two-character operators come first, so that <= is not read as <. */
static const struct {
    const char *text;
    enum expect_op op;
} ops[] = {{"<=", EXPECT_LE}, {">=", EXPECT_GE}, {"==", EXPECT_EQ},
           {"!=", EXPECT_NE}, {"<", EXPECT_LT},  {">", EXPECT_GT}};

enum { OPS = sizeof ops / sizeof ops[0] };

const char *expect_path(enum expect_quantity quantity)
{
    if ((unsigned)quantity < QUANTITIES)
        return quantities[quantity].path;
    return quantity == EXPECT_COMMANDS_LOST ? "commands lost" : "workloads not settled";
}

const char *expect_plain(enum expect_quantity quantity)
{
    return (unsigned)quantity < QUANTITIES ? quantities[quantity].plain : expect_path(quantity);
}

enum quantity_kind expect_kind(enum expect_quantity quantity)
{
    return (unsigned)quantity < QUANTITIES ? quantities[quantity].kind : QUANTITY_INT;
}

enum expect_basis expect_basis(enum expect_quantity quantity)
{
    return (unsigned)quantity < QUANTITIES ? quantities[quantity].basis : EXPECT_OVER_OPERATIONS;
}

bool expect_less_is_better(enum expect_quantity quantity)
{
    return expect_kind(quantity) == QUANTITY_TIME ||
           expect_basis(quantity) == EXPECT_OVER_OPERATIONS;
}

enum expect_quantity expect_steady(enum expect_quantity quantity)
{
    static const char prefix[] = ".steady";
    const char *path = expect_path(quantity);
    for (unsigned i = 0; path[0] == '.' && i < QUANTITIES; i++)
        if (strncmp(quantities[i].path, prefix, sizeof prefix - 1) == 0 &&
            strcmp(quantities[i].path + sizeof prefix - 1, path) == 0)
            return (enum expect_quantity)i;
    return quantity;
}

const char *expect_basis_missing(enum expect_basis basis)
{
    static const char *const why[] = {
#define BASIS(name, why) why,
        EXPECT_BASES(BASIS)
#undef BASIS
    };
    return why[basis];
}

static uint32_t find_workload(const struct scenario *scenario, const char *name, size_t length)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const char *candidate = scenario->workloads[i].name;
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return i;
    }
    return EXPECT_WHOLE_RUN;
}

static bool ends_with(const char *text, const char *tail, size_t *head)
{
    const size_t length = strlen(text), end = strlen(tail);
    if (length <= end || strcmp(text + length - end, tail) != 0)
        return false;
    *head = length - end;
    return true;
}

/* Names of workloads may contain dots, so the known end of the path is cut off first. */
static bool find_quantity(const struct scenario *scenario, const char *path,
                          struct expectation *expectation)
{
    for (unsigned i = 0; i < QUANTITIES; i++) {
        const bool of_workload = quantities[i].path[0] == '.';
        size_t head = 0;
        expectation->quantity = (enum expect_quantity)i;
        expectation->workload = EXPECT_WHOLE_RUN;
        if (!of_workload &&
            (strcmp(path, quantities[i].path) == 0 || strcmp(path, quantities[i].plain) == 0))
            return true;
        if (!of_workload || (!ends_with(path, quantities[i].path, &head) &&
                             !ends_with(path, quantities[i].plain, &head)))
            continue;
        expectation->workload = find_workload(scenario, path, head);
        if (expectation->workload != EXPECT_WHOLE_RUN)
            return true;
    }
    return false;
}

/* Suggests the nearest of all existing paths, including those of each workload. */
static void unknown_path(const struct scenario *scenario, const struct tree_node *written,
                         const char *path, struct diag *diag)
{
    struct nearest nearest = nearest_to(path);
    char candidate[NAME_BYTES];
    for (uint32_t i = 0; i < WORDS; i++)
        nearest_offer(&nearest, words[i].word);
    for (uint32_t i = 0; i < QUANTITIES; i++)
        if (quantities[i].plain[0] != '.')
            nearest_offer(&nearest, quantities[i].plain);
    for (uint32_t w = 0; w < scenario->workload_count && diag->count < DIAG_MAX; w++) {
        for (uint32_t i = 0; i < QUANTITIES; i++) {
            if (quantities[i].plain[0] != '.')
                continue;
            snprintf(candidate, sizeof candidate, "%s%s", scenario->workloads[w].name,
                     quantities[i].plain);
            nearest_offer(&nearest, candidate);
        }
    }
    tree_error(diag, written, "there is no quantity '%.64s'%s", path, nearest_hint(&nearest).text);
}

/* Position and index of the operator; NULL if there is none. */
static const char *find_op(const char *text, int *op)
{
    const char *at = strpbrk(text, "<>=!");
    for (*op = 0; at != NULL && *op < OPS; (*op)++)
        if (strncmp(at, ops[*op].text, strlen(ops[*op].text)) == 0)
            return at;
    return NULL;
}

bool expect_split(const char *text, size_t *name, enum expect_op *op, size_t *value)
{
    int index;
    const char *at = find_op(text, &index);
    if (at == NULL || index == OPS)
        return false;
    *name = (size_t)(at - text);
    while (*name > 0 && text[*name - 1] == ' ')
        --*name;
    *op = ops[index].op;
    at += strlen(ops[index].text);
    *value = (size_t)(at + strspn(at, " ") - text);
    return *name > 0 && text[*value] != '\0';
}

static bool parse_word(const char *text, struct expectation *expectation)
{
    for (int i = 0; i < WORDS; i++) {
        if (strcmp(words[i].word, text) != 0)
            continue;
        expectation->quantity = words[i].quantity;
        expectation->workload = EXPECT_WHOLE_RUN;
        expectation->op = EXPECT_EQ;
        expectation->value = 0;
        return true;
    }
    return false;
}

const char *expect_counted(const char *text, const char *actual)
{
    const bool count = actual[0] != '\0' && actual[strspn(actual, "0123456789,. kMG")] == '\0';
    for (int i = 0; i < WORDS && count; i++)
        if (strcmp(words[i].word, text) == 0)
            return strcmp(actual, "1") == 0 ? words[i].one : words[i].many;
    return "";
}

/* Example of a value for messages, such as "55us". */
static const char *example_of(enum expect_quantity quantity)
{
    const char *all = quantity_expected(expect_kind(quantity)), *last = strrchr(all, ' ');
    return last == NULL ? all : last + 1;
}

static bool parse_comparison(const struct scenario *scenario, const struct tree_node *written,
                             struct expectation *expectation, struct diag *diag)
{
    char path[NAME_BYTES], why[QUANTITY_WHY_BYTES];
    int op;
    const char *text = written->text, *at = find_op(text, &op);
    size_t length = at == NULL ? strlen(text) : (size_t)(at - text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    snprintf(path, sizeof path, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES), text);
    if (at == NULL || length >= NAME_BYTES) {
        if (at == NULL && find_quantity(scenario, path, expectation))
            tree_error(diag, written, "expected a comparison such as \"%s < %s\" after %s", path,
                       example_of(expectation->quantity), path);
        else if (at == NULL && strchr(path, ' ') == NULL && *path != '\0')
            unknown_path(scenario, written, path, diag);
        else
            tree_error(diag, written,
                       "expected a word such as no-pause, or a comparison such as \"%s\"",
                       "oltp.latency.p99 < 400us");
        return false;
    }
    if (!find_quantity(scenario, path, expectation)) {
        unknown_path(scenario, written, path, diag);
        return false;
    }
    const char *value = at + strlen(ops[op].text);
    value += strspn(value, " ");
    expectation->op = ops[op].op;
    if (quantity_parse(expect_kind(expectation->quantity), value, &expectation->value, why))
        return true;
    tree_error(diag, written, "%s: %s", path, why);
    return false;
}

bool expect_parse(const struct scenario *scenario, const struct tree_node *written,
                  struct expectation *expectation, struct diag *diag)
{
    *expectation = (struct expectation){.text = written->text, .place = written->place};
    if (written->kind != TREE_SCALAR) {
        tree_error(diag, written, "expected a text such as no-pause, but this is %s",
                   tree_kind_name(written));
        return false;
    }
    return parse_word(written->text, expectation) ||
           parse_comparison(scenario, written, expectation, diag);
}

bool expect_op_holds(enum expect_op op, int order)
{
    switch (op) {
    case EXPECT_LT:
        return order < 0;
    case EXPECT_LE:
        return order <= 0;
    case EXPECT_GT:
        return order > 0;
    case EXPECT_GE:
        return order >= 0;
    case EXPECT_EQ:
        return order == 0;
    case EXPECT_NE:
        return order != 0;
    }
    check_failed("an operator is one of six", __FILE__, __LINE__);
}

bool expect_holds(const struct expectation *expectation, int64_t actual)
{
    const int64_t value = expectation->value;
    return expect_op_holds(expectation->op, (actual > value) - (actual < value));
}
