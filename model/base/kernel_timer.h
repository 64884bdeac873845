/* SPDX-License-Identifier: Apache-2.0
 * kernel_timer - when a timer of the Linux kernel fires.
 * The timer wheel of the kernel keeps distant timers in coarse slots and rounds up to the end of
 * the slot: a timer of 10 s fires at a multiple of 256 ms, up to 256 ms late.
 * Source: kernel/time/timer.c of Linux 6.1 (calc_wheel_index, calc_index) with CONFIG_HZ=250, the
 * value of Debian and Ubuntu. */
#ifndef STORMGLASS_BASE_KERNEL_TIMER_H
#define STORMGLASS_BASE_KERNEL_TIMER_H

#include "base/units.h"

#define KERNEL_TICK (4 * PS_PER_MS) /* CONFIG_HZ=250 */

enum {
    KERNEL_SLOTS = 64,       /* LVL_SIZE: slots per level */
    KERNEL_LEVEL_FACTOR = 8, /* LVL_CLK_DIV: slots of the level below per slot */
    KERNEL_LEVELS = 9,       /* LVL_DEPTH */
};

/* When a timer fires that is set at `now` for `delay` (0 or more). Delays that fit into the first
 * level, below 252 ms, stay exact, so that scenarios can scale the kernel's timeouts from seconds
 * down to milliseconds. */
static inline time_ps kernel_timer_due(time_ps now, time_ps delay)
{
    time_ps slot = KERNEL_TICK;
    if (delay < (KERNEL_SLOTS - 1) * slot)
        return now + delay;
    for (int level = 1; level < KERNEL_LEVELS; level++) {
        slot *= KERNEL_LEVEL_FACTOR;
        if (delay < (KERNEL_SLOTS - 1) * slot)
            break;
    }
    return ((now + delay) / slot + 1) * slot;
}

#endif
