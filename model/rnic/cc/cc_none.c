/* SPDX-License-Identifier: Apache-2.0
 * cc_none - no congestion control.
 * The trivial member of the kind: every queue pair sends at line rate for ever; marks are not
 * asked for. */
#include "rnic/cc/cc.h"

static const struct opt none_opts[] = {{0}};

static time_ps cnp_interval(const void *params)
{
    (void)params;
    return TIME_NEVER;
}

static void init(void *state, const struct cc_site *site)
{
    (void)state;
    (void)site;
}

static time_ps on_cnp(void *state, const struct cc_site *site, time_ps now)
{
    (void)state;
    (void)site;
    (void)now;
    return CC_UNLIMITED;
}

static time_ps on_sent(void *state, const struct cc_site *site, uint32_t bytes, time_ps now)
{
    (void)bytes;
    return on_cnp(state, site, now);
}

static void observe(const void *state, const struct cc_site *site, time_ps now,
                    struct cc_view *view)
{
    (void)state;
    (void)now;
    *view = (struct cc_view){.rate_bps = site->line_bps, .target_bps = site->line_bps};
}

const struct cc_ops cc_none = {
    .name = "none",
    .about = "sends at line rate; PFC alone holds it back",
    .source = "own",
    .opts = none_opts,
    .cnp_interval = cnp_interval,
    .init = init,
    .on_cnp = on_cnp,
    .on_sent = on_sent,
    .observe = observe,
};
