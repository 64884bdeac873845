/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma - libibverbs and librdmacm in memory, for tests of the bridge.
 * Nodes with one address each, in one process: what one end posts the other end has at once, but
 * hears of it through real descriptors, as from the libraries.  Checks what a device checks: keys,
 * ranges, rights, queue depths; counts what is alive, so that a test can see leaks.
 * One fabric at a time: fake_rdma_init to fake_rdma_fini. */
#ifndef STORMGLASS_TESTS_FAKE_RDMA_H
#define STORMGLASS_TESTS_FAKE_RDMA_H

#include "bridge/verbs/rdma_calls.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct rdma_calls fake_rdma_calls;

void fake_rdma_init(void);
/* Returns how many objects (ids, queue pairs, regions, ...) were never given back. */
unsigned fake_rdma_fini(void);
void fake_rdma_node(uint32_t ip); /* an address with a device */

/* The call of that name fails with `error` after `skip` good ones, once. */
void fake_rdma_fail(const char *call, unsigned skip, int error);

/* The next event of type `of` is told as `as` with `status` instead. */
void fake_rdma_event(enum rdma_cm_event_type of, enum rdma_cm_event_type as, int status);

/* The CM tells the n-th connected identifier (counted around) of an event that nothing led to. */
void fake_rdma_tell(unsigned n, enum rdma_cm_event_type type, int status);

/* No end has anything left to hear. */
bool fake_rdma_quiet(void);

/* What was asked for above is forgotten, all nodes are heard, and what waited for them ended. */
void fake_rdma_behave(void);

/* After `skip` good ones, a work request that sends ends with this status. */
void fake_rdma_end_with(enum ibv_wc_status status, unsigned skip);

/* ibv_poll_cq gives at most so many at once; 0: no limit. */
void fake_rdma_poll_limit(int limit);

/* Flips a byte of the next RDMA or SEND data of at least 512 bytes. */
void fake_rdma_corrupt(void);

/* The node's device registers `more` regions than it has now, and then no other until one goes. */
void fake_rdma_limit_regions(uint32_t ip, unsigned more);

/* The node is silent from now on: nothing reaches it and nothing comes from it. */
void fake_rdma_vanish(uint32_t ip);
/* What waits for a silent node ends with RETRY_EXC_ERR. */
void fake_rdma_time_out(void);

/* The node is heard again. */
void fake_rdma_return(uint32_t ip);

/* An asynchronous event of the device; those of queue pairs and completion queues are told of each
 * connected one. */
void fake_rdma_async(uint32_t ip, enum ibv_event_type type);

/* The type of service of the identifier that connected last; -1: it set none. */
int fake_rdma_tos(void);
/* The local address of who listens on the port, 0: on all; UINT32_MAX: nobody does. */
uint32_t fake_rdma_listener(uint16_t port);
unsigned fake_rdma_notified(void); /* COMM_EST that the CM was told of */

/* DEVICE_REMOVAL on every id, DEVICE_FATAL, and every queue pair in error. */
void fake_rdma_remove(uint32_t ip);

/* The attributes of the queue pair that went to RTS last, at the side that connected or accepted;
 * and what its identifier was asked for: the option, -1: none. */
struct fake_rdma_asked {
    uint8_t retry_count, rnr_retry, min_rnr_timer, timeout, traffic_class, reads_issued,
        reads_served;
    enum ibv_mtu path_mtu;
    uint32_t inline_data;
    int timeout_option;
};
struct fake_rdma_asked fake_rdma_asked(bool accepted);

/* What devices say that they can; a test may make it less. */
struct ibv_device_attr *fake_rdma_limits(void);
/* The most inline data that a queue pair is made with. */
void fake_rdma_limit_inline(uint32_t bytes);

unsigned fake_rdma_alive(void);
unsigned fake_rdma_rnr(void); /* messages that found no receive */

#endif
