/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_private - state of an instance, and its statistics. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_RDMA_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_RDMA_PRIVATE_H

#include "scenarios/workload/wl_goodput.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_rdma.h"

enum wl_rdma_state { WL_RDMA_CONNECTING, WL_RDMA_ISSUING, WL_RDMA_ENDING, WL_RDMA_IDLE };

struct wl_rdma_message {
    time_ps issued_at;
    int64_t bytes;
    bool by_core; /* its issue last waited for the core, not for room in the queue pair */
};

/* Posts and polls for its queue pairs, one message at a time. */
struct wl_rdma_core {
    time_ps free_at, busy;
    time_ps cost;     /* per message */
    time_ps *door_at; /* when its doorbell is free; its own free_at unless shared */
    bool wanted;      /* a queue pair has room and waits for the core */
};

struct wl_rdma_pair {
    struct wl_rdma *owner;
    struct verbs_device *device;
    struct verbs_conn *conn;
    struct verbs_mr *mr;
    struct wl_rdma_grant grant;
    bool settled; /* connected, or failed */
    bool usable;
    uint32_t oldest, under_way;
    uint32_t batch_left;   /* messages of the batch in progress that are not posted yet */
    int32_t answers_ahead; /* answers received minus completions of own messages */
    struct wl_rdma_message *messages; /* ring of `outstanding` entries */
    struct wl_rdma_core *core;
    struct wl_goodput goodput;
};

struct wl_rdma {
    struct workload_site site;
    struct wl_window window;
    struct wl_rdma_params params;
    enum ibv_wr_opcode opcode;
    bool answered; /* a message is done when its answer has arrived */
    enum wl_rdma_state state;
    struct timer timer;
    struct wl_pace pace;
    struct wl_rdma_pair *pairs;
    uint32_t pair_count, settled, next_pair;
    uint32_t batch;
    struct wl_rdma_core *cores;
    uint32_t core_count;
    time_ps post_cost, spread; /* core time per message, apart from locks, +- spread */
    struct rng post_draws;
    time_ps *doors;               /* of shared doorbells: when they are free */
    const struct wl_sizes *sizes; /* NULL: all have message_size */
    struct rng size_draws;
    struct workload_flow *flows;
    uint32_t flow_room;
    uint64_t issued, under_way;
    struct workload_member did;
};

/* Sets what a message costs each core, and which doorbells cores share. */
void wl_rdma_set_post_costs(struct wl_rdma *wl);

static inline struct wl_rdma *wl_rdma_of(const struct workload *workload)
{
    return (struct wl_rdma *)(uintptr_t)workload;
}

#endif
