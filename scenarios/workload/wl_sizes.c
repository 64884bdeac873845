/* SPDX-License-Identifier: Apache-2.0
 * wl_sizes - published distributions, the file format, and drawing. */
#include "scenarios/workload/wl_sizes.h"

#include "scenarios/format/lines.h"

#include <inttypes.h>
#include <string.h>

enum { PER_CENT = WL_SIZES_ALL / 100 };

/* Flows of a web search cluster: Alizadeh et al. (DCTCP), SIGCOMM 2010, figure 4, in the version of
 * HPCC's authors (High-Precision-Congestion-Control, traffic_gen/WebSearch_distribution.txt). */
static const struct wl_size_point web_search[] = {
    {0, 0},
    {10000, 15 * PER_CENT},
    {20000, 20 * PER_CENT},
    {30000, 30 * PER_CENT},
    {50000, 40 * PER_CENT},
    {80000, 53 * PER_CENT},
    {200000, 60 * PER_CENT},
    {1000000, 70 * PER_CENT},
    {2000000, 80 * PER_CENT},
    {5000000, 90 * PER_CENT},
    {10000000, 97 * PER_CENT},
    {30000000, 100 * PER_CENT},
};

/* Messages of Alibaba's distributed storage in production, 2019, in the version of HPCC's authors,
 * AliStorage2019. */
static const struct wl_size_point storage[] = {
    {0, 0},
    {4000, 2293 * (PER_CENT / 100)},
    {8000, 6921 * (PER_CENT / 100)},
    {16000, 8061 * (PER_CENT / 100)},
    {32000, 9047 * (PER_CENT / 100)},
    {64000, 9353 * (PER_CENT / 100)},
    {128000, 9677 * (PER_CENT / 100)},
    {256000, 9753 * (PER_CENT / 100)},
    {2000000, 100 * PER_CENT},
};

#define TABLE(points)                                                                              \
    {                                                                                              \
        points, sizeof points / sizeof points[0]                                                   \
    }

const struct wl_sizes *wl_sizes_named(enum wl_sizes_kind kind)
{
    static const struct wl_sizes tables[] = {
        [WL_SIZES_WEB_SEARCH] = TABLE(web_search),
        [WL_SIZES_STORAGE] = TABLE(storage),
    };
    return kind == WL_SIZES_FIXED ? NULL : &tables[kind];
}

/* ---- file ---- */

struct reader {
    struct lines lines;
    struct arena *arena;
    struct diag *diag;
    struct wl_size_point *points;
    size_t count;
};

static bool report_error(struct reader *reader, const char *at, size_t width, const char *text)
{
    const struct diag_place place = lines_place(&reader->lines, at, width > 0 ? width : 1);
    diag_add(reader->diag, DIAG_ERROR, place, tree_line(reader->lines.file, place.line), "%s",
             text);
    return false;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Parses "12", and "12.345" if a unit has parts; digits beyond the last part are dropped. -1: not a
 * number, or above the limit. */
static int64_t number_of(const char *text, size_t length, int64_t unit, int64_t most)
{
    const char *point = memchr(text, '.', length);
    const size_t whole = point == NULL ? length : (size_t)(point - text);
    int64_t value = 0, place = unit / 10;
    if (whole == 0 || (point != NULL && whole + 1 == length) || (point != NULL && unit == 1))
        return -1;
    for (size_t i = 0; i < whole; i++) {
        value = value * 10 + (text[i] - '0');
        if (!is_digit(text[i]) || value > most / unit)
            return -1;
    }
    value *= unit;
    for (size_t i = whole + 1; i < length; i++, place /= 10) {
        if (!is_digit(text[i]))
            return -1;
        value += place * (text[i] - '0');
    }
    return value > most ? -1 : value;
}

static bool take_point(struct reader *reader, struct wl_size_point point, const char *at)
{
    const struct wl_size_point *last =
        reader->count == 0 ? NULL : &reader->points[reader->count - 1];
    if (last == NULL && point.share > 0) /* sizes begin at that point */
        *(struct wl_size_point *)arena_push(reader->arena, (void **)(void *)&reader->points,
                                            &reader->count, sizeof point) =
            (struct wl_size_point){point.bytes, 0};
    else if (last != NULL && (point.bytes < last->bytes || point.share < last->share))
        return report_error(reader, at, 1,
                            "expected sizes and percentages that rise from line to line");
    if (reader->count >= WL_SIZES_POINTS_MAX)
        return report_error(reader, at, 1, "expected at most 10000 lines");
    *(struct wl_size_point *)arena_push(reader->arena, (void **)(void *)&reader->points,
                                        &reader->count, sizeof point) = point;
    return true;
}

static bool read_line(struct reader *reader)
{
    static const char blanks[] = " \t\r,";
    const char *size = reader->lines.text + strspn(reader->lines.text, blanks);
    const size_t size_length = *size == '#' ? 0 : strcspn(size, " \t\r,#");
    if (size_length == 0)
        return true;
    const char *share = size + size_length + strspn(size + size_length, blanks);
    const size_t share_length = *share == '#' ? 0 : strcspn(share, " \t\r,#");
    const char *rest = share + share_length + strspn(share + share_length, blanks);
    const struct wl_size_point point = {
        .bytes = number_of(size, size_length, 1, WL_SIZES_BYTES_MAX),
        .share = number_of(share, share_length, PER_CENT, WL_SIZES_ALL),
    };
    if (point.bytes < 0)
        return report_error(reader, size, size_length,
                            "expected a size in bytes, whole and at most 1073741824");
    if (point.share < 0)
        return report_error(reader, share, share_length,
                            "expected the percentage of messages up to this size, from 0 to 100");
    if (*rest != '\0' && *rest != '#')
        return report_error(reader, rest, 1,
                            "expected two numbers a line: a size and a percentage");
    return take_point(reader, point, size);
}

const struct wl_sizes *wl_sizes_read(struct arena *arena, const struct tree_file *file,
                                     struct diag *diag)
{
    struct reader reader = {.lines = {.file = file}, .arena = arena, .diag = diag};
    while (lines_next(&reader.lines, arena))
        if (!read_line(&reader))
            return NULL;
    if (reader.count == 0 || reader.points[reader.count - 1].share != WL_SIZES_ALL ||
        reader.points[reader.count - 1].bytes == 0) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = file->name, .line = 1, .column = 1},
                 NULL, "expected lines of a size and a percentage, the last of them 100");
        return NULL;
    }
    struct wl_sizes *sizes = arena_take(arena, sizeof *sizes);
    *sizes = (struct wl_sizes){reader.points, (uint32_t)reader.count};
    return sizes;
}

/* ---- use ---- */

int64_t wl_sizes_largest(const struct wl_sizes *sizes)
{
    return sizes->points[sizes->count - 1].bytes;
}

int64_t wl_sizes_mean(const struct wl_sizes *sizes)
{
    __int128 sum = 0;
    for (uint32_t i = 1; i < sizes->count; i++) {
        const struct wl_size_point *from = &sizes->points[i - 1], *to = from + 1;
        sum += (__int128)(to->share - from->share) * (from->bytes + to->bytes);
    }
    return (int64_t)(sum / 2 / WL_SIZES_ALL);
}

int64_t wl_sizes_draw(const struct wl_sizes *sizes, struct rng *rng)
{
    const int64_t drawn = (int64_t)rng_below(rng, WL_SIZES_ALL);
    uint32_t low = 0, high = sizes->count - 1; /* share of low <= drawn < share of high */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (sizes->points[middle].share <= drawn)
            low = middle;
        else
            high = middle;
    }
    const struct wl_size_point *from = &sizes->points[low], *to = &sizes->points[high];
    const __int128 width = to->bytes - from->bytes;
    const int64_t bytes =
        from->bytes + (int64_t)(width * (drawn - from->share) / (to->share - from->share));
    return bytes > 0 ? bytes : 1;
}
