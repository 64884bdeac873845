/* SPDX-License-Identifier: Apache-2.0
 * text - one table has all negotiated keys: offer, answer and result follow from its rows. */
#include "nvme/iscsi/text.h"

#include "base/check.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rule {
    RULE_DIGEST,
    RULE_OR,
    RULE_AND,
    RULE_MIN,
    RULE_DECLARED,
    RULE_FIXED,
    RULE_ORDER,  /* OR of Yes: there is nothing to answer */
    RULE_TARGET, /* declared by the target, in its first answer */
};

static const struct key {
    const char *name;
    enum rule rule;
    size_t field;      /* in struct iscsi_terms; with `fixed`: unused */
    const char *fixed; /* the only value that the model uses */
    uint32_t least, most;
    unsigned answer; /* place among the answers, from 1 */
    bool further;    /* a connection agrees on it, not the leading one for the session */
} keys[] = {
#define FIELD(name) offsetof(struct iscsi_terms, name)
    {"HeaderDigest", RULE_DIGEST, FIELD(header_digest), NULL, 0, 0, 1, true},
    {"DataDigest", RULE_DIGEST, FIELD(data_digest), NULL, 0, 0, 2, true},
    {"DefaultTime2Wait", RULE_FIXED, 0, "2", 0, 0, 10, false},
    {"DefaultTime2Retain", RULE_FIXED, 0, "0", 0, 0, 11, false},
    {"IFMarker", RULE_FIXED, 0, "No", 0, 0, 16, true},
    {"OFMarker", RULE_FIXED, 0, "No", 0, 0, 17, true},
    {"ErrorRecoveryLevel", RULE_FIXED, 0, "0", 0, 0, 13, false},
    {"InitialR2T", RULE_OR, FIELD(initial_r2t), NULL, 0, 0, 5, false},
    {"ImmediateData", RULE_AND, FIELD(immediate_data), NULL, 0, 0, 6, false},
    {"MaxBurstLength", RULE_MIN, FIELD(max_burst), NULL, 512, ISCSI_LENGTH_MAX, 8, false},
    {"FirstBurstLength", RULE_MIN, FIELD(first_burst), NULL, 512, ISCSI_LENGTH_MAX, 9, false},
    {"MaxOutstandingR2T", RULE_MIN, FIELD(max_r2t), NULL, 1, 65535, 12, false},
    {"MaxConnections", RULE_MIN, FIELD(connections), NULL, 1, 65535, 3, false},
    {"DataPDUInOrder", RULE_ORDER, 0, "Yes", 0, 0, 14, false},
    {"DataSequenceInOrder", RULE_ORDER, 0, "Yes", 0, 0, 15, false},
    {"MaxRecvDataSegmentLength", RULE_DECLARED, FIELD(recv_data), NULL, 512, ISCSI_LENGTH_MAX, 7,
     true},
    {"TargetPortalGroupTag", RULE_TARGET, 0, "1", 0, 0, 4, true},
#undef FIELD
};

enum { KEYS = sizeof keys / sizeof keys[0], ANSWER_MOST = 16 /* bytes of a value */ };

static bool *flag_of(struct iscsi_terms *terms, const struct key *key)
{
    return (bool *)(void *)((char *)terms + key->field);
}

static uint32_t *number_of(struct iscsi_terms *terms, const struct key *key)
{
    return (uint32_t *)(void *)((char *)terms + key->field);
}

/* ---- pairs ---- */

void iscsi_text_put(struct iscsi_text *text, const char *key, const char *format, ...)
{
    va_list list;
    char *at = text->bytes + text->length;
    const size_t room = sizeof text->bytes - text->length;
    const int name = snprintf(at, room, "%s=", key);
    CHECK(name > 0 && (size_t)name < room);
    va_start(list, format);
    const int value = vsnprintf(at + name, room - (size_t)name, format, list);
    va_end(list);
    CHECK(value >= 0 && (size_t)name + (size_t)value + 1 <= room);
    text->length += (uint32_t)(name + value + 1);
}

bool iscsi_text_next(const struct iscsi_text *text, uint32_t *at, struct iscsi_pair *pair,
                     struct iscsi_fault *fault)
{
    if (*at >= text->length)
        return false;
    const char *from = text->bytes + *at;
    const char *end = memchr(from, '\0', text->length - *at);
    const char *equals = end == NULL ? NULL : memchr(from, '=', (size_t)(end - from));
    if (equals == NULL || equals == from)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login: no key=value at byte %u of the text", *at);
    const size_t key = (size_t)(equals - from), value = (size_t)(end - equals) - 1;
    if (key >= ISCSI_KEY_BYTES || value >= ISCSI_VALUE_BYTES)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login: key or value at byte %u of the text is too long", *at);
    memcpy(pair->key, from, key);
    pair->key[key] = '\0';
    memcpy(pair->value, equals + 1, value);
    pair->value[value] = '\0';
    *at += (uint32_t)(end - from) + 1;
    return true;
}

/* ---- names ---- */

void iscsi_names_put(struct iscsi_text *text, const struct iscsi_names *names, bool leading)
{
    iscsi_text_put(text, "InitiatorName", "%s", names->initiator);
    iscsi_text_put(text, "TargetName", "%s", names->target);
    if (leading)
        iscsi_text_put(text, "SessionType", "%s", names->normal ? "Normal" : "Discovery");
}

static bool take_name(char name[ISCSI_NAME_BYTES], const struct iscsi_pair *pair,
                      struct iscsi_fault *fault)
{
    const size_t length = strlen(pair->value);
    if (length >= ISCSI_NAME_BYTES)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "%s has %zu B, expected at most %d B",
                               pair->key, length, ISCSI_NAME_BYTES - 1);
    memcpy(name, pair->value, length + 1);
    return true;
}

/* Keys that other functions read and answer. */
static bool is_name(const char *key)
{
    static const char *const names[] = {"InitiatorName", "InitiatorAlias", "TargetName",
                                        "SessionType", "AuthMethod"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

/* A list of methods must have None, the only one here. */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

bool iscsi_names_take(const struct iscsi_text *text, struct iscsi_names *names,
                      struct iscsi_fault *fault)
{
    struct iscsi_pair pair;
    uint32_t at = 0;
    *names = (struct iscsi_names){.normal = true};
    *fault = (struct iscsi_fault){0};
    while (iscsi_text_next(text, &at, &pair, fault)) {
        if (strcmp(pair.key, "InitiatorName") == 0 && !take_name(names->initiator, &pair, fault))
            return false;
        if (strcmp(pair.key, "TargetName") == 0 && !take_name(names->target, &pair, fault))
            return false;
        if (strcmp(pair.key, "SessionType") == 0)
            names->normal = strcmp(pair.value, "Normal") == 0;
        if (strcmp(pair.key, "AuthMethod") == 0 && !has_word(pair.value, "None"))
            return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                                   "AuthMethod=%.40s: expected None among them", pair.value);
    }
    return fault->reason == ISCSI_REJECT_NONE;
}

static bool rename_node(char *to, size_t bytes, const char *from, const char *old, const char *new)
{
    const size_t length = strlen(from);
    if (strncmp(from, old, 4) != 0 || length >= bytes)
        return false;
    memcpy(to, new, 4);
    memcpy(to + 4, from + 4, length - 3);
    return true;
}

bool iscsi_name_of_nqn(char name[ISCSI_NAME_BYTES], const char *nqn)
{
    return rename_node(name, ISCSI_NAME_BYTES, nqn, "nqn.", "iqn.");
}

bool iscsi_nqn_of_name(char *nqn, size_t bytes, const char *name)
{
    return rename_node(nqn, bytes, name, "iqn.", "nqn.");
}

/* ---- terms ---- */

static void put_key(struct iscsi_text *text, const struct key *key, struct iscsi_terms *terms)
{
    switch (key->rule) {
    case RULE_DIGEST:
        iscsi_text_put(text, key->name, *flag_of(terms, key) ? "CRC32C" : "None");
        break;
    case RULE_OR:
    case RULE_AND:
        iscsi_text_put(text, key->name, *flag_of(terms, key) ? "Yes" : "No");
        break;
    case RULE_MIN:
    case RULE_DECLARED:
        iscsi_text_put(text, key->name, "%u", *number_of(terms, key));
        break;
    default:
        iscsi_text_put(text, key->name, "%s", key->fixed);
    }
}

void iscsi_terms_offer(struct iscsi_text *text, const struct iscsi_terms *own, bool leading)
{
    struct iscsi_terms terms = *own;
    for (unsigned i = 0; i < KEYS; i++)
        if (keys[i].rule != RULE_TARGET && (leading || keys[i].further))
            put_key(text, &keys[i], &terms);
}

static const struct key *find_key(const char *name)
{
    for (unsigned i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

static bool bad_value(const struct iscsi_pair *pair, const char *expected,
                      struct iscsi_fault *fault)
{
    return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "%s=%.40s: expected %s", pair->key,
                           pair->value, expected);
}

static bool read_number(const struct key *key, const struct iscsi_pair *pair, uint32_t *number,
                        struct iscsi_fault *fault)
{
    char *end = NULL;
    char range[48];
    const unsigned long value = strtoul(pair->value, &end, 0);
    snprintf(range, sizeof range, "a number from %u to %u", key->least, key->most);
    if (pair->value[0] < '0' || pair->value[0] > '9' || *end != '\0' || value < key->least ||
        value > key->most)
        return bad_value(pair, range, fault);
    *number = (uint32_t)value;
    return true;
}

static bool read_flag(const struct iscsi_pair *pair, bool *flag, struct iscsi_fault *fault)
{
    *flag = strcmp(pair->value, "Yes") == 0;
    return *flag || strcmp(pair->value, "No") == 0 || bad_value(pair, "Yes or No", fault);
}

/* The peer's value of a key, combined with one's own. */
static bool combine(const struct key *key, const struct iscsi_pair *pair,
                    const struct iscsi_terms *own, struct iscsi_terms *agreed,
                    struct iscsi_fault *fault)
{
    struct iscsi_terms mine = *own;
    bool flag = false;
    uint32_t number = 0;
    switch (key->rule) {
    case RULE_DIGEST:
        if (*flag_of(&mine, key) && has_word(pair->value, "CRC32C"))
            *flag_of(agreed, key) = true;
        else if (has_word(pair->value, "None"))
            *flag_of(agreed, key) = false;
        else
            return bad_value(pair, *flag_of(&mine, key) ? "CRC32C or None" : "None", fault);
        return true;
    case RULE_OR:
    case RULE_AND:
        if (!read_flag(pair, &flag, fault))
            return false;
        *flag_of(agreed, key) =
            key->rule == RULE_OR ? flag || *flag_of(&mine, key) : flag && *flag_of(&mine, key);
        return true;
    case RULE_MIN:
        if (!read_number(key, pair, &number, fault))
            return false;
        *number_of(agreed, key) = number < *number_of(&mine, key) ? number : *number_of(&mine, key);
        return true;
    case RULE_DECLARED:
        return read_number(key, pair, &agreed->send_data, fault);
    default:
        return true;
    }
}

/* The keys that the peer sent: a bit for each row. */
struct offered {
    uint32_t keys;
    uint32_t settled; /* of these, those whose result the offer alone decides */
};

static_assert(KEYS <= 32, "a bit for each key");

/* iscsi_check_proposer_for_optional_reply: No settles a key of RULE_AND, Yes one of RULE_OR. */
static bool settles(const struct key *key, const char *value)
{
    switch (key->rule) {
    case RULE_AND:
        return strcmp(value, "No") == 0;
    case RULE_OR:
    case RULE_ORDER:
        return strcmp(value, "Yes") == 0;
    default:
        return false;
    }
}

/* Answers to keys that it does not know go to `answer`. */
static bool read_terms(const struct iscsi_text *text, const struct iscsi_terms *own, bool leading,
                       struct iscsi_terms *agreed, struct offered *offered,
                       struct iscsi_text *answer, struct iscsi_fault *fault)
{
    struct iscsi_pair pair;
    uint32_t at = 0;
    *agreed = *own;
    agreed->send_data = ISCSI_TEXT_MAX;
    *offered = (struct offered){0};
    *fault = (struct iscsi_fault){0};
    while (iscsi_text_next(text, &at, &pair, fault)) {
        const struct key *key = find_key(pair.key);
        if (key != NULL && !leading && !key->further)
            return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                                   "%s: expected only in the Login of the leading connection",
                                   pair.key);
        if (key != NULL && !combine(key, &pair, own, agreed, fault))
            return false;
        if (key != NULL) {
            const uint32_t bit = UINT32_C(1) << (key - keys);
            offered->keys |= bit;
            offered->settled |= settles(key, pair.value) ? bit : 0;
        } else if (answer != NULL && !is_name(pair.key)) {
            if (answer->length + ISCSI_KEY_BYTES + ANSWER_MOST > sizeof answer->bytes)
                return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                                       "Login: the answers do not fit into %d B", ISCSI_TEXT_MAX);
            iscsi_text_put(answer, pair.key, "NotUnderstood");
        }
    }
    if (fault->reason != ISCSI_REJECT_NONE)
        return false;
    if (agreed->first_burst > agreed->max_burst) /* RFC 7143 13.14: it must not exceed it */
        agreed->first_burst = agreed->max_burst;
    return true;
}

static void put_answers(struct iscsi_text *answer, const struct offered *offered, bool first,
                        struct iscsi_terms *agreed)
{
    for (unsigned place = 1; place <= KEYS; place++)
        for (unsigned i = 0; i < KEYS; i++) {
            const uint32_t bit = UINT32_C(1) << i;
            const bool due = keys[i].rule == RULE_TARGET
                                 ? first
                                 : (offered->keys & ~offered->settled & bit) != 0;
            if (keys[i].answer == place && due)
                put_key(answer, &keys[i], agreed);
        }
}

bool iscsi_terms_answer(const struct iscsi_text *offer, const struct iscsi_terms *own,
                        struct iscsi_stage stage, struct iscsi_terms *agreed,
                        struct iscsi_text *answer, struct iscsi_fault *fault)
{
    struct iscsi_text unknown = {0};
    struct offered offered;
    if (!read_terms(offer, own, stage.leading, agreed, &offered, &unknown, fault))
        return false;
    put_answers(answer, &offered, stage.first, agreed);
    if (unknown.length > sizeof answer->bytes - answer->length)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login: the answers do not fit into %d B", ISCSI_TEXT_MAX);
    memcpy(answer->bytes + answer->length, unknown.bytes, unknown.length);
    answer->length += unknown.length;
    return true;
}

/* An initiator that requests a digest gives up a target that does not use it. */
bool iscsi_terms_take(const struct iscsi_text *text, const struct iscsi_terms *own, bool leading,
                      struct iscsi_terms *agreed, struct iscsi_fault *fault)
{
    struct offered offered;
    if (!read_terms(text, own, leading, agreed, &offered, NULL, fault))
        return false;
    if (agreed->header_digest != own->header_digest || agreed->data_digest != own->data_digest)
        return iscsi_fail_with(
            fault, ISCSI_REJECT_PROTOCOL, "the target does not agree to the digests (%s)",
            agreed->header_digest != own->header_digest ? "HeaderDigest" : "DataDigest");
    return true;
}
