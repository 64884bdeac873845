/* SPDX-License-Identifier: Apache-2.0
 * wire_align - realigns two streams of frames after their first difference. */
#include "reports/wire/wire_align.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* How a line is compared: its words, and separately the increments of numbers that count earlier
 * frames. */
struct key {
    uint64_t words, steps;
    uint32_t command; /* that the line starts or refers to; 0: none */
};

struct align {
    const struct wire_aligned *side;
    bool commands;
    struct wire_numbers *numbers;
    struct key *keys[2];
    uint32_t *partner[2]; /* by line: index of its counterpart + 1; 0: none */
};

/* ------------------------------------------------------------------ keys */

/* Numbers that count earlier frames. */
static const char *const counters[] = {" msn ",      " cmdsn ",  " expcmdsn ",
                                       " maxcmdsn ", " statsn ", " expstatsn "};

struct scan {
    const struct align *align;
    int side;
    uint32_t sqhd, queue; /* of the previous line; entries of the queue */
    uint32_t counts[sizeof counters / sizeof counters[0]]; /* of the previous line */
};

static uint64_t fold(uint64_t hash, uint64_t value)
{
    return hash_mix(hash * 31 + value + 1);
}

static const char *number_after(const char *text, const char *end, const char *word,
                                uint32_t *number)
{
    const size_t length = strlen(word);
    if ((size_t)(end - text) <= length || memcmp(text, word, length) != 0)
        return NULL;
    char *stop = NULL;
    *number = (uint32_t)strtoul(text + length, &stop, 10);
    return stop > text + length && stop <= end ? stop : NULL;
}

/* Parses a PSN step with its sign. */
static const char *psn_after(const char *text, const char *end, uint32_t *number)
{
    const char *next = number_after(text, end, " psn +", number);
    if (next == NULL && (next = number_after(text, end, " psn -", number)) != NULL)
        *number = 0 - *number;
    return next;
}

static const char *end_of(const char *words)
{
    return words + strcspn(words, (const char[]){WIRE_WORDS_APART, '\0'});
}

/* The command that a number on this side corresponds to, numbered as in the first capture. */
static uint64_t counterpart(const struct scan *scan, uint32_t number)
{
    const struct wire_numbers *numbers = scan->align->numbers;
    if (scan->side == 0)
        return number;
    const uint32_t first = number < numbers->count ? numbers->first[number] : 0;
    return first != 0 ? first : UINT64_C(1) << 32 | number;
}

static uint32_t queue_step(const struct scan *scan, uint32_t sqhd)
{
    return sqhd >= scan->sqhd ? sqhd - scan->sqhd : sqhd + scan->queue - scan->sqhd;
}

/* One of the counters; folds its increment. NULL: it is none. */
static const char *take_counter(struct scan *scan, const char *at, const char *end, struct key *key)
{
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        uint32_t number = 0;
        const char *next = number_after(at, end, counters[i], &number);
        if (next == NULL)
            continue;
        key->steps = fold(key->steps, number - scan->counts[i]);
        scan->counts[i] = number;
        return next;
    }
    return NULL;
}

static struct key key_of(struct scan *scan, const char *words)
{
    struct key key = {0};
    const char *end = end_of(words);
    for (const char *at = words; at < end;) {
        uint32_t number = 0;
        const char *next = NULL;
        if ((next = number_after(at, end, "#", &number)) != NULL) {
            key.command = number;
            const uint64_t named = scan->align->commands ? 0 : counterpart(scan, number);
            key.words = fold(key.words, named);
        } else if ((next = take_counter(scan, at, end, &key)) != NULL) {
            /* folded */
        } else if ((next = number_after(at, end, " sqhd ", &number)) != NULL) {
            key.steps = fold(key.steps, queue_step(scan, number));
            scan->sqhd = number;
        } else if ((next = psn_after(at, end, &number)) != NULL) {
            key.steps = fold(key.steps, number);
        } else {
            key.words = fold(key.words, (unsigned char)*at);
            next = at + 1;
        }
        at = next;
    }
    return key;
}

static const char *words_at(const struct align *align, int side, uint32_t index)
{
    return wire_trace_words(align->side[side].trace, &align->side[side].lines[index]);
}

/* The largest reported SQ head + 1. */
static uint32_t queue_entries(const struct align *align, int side)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < align->side[side].count; i++) {
        uint32_t sqhd = 0;
        const char *words = words_at(align, side, i), *at = strstr(words, " sqhd ");
        if (at != NULL && number_after(at, end_of(words), " sqhd ", &sqhd) != NULL && sqhd > most)
            most = sqhd;
    }
    return most + 1;
}

static void make_keys(struct align *align, int side)
{
    const uint32_t count = align->side[side].count;
    struct scan scan = {.align = align, .side = side, .queue = queue_entries(align, side)};
    align->keys[side] = memory_zeroed(count + 1, sizeof(struct key));
    align->partner[side] = memory_zeroed(count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++)
        align->keys[side][i] = key_of(&scan, words_at(align, side, i));
}

static void pair_lines(struct align *align, uint32_t a, uint32_t b)
{
    align->partner[0][a] = b + 1;
    align->partner[1][b] = a + 1;
}

/* ------------------------------------------------------------------ the common subsequence */

/* reach[edits][k + edits]: how far paths with that many edits get in the first stream on the
 * diagonal first - second = k; -1: not at all. */
struct paths {
    int32_t *reach[WIRE_ALIGN_EDITS + 1];
    int32_t edits;
    int32_t best; /* the diagonal that gets farthest with that many edits */
};

/* The last edit of a path: a frame that only one of the two streams has. */
struct edit {
    int32_t at;     /* position of the path afterwards; -1: no path */
    int32_t before; /* diagonal before the edit */
};

static int32_t slide(const struct align *align, int32_t at, int32_t k)
{
    const int32_t n = (int32_t)align->side[0].count, m = (int32_t)align->side[1].count;
    while (at < n && at - k < m && align->keys[0][at].words == align->keys[1][at - k].words)
        at++;
    return at;
}

static int32_t reach_at(const struct paths *paths, int32_t edits, int32_t k)
{
    return k < -edits || k > edits ? -1 : paths->reach[edits][k + edits];
}

static struct edit last_edit(const struct align *align, const struct paths *paths, int32_t edits,
                             int32_t k)
{
    const int32_t n = (int32_t)align->side[0].count, m = (int32_t)align->side[1].count;
    int32_t second = reach_at(paths, edits - 1, k + 1), first = reach_at(paths, edits - 1, k - 1);
    if (second >= 0 && second - k > m)
        second = -1;
    first = first >= 0 && first < n ? first + 1 : -1;
    return first >= second ? (struct edit){first, k - 1} : (struct edit){second, k + 1};
}

/* Returns true if the ends of both streams are reached. */
static bool extend(const struct align *align, struct paths *paths, int32_t edits)
{
    const int32_t n = (int32_t)align->side[0].count, m = (int32_t)align->side[1].count;
    int32_t farthest = -1;
    paths->edits = edits;
    paths->reach[edits] = memory_zeroed(2 * (size_t)edits + 1, sizeof(int32_t));
    memset(paths->reach[edits], 0xFF, (2 * (size_t)edits + 1) * sizeof(int32_t)); /* -1 */
    for (int32_t k = -edits; k <= edits; k += 2) {
        int32_t at = edits == 0 ? 0 : last_edit(align, paths, edits, k).at;
        if (at < 0)
            continue;
        at = slide(align, at, k);
        paths->reach[edits][k + edits] = at;
        if (2 * at - k > farthest) {
            farthest = 2 * at - k;
            paths->best = k;
        }
        if (at == n && at - k == m)
            return true;
    }
    return false;
}

static void walk_back(struct align *align, const struct paths *paths)
{
    int32_t k = paths->best;
    for (int32_t edits = paths->edits; edits >= 0; edits--) {
        const struct edit edit =
            edits > 0 ? last_edit(align, paths, edits, k) : (struct edit){0, 0};
        for (int32_t at = reach_at(paths, edits, k); at > edit.at; at--)
            pair_lines(align, (uint32_t)(at - 1), (uint32_t)(at - 1 - k));
        k = edit.before;
    }
}

static void match_in_order(struct align *align)
{
    struct paths *paths = memory_zeroed(1, sizeof *paths);
    const uint64_t all = (uint64_t)align->side[0].count + align->side[1].count;
    int32_t edits = 0;
    while (!extend(align, paths, edits) && edits < WIRE_ALIGN_EDITS && (uint64_t)edits < all)
        edits++;
    walk_back(align, paths);
    for (int32_t i = 0; i <= paths->edits; i++)
        free(paths->reach[i]);
    free(paths);
}

/* ------------------------------------------------------------------ remaining frames */

struct loner {
    uint64_t words;
    uint32_t index;
};

static int by_key(const void *a, const void *b)
{
    const struct loner *x = a, *y = b;
    if (x->words != y->words)
        return x->words < y->words ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static struct loner *loners_of(const struct align *align, int side, uint32_t *count)
{
    struct loner *list = memory_zeroed(align->side[side].count + 1, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < align->side[side].count; i++)
        if (align->partner[side][i] == 0)
            list[(*count)++] = (struct loner){align->keys[side][i].words, i};
    qsort(list, *count, sizeof *list, by_key);
    return list;
}

/* Finds frames that are equal but at another position. */
static uint32_t match_reordered(struct align *align)
{
    uint32_t counts[2], at[2] = {0, 0}, found = 0;
    struct loner *lists[2];
    for (int side = 0; side < 2; side++)
        lists[side] = loners_of(align, side, &counts[side]);
    while (at[0] < counts[0] && at[1] < counts[1]) {
        const uint64_t a = lists[0][at[0]].words, b = lists[1][at[1]].words;
        if (a == b) {
            pair_lines(align, lists[0][at[0]].index, lists[1][at[1]].index);
            found++;
        }
        at[0] += a <= b;
        at[1] += b <= a;
    }
    free(lists[0]);
    free(lists[1]);
    return found;
}

static uint32_t next_loner(const struct align *align, int side, uint32_t at, uint32_t to)
{
    while (at < to && align->partner[side][at] != 0)
        at++;
    return at;
}

/* Pairs frames without a counterpart between two that have one. */
static void pair_gap(struct align *align, const uint32_t from[2], const uint32_t to[2],
                     struct wire_counts *counts)
{
    uint32_t at[2] = {from[0], from[1]};
    for (;;) {
        for (int side = 0; side < 2; side++)
            at[side] = next_loner(align, side, at[side], to[side]);
        const bool there[2] = {at[0] < to[0], at[1] < to[1]};
        if (!there[0] && !there[1])
            return;
        if (there[0] && there[1]) {
            counts->different++;
            pair_lines(align, at[0], at[1]);
        }
        counts->missing += there[0] && !there[1];
        counts->extra += there[1] && !there[0];
        at[0] += there[0];
        at[1] += there[1];
    }
}

/* `anchors`: lines of the first stream in the common subsequence. */
static void pair_gaps(struct align *align, const uint32_t *anchors, struct wire_counts *counts)
{
    uint32_t from[2] = {0, 0};
    for (uint32_t i = 0; i < align->side[0].count; i++) {
        if (anchors[i] == 0)
            continue;
        const uint32_t to[2] = {i, anchors[i] - 1};
        pair_gap(align, from, to, counts);
        from[0] = i + 1;
        from[1] = anchors[i];
    }
    pair_gap(align, from, (const uint32_t[]){align->side[0].count, align->side[1].count}, counts);
}

/* A frame that one capture lacks explains one different increment elsewhere in the stream, a
 * reordered frame three. Further different increments count as differences. */
static void judge_steps(const struct align *align, const uint32_t *anchors,
                        struct wire_counts *counts)
{
    const uint32_t explained = counts->missing + counts->extra + 3 * counts->reordered;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < align->side[0].count; i++)
        steps += anchors[i] != 0 && align->keys[0][i].steps != align->keys[1][anchors[i] - 1].steps;
    const uint32_t wrong = steps > explained ? steps - explained : 0;
    counts->equal -= wrong;
    counts->different += wrong;
}

static void take_numbers(struct align *align)
{
    struct wire_numbers *numbers = align->numbers;
    uint32_t most = 0;
    for (uint32_t i = 0; i < align->side[1].count; i++)
        if (align->keys[1][i].command > most)
            most = align->keys[1][i].command;
    wire_numbers_fini(numbers);
    numbers->count = most + 1;
    numbers->first = memory_zeroed(numbers->count, sizeof *numbers->first);
    for (uint32_t i = 0; i < align->side[1].count; i++)
        if (align->partner[1][i] != 0 && align->keys[1][i].command != 0)
            numbers->first[align->keys[1][i].command] =
                align->keys[0][align->partner[1][i] - 1].command;
}

struct wire_counts wire_align(const struct wire_aligned side[2], bool commands,
                              struct wire_numbers *numbers)
{
    struct align align = {.side = side, .commands = commands, .numbers = numbers};
    struct wire_counts counts = {0};
    for (int i = 0; i < 2; i++)
        make_keys(&align, i);
    match_in_order(&align);
    uint32_t *anchors = memory_zeroed(side[0].count + 1, sizeof *anchors);
    for (uint32_t i = 0; i < side[0].count; i++) {
        anchors[i] = align.partner[0][i];
        counts.equal += anchors[i] != 0;
    }
    counts.reordered = match_reordered(&align);
    pair_gaps(&align, anchors, &counts);
    judge_steps(&align, anchors, &counts);
    if (commands)
        take_numbers(&align);
    free(anchors);
    for (int i = 0; i < 2; i++) {
        free(align.keys[i]);
        free(align.partner[i]);
    }
    return counts;
}

void wire_numbers_fini(struct wire_numbers *numbers)
{
    free(numbers->first);
    *numbers = (struct wire_numbers){0};
}
