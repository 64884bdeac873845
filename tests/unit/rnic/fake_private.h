/* SPDX-License-Identifier: Apache-2.0
 * fake_private - what the files of the fake share. */
#ifndef STORMGLASS_TESTS_FAKE_PRIVATE_H
#define STORMGLASS_TESTS_FAKE_PRIVATE_H

#include "tests/unit/rnic/fake_verbs.h"

enum { MRS_MAX = 1 << 17, SGES_MAX = 2, MESSAGE_MAX = 1 << 15 };

struct fake_mr {
    struct verbs_mr mr; /* first */
    int access;
    bool valid;
};

struct receive {
    struct receive *next;
    uint64_t wr_id;
    struct ibv_sge sges[SGES_MAX];
    int count;
};

struct verbs_srq {
    struct verbs_device *device;
    struct verbs_srq_user user;
    struct receive *first, *last;
    uint32_t count, most, limit;
};

struct verbs_conn {
    struct verbs_conn *next;
    struct verbs_device *device;
    struct verbs_conn *peer;
    struct verbs_user user;
    struct receive *first, *last;
    struct fake_event *stuck; /* a SEND that found no receive */
    uint32_t number;
    bool open, destroyed, reported;
};

struct listener {
    uint16_t port;
    struct verbs_user user;
};

struct verbs_device {
    struct fake_world *world;
    uint32_t ip;
    struct fake_mr *mrs[MRS_MAX];
    uint32_t mr_count;
    uint64_t next_addr;
    struct listener listener;
    struct verbs_conn *conns;
    uint32_t conn_count, srq_count;
};

enum kind { TIMER, ARRIVE, COMPLETE, CM };

struct fake_event {
    struct fake_event *next;
    time_ps at;
    uint64_t sequence;
    enum kind kind;
    struct timer *timer;
    struct verbs_conn *conn; /* where it happens */
    struct ibv_wc wc;
    struct verbs_event cm;
    unsigned char private_data[256];
    /* ARRIVE: the work request of conn->peer */
    struct ibv_send_wr wr;
    struct ibv_sge sges[SGES_MAX];
    unsigned char *bytes;
    uint32_t length, real, content;
};

struct fake_event *fake_schedule(struct fake_world *world, enum kind kind, time_ps at);
void fake_free_event(struct fake_event *event);
void fake_free_receives(struct verbs_conn *conn);

struct verbs_mr *fake_reg_mr(struct verbs_device *device, uint32_t length, int access,
                             enum verbs_memory memory);
void fake_dereg_mr(struct verbs_device *device, struct verbs_mr *mr);
void fake_renew_rkey(struct verbs_conn *conn, struct verbs_mr *mr, uint32_t length);
struct fake_mr *fake_find(const struct verbs_device *device, uint32_t key, uint64_t addr,
                          uint32_t length);
struct fake_mr *fake_find_remote(const struct verbs_device *device, uint32_t rkey, uint64_t addr,
                                 uint32_t length, int access);

void fake_add_receive(struct receive **first, struct receive **last, const struct ibv_recv_wr *wr);
struct verbs_srq *fake_create_srq(struct verbs_device *device, uint32_t max_wr,
                                  const struct verbs_srq_user *user);
int fake_post_srq_recv(struct verbs_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
void fake_arm_srq(struct verbs_srq *srq, uint32_t limit);
void fake_destroy_srq(struct verbs_srq *srq);
struct receive *fake_srq_take(struct verbs_srq *srq); /* the oldest, which there is */

/* The SEND that waited for a receive tries again. */
void fake_unstick(struct verbs_conn *conn);

/* True when the event is kept: it waits for a receive. */
bool fake_arrive(struct fake_event *event);

#endif
