/* SPDX-License-Identifier: Apache-2.0
 * A number is parsed as digits times a power of ten, and a unit is a factor; their product must be
 * whole and fit in 63 bits. 128-bit arithmetic fits 19 digits times the largest factor (an hour,
 * 3.6 x 10^15 ps). */
#include "base/quantity.h"

#include "base/check.h"

#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;

struct unit {
    const char *name;
    int64_t factor;
    bool written; /* quantity_format may use this unit */
};

#define RATIO_ONE   UINT64_C(1000000000000000) /* base units in a ratio of 1 */
#define PERCENT_ONE UINT64_C(1000000)          /* base units in 100 % */

enum { POWER_MAX = 40 }; /* largest power of two: 2^40 times RATIO_ONE fits in 128 bits */

enum { UNITS_MAX = 14 };

/* Enough decimals for the largest unit, so that the output is exact. */
#define ALL_DECIMALS INT64_C(1000000000000)

struct kind {
    const char *expected;
    const char *zero;    /* unit printed with zero */
    bool bare_unit;      /* a number without a unit is in the base unit */
    int64_t decimals_of; /* quantity_format: 10^n allows n decimals, 1 allows none */
    struct unit units[UNITS_MAX];
};

/* Largest unit first: quantity_format uses the first that fits. */
static const struct kind kinds[] = {
    [QUANTITY_INT] = {"a whole number such as 32", "", true, 1, {{"", 1, true}}},
    [QUANTITY_TIME] = {"a time such as 55us",
                       "s",
                       false,
                       ALL_DECIMALS,
                       {{"h", 3600000000000000, false},
                        {"s", 1000000000000, true},
                        {"ms", 1000000000, true},
                        {"us", 1000000, true},
                        {"ns", 1000, true},
                        {"ps", 1, true}}},
    [QUANTITY_SIZE] = {"a size such as 64KiB or 400KB",
                       "B",
                       false,
                       1,
                       {{"PiB", INT64_C(1) << 50, true},
                        {"TiB", INT64_C(1) << 40, true},
                        {"GiB", 1 << 30, true},
                        {"MiB", 1 << 20, true},
                        {"KiB", 1 << 10, true},
                        {"PB", 1000000000000000, true},
                        {"TB", 1000000000000, true},
                        {"GB", 1000000000, true},
                        {"MB", 1000000, true},
                        {"KB", 1000, true},
                        {"kB", 1000, false},
                        {"B", 1, true}}},
    [QUANTITY_RATE] = {"a rate such as 100Gbps",
                       "bps",
                       false,
                       ALL_DECIMALS,
                       {{"Tbps", 1000000000000, true},
                        {"Gbps", 1000000000, true},
                        {"Mbps", 1000000, true},
                        {"Kbps", 1000, true},
                        {"kbps", 1000, false},
                        {"bps", 1, true}}},
    [QUANTITY_LENGTH] =
        {"a length such as 3m",
         "m",
         false,
         ALL_DECIMALS,
         {{"km", 1000000, true}, {"m", 1000, true}, {"cm", 10, false}, {"mm", 1, true}}},
    [QUANTITY_PERCENT] = {"a percentage such as 20%, or a ratio such as 1/16",
                          "%",
                          false,
                          10000,
                          {{"%", 10000, true}, {"ppm", 1, false}}},
    [QUANTITY_RATIO] = {"a ratio such as 1e-12 or 1/256",
                        "",
                        true,
                        1,
                        {{"%", 10000000000000, false}, {"", 1000000000000000, true}}},
    [QUANTITY_DECIMAL] = {"a number such as 1250 or 0.5, to the thousandth",
                          "",
                          true,
                          ALL_DECIMALS,
                          {{"", QUANTITY_DECIMAL_ONE, true}}},
};

const char *quantity_expected(enum quantity_kind kind)
{
    return kinds[kind].expected;
}

/* digits * 10^exponent */
struct number {
    bool negative;
    uint64_t digits;
    int exponent;
};

enum number_fault { NUMBER_FINE, NUMBER_NONE, NUMBER_LONG };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Moves trailing zeros into the exponent, so that 1.50 equals 1.5. */
static void number_trim(struct number *number)
{
    while (number->digits != 0 && number->digits % 10 == 0) {
        number->digits /= 10;
        number->exponent++;
    }
    if (number->digits == 0)
        number->exponent = 0;
}

static enum number_fault number_digits(const char **at, struct number *number)
{
    bool any = false, point = false;
    for (;; (*at)++) {
        if (**at == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(**at))
            return any ? NUMBER_FINE : NUMBER_NONE;
        any = true;
        if (number->digits > (UINT64_MAX - 9) / 10)
            return NUMBER_LONG;
        number->digits = number->digits * 10 + (uint64_t)(**at - '0');
        number->exponent -= point ? 1 : 0;
    }
}

/* Parses "e-12"; an e without digits is the start of the unit. */
static void number_exponent(const char **at, struct number *number)
{
    const char *look = *at;
    if (*look != 'e' && *look != 'E')
        return;
    look++;
    const bool negative = *look == '-';
    if (*look == '-' || *look == '+')
        look++;
    if (!is_digit(*look))
        return;
    int exponent = 0;
    for (; is_digit(*look); look++)
        exponent = exponent > 999 ? exponent : exponent * 10 + (*look - '0');
    number->exponent += negative ? -exponent : exponent;
    *at = look;
}

static enum number_fault number_read(const char **at, struct number *number)
{
    *number = (struct number){0};
    if (**at == '-') {
        number->negative = true;
        (*at)++;
    }
    const enum number_fault fault = number_digits(at, number);
    if (fault != NUMBER_FINE)
        return fault;
    number_exponent(at, number);
    number_trim(number);
    return NUMBER_FINE;
}

static const struct unit *unit_find(const struct kind *kind, const char *name)
{
    for (const struct unit *unit = kind->units; unit->name != NULL; unit++)
        if (strcmp(unit->name, name) == 0)
            return unit;
    return NULL;
}

static bool refuse(char why[QUANTITY_WHY_BYTES], enum quantity_kind kind, const char *text,
                   const char *because)
{
    snprintf(why, QUANTITY_WHY_BYTES, "expected %s, but \"%.32s\" %s", kinds[kind].expected, text,
             because);
    return false;
}

enum scale_fault { SCALE_FINE, SCALE_BROKEN, SCALE_LARGE };

/* digits * 10^exponent * factor as a whole number of at most 63 bits. */
static enum scale_fault scale(const struct number *number, int64_t factor, int64_t *value)
{
    wide product = (wide)number->digits * (wide)factor;
    for (int e = number->exponent; e > 0 && product != 0; e--) {
        product *= 10;
        if (product > (wide)INT64_MAX)
            return SCALE_LARGE;
    }
    for (int e = number->exponent; e < 0 && product != 0; e++) {
        if (product % 10 != 0)
            return SCALE_BROKEN;
        product /= 10;
    }
    if (product > (wide)INT64_MAX)
        return SCALE_LARGE;
    *value = (int64_t)product;
    return SCALE_FINE;
}

/* ---- ratios ---- */

static bool is_ratio(enum quantity_kind kind)
{
    return kind == QUANTITY_RATIO || kind == QUANTITY_PERCENT;
}

/* The value 1 in base units. */
static wide one_of(enum quantity_kind kind)
{
    return kind == QUANTITY_RATIO ? RATIO_ONE : PERCENT_ONE;
}

static bool take_ratio(enum quantity_kind kind, const char *text, int64_t above, int64_t below,
                       int64_t *value, char why[QUANTITY_WHY_BYTES])
{
    const wide divisor = (wide)below, whole = (wide)above * one_of(kind);
    const wide quotient = (whole + (kind == QUANTITY_PERCENT ? divisor / 2 : 0)) / divisor;
    if (quotient > (wide)INT64_MAX)
        return refuse(why, kind, text, "is too large");
    if (kind == QUANTITY_RATIO && quotient * divisor != whole)
        return refuse(why, kind, text, "is not a whole number of parts in 10^15");
    if (quotient == 0 && above > 0)
        return refuse(why, kind, text, "is less than one part per million");
    *value = (int64_t)quotient;
    return true;
}

/* "1/256" */
static bool parse_fraction(enum quantity_kind kind, const char *text, const char *slash,
                           const struct number *upper, int64_t *value, char why[QUANTITY_WHY_BYTES])
{
    struct number lower;
    const char *at = slash + 1;
    if (number_read(&at, &lower) != NUMBER_FINE || *at != '\0' || lower.negative)
        return refuse(why, kind, text, "has no denominator");
    int64_t above, below;
    if (scale(upper, 1, &above) != SCALE_FINE || scale(&lower, 1, &below) != SCALE_FINE ||
        below == 0)
        return refuse(why, kind, text, "is not a fraction of two whole numbers");
    return take_ratio(kind, text, above, below, value, why);
}

/* Two to the power of the number in `exponent`, such as "-4". */
static bool parse_power(enum quantity_kind kind, const char *text, const char *exponent,
                        int64_t *value, char why[QUANTITY_WHY_BYTES])
{
    struct number number;
    int64_t power;
    if (number_read(&exponent, &number) != NUMBER_FINE || *exponent != '\0' ||
        scale(&number, 1, &power) != SCALE_FINE || power > POWER_MAX)
        return refuse(why, kind, text, "has no exponent from -40 to 40");
    const int64_t two = INT64_C(1) << power;
    return take_ratio(kind, text, number.negative ? 1 : two, number.negative ? two : 1, value, why);
}

/* The exponent of "2^-4" or "dynamic_th -4"; NULL: the text has neither form. */
static const char *exponent_of(const char *text)
{
    static const char *const heads[] = {"2^", "dynamic_th ", "dynamic-th "};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(text, heads[i], strlen(heads[i])) == 0)
            return text + strlen(heads[i]) + strspn(text + strlen(heads[i]), " ");
    return NULL;
}

static const struct unit *unit_of(const struct kind *kind, const struct number *number,
                                  const char *name)
{
    static const struct unit zero = {"", 1, false};
    if (*name == '\0' && number->digits == 0)
        return &zero;
    return *name == '\0' && !kind->bare_unit ? NULL : unit_find(kind, name);
}

/* Data rates of InfiniBand's usual width, four lanes: Linux ib_verbs.h enum ib_port_speed, and
 * verbs.c ib_rate_to_mbps. Fibre Channel: the line rate of FC-PI-5 to FC-PI-8 less its coding.
 * 8GFC 8.5 GBd 8b/10b; 16GFC 14.025 GBd 64b/66b; 32GFC 28.05 GBd 256b/257b and RS(528,514); 64GFC
 * and 128GFC 28.9 and 56.1 GBd PAM4, 256b/257b and RS(544,514). */
static const struct {
    const char *name;
    int64_t mbps;
} named_rates[] = {
    {"SDR", 8000},    {"DDR", 16000},   {"QDR", 32000},   {"FDR10", 40000},   {"FDR", 54500},
    {"EDR", 100000},  {"HDR", 200000},  {"NDR", 400000},  {"XDR", 800000},    {"8GFC", 6800},
    {"16GFC", 13600}, {"32GFC", 27200}, {"64GFC", 54400}, {"128GFC", 105600},
};

/* 0: the text is no such name. */
static int64_t named_rate(const char *text)
{
    for (size_t i = 0; i < sizeof named_rates / sizeof named_rates[0]; i++)
        if (strcmp(text, named_rates[i].name) == 0)
            return named_rates[i].mbps * 1000000;
    return 0;
}

static bool is_fc(const char *rate)
{
    return strstr(rate, "GFC") != NULL;
}

const char *quantity_fc_rate(int64_t bps)
{
    for (size_t i = 0; i < sizeof named_rates / sizeof named_rates[0]; i++)
        if (named_rates[i].mbps * 1000000 == bps && is_fc(named_rates[i].name))
            return named_rates[i].name;
    return NULL;
}

const char *quantity_rate_network(const char *text)
{
    return named_rate(text) == 0 ? NULL : is_fc(text) ? "Fibre Channel" : "InfiniBand";
}

bool quantity_parse(enum quantity_kind kind, const char *text, int64_t *value,
                    char why[QUANTITY_WHY_BYTES])
{
    const int64_t named = kind == QUANTITY_RATE ? named_rate(text) : 0;
    if (named > 0) {
        *value = named;
        return true;
    }
    const char *at = text;
    struct number number;
    const char *exponent = is_ratio(kind) ? exponent_of(text) : NULL;
    if (exponent != NULL)
        return parse_power(kind, text, exponent, value, why);
    const enum number_fault fault = number_read(&at, &number);
    if (fault == NUMBER_NONE && is_ratio(kind) && strncmp(text, "dynamic", 7) == 0)
        return refuse(why, kind, text, "is neither; write 1/16, 2^-4 or dynamic_th -4");
    if (fault == NUMBER_NONE)
        return refuse(why, kind, text, *text == '\0' ? "is empty" : "does not begin with a number");
    if (fault == NUMBER_LONG)
        return refuse(why, kind, text, "has too many digits");
    if (number.negative && kind != QUANTITY_INT)
        return refuse(why, kind, text, "is negative");
    if (is_ratio(kind) && *at == '/')
        return parse_fraction(kind, text, at, &number, value, why);
    const struct unit *unit = unit_of(&kinds[kind], &number, at);
    if (unit == NULL)
        return refuse(why, kind, text, *at == '\0' ? "has no unit" : "has another unit");
    switch (scale(&number, unit->factor, value)) {
    case SCALE_BROKEN:
        return refuse(why, kind, text, "is not a whole number of the smallest unit");
    case SCALE_LARGE:
        return refuse(why, kind, text, "is too large");
    case SCALE_FINE:
        break;
    }
    if (number.negative)
        *value = -*value;
    return true;
}

/* value / factor with as many decimals as needed. */
static void write_decimal(int64_t value, const struct unit *unit, char *text, size_t size)
{
    char decimals[QUANTITY_TEXT_BYTES] = ".";
    size_t length = 1;
    int64_t rest = value % unit->factor;
    for (int64_t step = unit->factor / 10; rest != 0; rest %= step, step /= 10)
        decimals[length++] = (char)('0' + rest / step);
    decimals[length == 1 ? 0 : length] = '\0';
    snprintf(text, size, "%lld%s%s", (long long)(value / unit->factor), decimals, unit->name);
}

/* 1/256 where the fraction is short, else 3e-12. */
static void write_ratio(int64_t value, char *text, size_t size)
{
    const int64_t one = (int64_t)RATIO_ONE;
    if (value > 0 && one % value == 0 && one / value <= 65536) {
        const int64_t below = one / value;
        snprintf(text, size, below == 1 ? "1" : "1/%lld", (long long)below);
        return;
    }
    int exponent = value == 0 ? 0 : -15;
    for (; value != 0 && value % 10 == 0; value /= 10)
        exponent++;
    snprintf(text, size, exponent == 0 ? "%lld" : "%llde%d", (long long)value, exponent);
}

/* Sizes below this are more readable in bytes: 4200B, 9216B. */
#define BYTES_PLAIN 10000

/* A kind with a single printable unit uses it for values below one too: 0.5. */
static bool has_one_unit(const struct kind *kind)
{
    return kind == &kinds[QUANTITY_PERCENT] || kind == &kinds[QUANTITY_DECIMAL];
}

static bool fits(const struct kind *kind, const struct unit *unit, int64_t value)
{
    if (!unit->written)
        return false;
    if (unit->factor == 1)
        return true;
    const int64_t step = unit->factor > kind->decimals_of ? unit->factor / kind->decimals_of : 1;
    return (value >= unit->factor || has_one_unit(kind)) && value % step == 0;
}

/* The unit of a size that gives the smallest number, so that 32MB is not printed as 31250KiB; a
 * binary unit when both are equal. */
static const struct unit *size_unit(const struct kind *kind, int64_t value)
{
    const struct unit *best = unit_find(kind, "B");
    for (const struct unit *unit = kind->units; value >= BYTES_PLAIN && unit->name != NULL; unit++)
        if (fits(kind, unit, value) && unit->factor > best->factor)
            best = unit;
    return best;
}

static const struct unit *best_unit(const struct kind *kind, int64_t value)
{
    if (value == 0)
        return unit_find(kind, kind->zero);
    if (kind == &kinds[QUANTITY_SIZE])
        return size_unit(kind, value);
    const struct unit *unit = kind->units;
    while (!fits(kind, unit, value))
        unit++;
    return unit;
}

void quantity_format(enum quantity_kind kind, int64_t value, char *text, size_t size)
{
    CHECK(size >= QUANTITY_TEXT_BYTES);
    if (kind == QUANTITY_RATIO) {
        write_ratio(value, text, size);
        return;
    }
    if (kind == QUANTITY_INT || value < 0) {
        snprintf(text, size, "%lld", (long long)value);
        return;
    }
    const struct unit *unit = best_unit(&kinds[kind], value);
    CHECK(unit != NULL && unit->name != NULL);
    write_decimal(value, unit, text, size);
}
