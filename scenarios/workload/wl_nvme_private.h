/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_private - an instance: what carries it out, and what is reported of it. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_NVME_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_NVME_PRIVATE_H

#include "base/state_time.h"
#include "nvme/host/host.h"
#include "nvme/multipath/multipath.h"
#include "scenarios/workload/wl_check.h"
#include "scenarios/workload/wl_goodput.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_script.h"

enum wl_nvme_state {
    WL_NVME_CONNECTING,
    WL_NVME_ISSUING,
    WL_NVME_ENDING,
    WL_NVME_CLOSING, /* its controller is shut down */
    WL_NVME_IDLE
};

struct wl_nvme_slot {
    struct nvme_io io;
    struct wl_nvme_slot *next; /* in the free list, or among those that wait for room */
    uint32_t queue;
    bool busy;
    uint64_t serial;
    struct wl_expectation expected;
    time_ps admitted_at; /* by the workload's limits, for which it had waited */
};

struct wl_nvme_line {
    struct wl_nvme_slot *first, *last;
};

static inline void wl_nvme_line_add(struct wl_nvme_line *line, struct wl_nvme_slot *slot)
{
    slot->next = NULL;
    if (line->first == NULL)
        line->first = slot;
    else
        line->last->next = slot;
    line->last = slot;
}

static inline struct wl_nvme_slot *wl_nvme_line_take(struct wl_nvme_line *line)
{
    struct wl_nvme_slot *slot = line->first;
    CHECK(slot != NULL);
    line->first = slot->next;
    return slot;
}

struct wl_nvme {
    struct workload_site site;
    struct wl_window window;
    struct wl_nvme_params params;
    struct nvme_host *host;           /* its controller; or: */
    struct nvme_multipath *multipath; /* the paths of its namespace */
    struct timer timer, admin_timer, limit_timer;
    struct nvme_bucket limits;
    struct wl_nvme_line limited; /* wait for them */
    uint32_t limited_count;
    bool has_limits;
    struct nvme_admin admin; /* under way while admin_asked */
    uint32_t admin_turn;
    bool admin_asked, admin_late; /* late: its timer found one under way */
    struct nvme_admin listed;     /* of the list of commands; under way while listed_asked */
    struct timer listed_timer;
    size_t listed_next; /* in the list */
    bool listed_asked, listed_told; /* told: that some were not sent */
    time_ps linger_until; /* TIME_NEVER: it does not linger yet */
    enum wl_nvme_state state;
    struct wl_script script;
    struct wl_check check;
    struct nvme_host_namespace space;
    bool discovery;                  /* its controller is the discovery subsystem's: no I/O */
    struct nvme_host_stats reported; /* of the controllers: what stats have */
    uint64_t failovers;              /* likewise */
    struct wl_nvme_slot *slots;
    uint32_t slot_count, queues;
    struct wl_nvme_line free;
    struct wl_nvme_line *waiting; /* one for each queue */
    int64_t under_way;            /* in the host or waiting */
    struct state_time stalled;    /* something was issued, and nothing completed since */
    struct workload_member did;
    /* by the connections as they are now, and by those that are no more */
    struct wl_goodput read, written;
    struct workload_delivered before;     /* in the measured part */
    struct workload_delivered before_all; /* in all */
};

static inline struct wl_nvme *wl_nvme_of(const struct workload *workload)
{
    return (struct wl_nvme *)(uintptr_t)workload;
}

/* Its controller, be it one or several paths: wl_nvme_paths.c. */
void wl_nvme_connect(struct wl_nvme *wl, const struct nvme_host_user *user);
bool wl_nvme_give(struct wl_nvme *wl, uint32_t queue, struct nvme_io *io);
/* Begins its limits; and: by them, or false, and wl_nvme_admitted follows. */
void wl_nvme_limit_begin(struct wl_nvme *wl);
bool wl_nvme_admits(struct wl_nvme *wl, struct wl_nvme_slot *slot);
void wl_nvme_admitted(struct wl_nvme *wl, struct wl_nvme_slot *slot);
bool wl_nvme_has_lost(const struct wl_nvme *wl); /* I/O that waits will not be carried */
bool wl_nvme_has_parted(const struct wl_nvme *wl);
void wl_nvme_part(struct wl_nvme *wl);
/* One that knows the namespaces; NULL: none is there. */
struct nvme_host *wl_nvme_host(const struct wl_nvme *wl);
/* That the instance uses; NULL: there is none of its number. */
const struct nvme_host_namespace *wl_nvme_choose_namespace(const struct wl_nvme *wl);
/* Of that number; NULL: there is none. */
const struct nvme_host *wl_nvme_path(const struct wl_nvme *wl, uint32_t path);
void wl_nvme_count(struct wl_nvme *wl, time_ps now);
void wl_nvme_drop(struct wl_nvme *wl);

/* Asks for admin commands from now on, where the workload has any; wl_nvme_admin.c. */
void wl_nvme_admin_begin(struct wl_nvme *wl);
void wl_nvme_admin_end(struct wl_nvme *wl);
/* The admin commands alone, and then its end. */
void wl_nvme_begin_without_io(struct wl_nvme *wl);
/* Commands of the list are to come, or it lingers: wl_nvme_settle follows. */
bool wl_nvme_admin_waits(struct wl_nvme *wl);
void wl_nvme_admin_done(void *self, struct nvme_admin *admin);
/* Nothing may be under way any more. */
void wl_nvme_settle(struct wl_nvme *wl);

/* All its I/O queues begin to connect, for the first time or anew: what the ones before delivered
 * is known. */
void wl_nvme_connects(struct wl_nvme *wl);

#endif
