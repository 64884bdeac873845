/* SPDX-License-Identifier: Apache-2.0
 * cc - congestion control, a plug-in: one file and one line in cc.def.
 * The algorithm's state lives in the queue pair.  A queue pair that was never told to slow down
 * costs nothing: only after on_cnp has limited it is on_sent called, until that ends the limit.
 * Both say when the next frame may leave, which holds until a CNP comes or a frame leaves: an
 * algorithm foresees what its own timers will do until then.
 * Owner: the RNIC.  Clock: now is passed in.  No events: an algorithm's timers are caught up when
 * it is called. */
#ifndef STORMGLASS_RNIC_CC_CC_H
#define STORMGLASS_RNIC_CC_CC_H

#include "base/opt.h"
#include "base/units.h"

#include <stdbool.h>

enum { CC_STATE_BYTES = 80, CC_PARAMS_MAX = 256 };

struct cc_site {
    uint64_t line_bps;
    const void *params;
};

/* Instead of the next frame's time: the queue pair sends at line rate, as if there were no
 * congestion control. */
#define CC_UNLIMITED ((time_ps)-1)

/* For reports, as of the moment that was asked for. */
struct cc_view {
    uint64_t rate_bps, target_bps;
    uint64_t alpha_ppm;
};

struct cc_ops {
    const char *name;
    const char *about;
    const char *source;
    const struct opt *opts;
    size_t params_bytes;
    bool wants_ecn; /* data is sent as ECT(0) and marked packets are answered with CNPs */

    /* Least time between two CNPs of one queue pair at the notification point. */
    time_ps (*cnp_interval)(const void *params);
    void (*init)(void *state, const struct cc_site *site);
    /* Both: when the next frame may leave, at or before now: at once; or CC_UNLIMITED. */
    time_ps (*on_cnp)(void *state, const struct cc_site *site, time_ps now);
    /* A frame of `bytes` (Ethernet header to FCS) has left. */
    time_ps (*on_sent)(void *state, const struct cc_site *site, uint32_t bytes, time_ps now);
    void (*observe)(const void *state, const struct cc_site *site, time_ps now,
                    struct cc_view *view);
};

/* A name that a scenario may give: an algorithm, or one with other defaults. */
struct cc_setting {
    const char *opt, *value;
};

struct cc_preset {
    const char *name;
    const char *about;
    const struct cc_ops *ops;
    const struct cc_setting *settings; /* NULL, or ended by an opt of NULL */
};

#define ALGORITHM(stem, about)              extern const struct cc_ops cc_##stem;
#define PRESET(stem, settings, name, about) extern const struct cc_setting cc_##settings[];
#include "rnic/cc/cc.def"
#undef ALGORITHM
#undef PRESET

extern const struct cc_preset cc_list[]; /* ended by a name of NULL */

const struct cc_preset *cc_find(const char *name);

/* Sets the parameters of the algorithm to the preset's values. */
void cc_presets(const struct cc_preset *preset, void *params);

#endif
