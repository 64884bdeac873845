/* SPDX-License-Identifier: Apache-2.0
 * export_sonic_buffers - writes a switch's memory as SONiC's buffer pools, profiles, and their
 * users.
 * dynamic_th n means alpha 2^n (SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH). Pools are sized as on
 * Mellanox: reserved memory and headroom are subtracted from the total (sonic-swss
 * cfgmgr/buffer_pool_mellanox.lua). */
#include "base/units.h"
#include "net/switch/buffer_kinds.h"
#include "net/switch/switch_carve.h"
#include "scenarios/check/check_rule.h"
#include "scenarios/export/export_sonic_private.h"

#include <string.h>

enum { THRESHOLD_MIN = -9, THRESHOLD_MAX = 7 };

static int64_t threshold_alpha(int n)
{
    return n >= 0 ? (int64_t)PPM << n : (int64_t)PPM >> -n;
}

/* Exponent of alpha as a power of two, rounded down. */
static int64_t threshold(struct sonic_out *w, const char *what, int64_t alpha)
{
    int n = THRESHOLD_MIN;
    while (n < THRESHOLD_MAX && threshold_alpha(n + 1) <= alpha)
        n++;
    if (threshold_alpha(n) != alpha)
        notes_add(w->notes, w->node->place,
                  "%s: %s is not a power of two, as SONiC's dynamic_th needs: 2^%d is written",
                  w->node->name, what, n);
    return n;
}

/* The xoff parameter of the static policy. */
static int64_t static_threshold(const struct switch_params *params)
{
    const struct opt *row = opt_find(buffer_policies[params->policy]->opts, "xoff");
    int64_t value;
    memcpy(&value, params->policy_params[params->policy] + row->offset, sizeof value);
    return value;
}

/* Rounded up, so that the import computes the same share again. */
static int64_t part_of(int64_t whole, int64_t ppm)
{
    return (int64_t)(((__int128)whole * ppm + PPM - 1) / PPM);
}

static int64_t lossy_pool(const struct sonic_out *w)
{
    return part_of(w->params->buffer, w->params->lossy_pool);
}

static void put_pool(struct sonic_out *w, const char *name, const char *type, const char *mode,
                     int64_t size, int64_t xoff)
{
    sonic_row_begin(w, name, NULL);
    sonic_put_text(w, true, "type", type);
    sonic_put_text(w, false, "mode", mode);
    sonic_put_number(w, false, "size", size);
    if (xoff > 0)
        sonic_put_number(w, false, "xoff", xoff);
    sonic_row_end(w);
}

static int64_t shared_headroom(const struct sonic_out *w)
{
    char why[DIAG_TEXT_BYTES];
    struct switch_plan plan;
    if (w->params->headroom_pool != SWITCH_HEADROOM_POOL_AUTO)
        return w->params->headroom_pool;
    check_plan(w->scenario, w->node, &plan, why, sizeof why);
    return plan.headroom * w->params->cell;
}

static void put_pools(struct sonic_out *w)
{
    const struct switch_params *params = w->params;
    sonic_table_begin(w, "BUFFER_POOL");
    put_pool(w, "ingress_lossless_pool", "ingress", "dynamic", params->buffer - lossy_pool(w),
             shared_headroom(w));
    if (lossy_pool(w) > 0)
        put_pool(w, "ingress_lossy_pool", "ingress", "dynamic", lossy_pool(w), 0);
    put_pool(w, "egress_lossless_pool", "egress", "static", params->buffer, 0);
    put_pool(w, "egress_lossy_pool", "egress", "dynamic",
             part_of(params->buffer, params->egress_lossy_pool), 0);
    sonic_table_end(w);
}

/* Headroom of the link at that port, in bytes. */
static int64_t headroom_of(const struct sonic_out *w, const struct scenario_port *port)
{
    if (w->params->headroom != SWITCH_HEADROOM_AUTO)
        return w->params->headroom;
    struct switch_plan plan;
    const struct headroom_link link = check_link(w->scenario, w->params, port);
    switch_plan_begin(&plan, w->params);
    return switch_plan_link(&plan, &link) * w->params->cell;
}

/* Names a profile as SONiC does for computed profiles: "pg_lossless_100000_40m_profile". */
static void name_profile(const struct sonic_out *w, unsigned port, char name[NAME_BYTES])
{
    const struct port_params *params = w->node->ports[port].params;
    snprintf(name, NAME_BYTES, "pg_lossless_%lld_%lldm_profile",
             (long long)(params->rate / BPS_PER_MBPS),
             (long long)((params->length + MM_PER_M - 1) / MM_PER_M));
}

/* True if this is the first linked port with a profile of that name. */
static bool is_first(const struct sonic_out *w, unsigned port, const char *profile)
{
    char other[NAME_BYTES];
    for (unsigned p = 0; p < port; p++) {
        name_profile(w, p, other);
        if (sonic_is_linked(&w->node->ports[p]) && sonic_lossless(w, p) != 0 &&
            strcmp(other, profile) == 0)
            return false;
    }
    return true;
}

static void put_lossless_profile(struct sonic_out *w, unsigned port, bool is_static, int64_t alpha)
{
    char profile[NAME_BYTES];
    const struct switch_params *params = w->params;
    name_profile(w, port, profile);
    if (sonic_lossless(w, port) == 0 || !is_first(w, port, profile))
        return;
    sonic_row_begin(w, profile, NULL);
    sonic_put_text(w, true, "pool", "ingress_lossless_pool");
    sonic_put_number(w, false, "size", params->reserved);
    sonic_put_number(w, false, "xon", params->xon);
    sonic_put_number(w, false, "xon_offset", params->xon_offset);
    sonic_put_number(w, false, "xoff", headroom_of(w, &w->node->ports[port]));
    if (is_static)
        sonic_put_number(w, false, "static_th", static_threshold(params));
    else
        sonic_put_number(w, false, "dynamic_th", alpha);
    sonic_row_end(w);
}

/* An unlimited threshold is written as a static one of the whole pool. */
static void put_lossy_profile(struct sonic_out *w, const char *name, const char *pool, int64_t size,
                              const char *what, int64_t alpha)
{
    sonic_row_begin(w, name, NULL);
    sonic_put_text(w, true, "pool", pool);
    sonic_put_number(w, false, "size", size);
    if (alpha == BUFFER_UNLIMITED)
        sonic_put_number(w, false, "static_th", w->params->buffer);
    else
        sonic_put_number(w, false, "dynamic_th", threshold(w, what, alpha));
    sonic_row_end(w);
}

static void put_profiles(struct sonic_out *w)
{
    char name[NAME_BYTES];
    const struct switch_params *params = w->params;
    const char *policy = buffer_policy_names[params->policy];
    const bool is_static = strcmp(policy, "static") == 0;
    if (!is_static && strcmp(policy, "dynamic") != 0)
        notes_add(w->notes, w->node->place,
                  "%s: SONiC has no policy like %s: dynamic thresholds are written", w->node->name,
                  policy);
    const int64_t alpha =
        is_static || params->pfc_priorities == 0 ? 0 : threshold(w, "alpha", params->alpha);
    sonic_table_begin(w, "BUFFER_PROFILE");
    EACH_PORT(w, p, name)
    put_lossless_profile(w, p, is_static, alpha);
    put_lossy_profile(w, "ingress_lossy_profile",
                      lossy_pool(w) > 0 ? "ingress_lossy_pool" : "ingress_lossless_pool",
                      params->reserved_lossy, "alpha-lossy", params->alpha_lossy);
    sonic_row_begin(w, "egress_lossless_profile", NULL);
    sonic_put_text(w, true, "pool", "egress_lossless_pool");
    sonic_put_number(w, false, "size", 0);
    sonic_put_number(w, false, "static_th",
                     params->egress_limit == SWITCH_EGRESS_LIMIT_NONE ? params->buffer
                                                                      : params->egress_limit);
    sonic_row_end(w);
    put_lossy_profile(w, "egress_lossy_profile", "egress_lossy_pool", params->reserved_queue,
                      "alpha-egress", params->alpha_egress);
    sonic_table_end(w);
}

/* Writes one row per port and priority, with the lossless or the lossy profile. */
static void put_uses(struct sonic_out *w, const char *table, const char *lossless,
                     const char *lossy)
{
    char name[NAME_BYTES], profile[NAME_BYTES];
    sonic_table_begin(w, table);
    EACH_PORT(w, p, name)
    {
        const int64_t mask = sonic_lossless(w, p);
        for (int q = 0; q < PRIORITIES; q++) {
            const char number[2] = {(char)('0' + q), '\0'};
            const bool is_lossless = mask >> q & 1;
            name_profile(w, p, profile);
            sonic_row_begin(w, name, number);
            sonic_put_text(w, true, "profile",
                           !is_lossless       ? lossy
                           : lossless == NULL ? profile
                                              : lossless);
            sonic_row_end(w);
        }
    }
    sonic_table_end(w);
}

void sonic_put_buffers(struct sonic_out *w)
{
    put_pools(w);
    put_profiles(w);
    put_uses(w, "BUFFER_PG", NULL, "ingress_lossy_profile");
    put_uses(w, "BUFFER_QUEUE", "egress_lossless_profile", "egress_lossy_profile");
}
