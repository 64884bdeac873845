/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc_private - declarations shared by the files of the transport.
 *   nvme_fc.c         operations table, memory
 *   nvme_fc_host.c    a host's connections
 *   nvme_fc_target.c  a target's connections and the commands in them
 *   nvme_fc_link.c    link services of a target */
#ifndef STORMGLASS_NVME_FC_NVME_FC_PRIVATE_H
#define STORMGLASS_NVME_FC_NVME_FC_PRIVATE_H

#include "base/env.h"
#include "fc/fc.h"
#include "nvme/fc/fc_iu.h"
#include "nvme/fc/nvme_fc.h"

enum { FC_ADMIN_DATA = 8192 }; /* data of a command that the target itself reads */

struct fc_target_conn;

struct nvme_fc {
    struct nvme_transport base;
    struct nvme_fc_site site;
    struct nvme_transport_listener listener;
    uint32_t mapped;      /* buffers */
    uint64_t association; /* a host's; 0: none */
    uint64_t last_association;
    struct fc_target_conn *conns; /* a target's */
};

/* First member of a host's and of a target's connection. */
struct nvme_transport_conn {
    struct nvme_fc *fc;
    bool host;
    bool closed; /* by the user */
    bool failed; /* reported */
};

static inline struct nvme_fc *nvme_fc_of(struct nvme_transport *transport)
{
    return (struct nvme_fc *)(void *)transport;
}

/* nvme_fc_host.c */
struct nvme_transport_conn *nvme_fc_connect(struct nvme_transport *transport,
                                            const struct nvme_transport_connect *how);
bool nvme_fc_send_command(struct nvme_transport_conn *conn, uint16_t tag,
                          struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes);
void nvme_fc_host_end(struct nvme_transport_conn *conn, bool tell);
void nvme_fc_host_free(struct nvme_transport_conn *conn);

/* ---- target ---- */

/* A command: its capsule for the core, and its exchange. */
struct fc_capsule {
    struct nvme_capsule capsule; /* first member */
    unsigned char sqe[NVME_SQE_BYTES];
    struct fc_target_conn *conn;
    struct fc_exchange *exchange; /* NULL: none, or it has failed */
    struct nvme_transfer *transfer;
    struct nvme_buffer bytes; /* data that the target reads; length 0: not mapped */
    uint32_t length;          /* of the data, by the command */
    uint32_t fetched;
    bool gathers; /* data of the capsule are on their way */
    bool fetches, answered, out;
    struct fc_capsule *next; /* in the free list */
    struct fc_capsule *older;
};

struct fc_target_conn {
    struct nvme_transport_conn base;
    struct fc_target_conn *next;
    struct nvme_transport_target user;
    struct nvme_transport_request request;
    struct fc_exchange *link; /* of the request that made it; NULL: answered */
    uint64_t association, id;
    uint16_t ersp_ratio;
    uint32_t responses, rsn;
    bool accepted;
    struct fc_capsule *free, *newest;
    struct nvme_transfer **transfers; /* by slot */
    uint32_t slot_count, out;         /* capsules of the core */
};

static inline struct fc_target_conn *nvme_fc_target_of(struct nvme_transport_conn *conn)
{
    return (struct fc_target_conn *)(void *)conn;
}

/* nvme_fc_target.c */
void nvme_fc_on_command(void *self, struct fc_exchange *exchange, const struct fc_unit *unit);
bool nvme_fc_reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_fc_fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_fc_respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                     const struct nvme_response *response, bool with_data);
void nvme_fc_target_audit(const struct nvme_transport_conn *conn);
void nvme_fc_drop_commands(struct fc_target_conn *conn);
void nvme_fc_target_fail(struct fc_target_conn *conn, const char *why);

/* nvme_fc_link.c */
void nvme_fc_on_link(void *self, struct fc_exchange *exchange, const struct fc_unit *unit);
uint32_t nvme_fc_accept(struct nvme_transport_conn *conn, const struct nvme_transport_accept *how);
void nvme_fc_reject(struct nvme_transport_conn *conn, enum nvme_cm_reject why);
void nvme_fc_target_end(struct nvme_transport_conn *conn, bool tell);
void nvme_fc_target_free(struct nvme_transport_conn *conn);

#endif
