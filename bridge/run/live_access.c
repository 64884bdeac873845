/* SPDX-License-Identifier: Apache-2.0
 * live_access - which addresses may connect to which port (access.h).
 * The agreement has its own checks and reports their reasons; see agree.h. */
#include "bridge/run/live_private.h"

#include "base/printable.h"

#include <stdio.h>
#include <unistd.h>

/* An unknown host may send a thousand requests. */
enum { SAID_MOST = 20 };

void live_access_report(void *self, const char *text)
{
    struct live_run *run = self;
    if (run->refusals_said == SAID_MOST)
        printable_say("stormglass-bridge", "further refusals are not shown");
    else if (run->refusals_said < SAID_MOST)
        printable_say("stormglass-bridge", "%s", text);
    run->refusals_said += run->refusals_said <= SAID_MOST;
}

static bool has_agreed(const struct live_run *run, uint32_t ip)
{
    for (uint32_t i = 0; i < run->target_count; i++)
        if (run->targets[i].listens != NULL && agree_target_knows(run->targets[i].listens, ip))
            return true;
    return false;
}

bool live_access_admits(void *self, uint16_t port, uint32_t ip)
{
    struct live_run *run = self;
    const struct access *access = &run->options.access;
    const char *why;
    char text[160];
    if (port == AGREE_PORT || access_is_local(access, ip))
        return true;
    if (port != WORKLOAD_RDMA_PORT) {
        if (access->allowed_count == 0 || access_is_listed(access, ip))
            return true;
        why = "its address is not allowed (--allow)";
    } else if (run->options.foreign) {
        if (access_is_listed(access, ip))
            return true;
        why = "raw RDMA without an agreement needs its address in --allow";
    } else {
        if (has_agreed(run, ip))
            return true;
        why = "it has not agreed on the scenario";
    }
    snprintf(text, sizeof text, "refused %u.%u.%u.%u at port %u: %s", ip >> 24, ip >> 16 & 255,
             ip >> 8 & 255, ip & 255, port, why);
    live_access_report(run, text);
    return false;
}

/* As many connections without an ICReq as a target keeps queues without a Connect. The time is our
 * own choice: three times the 10 s that Linux's host waits for ICResp
 * (nvme_tcp_init_connection). */
enum { GUARD_STRANGERS = 64 };
#define GUARD_PATIENCE (30 * PS_PER_S)

/* Half of the machine's memory for the buffers of each address. */
static uint64_t guard_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : UINT64_MAX;
}

static void on_tcp_refused(void *self, uint32_t ip, uint16_t port, const char *why)
{
    char text[320];
    snprintf(text, sizeof text, "closed the connection of %u.%u.%u.%u port %u: %s", ip >> 24,
             ip >> 16 & 255, ip >> 8 & 255, ip & 255, port, why);
    live_access_report(self, text);
}

void live_access_guard(struct live_run *run)
{
    run->guard = (struct nvme_tcp_guard){.memory = guard_memory(),
                                         .strangers = GUARD_STRANGERS,
                                         .patience = GUARD_PATIENCE,
                                         .on_refused = on_tcp_refused,
                                         .self = run};
}

/* Devices of this process belong to this machine, whatever its interfaces report. */
void live_access_prepare(struct live_run *run)
{
    struct access *access = &run->options.access;
    access_find_own(access);
    for (uint32_t i = 0; (run->options.role & LIVE_HOST) != 0 && i < run->options.address.count;
         i++)
        access_add_own(access, run->options.address.ip[i]);
    for (uint32_t t = 0; t < run->target_count; t++)
        for (uint32_t i = 0; run->targets[t].here && i < run->targets[t].nics.count; i++)
            access_add_own(access, run->targets[t].nics.ip[i]);
}
