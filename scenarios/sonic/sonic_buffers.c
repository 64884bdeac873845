/* SPDX-License-Identifier: Apache-2.0
 * sonic_buffers - converts BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and BUFFER_QUEUE to the
 * parameters of a switch.
 * SONiC has a profile for each (port, priority); a switch in a scenario has one for its lossless
 * and one for its lossy groups: the one that most of them use. Headroom is the largest of all
 * lossless ones, because too little headroom drops frames. */
#include "scenarios/sonic/sonic_private.h"

#include "base/numbers.h"
#include "base/units.h"

#include <string.h>

enum {
    BYTES_MAX = 1 << 30,
    THRESHOLD_MAX = 16,
    ALPHA_SHIFT_MIN = -9,
    ALPHA_SHIFT_MAX = 7,
    RATIO_MAX = 64
};

static const int64_t pool_max = INT64_C(1) << 33;

/* ---- rows ---- */

/* True if the port and priority have no row yet; otherwise reports an error. */
static bool is_first(struct sonic_import *import, const struct sonic_port *port, int number,
                     const struct tree_item *row, const struct tree_item *old, const char *table)
{
    if (old != NULL)
        tree_error(import->diag, row->value, "%s: %s|%d has a profile already, in line %d", table,
                   sonic_clean(import, port->name), number, old->key_place.line);
    return old == NULL;
}

static void take_group(struct sonic_import *import, struct sonic_port *port, int number,
                       const struct tree_item *row)
{
    if (is_first(import, port, number, row, port->group_rows[number], "BUFFER_PG"))
        port->group_rows[number] = row;
}

static void take_queue(struct sonic_import *import, struct sonic_port *port, int number,
                       const struct tree_item *row)
{
    if (is_first(import, port, number, row, port->buffer_rows[number], "BUFFER_QUEUE"))
        port->buffer_rows[number] = row;
}

/* For the profile "NULL", SONiC computes a profile from speed and cable length. */
static const struct tree_item *profile_of(struct sonic_import *import, struct sonic_switch *node,
                                          const struct tree_item *row)
{
    const char *text = sonic_field(import, row->value, "profile");
    if (text != NULL && strcmp(text, "NULL") == 0) {
        node->settings.headroom_auto = true;
        return NULL;
    }
    return sonic_reference(import, row->value, "profile", &node->profiles);
}

/* The profiles of all lossless or all lossy groups, or of all such queues. */
static size_t gather_profiles(struct sonic_import *import, struct sonic_switch *node, bool queues,
                              bool lossless, const struct tree_item **list)
{
    size_t count = 0;
    for (uint32_t i = 0; i < node->used_count; i++) {
        const struct sonic_port *port = node->used[i];
        for (int p = 0; p < SONIC_PRIORITIES; p++) {
            const struct tree_item *row = queues ? port->buffer_rows[p] : port->group_rows[p];
            if (row != NULL && (port->pfc >> p & 1) == lossless)
                list[count++] = profile_of(import, node, row);
        }
    }
    return count;
}

/* ---- values ---- */

static int64_t bytes(struct sonic_import *import, const struct tree_item *profile,
                     const char *field)
{
    return sonic_number(import, profile->value, field, 0, BYTES_MAX);
}

/* alpha is 2^dynamic_th: SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH. In parts per million. */
static int64_t alpha_of(struct sonic_import *import, const struct tree_item *profile,
                        const char *field)
{
    const int64_t n = sonic_number(import, profile->value, field, -THRESHOLD_MAX, THRESHOLD_MAX);
    if (n == SONIC_UNSET)
        return SONIC_UNSET;
    const int64_t kept = n < ALPHA_SHIFT_MIN   ? ALPHA_SHIFT_MIN
                         : n > ALPHA_SHIFT_MAX ? ALPHA_SHIFT_MAX
                                               : n;
    if (kept != n)
        sonic_note(import, tree_get(profile->value, field)->place,
                   "%s: %s %lld is more than the maximum of a scenario, %lld",
                   sonic_clean(import, profile->key), field, (long long)n, (long long)kept);
    return kept >= 0 ? (int64_t)PPM << kept : (int64_t)PPM >> -kept;
}

static int64_t alpha(struct sonic_import *import, const struct tree_item *profile)
{
    return alpha_of(import, profile, "dynamic_th");
}

/* For a pool without shared headroom, Mellanox includes the headroom in the size: xon + xoff
 * (sonic-swss cfgmgr/buffer_headroom_mellanox.lua). */
static int64_t reserved(struct sonic_import *import, const struct tree_item *profile)
{
    const int64_t size = bytes(import, profile, "size"), xoff = bytes(import, profile, "xoff");
    const int64_t xon = bytes(import, profile, "xon");
    return size > 0 && xoff > 0 && xon >= 0 && size == xon + xoff ? xon : size;
}

static void take_lossless(struct sonic_import *import, struct sonic_switch *node,
                          const struct tree_item *profile)
{
    struct sonic_settings *settings = &node->settings;
    settings->reserved = reserved(import, profile);
    settings->xon = bytes(import, profile, "xon");
    settings->xon_offset = bytes(import, profile, "xon_offset");
    settings->alpha = alpha(import, profile);
    const int64_t limit = bytes(import, profile, "static_th");
    if (limit != SONIC_UNSET && settings->alpha == SONIC_UNSET) {
        settings->static_policy = true;
        settings->xoff = limit;
    }
}

static void take_headroom(struct sonic_import *import, struct sonic_switch *node,
                          const struct tree_item **list, size_t count)
{
    const struct tree_item *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct tree_item *profile = list[i];
        const int64_t xoff =
            profile == NULL || profile == last ? SONIC_UNSET : bytes(import, profile, "xoff");
        last = profile;
        if (xoff > node->settings.headroom) {
            node->settings.headroom = xoff;
            node->origins.headroom = profile;
        }
    }
}

static void take_lossy(struct sonic_import *import, struct sonic_switch *node,
                       const struct tree_item *profile)
{
    node->settings.reserved_lossy = bytes(import, profile, "size");
    node->settings.alpha_lossy = alpha(import, profile);
}

/* ---- pools ---- */

static const struct tree_item *pool_of(struct sonic_import *import, struct sonic_switch *node,
                                       const struct tree_item *profile)
{
    return profile == NULL ? NULL : sonic_reference(import, profile->value, "pool", &node->pools);
}

/* The pool of a direction whose name contains `word`, for switches whose profiles SONiC computes,
 * so that no row names the pool; NULL: none. */
static const struct tree_item *pool_named(struct sonic_import *import, struct sonic_switch *node,
                                          const char *direction, const char *word)
{
    for (size_t i = 0; node->pools.rows != NULL && i < node->pools.rows->count; i++) {
        const struct tree_item *pool = &node->pools.rows->items[i];
        const char *type = sonic_field(import, pool->value, "type");
        if (type != NULL && strcmp(type, direction) == 0 && strstr(pool->key, word) != NULL)
            return pool;
    }
    return NULL;
}

static int64_t pool_size(struct sonic_import *import, const struct tree_item *pool)
{
    return pool == NULL ? SONIC_UNSET : sonic_number(import, pool->value, "size", 0, pool_max);
}

static bool is_dynamic(struct sonic_import *import, const struct sonic_switch *node)
{
    const struct tree_node *here =
        tree_get(sonic_rows(import, node, "DEVICE_METADATA"), "localhost");
    const char *model = here == NULL ? NULL : sonic_field(import, here, "buffer_model");
    return model != NULL && strcmp(model, "dynamic") == 0;
}

/* The memory size is the sum of the ingress pools, or the size of the lossless egress pool if that
 * is larger: some vendors exclude reserved memory and headroom from the ingress pools, while the
 * egress pool usually covers the whole memory. */
static void take_memory(struct sonic_import *import, struct sonic_switch *node,
                        const struct tree_item *lossless, const struct tree_item *lossy,
                        const struct tree_item *queue)
{
    struct sonic_settings *settings = &node->settings;
    const struct tree_item *pool = pool_of(import, node, lossless);
    const struct tree_item *other = pool_of(import, node, lossy);
    const struct tree_item *out = pool_of(import, node, queue);
    if (pool == NULL)
        pool = pool_named(import, node, "ingress", "lossless");
    if (out == NULL)
        out = pool_named(import, node, "egress", "lossless");
    pool = pool == NULL ? other : pool;
    const int64_t size = pool_size(import, pool);
    const int64_t more = other == NULL || other == pool ? 0 : pool_size(import, other);
    const int64_t whole = pool_size(import, out);
    if (pool != NULL)
        settings->headroom_pool = sonic_number(import, pool->value, "xoff", 0, pool_max);
    if (settings->headroom_pool == 0)
        settings->headroom_pool = SONIC_UNSET;
    if ((size <= 0 || more < 0) && whole > 0) { /* with dynamic buffers, only the egress pool has
                                                 * a size */
        settings->buffer = whole;
        return;
    }
    if (size <= 0 || more < 0) {
        sonic_note(import, node->root->place,
                   "no ingress pool in BUFFER_POOL has a size%s; the default buffer size is used",
                   is_dynamic(import, node) ? ", because SONiC computes it at run time "
                                              "(buffer_model dynamic; see mmuconfig --list)"
                                            : "");
        return;
    }
    settings->buffer = whole > size + more ? whole : size + more;
    if (more > 0)
        settings->lossy_pool = share_ppm(more, size + more);
}

static void take_queues(struct sonic_import *import, struct sonic_switch *node,
                        const struct tree_item *lossless, const struct tree_item *lossy)
{
    struct sonic_settings *settings = &node->settings;
    const int64_t size = pool_size(import, pool_of(import, node, lossy));
    if (lossless != NULL)
        settings->egress_limit = bytes(import, lossless, "static_th");
    if (settings->egress_limit == 0)
        settings->egress_limit = SONIC_UNSET;
    if (lossy == NULL)
        return;
    settings->reserved_queue = bytes(import, lossy, "size");
    settings->alpha_egress = alpha(import, lossy);
    if (size > 0 && settings->buffer > 0)
        settings->egress_lossy_pool = share_ppm(size, settings->buffer);
    if (tree_get(lossy->value, "static_th") != NULL)
        sonic_note(import, lossy->key_place,
                   "BUFFER_PROFILE %s: static_th of lossy queues is not modeled",
                   sonic_clean(import, lossy->key));
}

/* ---- parameters for computed profiles ---- */

/* Uses the first row, as SONiC does. A ratio of 0 means that there is no shared headroom pool. */
static void take_computed(struct sonic_import *import, struct sonic_switch *node)
{
    static const char *const known[] = {"default_dynamic_th", "over_subscribe_ratio", NULL};
    static const char table[] = "DEFAULT_LOSSLESS_BUFFER_PARAMETER";
    struct sonic_settings *settings = &node->settings;
    const struct tree_node *rows = sonic_rows(import, node, table);
    if (rows == NULL || rows->count == 0)
        return;
    const struct tree_item *row = &rows->items[0];
    const int64_t ratio = sonic_number(import, row->value, "over_subscribe_ratio", 0, RATIO_MAX);
    if (!settings->headroom_auto) {
        sonic_note(import, row->key_place, "%s: SONiC computes no profile here: left out", table);
        return;
    }
    if (settings->alpha == SONIC_UNSET)
        settings->alpha = alpha_of(import, row, "default_dynamic_th");
    if (ratio > 0)
        settings->headroom_ratio = ratio;
    node->origins.computed = row;
    sonic_other_fields(import, node, table, known);
}

/* ---- main function ---- */

static const struct tree_item *usual_profile(struct sonic_import *import, struct sonic_switch *node,
                                             bool queues, bool lossless,
                                             const struct tree_item **list)
{
    const size_t count = gather_profiles(import, node, queues, lossless, list);
    const struct tree_item *profile = sonic_usual(import, list, count);
    sonic_note_others(import, profile, list, count,
                      queues     ? lossless ? "lossless queue" : "lossy queue"
                      : lossless ? "lossless group"
                                 : "lossy group",
                      "BUFFER_PROFILE");
    if (!queues && lossless)
        take_headroom(import, node, list, count);
    return profile;
}

static void other_fields(struct sonic_import *import, const struct sonic_switch *node)
{
    static const char *const of_pool[] = {"type", "mode", "size", "xoff", NULL};
    static const char *const of_profile[] = {"pool",       "size", "xon",       "xon_offset",
                                             "dynamic_th", "xoff", "static_th", NULL};
    static const char *const of_row[] = {"profile", NULL};
    sonic_other_fields(import, node, "BUFFER_POOL", of_pool);
    sonic_other_fields(import, node, "BUFFER_PROFILE", of_profile);
    sonic_other_fields(import, node, "BUFFER_PG", of_row);
    sonic_other_fields(import, node, "BUFFER_QUEUE", of_row);
}

void sonic_buffers(struct sonic_import *import, struct sonic_switch *node)
{
    sonic_each(import, node, "BUFFER_PG", true, take_group);
    sonic_each(import, node, "BUFFER_QUEUE", true, take_queue);
    const struct tree_item **list =
        arena_array(&import->arena, (size_t)node->port_count * SONIC_PRIORITIES, sizeof *list);
    const struct tree_item *lossless = usual_profile(import, node, false, true, list);
    const struct tree_item *lossy = usual_profile(import, node, false, false, list);
    if (lossless != NULL)
        take_lossless(import, node, lossless);
    if (lossy != NULL)
        take_lossy(import, node, lossy);
    const struct tree_item *queue = usual_profile(import, node, true, true, list);
    const struct tree_item *lossy_queue = usual_profile(import, node, true, false, list);
    take_memory(import, node, lossless, lossy, queue);
    take_queues(import, node, queue, lossy_queue);
    node->origins.lossless = lossless;
    node->origins.lossy = lossy;
    node->origins.lossless_queue = queue;
    node->origins.lossy_queue = lossy_queue;
    if (lossless == NULL && node->settings.pfc != 0 && !node->settings.headroom_auto)
        sonic_note(import, node->root->place,
                   "BUFFER_PG: no row of a lossless priority (SONiC adds them at run time): "
                   "headroom is auto, other values are defaults");
    take_computed(import, node);
    if (node->settings.headroom_auto)
        sonic_note(import, node->root->place,
                   "BUFFER_PG: profiles that SONiC computes (\"NULL\"): headroom is auto, other "
                   "values are as configured elsewhere, or defaults");
    other_fields(import, node);
}
