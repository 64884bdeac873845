/* SPDX-License-Identifier: Apache-2.0
 * opt - parameters as rows.
 * A module with parameters owns a struct whose numeric fields are all int64_t in the base unit, and
 * a table of rows that says how a scenario writes each.  The loader, --help, the settings table of
 * a run and the documentation read the same rows.
 * Units in the struct: TIME ps, SIZE bytes, RATE bits per second, LENGTH millimetres, PERCENT parts
 * per million, RATIO parts per 10^15, DECIMAL thousandths, INT and BOOL themselves, DSCP its number
 * (also "tos 104", the whole byte, and "af31"), CHOICE the index among `choices`, MASK a bit for
 * each number of a list ("3,4", in a scenario also [3, 4]; "none"). */
#ifndef STORMGLASS_BASE_OPT_H
#define STORMGLASS_BASE_OPT_H

#include "base/opt_effect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    const char *name; /* kebab-case word of the scenario; NULL ends a table */
    enum opt_type type;
    size_t offset;         /* of the int64_t in the parameter struct */
    const char *preset;    /* the default as a scenario would write it */
    const char *min, *max; /* likewise; NULL: the type's own bound */
    const char
        *choices; /* CHOICE: words separated by '|'; other types: words that stand for -1, -2, ...
                            * beside a quantity ("auto") */
    const char *about;  /* one sentence */
    const char *source; /* standard and section, paper, kernel file, or "assumed: why" */
    const char *step;   /* a quantity is a whole multiple of it; NULL: any */
    int64_t factor;     /* a quantity is min times a power of it; 0: any */
    struct opt_effect effect;
};

/* The choices of a list X(NAME, "word"), in its order: the same list makes the enum, so that no
 * word can mean another member. */
#define OPT_WORDS(LIST)       &(LIST(OPT_WORD_))[1]
#define OPT_WORD_(name, word) "|" word

#define OPT_WHY_BYTES 160

/* Sets every field to its preset; CHECKs that each parses, and that each row says what it
 * acts on.  That they lie inside their bounds is
 * a test's (tests/unit/base/test_opt.c): this is done for each block of each scenario. */
void opt_presets(const struct opt *rows, void *params);

/* Puts `own` (NULL: nothing), over a struct that begins at `offset` of a greater one, behind the
 * `count` rows that the greater one's table has, and ends the table.  How many it has then, the end
 * not counted; `rows` NULL: only counts. */
size_t opt_join(struct opt *rows, size_t count, const struct opt *own, size_t offset);

/* The row of that name, or NULL. */
const struct opt *opt_find(const struct opt *rows, const char *name);

/* The row whose name is nearest to a misspelt one, or NULL when none is near. */
const struct opt *opt_nearest(const struct opt *rows, const char *name);

/* Parses the text of a value for the row; false with a sentence in why ("expected a time such as
 * 55us"). */
bool opt_parse(const struct opt *row, const char *text, int64_t *value, char why[OPT_WHY_BYTES]);

/* Writes the value the way a scenario would ("55us", "100Gbps", "20%"). */
void opt_format(const struct opt *row, int64_t value, char *text, size_t size);

/* Which values between the bounds are legal: "a whole multiple of 4KiB", "512B or 4KiB"; false: all
 * are. */
bool opt_series(const struct opt *row, char *text, size_t size);

/* The numbers that a list may hold, "0 to 7", for a MASK with a max. */
void opt_mask_range(const struct opt *row, char *text, size_t size);

/* The value may do harm where peers have the common one: it lies in the direction that is worse.
 * Words (auto, none) stand for negative numbers, whose meaning is not known here: each other one is
 * worse. */
bool opt_is_worse(const struct opt *row, int64_t value, int64_t common);

/* The row's effect in words.  What it acts on completes "It acts on ..."; false: it acts on nothing
 * that takes time, or needs nothing to have an effect. */
const char *opt_part_words(const struct opt *row);
bool opt_effect_words(const struct opt *row, char *text, size_t size);
bool opt_needs_words(const struct opt *row, char *text, size_t size);

/* 0 stands for "no limit" or "no cost": a value that is not 0 is what hardware or a user allows. */
static inline bool opt_is_limit(const struct opt *row)
{
    return row->effect.worse == OPT_WORSE_LIMIT || row->effect.worse == OPT_WORSE_CEILING;
}

static inline int64_t *opt_field(const struct opt *row, void *params)
{
    return (int64_t *)(void *)((char *)params + row->offset);
}

/* The value of the row of that name; `otherwise` where there is no such row. */
static inline int64_t opt_value(const struct opt *rows, const char *name, const void *params,
                                int64_t otherwise)
{
    const struct opt *row = opt_find(rows, name);
    return row == NULL ? otherwise : *opt_field(row, (void *)(uintptr_t)params);
}

#endif
