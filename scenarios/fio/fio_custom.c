/* SPDX-License-Identifier: Apache-2.0
 * fio_custom - options with a syntax of their own. */
#include "scenarios/fio/fio_private.h"

#include "base/nearest.h"
#include "scenarios/fio/fio_value.h"

#include <string.h>

enum { BLOCK_BYTES = 512 };

static const int64_t size_max = INT64_C(1) << 30;

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
        bool random;
    } kinds[] = {
        {"read", FIO_RW_READ, false},    {"write", FIO_RW_WRITE, false},
        {"randread", FIO_RW_READ, true}, {"randwrite", FIO_RW_WRITE, true},
        {"rw", FIO_RW_MIXED, false},     {"readwrite", FIO_RW_MIXED, false},
        {"randrw", FIO_RW_MIXED, true},
    };
    static const char what[] = "read, write, randread, randwrite, rw, readwrite or randrw";
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
        return true;
    }
    if (strstr(value->text, "trim") != NULL)
        return fio_error(reader, value->column,
                         "'%s=%.32s' is not supported: trims are not modelled", value->option,
                         value->text);
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

/* first/second or first alone; -1 for a number that is not there. */
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

/* Shares that were left out divide what is left of 100 among them; the sum is then 100 or wrong.
 * Whole percents: what does not divide goes to the last of them. */
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

/* share/percent:share/percent; the last percent may be missing and then takes the rest. */
static bool parse_zones(struct fio_raw *raw, const char *text)
{
    const char *item = NULL;
    size_t length = 0;
    int64_t shares = 0, percents = 0;
    raw->zone_count = 0;
    while (fio_next_item(&text, ':', &item, &length)) {
        struct share share;
        int64_t accesses = 0;
        if (raw->zone_count == WL_PLAN_ZONES_MAX || !parse_share(item, length, &share) ||
            !fio_value_size(share.first, share.first_length, 1024, &accesses))
            return false;
        if (share.second < 0 && text == NULL)
            share.second = 100 - percents;
        if (accesses < 0 || accesses > 100 || share.second < 0)
            return false;
        raw->zones[raw->zone_count++] =
            (struct wl_plan_zone){.share = accesses, .percent = share.second};
        shares += accesses;
        percents += share.second;
    }
    return shares == 100 && percents <= 100;
}

FIO_READ(random_distribution)
{
    static const char zoned[] = "zoned:";
    raw->zone_count = 0;
    if (value->text != NULL && strcmp(value->text, "random") == 0)
        return true;
    if (value->text == NULL || strncmp(value->text, zoned, sizeof zoned - 1) != 0)
        return fio_expected(reader, value,
                            "random or zoned:...; other distributions are not supported");
    if (!parse_zones(raw, value->text + sizeof zoned - 1))
        return fio_expected(reader, value,
                            "up to 64 zones such as zoned:60/10:40/90 whose shares add up to 100");
    return true;
}

static bool read_mix(struct fio_reader *reader, const struct fio_value *value, int64_t *percent)
{
    if (value->text == NULL || !fio_value_size(value->text, strlen(value->text), 1024, percent) ||
        *percent < 0 || *percent > 100)
        return fio_expected(reader, value, "a percentage from 0 to 100");
    return true;
}

/* The later of rwmixread and rwmixwrite counts. */
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
                         "zonemode=zbd is not supported: zoned block devices are not modelled");
    raw->zonemode = value->text != NULL && strcmp(value->text, "strided") == 0;
    if (raw->zonemode == 0 && (value->text == NULL || strcmp(value->text, "none") != 0))
        return fio_expected(reader, value, "none or strided");
    return true;
}

/* Which check sum is all the same to us: content is a tag. */
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

static const struct {
    const char *name;
    enum fio_engine engine;
} engines[] = {
    {"psync", FIO_ENGINE_SYNC},
    {"sync", FIO_ENGINE_SYNC},
    {"vsync", FIO_ENGINE_SYNC},
    {"pvsync", FIO_ENGINE_SYNC},
    {"pvsync2", FIO_ENGINE_SYNC},
    {"sg", FIO_ENGINE_SYNC},
    {"libaio", FIO_ENGINE_ASYNC},
    {"posixaio", FIO_ENGINE_ASYNC},
    {"solarisaio", FIO_ENGINE_ASYNC},
    {"windowsaio", FIO_ENGINE_ASYNC},
    {"io_uring", FIO_ENGINE_ASYNC},
    {"io_uring_cmd", FIO_ENGINE_ASYNC},
    {"xnvme", FIO_ENGINE_ASYNC},
    /* The rest of fio's: files, memory, networks, object stores and device classes of their own. */
    {"cpp_null", FIO_ENGINE_OTHER},
    {"cpuio", FIO_ENGINE_OTHER},
    {"dev-dax", FIO_ENGINE_OTHER},
    {"dfs", FIO_ENGINE_OTHER},
    {"e4defrag", FIO_ENGINE_OTHER},
    {"exec", FIO_ENGINE_OTHER},
    {"falloc", FIO_ENGINE_OTHER},
    {"filecreate", FIO_ENGINE_OTHER},
    {"filedelete", FIO_ENGINE_OTHER},
    {"filestat", FIO_ENGINE_OTHER},
    {"ftruncate", FIO_ENGINE_OTHER},
    {"gfapi", FIO_ENGINE_OTHER},
    {"gfapi_async", FIO_ENGINE_OTHER},
    {"http", FIO_ENGINE_OTHER},
    {"ime_aio", FIO_ENGINE_OTHER},
    {"ime_psync", FIO_ENGINE_OTHER},
    {"ime_psyncv", FIO_ENGINE_OTHER},
    {"libblkio", FIO_ENGINE_OTHER},
    {"libcufile", FIO_ENGINE_OTHER},
    {"libhdfs", FIO_ENGINE_OTHER},
    {"libiscsi", FIO_ENGINE_OTHER},
    {"libpmem", FIO_ENGINE_OTHER},
    {"librpma_apm_client", FIO_ENGINE_OTHER},
    {"librpma_apm_server", FIO_ENGINE_OTHER},
    {"librpma_gpspm_client", FIO_ENGINE_OTHER},
    {"librpma_gpspm_server", FIO_ENGINE_OTHER},
    {"libzbc", FIO_ENGINE_OTHER},
    {"mmap", FIO_ENGINE_OTHER},
    {"mtd", FIO_ENGINE_OTHER},
    {"nbd", FIO_ENGINE_OTHER},
    {"net", FIO_ENGINE_OTHER},
    {"netsplice", FIO_ENGINE_OTHER},
    {"nfs", FIO_ENGINE_OTHER},
    {"null", FIO_ENGINE_OTHER},
    {"pmemblk", FIO_ENGINE_OTHER},
    {"rados", FIO_ENGINE_OTHER},
    {"rbd", FIO_ENGINE_OTHER},
    {"rdma", FIO_ENGINE_OTHER},
    {"splice", FIO_ENGINE_OTHER},
};

enum fio_engine fio_engine_find(const char *name)
{
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        if (strcmp(engines[i].name, name) == 0)
            return engines[i].engine;
    return FIO_ENGINE_UNKNOWN;
}

FIO_READ(ioengine)
{
    const enum fio_engine engine =
        value->text != NULL ? fio_engine_find(value->text) : FIO_ENGINE_UNKNOWN;
    if (engine == FIO_ENGINE_OTHER)
        return fio_error(reader, value->column,
                         "ioengine '%s' is not supported: it does no block I/O to an NVMe device",
                         value->text);
    if (engine == FIO_ENGINE_UNKNOWN) {
        struct nearest nearest = nearest_to(value->text != NULL ? value->text : "");
        for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
            nearest_offer(&nearest, engines[i].name);
        return fio_error(reader, value->column, "fio has no ioengine '%.64s'%s",
                         value->text != NULL ? value->text : "", nearest_hint(&nearest).text);
    }
    raw->engine_sync = engine == FIO_ENGINE_SYNC;
    return true;
}
