/* SPDX-License-Identifier: Apache-2.0 */
#include "base/opt.h"

#include "base/check.h"
#include "base/nearest.h"
#include "base/quantity.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static_assert(OPT_WHY_BYTES == QUANTITY_WHY_BYTES, "a quantity's sentence is passed on as it is");

/* The quantity kind of a row's type; false: the type is not a quantity. */
static bool quantity_of(enum opt_type type, enum quantity_kind *kind)
{
    static const struct {
        bool is;
        enum quantity_kind kind;
    } of[] = {
        [OPT_INT] = {true, QUANTITY_INT},
        [OPT_BOOL] = {false, 0},
        [OPT_TIME] = {true, QUANTITY_TIME},
        [OPT_SIZE] = {true, QUANTITY_SIZE},
        [OPT_RATE] = {true, QUANTITY_RATE},
        [OPT_LENGTH] = {true, QUANTITY_LENGTH},
        [OPT_PERCENT] = {true, QUANTITY_PERCENT},
        [OPT_RATIO] = {true, QUANTITY_RATIO},
        [OPT_DECIMAL] = {true, QUANTITY_DECIMAL},
        [OPT_CHOICE] = {false, 0},
        [OPT_MASK] = {false, 0},
        [OPT_DSCP] = {true, QUANTITY_INT},
    };
    CHECK((size_t)type < sizeof of / sizeof of[0]);
    *kind = of[type].kind;
    return of[type].is;
}

const struct opt *opt_find(const struct opt *rows, const char *name)
{
    for (const struct opt *row = rows; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

const struct opt *opt_nearest(const struct opt *rows, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (const struct opt *row = rows; row->name != NULL; row++)
        nearest_offer(&nearest, row->name);
    return nearest.best[0] == '\0' ? NULL : opt_find(rows, nearest.best);
}

/* Index of `text` in "a|b|c", or -1. */
static int64_t word_index(const char *words, const char *text)
{
    const size_t length = strlen(text);
    int64_t index = 0;
    for (const char *at = words; at != NULL && length > 0; index++) {
        const char *end = strchr(at, '|');
        const size_t word = end == NULL ? strlen(at) : (size_t)(end - at);
        if (word == length && memcmp(at, text, length) == 0)
            return index;
        at = end == NULL ? NULL : end + 1;
    }
    return -1;
}

static void word_write(const char *words, int64_t index, char *text, size_t size)
{
    const char *at = words;
    for (; index > 0 && at != NULL; index--) {
        const char *end = strchr(at, '|');
        at = end == NULL ? NULL : end + 1;
    }
    CHECK(at != NULL);
    snprintf(text, size, "%.*s", (int)strcspn(at, "|"), at);
}

/* Writes "a, b or c" for a message. */
static void words_write(const char *words, char *text, size_t size)
{
    size_t used = 0;
    for (const char *at = words; used < size;) {
        const size_t length = strcspn(at, "|");
        const bool last = at[length] == '\0';
        const bool next_is_last = !last && strchr(at + length + 1, '|') == NULL;
        used += (size_t)snprintf(text + used, size - used, "%.*s%s", (int)length, at,
                                 last           ? ""
                                 : next_is_last ? " or "
                                                : ", ");
        if (last)
            return;
        at += length + 1;
    }
}

static bool parse_bool(const char *text, int64_t *value, char why[OPT_WHY_BYTES])
{
    *value = strcmp(text, "true") == 0;
    if (*value || strcmp(text, "false") == 0)
        return true;
    snprintf(why, OPT_WHY_BYTES, "expected true or false, but found \"%.32s\"", text);
    return false;
}

static bool parse_choice(const struct opt *row, const char *text, int64_t *value,
                         char why[OPT_WHY_BYTES])
{
    *value = word_index(row->choices, text);
    if (*value >= 0)
        return true;
    char words[100];
    words_write(row->choices, words, sizeof words);
    snprintf(why, OPT_WHY_BYTES, "expected %.99s, but found \"%.24s\"", words, text);
    return false;
}

enum { MASK_BITS = 63 };

/* Parses a number of one or two digits; returns an out-of-range value for anything else. */
static int small_number(const char *text, size_t digits)
{
    if (digits == 1)
        return text[0] - '0';
    return digits == 2 ? (text[0] - '0') * 10 + text[1] - '0' : MASK_BITS;
}

/* Parses "3,4": numbers separated by commas, with optional spaces. */
static bool parse_mask(const char *text, int64_t *value, char why[OPT_WHY_BYTES])
{
    *value = 0;
    if (strcmp(text, "none") == 0)
        return true;
    const char *at = text;
    for (;;) {
        at += strspn(at, " ");
        const size_t digits = strspn(at, "0123456789");
        const int number = small_number(at, digits);
        if (number >= MASK_BITS)
            break;
        *value |= INT64_C(1) << number;
        at += digits;
        at += strspn(at, " ");
        if (*at == '\0')
            return true;
        if (*at++ != ',')
            break;
    }
    snprintf(why, OPT_WHY_BYTES, "expected a list of numbers such as [3, 4], but found \"%.32s\"",
             text);
    return false;
}

static void mask_write(int64_t value, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", value == 0 ? "none" : "");
    for (int bit = 0; bit < MASK_BITS && used < size; bit++)
        if (value >> bit & 1)
            used += (size_t)snprintf(text + used, size - used, used == 0 ? "%d" : ",%d", bit);
}

/* Writes what was expected, including the special words; where "never" is accepted, so is -1. */
static void write_expected(const struct opt *row, const char *what, const char *text,
                           char why[OPT_WHY_BYTES])
{
    char words[64];
    words_write(row->choices, words, sizeof words);
    snprintf(why, OPT_WHY_BYTES, "expected %s, or %s%s, but found \"%.24s\"", what, words,
             word_index(row->choices, "never") < 0 ? "" : " or -1", text);
}

/* ---- DSCP ---- */

/* RFC 2474 (cs), 2597 (af), 3246 (ef), 8622 (le). */
static bool dscp_of_name(const char *text, int64_t *value)
{
    static const char *const kinds[] = {"cs", "af", "ef", "le", "be"};
    char name[8] = "";
    for (size_t i = 0; i < sizeof name - 1 && text[i] != '\0'; i++)
        name[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    const size_t length = strlen(text);
    const int a = name[2] - '0', b = name[2] == '\0' ? 0 : name[3] - '0';
    if (length == 3 && strncmp(name, kinds[0], 2) == 0 && a >= 0 && a <= 7)
        *value = 8 * a;
    else if (length == 4 && strncmp(name, kinds[1], 2) == 0 && a >= 1 && a <= 4 && b >= 1 && b <= 3)
        *value = 8 * a + 2 * b;
    else if (strcmp(name, kinds[2]) == 0)
        *value = 46;
    else if (strcmp(name, kinds[3]) == 0)
        *value = 1;
    else if (strcmp(name, kinds[4]) == 0)
        *value = 0;
    else
        return false;
    return true;
}

enum { TOS_MAX = 255, DSCP_MAX = 63, TOS_SHIFT = 2 };

/* "tos 106": the whole ToS byte of the IPv4 header. Its two low bits are ECN (RFC 3168 5), which
 * the device sets, and are ignored. */
static bool parse_dscp(const struct opt *row, const char *text, int64_t *value,
                       char why[OPT_WHY_BYTES])
{
    static const char head[] = "tos ";
    char unused[OPT_WHY_BYTES];
    if (dscp_of_name(text, value))
        return true;
    if (strncasecmp(text, head, sizeof head - 1) == 0) {
        const char *number = text + sizeof head - 1;
        number += strspn(number, " ");
        if (quantity_parse(QUANTITY_INT, number, value, unused) && *value >= 0 &&
            *value <= TOS_MAX) {
            *value >>= TOS_SHIFT;
            return true;
        }
        snprintf(why, OPT_WHY_BYTES, "expected a ToS from 0 to %d, but found \"%.24s\"", TOS_MAX,
                 number);
        return false;
    }
    if (!quantity_parse(QUANTITY_INT, text, value, unused))
        snprintf(why, OPT_WHY_BYTES,
                 "expected a DSCP such as 26, tos 104 or af31%s%s, but found \"%.24s\"",
                 row->choices == NULL ? "" : ", or ", row->choices == NULL ? "" : row->choices,
                 text);
    else if (*value > DSCP_MAX && *value <= TOS_MAX)
        snprintf(why, OPT_WHY_BYTES,
                 "expected a DSCP from 0 to %d, but found %d; if it is a ToS, write: tos %d",
                 DSCP_MAX, (int)*value, (int)*value);
    else
        return true;
    return false;
}

static bool parse_quantity(const struct opt *row, enum quantity_kind kind, const char *text,
                           int64_t *value, char why[OPT_WHY_BYTES])
{
    if (row->type == OPT_DSCP)
        return parse_dscp(row, text, value, why);
    if (quantity_parse(kind, text, value, why))
        return true;
    if (row->choices != NULL)
        write_expected(row, quantity_expected(kind), text, why);
    return false;
}

static bool parse_numbers(const struct opt *row, const char *text, int64_t *value,
                          char why[OPT_WHY_BYTES])
{
    if (parse_mask(text, value, why))
        return true;
    if (row->choices != NULL)
        write_expected(row, "a list of numbers such as [3, 4]", text, why);
    return false;
}

static int64_t parse_own(const struct opt *row, const char *text)
{
    char why[OPT_WHY_BYTES];
    struct opt bare = *row;
    bare.min = bare.max = bare.step = NULL;
    bare.factor = 0;
    int64_t value = 0;
    CHECK(opt_parse(&bare, text, &value, why));
    return value;
}

void opt_mask_range(const struct opt *row, char *text, size_t size)
{
    const char *last = strrchr(row->max, ',');
    snprintf(text, size, "%.*s to %s", (int)strcspn(row->max, ","), row->max,
             last == NULL ? row->max : last + 1);
}

static bool in_mask(const struct opt *row, int64_t value, char why[OPT_WHY_BYTES])
{
    if (row->max == NULL || (value & ~parse_own(row, row->max)) == 0)
        return true;
    char range[32], text[64];
    opt_mask_range(row, range, sizeof range);
    mask_write(value, text, sizeof text);
    snprintf(why, OPT_WHY_BYTES, "expected numbers from %s, but found \"%.32s\"", range, text);
    return false;
}

static bool in_bounds(const struct opt *row, int64_t value, char why[OPT_WHY_BYTES])
{
    const bool less = row->min != NULL && value < parse_own(row, row->min);
    if (!less && (row->max == NULL || value <= parse_own(row, row->max)))
        return true;
    char text[64];
    struct opt bare = *row; /* only a number is valid here, not a word */
    bare.choices = NULL;
    opt_format(&bare, value, text, sizeof text);
    snprintf(why, OPT_WHY_BYTES, "%s is %s, %s", text,
             less ? "less than the minimum" : "more than the maximum", less ? row->min : row->max);
    return false;
}

/* ---- legal values between the bounds ---- */

/* The greatest legal value <= `value`, where `value` >= min. */
static int64_t legal_below(const struct opt *row, int64_t value)
{
    if (row->step != NULL)
        return value - value % parse_own(row, row->step);
    int64_t legal = parse_own(row, row->min);
    while (legal <= value / row->factor)
        legal *= row->factor;
    return legal;
}

static int64_t legal_above(const struct opt *row, int64_t legal)
{
    return row->step != NULL ? legal + parse_own(row, row->step) : legal * row->factor;
}

bool opt_series(const struct opt *row, char *text, size_t size)
{
    if (row->step != NULL)
        snprintf(text, size, "a whole multiple of %s", row->step);
    else if (row->factor > 0 && parse_own(row, row->min) * row->factor == parse_own(row, row->max))
        snprintf(text, size, "%s or %s", row->min, row->max);
    else if (row->factor > 0)
        snprintf(text, size, "%s times a power of %lld", row->min, (long long)row->factor);
    return row->step != NULL || row->factor > 0;
}

/* Checks a value inside the bounds against step and factor. */
static bool in_series(const struct opt *row, int64_t value, char why[OPT_WHY_BYTES])
{
    char series[64], text[3][QUANTITY_TEXT_BYTES];
    if ((row->step == NULL && row->factor == 0) || legal_below(row, value) == value)
        return true;
    opt_series(row, series, sizeof series);
    const int64_t below = legal_below(row, value), above = legal_above(row, below);
    const bool is_last = row->max != NULL && above > parse_own(row, row->max);
    opt_format(row, value, text[0], sizeof text[0]);
    opt_format(row, below, text[1], sizeof text[1]);
    opt_format(row, above, text[2], sizeof text[2]);
    snprintf(why, OPT_WHY_BYTES, "expected %.48s, but found %.24s; nearest: %.24s%s%.24s", series,
             text[0], text[1], is_last ? "" : " and ", is_last ? "" : text[2]);
    return false;
}

/* nvme-cli and the kernel options write -1 for "never". */
bool opt_parse(const struct opt *row, const char *text, int64_t *value, char why[OPT_WHY_BYTES])
{
    enum quantity_kind kind;
    if (row->type == OPT_BOOL)
        return parse_bool(text, value, why);
    if (row->type == OPT_CHOICE)
        return parse_choice(row, text, value, why);
    const int64_t word = word_index(row->choices, strcmp(text, "-1") == 0 ? "never" : text);
    if (word >= 0) { /* bounds apply to quantities, not to special words */
        *value = -1 - word;
        return true;
    }
    if (row->type == OPT_MASK)
        return parse_numbers(row, text, value, why) && in_mask(row, *value, why);
    CHECK(quantity_of(row->type, &kind));
    return parse_quantity(row, kind, text, value, why) && in_bounds(row, *value, why) &&
           in_series(row, *value, why);
}

void opt_format(const struct opt *row, int64_t value, char *text, size_t size)
{
    enum quantity_kind kind;
    CHECK(size >= QUANTITY_TEXT_BYTES);
    if (row->type == OPT_BOOL)
        snprintf(text, size, "%s", value ? "true" : "false");
    else if (row->type == OPT_CHOICE)
        word_write(row->choices, value, text, size);
    else if (row->choices != NULL && value < 0)
        word_write(row->choices, -1 - value, text, size);
    else if (row->type == OPT_MASK)
        mask_write(value, text, size);
    else if (quantity_of(row->type, &kind))
        quantity_format(kind, value, text, size);
}

void opt_presets_onto(const struct opt *rows, void *params)
{
    for (const struct opt *row = rows; row->name != NULL; row++) {
        CHECK(row->effect.part != OPT_PART_UNSAID);
        *opt_field(row, params) = parse_own(row, row->preset);
    }
}

size_t opt_join(struct opt *rows, size_t count, const struct opt *own, size_t offset)
{
    for (; own != NULL && own->name != NULL; own++, count++) {
        if (rows == NULL)
            continue;
        rows[count] = *own;
        rows[count].offset += offset;
    }
    if (rows != NULL)
        rows[count] = (struct opt){0};
    return count;
}
