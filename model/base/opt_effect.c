/* SPDX-License-Identifier: Apache-2.0
 * opt_effect - which of two values is worse, and the effect of a row in words. */
#include "base/opt.h"

#include <stdio.h>

bool opt_is_worse(const struct opt *row, int64_t value, int64_t common)
{
    const enum opt_worse worse = row->effect.worse;
    if (worse == OPT_WORSE_ANY || worse == OPT_WORSE_DRAW || value < 0 || common < 0)
        return value != common;
    if (worse == OPT_WORSE_LIMIT)
        return value != 0 && (common == 0 || value < common);
    return worse == OPT_WORSE_LESS ? value < common : value > common;
}

bool opt_is_smaller_device(const struct opt *row, int64_t value, int64_t common)
{
    const int64_t less = value < common ? value : common, more = value < common ? common : value;
    const struct opt_effect *effect = &row->effect;
    const bool sized = effect->scales || (effect->worse == OPT_WORSE_LESS &&
                                          effect->by == OPT_BY_SERVICE); /* such as cores */
    /* Packet memory follows the number of ports, marking thresholds the rate of the links: in these
     * devices differ by more. */
    const bool memory = opt_is_memory(row);
    const bool threshold = row->type == OPT_SIZE && effect->part == OPT_PART_CONGESTION &&
                           effect->worse == OPT_WORSE_LESS;
    const int factor = threshold ? OPT_RATES_DIFFER : sized ? OPT_DEVICES_DIFFER : 0;
    return less > 0 && (memory || more <= (__int128)less * factor);
}

const char *opt_part_words(const struct opt *row)
{
    static const char *const words[] = {
        [OPT_PART_UNSAID] = "",
#define RESOURCE(ID, word, about) [OPT_PART_##ID] = (about),
#define PART(ID, about)           [OPT_PART_##ID] = (about),
#include "base/opt_part.def"
#undef RESOURCE
#undef PART
    };
    return words[row->effect.part];
}

const char *opt_part_name(const struct opt *row)
{
    static const char *const names[] = {
        [OPT_PART_UNSAID] = "",
#define RESOURCE(ID, word, about) [OPT_PART_##ID] = #ID,
#define PART(ID, about)           [OPT_PART_##ID] = #ID,
#include "base/opt_part.def"
#undef RESOURCE
#undef PART
    };
    return names[row->effect.part];
}

/* Any value may be the worse one. Only numbers have directions. */
static const char *any_words(const struct opt *row)
{
    if (row->effect.part == OPT_PART_ASKED)
        return "another value changes the offered load";
    switch (row->type) {
    case OPT_CHOICE:
        return "another choice can make I/O slower";
    case OPT_BOOL:
        return "the other value can make I/O slower";
    case OPT_MASK:
    case OPT_DSCP:
        return "another value can make I/O slower";
    default:
        return "a change in either direction can make I/O slower";
    }
}

bool opt_effect_words(const struct opt *row, char *text, size_t size)
{
#define OPT_WORDS_OF(name, words) words,
    static const char *const worse[] = {OPT_WORSE(OPT_WORDS_OF)};
    static const char *const by[] = {OPT_BY(OPT_WORDS_OF)};
#undef OPT_WORDS_OF
    const char *how = by[row->effect.by];
    int64_t value;
    char why[OPT_WHY_BYTES];
    /* What 0 means of a limit is in the sentence about it. */
    const bool is_delay =
        row->effect.worse == OPT_WORSE_CEILING && opt_parse(row, "0", &value, why);
    const char *zero = is_delay ? "; 0 means no delay" : "";
    snprintf(text, size, "%s%s%s%s",
             row->effect.worse == OPT_WORSE_ANY ? any_words(row) : worse[row->effect.worse],
             how[0] != '\0' ? "; " : "", how, zero);
    return row->effect.by != OPT_BY_NOTHING;
}

const char *opt_need_words(uint32_t need)
{
#define OPT_WORDS_OF(name, words) words,
    static const char *const needs[] = {OPT_NEEDS(OPT_WORDS_OF)};
#undef OPT_WORDS_OF
    return needs[need];
}

const char *opt_agree_words(enum opt_agree at)
{
#define OPT_WORDS_OF(name, words) words,
    static const char *const places[] = {OPT_AGREES_AT(OPT_WORDS_OF)};
#undef OPT_WORDS_OF
    return places[at];
}

bool opt_needs_words(const struct opt *row, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < OPT_NEED_COUNT; i++)
        if ((row->effect.needs >> i & 1) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", and " : "",
                                     opt_need_words(i));
    return used > 0;
}
