/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_private - state of an instance, and its statistics. */
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
    WL_NVME_CLOSING, /* its controller is being shut down */
    WL_NVME_IDLE
};

struct wl_nvme_slot {
    struct nvme_io io;
    struct wl_nvme_slot *next; /* in the free list, or in a line of waiting slots */
    uint32_t core;             /* of the host, which issues it */
    uint32_t line;             /* the line of its queue, if it waits */
    bool busy;
    uint64_t serial;
    struct wl_expectation expected;
    time_ps admitted_at; /* time at which the workload's limits admitted it, if it had to wait */
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
    struct nvme_host *host;           /* its controller, or NULL */
    struct nvme_multipath *multipath; /* paths of its namespace, or NULL */
    struct timer timer, admin_timer, limit_timer;
    struct nvme_bucket limits;
    struct wl_nvme_line limited; /* slots that wait for the limits */
    uint32_t limited_count;
    bool has_limits;
    struct nvme_admin admin; /* periodic command; in flight while admin_asked */
    uint32_t admin_turn;
    bool admin_asked, admin_late; /* late: the timer fired while one was in flight */
    struct nvme_admin listed;     /* command of the list; in flight while listed_asked */
    struct timer listed_timer;
    size_t listed_next;             /* index in the list */
    bool listed_asked, listed_told; /* told: reported that some were not sent */
    time_ps linger_until;           /* TIME_NEVER: it does not linger yet */
    enum wl_nvme_state state;
    struct wl_script script;
    struct wl_check check;
    struct nvme_host_namespace space;
    bool discovery;                  /* connected to the discovery subsystem, so no I/O */
    struct nvme_host_stats reported; /* statistics of the controllers that stats already include */
    uint64_t failovers;              /* failovers that stats already include */
    struct wl_nvme_slot *slots;
    uint32_t slot_count, lines;
    struct wl_nvme_line free;
    struct wl_nvme_line *waiting; /* one line per queue */
    int64_t under_way;            /* I/Os in the host or waiting */
    struct state_time stalled;    /* something is issued and nothing has completed since */
    struct workload_member did;
    /* `read` and `written` of the present connections; `before` of earlier ones */
    struct wl_goodput read, written;
    struct workload_delivered before;     /* in the measured part */
    struct workload_delivered before_all; /* in total */
};

static inline struct wl_nvme *wl_nvme_of(const struct workload *workload)
{
    return (struct wl_nvme *)(uintptr_t)workload;
}

/* The instance's controller, with one or several paths: wl_nvme_paths.c. */
void wl_nvme_connect(struct wl_nvme *wl, const struct nvme_host_user *user);
/* Submits what waits in the line of a queue, or in all lines: after a reconnect the controller may
 * have fewer queues, and I/O other lines. */
void wl_nvme_send_waiting(struct wl_nvme *wl, uint32_t line);
void wl_nvme_send_all(struct wl_nvme *wl);
/* wl_nvme_limit_begin initializes the limits. wl_nvme_admits: true if the limits admit the I/O;
 * otherwise wl_nvme_admitted is called later. */
void wl_nvme_limit_begin(struct wl_nvme *wl);
bool wl_nvme_admits(struct wl_nvme *wl, struct wl_nvme_slot *slot);
void wl_nvme_admitted(struct wl_nvme *wl, struct wl_nvme_slot *slot);
bool wl_nvme_has_lost(const struct wl_nvme *wl); /* waiting I/O will not be carried out */
bool wl_nvme_has_parted(const struct wl_nvme *wl);
void wl_nvme_part(struct wl_nvme *wl);
/* A controller whose namespaces are known; NULL: none. */
struct nvme_host *wl_nvme_host(const struct wl_nvme *wl);
/* The namespace that the instance uses; NULL: no namespace with its number. */
const struct nvme_host_namespace *wl_nvme_choose_namespace(const struct wl_nvme *wl);
/* The path with this number; NULL: none. */
const struct nvme_host *wl_nvme_path(const struct wl_nvme *wl, uint32_t path);
void wl_nvme_count(struct wl_nvme *wl, time_ps now);
void wl_nvme_drop(struct wl_nvme *wl);

/* Starts and ends the admin commands of the workload, if it has any; wl_nvme_admin.c. */
void wl_nvme_admin_begin(struct wl_nvme *wl);
void wl_nvme_admin_end(struct wl_nvme *wl);
/* Runs only the admin commands, then ends. */
void wl_nvme_begin_without_io(struct wl_nvme *wl);
/* True if commands of the list are still to be sent, or the instance lingers; wl_nvme_settle is
 * called later. */
bool wl_nvme_admin_waits(struct wl_nvme *wl);
void wl_nvme_admin_done(void *self, struct nvme_admin *admin);
/* Called when nothing may be in flight any more. */
void wl_nvme_settle(struct wl_nvme *wl);

/* Called when all I/O queues begin to connect or reconnect; the bytes that the previous ones
 * delivered are final. */
void wl_nvme_connects(struct wl_nvme *wl);

#endif
