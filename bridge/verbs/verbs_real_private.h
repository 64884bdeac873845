/* SPDX-License-Identifier: Apache-2.0
 * verbs_real_private - interfaces between the files of verbs_real.
 *   verbs_real.c         the device: opening, its descriptors, its end, the table
 *   verbs_real_cm.c      connections
 *   verbs_real_qp.c      queue pairs: limits of the device, attributes and states
 *   verbs_real_post.c    work requests and completions
 *   verbs_real_memory.c  memory regions and their content */
#ifndef STORMGLASS_BRIDGE_VERBS_VERBS_REAL_PRIVATE_H
#define STORMGLASS_BRIDGE_VERBS_VERBS_REAL_PRIVATE_H

#include "bridge/verbs/verbs_real.h"

enum { REAL_PRIVATE_MAX = 256, REAL_MR_BUCKETS = 1024 };

struct real_mr {
    struct verbs_mr verbs; /* first member: the part that the protocol uses */
    struct ibv_mr *ibv;
    unsigned char *memory;
    struct real_mr *next_in_bucket;
    uint32_t filled_tag, filled_bytes; /* so many first bytes are known to have this tag's
                                        * pattern */
    bool remote_write;                 /* a peer may write it unnoticed */
};

/* Destination of BULK data of a posted receive or READ; mr NULL: none. */
struct real_arrival {
    struct real_mr *mr;
    uint64_t address;
    uint32_t length;
    uint32_t message_at; /* bytes of the message before the data */
};

/* Arrivals in the order of posting, which is that of completion. */
struct real_ring {
    struct real_arrival *arrivals;
    uint32_t head, count, room;
};

enum real_state {
    REAL_LISTENING,
    REAL_ASKED,      /* a request that was neither accepted nor rejected */
    REAL_CONNECTING, /* or accepted */
    REAL_OPEN,
    REAL_OVER
};

struct verbs_conn {
    struct verbs_device *device;
    struct verbs_conn *next, **link; /* in the device's list */
    struct rdma_cm_id *id;
    struct ibv_cq *cq;
    struct ibv_qp *qp; /* NULL: none yet */
    struct verbs_user user;
    struct rdma_conn_param param; /* private_data points to the copy below */
    unsigned char private_data[REAL_PRIVATE_MAX];
    struct sockaddr_storage peer;
    struct timer later;  /* reports an end that the CM does not report */
    struct timer resume; /* continues with completions */
    struct real_ring receives, reads;
    enum real_state state;
    uint16_t port; /* of a listener */
    bool accepted; /* passive side */
};

struct verbs_device {
    struct verbs_real_site site;
    struct verbs_real_wishes wishes; /* all members are set */
    const struct rdma_calls *calls;
    struct loop *loop;
    struct rdma_event_channel *channel;
    struct rdma_cm_id *id; /* bound, which keeps the device open */
    struct ibv_context *context;
    struct ibv_comp_channel *completions;
    struct ibv_pd *pd;
    struct ibv_device_attr attributes;
    struct loop_watch *cm_watch, *completion_watch, *async_watch;
    struct verbs_conn *conns;
    struct real_mr *mrs[REAL_MR_BUCKETS]; /* hash table by lkey */
    struct verbs_real_counters counters;
    uint64_t registered; /* bytes, in whole pages */
    int register_errno;  /* errno of the last registration that failed */
    uint64_t destroyed;  /* total number of destroyed connections */
    bool removed;
};

/* verbs_real.c */
void verbs_real_removed(struct verbs_device *device);

/* verbs_real_cm.c */
void verbs_real_cm_readable(void *self);
int verbs_real_cm_listen(struct verbs_device *device, uint16_t port, const struct verbs_user *user);
void verbs_real_cm_unlisten(struct verbs_device *device, uint16_t port);
struct verbs_conn *verbs_real_cm_connect(struct verbs_device *device, const struct verbs_peer *peer,
                                         const struct ibv_qp_cap *cap,
                                         const struct rdma_conn_param *param,
                                         const struct verbs_user *user);
int verbs_real_cm_prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                          const struct verbs_user *user);
int verbs_real_cm_accept(struct verbs_conn *conn, const struct rdma_conn_param *param);
int verbs_real_cm_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len);
void verbs_real_cm_disconnect(struct verbs_conn *conn);
void verbs_real_cm_destroy(struct verbs_conn *conn);
struct sockaddr_storage verbs_real_cm_address(uint32_t ip, uint16_t port);

/* verbs_real_qp.c: return 0 or an errno value */
int verbs_real_qp_make(struct verbs_conn *conn, const struct ibv_qp_cap *cap);
/* To RTS, with the CM's present information about both ends. */
int verbs_real_qp_connect(struct verbs_conn *conn);
/* Flushes posted requests. */
void verbs_real_qp_end(struct verbs_conn *conn);
void verbs_real_qp_destroy(struct verbs_conn *conn);

/* verbs_real_post.c */
void verbs_real_post_readable(void *self);
void verbs_real_post_spin(void *self);
void verbs_real_post_resume(void *self, time_ps now);
int verbs_real_post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int verbs_real_post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* verbs_real_memory.c */
struct verbs_mr *verbs_real_memory_register(struct verbs_device *device, uint32_t length,
                                            int access, enum verbs_memory memory);
/* Reports through on_fatal why the last registration, of `length` bytes, failed. */
void verbs_real_memory_missed(struct verbs_device *device, uint32_t length);
void verbs_real_memory_release(struct verbs_device *device, struct verbs_mr *mr);
struct real_mr *verbs_real_memory_find(const struct verbs_device *device, uint32_t lkey);
/* Fills the bytes that a work request is about to send according to the content tag. */
void verbs_real_memory_fill(struct real_mr *mr, uint64_t address, uint32_t length);
/* Bytes are about to arrive, so the present content becomes unknown. */
void verbs_real_memory_forget(struct real_mr *mr);
/* Reads the tag of the data that arrived. */
void verbs_real_memory_look(struct verbs_device *device, struct real_mr *mr, uint64_t address,
                            uint32_t length);

#endif
