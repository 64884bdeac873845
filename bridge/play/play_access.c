/* SPDX-License-Identifier: Apache-2.0
 * play_access - which addresses may connect to which port (access.h).
 * The agreement has its own checks and reports their reasons; see agree.h. */
#include "bridge/play/play_private.h"

#include "base/printable.h"

#include <stdio.h>

/* An unknown host may send a thousand requests. */
enum { SAID_MOST = 20 };

void play_access_say(void *self, const char *text)
{
    struct play *play = self;
    if (play->refusals_said == SAID_MOST)
        printable_say("stormglass-bridge", "further refusals are not shown");
    else if (play->refusals_said < SAID_MOST)
        printable_say("stormglass-bridge", "%s", text);
    play->refusals_said += play->refusals_said <= SAID_MOST;
}

static bool has_agreed(const struct play *play, uint32_t ip)
{
    for (uint32_t i = 0; i < play->target_count; i++)
        if (play->targets[i].listens != NULL && agree_target_knows(play->targets[i].listens, ip))
            return true;
    return false;
}

bool play_access_admits(void *self, uint16_t port, uint32_t ip)
{
    struct play *play = self;
    const struct access *access = &play->options.access;
    const char *why;
    char text[160];
    if (port == AGREE_PORT || access_is_local(access, ip))
        return true;
    if (port != WORKLOAD_RDMA_PORT) {
        if (access->allowed_count == 0 || access_is_listed(access, ip))
            return true;
        why = "its address is not allowed (--allow)";
    } else if (play->options.foreign) {
        if (access_is_listed(access, ip))
            return true;
        why = "raw RDMA without an agreement needs its address in --allow";
    } else {
        if (has_agreed(play, ip))
            return true;
        why = "it has not agreed on the scenario";
    }
    snprintf(text, sizeof text, "refused %u.%u.%u.%u at port %u: %s", ip >> 24, ip >> 16 & 255,
             ip >> 8 & 255, ip & 255, port, why);
    play_access_say(play, text);
    return false;
}

/* Devices of this process belong to this machine, whatever its interfaces report. */
void play_access_prepare(struct play *play)
{
    struct access *access = &play->options.access;
    access_find_own(access);
    for (uint32_t i = 0; (play->options.role & PLAY_HOST) != 0 && i < play->options.address.count;
         i++)
        access_add_own(access, play->options.address.ip[i]);
    for (uint32_t t = 0; t < play->target_count; t++)
        for (uint32_t i = 0; play->targets[t].here && i < play->targets[t].nics.count; i++)
            access_add_own(access, play->targets[t].nics.ip[i]);
}
