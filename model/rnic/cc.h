/* SPDX-License-Identifier: Apache-2.0
 * cc - congestion control, a plug-in: one file and one line in cc.def.
 * The algorithm's state lives in the queue pair.  A queue pair that was never told to slow down
 * costs nothing: only after on_cnp has answered "limited" are on_sent and next_send called, until
 * on_sent says "not limited".  What they say of the next frame holds until a CNP comes or a frame
 * leaves.
 * Owner: the RNIC.  Clock: now is passed in.  No events: an algorithm's timers are caught up when
 * it is asked. */
#ifndef STORMGLASS_RNIC_CC_H
#define STORMGLASS_RNIC_CC_H

#include "base/opt.h"
#include "base/units.h"

#include <stdbool.h>

enum { CC_STATE_BYTES = 88, CC_PARAMS_MAX = 256 };

struct cc_site {
    uint64_t line_bps;
    const void *params;
};

struct cc_pace {
    time_ps at;   /* at or before now: at once */
    bool limited; /* false: at line rate, as if there were no congestion control */
    bool again;   /* not known so far ahead: ask again then */
};

/* For reports. */
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
    /* True: the queue pair is limited from now on. */
    bool (*on_cnp)(void *state, const struct cc_site *site, time_ps now);
    /* A frame of `bytes` (Ethernet header to FCS) has left; what next_send would say then. */
    struct cc_pace (*on_sent)(void *state, const struct cc_site *site, uint32_t bytes, time_ps now);
    /* When the next frame may leave, if no CNP comes before. */
    struct cc_pace (*next_send)(void *state, const struct cc_site *site, time_ps now);
    void (*observe)(const void *state, const struct cc_site *site, struct cc_view *view);
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
#include "rnic/cc.def"
#undef ALGORITHM
#undef PRESET

extern const struct cc_preset cc_list[]; /* ended by a name of NULL */

const struct cc_preset *cc_find(const char *name);

/* Sets the parameters of the algorithm to the preset's values. */
void cc_presets(const struct cc_preset *preset, void *params);

#endif
