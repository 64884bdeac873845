/* SPDX-License-Identifier: Apache-2.0
 * opt - table-driven parameters.
 * A module with parameters has a struct whose numeric fields are all int64_t in the base unit, and
 * a table with one row per parameter that defines how a scenario writes it. The loader, --help, the
 * settings table of a run and the documentation read the same rows.
 * Units in the struct: TIME ps, SIZE bytes, RATE bits per second, LENGTH millimeters, PERCENT parts
 * per million, RATIO parts per 10^15, DECIMAL thousandths, INT and BOOL themselves, DSCP its number
 * (also "tos 104", the whole byte, and "af31"), CHOICE the index in `choices`, MASK one bit per
 * number of a list ("3,4", in a scenario also [3, 4]; "none"). */
#ifndef STORMGLASS_BASE_OPT_H
#define STORMGLASS_BASE_OPT_H

#include "base/opt_effect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum opt_type {
    OPT_INT,
    OPT_BOOL,
    OPT_TIME,
    OPT_SIZE,
    OPT_RATE,
    OPT_LENGTH,
    OPT_PERCENT,
    OPT_RATIO,
    OPT_DECIMAL,
    OPT_CHOICE,
    OPT_MASK,
    OPT_DSCP
};

struct opt {
    const char *name; /* kebab-case name in the scenario; NULL ends a table */
    enum opt_type type;
    size_t offset;         /* of the int64_t field in the parameter struct */
    const char *preset;    /* default, as a scenario would write it */
    const char *min, *max; /* as a scenario would write them; NULL: the bound of the type */
    const char
        *choices;       /* CHOICE: words separated by '|'; other types: special words that stand for
                   * -1, -2, ... ("auto") */
    const char *about;  /* one sentence */
    const char *source; /* standard and section, paper, kernel file, or "assumed: why" */
    const char *step;   /* a quantity must be a multiple of it; NULL: any value */
    int64_t factor;     /* a quantity must be min times a power of it; 0: any value */
    struct opt_effect effect;
    struct opt_agreement agrees; /* none: each device may have its own value */
};

/* The choices of a list X(NAME, "word"), in order. The same list generates the enum, so words and
 * enum members always match. */
#define OPT_WORDS(LIST)       &(LIST(OPT_WORD_))[1]
#define OPT_WORD_(name, word) "|" word

#define OPT_WHY_BYTES 160

/* Sets every field that has a row to its default; the others stay as they are. CHECKs that each
 * default parses and that each row states what the parameter acts on. tests/unit/base/test_opt.c
 * checks that defaults lie inside their bounds, because this function runs for each block of each
 * scenario. */
void opt_presets_onto(const struct opt *rows, void *params);

/* The same for a whole struct: the fields without a row become zero. */
#define opt_presets(rows, params)                                                                  \
    (memset((params), 0, sizeof *(params)), opt_presets_onto((rows), (params)))

/* Appends the rows `own` (may be NULL), whose struct begins at `offset` of a larger one, after the
 * first `count` rows of the larger table, and terminates the table. Returns the number of rows
 * without the terminator; with `rows` NULL it only counts. */
size_t opt_join(struct opt *rows, size_t count, const struct opt *own, size_t offset);

/* The row with that name, or NULL. */
const struct opt *opt_find(const struct opt *rows, const char *name);

/* The row whose name is closest to a misspelled one, or NULL when none is close. */
const struct opt *opt_nearest(const struct opt *rows, const char *name);

/* Parses a value for the row; on failure returns false with a sentence in `why` ("expected a time
 * such as 55us"). */
bool opt_parse(const struct opt *row, const char *text, int64_t *value, char why[OPT_WHY_BYTES]);

/* Formats the value as a scenario would write it ("55us", "100Gbps", "20%"). */
void opt_format(const struct opt *row, int64_t value, char *text, size_t size);

/* Describes the legal values between the bounds: "a whole multiple of 4KiB", "512B or 4KiB".
 * Returns false when every value is legal. */
bool opt_series(const struct opt *row, char *text, size_t size);

/* Range of the numbers in a list, "0 to 7", for a MASK with a max. */
void opt_mask_range(const struct opt *row, char *text, size_t size);

/* Whether `value` may be worse than the value that the peers have in common. Special words (auto,
 * none) are negative numbers of unknown effect, so any difference from or to one of them counts as
 * worse. */
bool opt_is_worse(const struct opt *row, int64_t value, int64_t common);

/* Whether the row scales with the size of a device, and the values differ by no more than values of
 * devices of one kind: a smaller device is a choice, not a mistake. */
enum {
    OPT_DEVICES_DIFFER = 4,
    OPT_RATES_DIFFER = 40 /* links of 10 to 400 Gb/s */
};
bool opt_is_smaller_device(const struct opt *row, int64_t value, int64_t common);

/* The row in words: opt_part_words completes "It acts on ...". False: the parameter affects no time
 * (opt_effect_words), or has its effect unconditionally (opt_needs_words). */
const char *opt_part_words(const struct opt *row);
bool opt_effect_words(const struct opt *row, char *text, size_t size);
bool opt_needs_words(const struct opt *row, char *text, size_t size);
const char *opt_need_words(uint32_t need);      /* one condition, enum opt_need_index */
const char *opt_agree_words(enum opt_agree at); /* "both ends of a link" */

/* The identifier of the part in opt_part.def, such as TARGET_CPU. */
const char *opt_part_name(const struct opt *row);

/* Whether 0 means "no limit" or "no cost", so that a nonzero value expresses a limit or cost of the
 * hardware or one set by the user. */
static inline bool opt_is_limit(const struct opt *row)
{
    return row->effect.worse == OPT_WORSE_LIMIT || row->effect.worse == OPT_WORSE_CEILING;
}

/* Packet memory, which follows the number of ports. */
static inline bool opt_is_memory(const struct opt *row)
{
    return row->effect.scales && row->effect.part == OPT_PART_DROPS;
}

/* Whether a worse value may be intended, as of a cheaper device: it is a fault only if it harms. */
static inline bool opt_is_purchase(const struct opt *row)
{
    return opt_is_limit(row) || opt_is_memory(row);
}

static inline int64_t *opt_field(const struct opt *row, void *params)
{
    return (int64_t *)(void *)((char *)params + row->offset);
}

/* Value of the row with that name, or `otherwise` when there is no such row. */
static inline int64_t opt_value(const struct opt *rows, const char *name, const void *params,
                                int64_t otherwise)
{
    const struct opt *row = opt_find(rows, name);
    return row == NULL ? otherwise : *opt_field(row, (void *)(uintptr_t)params);
}

#endif
