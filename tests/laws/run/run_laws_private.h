/* SPDX-License-Identifier: Apache-2.0
 * run_laws_private - among the parts of run_laws. */
#ifndef STORMGLASS_TESTS_LAWS_RUN_LAWS_PRIVATE_H
#define STORMGLASS_TESTS_LAWS_RUN_LAWS_PRIVATE_H

#include "tests/laws/run/run_laws.h"

#include "rnic/cm/cm_mad.h"

/* A frame that reaches a host's port, and when its last bit is there. */
struct run_laws_delivery {
    time_ps at;
    struct frame frame;
    bool is_mad;
    struct cm_mad mad;
};

struct run_laws_pauses *run_laws_pauses_new(const struct run_laws *laws);
void run_laws_pauses_free(struct run_laws_pauses *pauses);
void run_laws_pauses_edge(struct run_laws *laws, const struct probe_pause *edge);
void run_laws_pauses_blocked(struct run_laws *laws, const struct probe_blocked *blocked);
void run_laws_pauses_frame(struct run_laws *laws, const struct probe_frame *sent);
void run_laws_pauses_look(struct run_laws *laws);
void run_laws_pauses_judge(struct run_laws *laws);

/* Hosts: what reaches them is kept until something is told that is no older. */
struct run_laws_path *run_laws_path_new(void);
void run_laws_path_free(struct run_laws_path *way);
void run_laws_path_frame(struct run_laws *laws, const struct probe_frame *sent);
/* What has reached the node by now is known. */
void run_laws_path_take(struct run_laws *laws, uint32_t node, time_ps now);
bool run_laws_path_overflows(const struct run_laws *laws);

struct run_laws_transport *run_laws_transport_new(void);
void run_laws_transport_free(struct run_laws_transport *transport);
/* A packet leaves a host, or has reached one. */
void run_laws_transport_leaves(struct run_laws *laws, const struct frame *frame, time_ps now);
void run_laws_transport_came(struct run_laws *laws, const struct frame *frame, time_ps now);
void run_laws_transport_lost(struct run_laws *laws, const struct probe_drop *drop);
/* A queue pair says that its retries are used up. */
void run_laws_transport_gave_up(struct run_laws *laws, uint32_t endpoint, uint32_t qpn,
                                time_ps now);
void run_laws_transport_judge(struct run_laws *laws);

/* Marks and CNPs. */
struct run_laws_pair;
struct run_laws_marks *run_laws_marks_new(void);
void run_laws_marks_free(struct run_laws_marks *marks);
void run_laws_marks_pair(struct run_laws *laws, const struct run_laws_pair *pair);
void run_laws_marks_leaves(struct run_laws *laws, const struct frame *frame, time_ps now);
void run_laws_marks_came(struct run_laws *laws, const struct frame *frame, time_ps now);
void run_laws_marks_lost(struct run_laws *laws, const struct probe_drop *drop);
void run_laws_marks_judge(struct run_laws *laws);

/* The connection of two queue pairs, as its REQ and REP say. */
struct run_laws_pair {
    uint32_t endpoint[2], qpn[2],
        psn[2];                      /* active, passive; psn: that its own requests begin with */
    uint8_t retries, rnr_retries[2]; /* most that an end may make; by who asks */
    uint8_t timeout[2];              /* code, likewise */
    uint32_t mtu;
};

struct run_laws_cm *run_laws_cm_new(const struct run_laws *laws);
void run_laws_cm_free(struct run_laws_cm *cm);
/* A message leaves a host, or reaches one. */
void run_laws_cm_sent(struct run_laws *laws, uint32_t from, uint32_t to, const struct cm_mad *mad,
                      time_ps now);
void run_laws_cm_came(struct run_laws *laws, const struct run_laws_delivery *came);
void run_laws_cm_judge(struct run_laws *laws);

/* Told by cm: the queue pairs know each other. */
void run_laws_transport_pair(struct run_laws *laws, const struct run_laws_pair *pair);

/* Nothing that there is sends of itself. */
bool run_laws_is_closed(const struct run_laws *laws);
/* When controllers were shut down, and nothing stands in the way. */
void run_laws_close_judge(struct run_laws *laws);

/* The account of time, of a watched run. */
void run_laws_breakdown_begin(struct run_laws *laws);
void run_laws_breakdown_fini(struct run_laws *laws);

void run_laws_qp_judge(struct run_laws *laws);

/* The rate that congestion control leaves to some queue pair has it wait with a message begun. */
bool run_laws_qp_is_slow(const struct run_laws *laws);
void run_laws_end_judge(struct run_laws *laws);
void run_laws_end_io(struct run_laws *laws, const struct probe_host_io *io);
/* Its blocks cross the fabric, one way or the other. */
bool run_laws_moves(const struct probe_host_io *io);
void run_laws_goodput_io(struct run_laws *laws, const struct probe_host_io *io);
void run_laws_goodput_judge(struct run_laws *laws);
void run_laws_end_light(struct run_laws *laws);
/* Least time from node to node: bare propagation. */
time_ps run_laws_light(const struct run_laws *laws, uint32_t from, uint32_t to);
/* UINT32_MAX: of no host. */
uint32_t run_laws_node_of_ip(const struct run_laws *laws, uint32_t ip);

int64_t run_laws_value(const struct scenario_workload *workload, const char *name);

struct run_laws_nvme *run_laws_nvme_new(void);
void run_laws_nvme_free(struct run_laws_nvme *nvme);
void run_laws_nvme_at_target(struct run_laws *laws, const struct probe_target_io *io);
void run_laws_nvme_at_host(struct run_laws *laws, const struct probe_host_io *io);
void run_laws_nvme_look(struct run_laws *laws);
void run_laws_nvme_judge(struct run_laws *laws);

/* Of one block of memory. */
struct run_laws_limits *run_laws_limits_new(void);
void run_laws_limits_io(struct run_laws *laws, const struct probe_host_io *io);

static inline uint32_t run_laws_slot(uint32_t node, uint16_t port)
{
    return node * RUN_LAWS_PORTS + port;
}

static inline bool run_laws_is_request(uint8_t opcode)
{
    return opcode <= FRAME_RC_READ_REQUEST || opcode == FRAME_RC_SEND_LAST_INV ||
           opcode == FRAME_RC_SEND_ONLY_INV;
}

static inline bool run_laws_is_response(uint8_t opcode)
{
    return opcode >= FRAME_RC_READ_RESPONSE_FIRST && opcode <= FRAME_RC_READ_RESPONSE_ONLY;
}

/* The RNIC that an endpoint is, or NULL. */
static inline struct rnic *run_laws_rnic(const struct run_laws *laws, uint32_t endpoint)
{
    return endpoint < laws->scenario->endpoint_count ? laws->world->rnics[endpoint] : NULL;
}

#endif
