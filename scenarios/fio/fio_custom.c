/* SPDX-License-Identifier: Apache-2.0
 * fio_custom - options with their own syntax. */
#include "scenarios/fio/fio_private.h"

#include "base/nearest.h"
#include "scenarios/fio/fio_value.h"

#include <string.h>

enum { BLOCK_BYTES = 512 };

static const int64_t size_max = INT64_C(1) << 30;
static const int64_t zones_max = INT64_C(1) << 50;

static int64_t base_of(const struct fio_raw *raw)
{
    return raw->kb_base == 0 ? 1000 : 1024;
}

bool fio_clean_name(const char *text, size_t length, char name[FIO_NAME_BYTES])
{
    if (length == 0 || length >= FIO_NAME_BYTES)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        name[i] = plain ? c : '-';
    }
    name[length] = '\0';
    return true;
}

static bool read_name(struct fio_reader *reader, char *name, const struct fio_value *value)
{
    if (value->text == NULL || !fio_clean_name(value->text, strlen(value->text), name))
        return fio_expected(reader, value, "a name of 1 to 31 characters");
    return true;
}

FIO_READ(name)
{
    return read_name(reader, raw->name, value);
}

FIO_READ(wait_for)
{
    return read_name(reader, raw->wait_for, value);
}

FIO_READ(rw)
{
    static const struct {
        const char *word;
        enum fio_rw rw;
        bool random, trim;
    } kinds[] = {
        {"read", FIO_RW_READ, false, false},    {"write", FIO_RW_WRITE, false, false},
        {"randread", FIO_RW_READ, true, false}, {"randwrite", FIO_RW_WRITE, true, false},
        {"rw", FIO_RW_MIXED, false, false},     {"readwrite", FIO_RW_MIXED, false, false},
        {"randrw", FIO_RW_MIXED, true, false},  {"trim", FIO_RW_WRITE, false, true},
        {"randtrim", FIO_RW_WRITE, true, true},
    };
    static const char what[] =
        "read, write, trim, randread, randwrite, randtrim, rw, readwrite or randrw";
    const char *text = value->text, *word = NULL;
    size_t length = 0;
    if (!fio_next_item(&text, ':', &word, &length))
        return fio_expected(reader, value, what);
    raw->offset_modifier = 0;
    if (text != NULL && !fio_value_size(text, strlen(text), base_of(raw), &raw->offset_modifier))
        return fio_expected(reader, value, "a number after the colon");
    if (raw->offset_modifier > size_max || raw->offset_modifier < -size_max)
        return fio_expected(reader, value, "at most 1g after the colon");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i].word) != length || memcmp(kinds[i].word, word, length) != 0)
            continue;
        raw->rw = kinds[i].rw;
        raw->random = kinds[i].random;
        raw->trim = kinds[i].trim;
        return true;
    }
    if (strstr(value->text, "trim") != NULL)
        return fio_error(reader, value->column,
                         "'%s=%.32s' is not supported: trims mixed with other I/O are not modeled",
                         value->option, value->text);
    return fio_expected(reader, value, what);
}

static bool block_size(const struct fio_raw *raw, const char *text, size_t length, int64_t *bytes)
{
    return fio_value_size(text, length, base_of(raw), bytes) && *bytes >= BLOCK_BYTES &&
           *bytes <= size_max && *bytes % BLOCK_BYTES == 0;
}

static bool parse_range(const struct fio_raw *raw, const char *text, size_t length,
                        struct wl_plan_size *range)
{
    const char *dash = memchr(text, '-', length);
    if (dash == NULL)
        dash = memchr(text, ':', length);
    if (dash == NULL)
        return false;
    const size_t before = (size_t)(dash - text);
    int64_t low = 0, high = 0;
    if (!block_size(raw, text, before, &low) ||
        !block_size(raw, dash + 1, length - before - 1, &high))
        return false;
    *range = (struct wl_plan_size){
        .low = low < high ? low : high, .high = low < high ? high : low, .share = 1};
    return true;
}

FIO_READ(bsrange)
{
    static const char what[] = "ranges such as 1k-4k or 1k-4k,8k-16k, in multiples of 512 bytes";
    const char *text = value->text, *item = NULL;
    size_t length = 0;
    int index = 0;
    for (; fio_next_item(&text, ',', &item, &length); index++) {
        struct wl_plan_size range;
        if (index > 2 || !parse_range(raw, item, length, &range))
            return fio_expected(reader, value, what);
        if (index < WL_DIRECTIONS)
            raw->bsrange[index] = range;
        if (index == 0 && text == NULL)
            raw->bsrange[WL_WRITE] = range;
    }
    return index > 0 || fio_expected(reader, value, what);
}

/* "first/second" or "first" alone; a missing number is -1. */
struct share {
    const char *first;
    size_t first_length;
    int64_t second;
};

static bool parse_share(const char *text, size_t length, struct share *share)
{
    const char *slash = memchr(text, '/', length);
    *share = (struct share){.first = text, .first_length = length, .second = -1};
    if (slash == NULL)
        return length > 0;
    share->first_length = (size_t)(slash - text);
    const size_t rest = length - share->first_length - 1;
    if (share->first_length == 0)
        return false;
    return rest == 0 || (fio_value_size(slash + 1, rest, 1024, &share->second) &&
                         share->second >= 0 && share->second <= 100);
}

/* Shares that were left out divide the rest of 100 % equally; the sum is then 100, otherwise the
 * line is wrong. Shares are whole percents, so the last one gets the remainder. */
static bool fill_shares(struct wl_plan_sizes *sizes)
{
    int64_t given = 0, missing = 0;
    for (int64_t i = 0; i < sizes->count; i++) {
        given += sizes->entries[i].share >= 0 ? sizes->entries[i].share : 0;
        missing += sizes->entries[i].share < 0;
    }
    if (given > 100 || (missing == 0 && given != 100))
        return false;
    int64_t left = 100 - given;
    for (int64_t i = 0; i < sizes->count; i++) {
        if (sizes->entries[i].share >= 0)
            continue;
        sizes->entries[i].share = left / missing;
        left -= left / missing;
        missing--;
    }
    sizes->total = 100;
    return true;
}

static bool parse_split(const struct fio_raw *raw, const char *text, size_t length,
                        struct wl_plan_sizes *sizes)
{
    *sizes = (struct wl_plan_sizes){0};
    const char *end = text + length;
    for (const char *at = text; at <= end;) {
        const char *colon = memchr(at, ':', (size_t)(end - at));
        const char *item_end = colon != NULL ? colon : end;
        struct share share;
        int64_t bytes = 0;
        if (sizes->count == WL_PLAN_SIZES_MAX ||
            !parse_share(at, (size_t)(item_end - at), &share) ||
            !block_size(raw, share.first, share.first_length, &bytes))
            return false;
        sizes->entries[sizes->count++] =
            (struct wl_plan_size){.low = bytes, .high = bytes, .share = share.second};
        at = item_end + 1;
    }
    return fill_shares(sizes);
}

FIO_READ(bssplit)
{
    static const char what[] =
        "up to 64 shares such as 4k/60:8k/40, multiples of 512 bytes that add up to 100";
    const char *text = value->text, *item = NULL;
    size_t length = 0;
    int index = 0;
    for (; fio_next_item(&text, ',', &item, &length); index++) {
        struct wl_plan_sizes sizes;
        if (index > 2 || !parse_split(raw, item, length, &sizes))
            return fio_expected(reader, value, what);
        if (index < WL_DIRECTIONS)
            raw->bssplit[index] = sizes;
        if (index == 0 && text == NULL)
            raw->bssplit[WL_WRITE] = sizes;
    }
    return index > 0 || fio_expected(reader, value, what);
}

/* Parses a decimal fraction such as 1.2 or .5 in millionths. */
static bool parse_millionths(const char *text, size_t length, int64_t *value)
{
    int64_t whole = 0, weight = PPM;
    size_t at = 0;
    bool point = false, digits = false;
    for (*value = 0; at < length; at++) {
        if (text[at] == '.' && !point) {
            point = true;
            continue;
        }
        const int digit = text[at] - '0';
        if (digit < 0 || digit > 9 || whole > 1000)
            return false;
        digits = true;
        if (point)
            *value += digit * (weight /= 10);
        else
            whole = 10 * whole + digit;
    }
    *value += whole * PPM;
    return digits;
}

/* End of a zone: percent of the region, or bytes (zoned_abs). */
static bool parse_zone(const struct fio_raw *raw, const char *text, size_t length, bool bytes,
                       struct wl_plan_zone *zone)
{
    const char *slash = memchr(text, '/', length);
    const size_t before = slash != NULL ? (size_t)(slash - text) : length;
    const size_t after = slash != NULL ? length - before - 1 : 0;
    int64_t size = -1, share = 0;
    if (!fio_value_size(text, before, 1024, &share) || share < 0 || share > 100)
        return false;
    if (after > 0 && (!fio_value_size(slash + 1, after, bytes ? base_of(raw) : 1024, &size) ||
                      size < 0 || size > (bytes ? zones_max : 100)))
        return false;
    *zone = (struct wl_plan_zone){
        .share = (int32_t)share, .percent = bytes ? 0 : (int32_t)size, .bytes = bytes ? size : 0};
    return true;
}

/* share/size:share/size; the last size may be missing and then takes the rest. */
static bool parse_zones(const struct fio_raw *raw, const char *text, size_t length, bool bytes,
                        struct wl_plan_zones *zones)
{
    const char *end = text + length;
    int64_t shares = 0, percents = 0;
    zones->count = 0;
    for (const char *at = text; at <= end;) {
        const char *colon = memchr(at, ':', (size_t)(end - at));
        const char *item_end = colon != NULL ? colon : end;
        if (zones->count == WL_PLAN_ZONES_MAX)
            return false;
        struct wl_plan_zone *zone = &zones->entries[zones->count++];
        if (!parse_zone(raw, at, (size_t)(item_end - at), bytes, zone))
            return false;
        if (!bytes && zone->percent < 0 && colon == NULL)
            zone->percent = (int32_t)(100 - percents);
        if (zone->percent < 0 || zone->bytes < 0 || (bytes && zone->bytes == 0))
            return false;
        shares += zone->share;
        percents += zone->percent;
        at = item_end + 1;
    }
    return shares == 100 && percents <= 100;
}

/* Zones of reads[,of writes[,of trims]]. */
static bool read_zones(struct fio_reader *reader, struct fio_raw *raw,
                       const struct fio_value *value, bool bytes)
{
    static const char what[] =
        "up to 64 zones such as zoned:60/10:40/90 or zoned_abs:60/2g:40/8g, whose shares add up to "
        "100";
    const char *text = strpbrk(value->text, ":=") + 1, *item = NULL;
    size_t length = 0;
    for (int index = 0; fio_next_item(&text, ',', &item, &length); index++) {
        struct wl_plan_zones zones;
        if (index > 2 || !parse_zones(raw, item, length, bytes, &zones))
            return fio_expected(reader, value, what);
        if (index < WL_DIRECTIONS)
            raw->zones[index] = zones;
        if (index == 0)
            raw->zones[WL_WRITE] = zones;
    }
    return true;
}

/* kind[:value[:center]] */
static bool read_skew(struct fio_reader *reader, const struct fio_value *value,
                      struct skew_params skew, const char *what, struct skew_params *out)
{
    const char *text = strchr(value->text, ':'), *item = NULL;
    size_t length = 0;
    if (text != NULL)
        text++;
    for (int index = 0; fio_next_item(&text, ':', &item, &length); index++)
        if (index > 1 || !parse_millionths(item, length, index == 0 ? &skew.value : &skew.center))
            return fio_expected(reader, value, what);
    if (!skew_valid(&skew))
        return fio_expected(reader, value, what);
    *out = skew;
    return true;
}

static bool is_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
           (text[length] == '\0' || text[length] == ':' || text[length] == '=');
}

FIO_READ(random_distribution)
{
    static const struct {
        const char *word;
        struct skew_params skew; /* initialized with fio's default, for a line without value */
        const char *what;
    } skews[] = {
        {"zipf",
         {SKEW_ZIPF, 1100000, SKEW_NO_CENTER},
         "zipf:THETA[:CENTER] with a theta above 0, at most 10 and not 1, and a center from 0 to "
         "1"},
        {"pareto",
         {SKEW_PARETO, 200000, SKEW_NO_CENTER},
         "pareto:H[:CENTER] with 0 < H < 1 and a center from 0 to 1"},
        {"normal",
         {SKEW_NORMAL, 0, SKEW_NO_CENTER},
         "normal:DEVIATION[:CENTER] with a deviation from 0 to 99.9 percent and a center from 0 to "
         "1"},
    };
    const char *text = value->text != NULL ? value->text : "";
    raw->zones[WL_READ].count = raw->zones[WL_WRITE].count = 0;
    raw->skew = (struct skew_params){0};
    if (strcmp(text, "random") == 0)
        return true;
    for (size_t i = 0; i < sizeof skews / sizeof skews[0]; i++)
        if (is_word(text, skews[i].word))
            return read_skew(reader, value, skews[i].skew, skews[i].what, &raw->skew);
    if (is_word(text, "sequence"))
        return fio_error(reader, value->column,
                         "random_distribution=sequence is not supported: a fixed list of blocks is "
                         "a trace (kind: trace)");
    const bool bytes = is_word(text, "zoned_abs");
    if ((bytes || is_word(text, "zoned")) && strpbrk(text, ":=") != NULL)
        return read_zones(reader, raw, value, bytes);
    return fio_expected(reader, value,
                        "random, zipf:..., pareto:..., normal:..., zoned:... or "
                        "zoned_abs:...");
}

static bool read_mix(struct fio_reader *reader, const struct fio_value *value, int64_t *percent)
{
    if (value->text == NULL || !fio_value_size(value->text, strlen(value->text), 1024, percent) ||
        *percent < 0 || *percent > 100)
        return fio_expected(reader, value, "a percentage from 0 to 100");
    return true;
}

/* The last one of rwmixread and rwmixwrite counts. */
FIO_READ(rwmixread)
{
    return read_mix(reader, value, &raw->rwmixread);
}

FIO_READ(rwmixwrite)
{
    int64_t writes = 0;
    if (!read_mix(reader, value, &writes))
        return false;
    raw->rwmixread = 100 - writes;
    return true;
}

FIO_READ(zonemode)
{
    if (value->text != NULL && strcmp(value->text, "zbd") == 0)
        return fio_error(reader, value->column,
                         "zonemode=zbd is not supported: zoned block devices are not modeled");
    raw->zonemode = value->text != NULL && strcmp(value->text, "strided") == 0;
    if (raw->zonemode == 0 && (value->text == NULL || strcmp(value->text, "none") != 0))
        return fio_expected(reader, value, "none or strided");
    return true;
}

/* All check sums are treated alike, because content is modeled as a tag. */
FIO_READ(verify)
{
    static const char *const words[] = {
        "md5",      "crc64",    "crc32c",   "crc32c-intel", "crc32",   "crc16",
        "crc7",     "xxhash",   "sha512",   "sha256",       "sha1",    "sha3-224",
        "sha3-256", "sha3-384", "sha3-512", "meta",         "pattern",
    };
    if (value->text != NULL &&
        (strcmp(value->text, "0") == 0 || strcmp(value->text, "null") == 0)) {
        raw->verify = 0;
        return true;
    }
    for (size_t i = 0; value->text != NULL && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value->text, words[i]) != 0)
            continue;
        raw->verify = 1;
        return true;
    }
    return fio_expected(reader, value, "a check of fio's such as crc32c, md5, meta or pattern");
}
