/* SPDX-License-Identifier: Apache-2.0
 * cc - congestion control, a plug-in: one file and one line in cc.def.
 *
 * An algorithm answers what a queue pair hears of the network (a CNP, bytes that have left, a timer
 * of its own) with a rate.  The pacer holds the queue pair to it: no algorithm knows of frames
 * that wait, of debts or of wake-ups.
 *
 * Contract.
 *   Hooks     each may be NULL: then nothing is done for it, and nothing is kept.
 *   Flow      a hook is handed a struct cc_flow that says what is in force now, and writes into it
 *             what is to be from now on; `state` is its own, all else is only read.
 *   Units     bits per second, bytes of frames from Ethernet header to FCS, picoseconds.
 *   Limits    rate_bps in 1 .. line_bps; at line_bps the limit ends after the next frame, and
 *             with it the calls of on_sent and on_timer, until a hook sets a lower rate.
 *   Cost      a queue pair that was never limited costs nothing.
 *   Time      is handed in and never runs back.  No events: the pacer calls on_timer when it next
 *             looks, as if at its time, and on a copy of the state to foresee when a debt is paid.
 *             So a hook depends on nothing but its arguments, and touches nothing else.
 *   Errors    none: parameters are checked as rows, and a hook cannot fail.
 *   Determinism  integers only; no memory of its own, no random numbers, no global state.
 *   Owner     the state lies in the queue pair, zeroed before init. */
#ifndef STORMGLASS_RNIC_CC_CC_H
#define STORMGLASS_RNIC_CC_CC_H

#include "base/opt.h"
#include "base/units.h"

#include <stdbool.h>

enum { CC_STATE_BYTES = 40, CC_PARAMS_MAX = 256 };

struct cc_ops;

/* What all queue pairs of an RNIC share. */
struct cc_site {
    const struct cc_ops *ops;
    uint64_t line_bps;
    const void *params; /* as the rows of the algorithm fill them */
};

/* A queue pair, as its algorithm sees it. */
struct cc_flow {
    const struct cc_site *site;
    void *state;
    uint64_t rate_bps;  /* frames leave no faster than this, preamble and gap included */
    time_ps timer;      /* on_timer is called then; TIME_NEVER: not at all */
    int64_t bytes_left; /* on_sent is called when so many bytes more have left, less than 1 then */
};

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
    size_t state_bytes; /* at most CC_STATE_BYTES */
    bool wants_ecn;     /* data is sent as ECT(0) */

    /* At the notification point: least time between two CNPs of one queue pair.  NULL: marked
     * packets are answered with none. */
    time_ps (*cnp_interval)(const void *params);

    /* Both: the rate is the line's, nothing is timed or counted unless it says so. */
    void (*init)(struct cc_flow *flow);
    void (*on_cnp)(struct cc_flow *flow, time_ps now);

    /* Must set bytes_left anew. */
    void (*on_sent)(struct cc_flow *flow, time_ps now);

    /* flow->timer is due, at or before `until`, and is to be moved on; where that no longer changes
     * the rate, beyond `until` at once. */
    void (*on_timer)(struct cc_flow *flow, time_ps until);

    /* Of a copy whose timer is caught up; the view already has the rate, as target too. */
    void (*observe)(struct cc_flow *flow, time_ps now, struct cc_view *view);
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
