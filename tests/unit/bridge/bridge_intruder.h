/* SPDX-License-Identifier: Apache-2.0
 * bridge_intruder - somebody without manners at a listening bridge, over fake_rdma.
 * All three ports of a target listen: that of NVMe, that of agreements, that of raw RDMA.  The
 * intruder connects with any private data, sends any bytes, leaves when it likes; and the fabric
 * fails, tells events of the CM in odd orders, ends work requests with odd statuses. */
#ifndef STORMGLASS_TESTS_BRIDGE_INTRUDER_H
#define STORMGLASS_TESTS_BRIDGE_INTRUDER_H

#include "bridge/agree/agree.h"
#include "bridge/run/live_private.h"
#include "tests/unit/bridge/bridge_pair.h"

/* One more than a raw workload of two queue pairs may have. */
enum { INTRUDER_STRANGERS = 3, INTRUDER_CONNS = 5, INTRUDER_BYTES = 16384, INTRUDER_RECEIVES = 16 };

struct intruder_conn {
    struct verbs_conn *conn;
    bool up, down;
    int status;                       /* of the refusal */
    unsigned char answer[UINT8_MAX];  /* the last private data */
    unsigned answered, failed;        /* messages that came; work requests that ended badly */
    struct verbs_mr *sent, *received; /* buffers */
};

struct bridge_intruder {
    struct bridge_pair pair; /* its host's device is the intruder's */
    struct scenario *scenario;
    struct agree_plan plan;
    struct access access; /* the intruder is on the same machine, and there is no secret */
    struct agree_site site;
    struct agree_state state;
    struct agree_target *agree;
    struct live_run run;       /* of which only the scenario is used */
    struct live_target target; /* has the guarded sink */
    struct intruder_conn conns[INTRUDER_CONNS];
};

void bridge_intruder_open(struct bridge_intruder *intruder);

/* Connects with these bytes as private data, and plays. */
void bridge_intruder_connect(struct bridge_intruder *intruder, unsigned index, uint16_t port,
                             const void *private_data, uint8_t length);
/* Connects with private data that are right, and plays. */
void bridge_intruder_connect_well(struct bridge_intruder *intruder, unsigned index, uint16_t port);
void bridge_intruder_send(struct bridge_intruder *intruder, unsigned index, const void *bytes,
                          size_t length);
void bridge_intruder_leave(struct bridge_intruder *intruder, unsigned index);

/* Does what the bytes say, any bytes. */
void bridge_intruder_play(struct bridge_intruder *intruder, const uint8_t *data, size_t size);

/* Leaves; the fabric behaves again; and then a host connects and is served as if nothing had been.
 * CHECKs that nothing is left behind. */
void bridge_intruder_close(struct bridge_intruder *intruder);

#endif
