/* SPDX-License-Identifier: Apache-2.0
 * wl_plan - offsets and sizes of a storage workload's I/Os.
 * Each direction has its own cursor and random stream, so that directions do not affect each other:
 * reads that wait for their rate do not change the offsets of writes. When a sequential I/O would
 * exceed the end of the region, the cursor returns to the beginning, or with a negative stride to
 * the end, as in fio. */
#include "scenarios/workload/wl_plan.h"

#include "base/check.h"
#include "base/units.h"

void wl_plan_fixed(struct wl_plan_params *params, int64_t bytes)
{
    CHECK(bytes > 0);
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        params->sizes[direction].count = 1;
        params->sizes[direction].total = 1;
        params->sizes[direction].entries[0] =
            (struct wl_plan_size){.low = bytes, .high = bytes, .share = 1};
    }
}

/* A direction that never occurs in the mix does not affect sizes. */
static bool is_used(const struct wl_plan_params *params, int direction)
{
    return direction == WL_READ ? params->read_ppm > 0 : params->read_ppm < PPM;
}

static int64_t smallest_of(const struct wl_plan_sizes *sizes)
{
    int64_t smallest = sizes->entries[0].low;
    for (int64_t i = 1; i < sizes->count; i++)
        if (sizes->entries[i].low < smallest)
            smallest = sizes->entries[i].low;
    return smallest;
}

static int64_t largest_of(const struct wl_plan_sizes *sizes)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < sizes->count; i++)
        if (sizes->entries[i].high > largest)
            largest = sizes->entries[i].high;
    return largest;
}

int64_t wl_plan_largest(const struct wl_plan_params *params)
{
    int64_t largest = 0;
    for (int direction = 0; direction < WL_DIRECTIONS; direction++)
        if (is_used(params, direction) && largest_of(&params->sizes[direction]) > largest)
            largest = largest_of(&params->sizes[direction]);
    return largest;
}

int64_t wl_plan_smallest(const struct wl_plan_params *params)
{
    int64_t smallest = INT64_MAX;
    for (int direction = 0; direction < WL_DIRECTIONS; direction++)
        if (is_used(params, direction) && smallest_of(&params->sizes[direction]) < smallest)
            smallest = smallest_of(&params->sizes[direction]);
    return smallest;
}

int64_t wl_plan_uniform(const struct wl_plan_params *params)
{
    const int64_t bytes = wl_plan_smallest(params);
    if (bytes != wl_plan_largest(params))
        return 0;
    if (params->stride % bytes != 0 || params->zone_bytes % bytes != 0 ||
        params->zone_skip % bytes != 0)
        return 0;
    for (int direction = 0; direction < WL_DIRECTIONS; direction++)
        if (params->align[direction] % bytes != 0)
            return 0;
    return bytes;
}

static bool in_blocks(const struct wl_plan_params *params, int64_t block_bytes)
{
    if (params->stride % block_bytes != 0 || params->zone_bytes % block_bytes != 0 ||
        params->zone_skip % block_bytes != 0)
        return false;
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        if (params->align[direction] % block_bytes != 0)
            return false;
        const struct wl_plan_sizes *sizes = &params->sizes[direction];
        for (int64_t i = 0; is_used(params, direction) && i < sizes->count; i++)
            if (sizes->entries[i].low % block_bytes != 0)
                return false;
    }
    return true;
}

struct wl_region wl_plan_cut(struct wl_region whole, struct wl_region wanted)
{
    CHECK(wanted.offset >= 0 && wanted.bytes >= 0);
    struct wl_region region = {
        .offset = whole.offset + wanted.offset,
        .bytes = whole.bytes - wanted.offset,
    };
    if (wanted.bytes > 0 && wanted.bytes < region.bytes)
        region.bytes = wanted.bytes;
    return region;
}

bool wl_plan_region(const struct wl_plan_params *params, int64_t block_bytes,
                    struct wl_region whole, struct wl_region wanted, struct wl_region *region)
{
    CHECK(block_bytes > 0);
    *region = wl_plan_cut(whole, wanted);
    return region->offset % block_bytes == 0 && region->bytes >= wl_plan_largest(params) &&
           in_blocks(params, block_bytes);
}

/* Beginning of a sequential pass: the end of the region if the stride is negative. */
static int64_t pass_start(const struct wl_plan *plan)
{
    const int64_t stride = plan->params->stride;
    const int64_t start = stride < 0 ? plan->region.bytes + stride : 0;
    return start < 0 ? 0 : start;
}

void wl_plan_init(struct wl_plan *plan, const struct wl_plan_params *params,
                  struct wl_region region, struct rng rng)
{
    CHECK(region.bytes >= wl_plan_largest(params));
    CHECK(region.offset >= 0);
    *plan = (struct wl_plan){.params = params, .region = region, .mix = rng};
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        struct wl_plan_cursor *cursor = &plan->cursors[direction];
        cursor->rng = (struct rng){.key = hash_mix(rng.key + 1 + (uint64_t)direction)};
    }
    if (params->random && params->skew.kind != SKEW_NONE) {
        const int64_t unit = wl_plan_smallest(params);
        skew_init(&plan->skew, &params->skew, (region.bytes + unit - 1) / unit,
                  hash_mix(rng.key ^ UINT64_C(0x736b6577)));
    }
    wl_plan_rewind(plan);
}

void wl_plan_rewind(struct wl_plan *plan)
{
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        struct wl_plan_cursor *cursor = &plan->cursors[direction];
        *cursor = (struct wl_plan_cursor){.rng = cursor->rng, .position = pass_start(plan)};
    }
}

enum wl_direction wl_plan_direction(struct wl_plan *plan)
{
    const int64_t read_ppm = plan->params->read_ppm;
    if (read_ppm <= 0 || read_ppm >= PPM)
        return read_ppm > 0 ? WL_READ : WL_WRITE;
    return rng_chance(&plan->mix, (uint64_t)read_ppm, (uint64_t)PPM) ? WL_READ : WL_WRITE;
}

static int64_t draw_bytes(struct rng *rng, const struct wl_plan_sizes *sizes)
{
    CHECK(sizes->count > 0 && sizes->total > 0);
    const struct wl_plan_size *entry = sizes->entries;
    if (sizes->count > 1) {
        int64_t left = (int64_t)rng_below(rng, (uint64_t)sizes->total);
        for (; left >= entry->share; entry++)
            left -= entry->share;
    }
    const int64_t steps = entry->high / entry->low;
    return steps == 1 ? entry->low : entry->low * (1 + (int64_t)rng_below(rng, (uint64_t)steps));
}

/* Offsets at which random I/O may begin: [first, first + count) in steps of the alignment. */
struct span {
    int64_t first, count;
};

/* Span of a zone that begins where the previous zones end. */
static struct span percent_span(int64_t percent, int64_t size, int64_t places)
{
    const int64_t hundredth = places / 100, rest = places % 100, end_percent = percent + size;
    const int64_t first = hundredth * percent + rest * percent / 100;
    const int64_t end = hundredth * end_percent + rest * end_percent / 100;
    return (struct span){.first = first < places ? first : places - 1,
                         .count = end > first ? end - first : 1};
}

/* Zones outside the region use its last place. */
static struct span byte_span(int64_t start, int64_t bytes, int64_t align, int64_t places)
{
    const int64_t first = start / align < places ? start / align : places - 1;
    const int64_t count = bytes / align, left = places - first;
    return (struct span){.first = first, .count = count < 1 ? 1 : count < left ? count : left};
}

static struct span zone_span(struct rng *rng, const struct wl_plan_zones *zones, int64_t align,
                             int64_t places)
{
    int64_t total = 0;
    for (int64_t i = 0; i < zones->count; i++)
        total += zones->entries[i].share;
    CHECK(total > 0);
    const struct wl_plan_zone *zone = zones->entries;
    int64_t left = (int64_t)rng_below(rng, (uint64_t)total), percent = 0, bytes = 0;
    for (; left >= zone->share; zone++) {
        left -= zone->share;
        percent += zone->percent;
        bytes += zone->bytes;
    }
    return zone->percent == 0 && zone->bytes > 0 ? byte_span(bytes, zone->bytes, align, places)
                                                 : percent_span(percent, zone->percent, places);
}

static int64_t draw_offset(struct wl_plan *plan, enum wl_direction direction, int64_t bytes)
{
    const struct wl_plan_params *params = plan->params;
    struct rng *rng = &plan->cursors[direction].rng;
    const int64_t align = params->align[direction] > 0 ? params->align[direction]
                                                       : smallest_of(&params->sizes[direction]);
    const int64_t places = (plan->region.bytes - bytes) / align + 1;
    if (plan->skew.kind != SKEW_NONE)
        return align * (skew_draw(&plan->skew, rng) % places);
    const struct wl_plan_zones *zones = &params->zones[direction];
    const struct span span =
        zones->count > 0 ? zone_span(rng, zones, align, places) : (struct span){.count = places};
    return align * (span.first + (int64_t)rng_below(rng, (uint64_t)span.count));
}

static int64_t random_offset(struct wl_plan *plan, enum wl_direction direction, int64_t bytes)
{
    struct wl_plan_cursor *cursor = &plan->cursors[direction];
    if (cursor->run_left <= 0 || cursor->position + bytes > plan->region.bytes) {
        cursor->run_left = plan->params->run;
        cursor->position = draw_offset(plan, direction, bytes);
    }
    const int64_t offset = cursor->position;
    cursor->run_left--;
    cursor->position += bytes;
    return offset;
}

static int64_t sequential_offset(struct wl_plan *plan, enum wl_direction direction, int64_t bytes)
{
    const struct wl_plan_params *params = plan->params;
    struct wl_plan_cursor *cursor = &plan->cursors[direction];
    if (params->zone_bytes > 0 && cursor->zone_done >= params->zone_bytes) {
        cursor->zone_done = 0;
        cursor->zone_start += params->zone_bytes + params->zone_skip;
        cursor->position = cursor->zone_start;
    }
    if (cursor->position < 0 || cursor->position + bytes > plan->region.bytes) {
        cursor->zone_done = 0;
        cursor->zone_start = 0;
        cursor->position = pass_start(plan);
        if (cursor->position + bytes > plan->region.bytes)
            cursor->position = plan->region.bytes - bytes;
    }
    const int64_t offset = cursor->position;
    cursor->zone_done += bytes;
    cursor->position += bytes + params->stride;
    return offset;
}

struct wl_plan_io wl_plan_next(struct wl_plan *plan, enum wl_direction direction)
{
    CHECK(direction < WL_DIRECTIONS);
    const int64_t bytes =
        draw_bytes(&plan->cursors[direction].rng, &plan->params->sizes[direction]);
    const int64_t offset = plan->params->random ? random_offset(plan, direction, bytes)
                                                : sequential_offset(plan, direction, bytes);
    CHECK(offset >= 0 && offset + bytes <= plan->region.bytes);
    return (struct wl_plan_io){
        .direction = direction,
        .offset = plan->region.offset + offset,
        .bytes = bytes,
    };
}
