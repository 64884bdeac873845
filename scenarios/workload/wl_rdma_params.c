/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_params - parameters of the rdma-* kinds, and the doorbells that threads share. */
#include "base/memory.h"
#include "base/numbers.h"
#include "scenarios/workload/wl_rdma_private.h"

#include <stdio.h>

#define FIELD(name) offsetof(struct wl_rdma_params, name)

const struct opt wl_rdma_opts[] = {
    {"message-size", OPT_SIZE, FIELD(message_size), "64KiB", "1B", "1GiB", NULL,
     "Size of one message.", "perftest -s", OPT_ACTS(ASKED, ANY, TRACE)},
    {"sizes", OPT_CHOICE, FIELD(sizes), "fixed", NULL, NULL, OPT_WORDS(WL_SIZES_KINDS),
     "Distribution of message sizes. fixed: every message has message-size; web-search, storage: "
     "random, from a published distribution of flow sizes. sizes-file sets another distribution.",
     "web-search: DCTCP, SIGCOMM 2010; storage: AliStorage2019; both as HPCC publishes them",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"outstanding", OPT_INT, FIELD(outstanding), "2", "1", "4096", NULL,
     "Number of outstanding messages of each queue pair.", "perftest -t",
     OPT_SCALES(DEPTH, LESS, TRACE)},
    {"batch", OPT_INT, FIELD(batch), "1", "1", "4096", NULL,
     "Number of messages that a queue pair posts together. It posts the next batch when so many "
     "messages have completed that the batch fits within `outstanding`.",
     "perftest --post_list; a loop that posts requests and waits for all of them has batch equal "
     "to outstanding",
     OPT_ACTS(DEPTH, ANY, TRACE)},
    {"count", OPT_INT, FIELD(count), "0", "0", "1000000000000", NULL,
     "Number of messages of each instance; 0: no limit, until `stop`.", "perftest -n",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"qps", OPT_INT, FIELD(qps), "1", "1", "1024", NULL, "Number of queue pairs of each instance.",
     "perftest -q", OPT_ACTS(DEPTH, LESS, TRACE)},
    {"threads", OPT_INT, FIELD(threads), "1", "1", "1024", NULL,
     "Number of threads of each instance, each with a core. The queue pairs are divided among "
     "them, and each message takes rnic.post-cost of a core. With more threads than queue pairs, "
     "several threads share a queue pair and its lock (see doorbell-cost).",
     "perftest has one", OPT_ACTS(HOST_CPU, LESS, TRACE)},
    {"doorbells", OPT_INT, FIELD(doorbells), "0", "0", "1024", NULL,
     "Number of doorbell registers, each with a lock, that the threads share; 0: each thread has "
     "its own doorbell register.",
     "Linux rdma-core providers/mlx5: MLX5_TOTAL_UUARS 16, of which 12 are shared",
     OPT_ACTS(HOST_CPU, LIMIT, TRACE)},
    {"doorbell-cost", OPT_TIME, FIELD(doorbell_cost), "60ns", "0ns", "100us", NULL,
     "Additional time of each message, while it holds the lock of its doorbell register or queue "
     "pair, for each other thread that shares this lock. It has no effect on threads that share "
     "neither.",
     "fitted: 19 million READs a second of 96 threads with 12 doorbells, 39 of 32 threads (Ren et "
     "al., ASPLOS 2024, fig. 3)",
     OPT_ACTS(HOST_CPU, MORE, TRACE)},
    {"rate", OPT_DECIMAL, FIELD(rate), "0", "0", "1000000000", NULL,
     "Number of messages per second that each instance sends (open loop), such as 1250.5; 0: "
     "closed loop, with `outstanding` messages at any time.",
     "perftest --rate_limit", OPT_SCALES(ASKED, LIMIT, TRACE)},
    {"arrival", OPT_CHOICE, FIELD(arrival), "paced", NULL, NULL, OPT_WORDS(WL_PACE_ARRIVALS),
     "How operations arrive if `rate` is set. paced: evenly spaced, from a random start; poisson: "
     "as a Poisson process.",
     "fio rate_process", OPT_ACTS(ASKED, ANY, TRACE)},
    {"receives", OPT_INT, FIELD(receives), "0", "0", "8192", NULL,
     "Number of receives that the peer keeps posted, for rdma-send and for messages with "
     "immediate data; 0: twice `outstanding`.",
     "perftest -r", OPT_SCALES(CREDIT, LIMIT, SERVICE)},
    {"receive-delay", OPT_TIME, FIELD(receive_delay), "0us", "0us", "1000s", NULL,
     "Time after a message has used a receive until the peer posts the receive again.", "own",
     OPT_SCALES(CREDIT, MORE, DELAY)},
    {"shared-receives", OPT_INT, FIELD(shared_receives), "0", "0", "8192", NULL,
     "Number of receives in a shared receive queue (SRQ) of the peer, used by the queue pairs of "
     "all workloads with the same value; 0: each queue pair has its own receives.",
     "IBTA Vol 1 10.2.9; SPDK's NVMe-oF target: 4096", OPT_ACTS(CREDIT, LIMIT, TRACE)},
    {"receive-limit", OPT_INT, FIELD(receive_limit), "0", "0", "8192", NULL,
     "Number of remaining receives in the shared receive queue below which the peer posts all "
     "used receives again; 0: it posts each used receive separately. It has no effect without "
     "shared-receives.",
     "IBV_EVENT_SRQ_LIMIT_REACHED", OPT_ACTS(CREDIT, ANY, TRACE)},
    {"remote-access", OPT_CHOICE, FIELD(remote_access), "granted", NULL, NULL,
     OPT_WORDS(WL_RDMA_ACCESSES),
     "How rdma-write and rdma-read access the peer's memory. granted: as permitted; wrong-key: "
     "with a wrong key; out-of-range: beyond the end of the memory; no-right: without permission; "
     "given-back: 100 us after connecting, the peer revokes the permission. All values except "
     "granted end in REM_ACCESS_ERR.",
     "IBTA Vol 1 9.7.5.2.4 (NAK remote access error)", OPT_ACTS(ASKED, ANY, TRACE)},
    {"immediate", OPT_BOOL, FIELD(immediate), "false", NULL, NULL, NULL,
     "true: each message carries 4 B of immediate data, and an rdma-write message also consumes a "
     "receive and completes at the peer; false: messages carry no immediate data.",
     "IBTA Vol 1 9.3.3.1; Linux: IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND_WITH_IMM",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {0},
};

/* A lock is held while a thread posts: that of the doorbell register, or of a queue pair that
 * several threads use. Every other thread that takes this lock lengthens the time by the same
 * amount, because the lock and the register move from cache to cache. Without post-cost threads
 * have no time, and nothing to share. */
static void share_locks(struct wl_rdma *wl)
{
    const uint32_t threads = wl->core_count;
    uint32_t locks = wl->pair_count < threads ? wl->pair_count : threads;
    if (wl->params.doorbells > 0)
        locks = (uint32_t)min_i64(wl->params.doorbells, locks);
    const bool shares = locks < threads && wl->post_cost > 0;
    wl->doors = memory_zeroed(locks, sizeof *wl->doors);
    for (uint32_t i = 0; i < threads; i++) {
        struct wl_rdma_core *core = &wl->cores[i];
        const uint32_t others = shares ? (threads - 1 - i % locks) / locks : 0;
        core->door_at = shares ? &wl->doors[i % locks] : &core->free_at;
        core->cost = wl->post_cost + others * wl->params.doorbell_cost;
    }
}

void wl_rdma_set_post_costs(struct wl_rdma *wl)
{
    const struct workload_site *site = &wl->site;
    if (site->verbs->post_cost != NULL)
        wl->post_cost = site->verbs->post_cost(site->device, &wl->spread);
    if (wl->spread > 0) {
        char purpose[64];
        snprintf(purpose, sizeof purpose, "posts of workload %u.%u.%u", site->workload,
                 site->instance, site->copy);
        wl->post_draws = env_stream(site->env, purpose);
    }
    share_locks(wl);
}
