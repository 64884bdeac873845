/* SPDX-License-Identifier: Apache-2.0
 * pipeline - what a message has to pass in the silicon of an RNIC, and what that limits.
 *
 *   doorbell -> message engine -> fetched -> may be sent;  packet engine, PCIe -> wire
 *   wire -> receive buffer -> packet engine, PCIe -> transport
 *
 * The message engine takes work requests of the queue pairs in turn, one of each, at a cost by
 * operation; a queue pair's next one not before its own engine is free again.  A work request that
 * a doorbell brought alone came with it (BlueFlame); others are read over PCIe, and so is the
 * payload unless it is inline.  A packet of data leaves when the packet engine has built it and its
 * payload has been read: the next one is made ready while one is on the wire.  What arrives stays
 * in the receive buffer until the packet engine has taken it and its payload is written.  A queue
 * pair whose context is not in the cache costs a fetch of it.  Acknowledgements, CNPs and messages
 * of the connection manager wait for nothing, and take nothing.
 * An RNIC without such limits has no pipeline, and none of this costs it anything.
 * Source: own, put together from what is measured of cards: Kalia et al., USENIX ATC 2016 (design
 * guidelines: doorbells, inline, PCIe), Neugebauer et al., SIGCOMM 2018 (PCIe).
 * Not modelled: the card's own cache of address translations.  The core that posts is the
 * workload's (`post-cost`), those that interrupts wake are cq.h's.
 * Owner: the RNIC; of a card with several ports the first.  Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_PIPELINE_PIPELINE_H
#define STORMGLASS_RNIC_PIPELINE_PIPELINE_H

#include "rnic/host/rnic.h"
#include "rnic/pipeline/context_cache.h"
#include "rnic/pipeline/pcie.h"

/* Of a queue pair. */
struct pipeline_qp {
    uint32_t qpn;   /* 0: never rung */
    uint32_t rung;  /* the doorbell said: up to here */
    uint32_t begun; /* by the message engine */
    uint32_t next;  /* of the list */
    bool listed, resting;
    bool alone; /* the next one came with its doorbell */
    time_ps rests_until;
    time_ps visible_at;  /* what was begun last is fetched then */
    time_ps gathered_at; /* as responder: it may fetch data of another long READ then */
    uint32_t reads;      /* as responder: requests that came */
    uint32_t held;       /* of its contexts of READs, those that the RNIC holds itself */
};

enum { PIPELINE_SIDES = 8, PIPELINE_SIDE_BITS = 3 };

/* Of one RNIC; or of several ports of a card, its sides, of which the first owns it. */
struct pipeline {
    struct pipeline_qp *qps; /* by the index of the queue pair, then by side */
    uint32_t qp_room;
    uint8_t side_bits, side_count;
    struct rnic *sides[PIPELINE_SIDES];
    struct rnic_list waiting; /* for the message engine */
    bool engine_due;          /* its event */
    uint8_t tx_due;           /* mask of sides: theirs */
    time_ps engine_free, tx_free, rx_free;
    time_ps engine_busy, tx_busy, rx_busy; /* in all */
    struct pcie pcie;
    struct context_cache cache;
    uint32_t reads_held; /* contexts of READs that queue pairs have */
};

/* What holds a packet of data back. */
enum pipeline_hold { PIPELINE_FREE, PIPELINE_ENGINE, PIPELINE_PCIE };

void pipeline_init(struct rnic *rnic);
/* The RNIC becomes a side of the owner's, before there are queue pairs.  The owner goes last. */
void pipeline_join(struct rnic *rnic, struct rnic *owner);
void pipeline_fini(struct rnic *rnic);

/* Work requests were posted: the doorbell. */
void pipeline_ring(struct rnic *rnic, struct qp *qp, time_ps now);

/* The frame that came has data for the host, and PCIe takes time for them. */
static inline bool pipeline_crosses(const struct rnic *rnic, const struct frame *frame)
{
    return frame->payload > 0 && pipeline_has_pcie(&rnic->params.pipeline);
}

/* Nothing is to be waited for, of a frame that crosses no PCIe: it need not be received, but counts
 * as a use of its context. */
bool pipeline_passes(struct rnic *rnic, const struct frame *frame, time_ps now);

/* When a frame that is now the first of the receive buffer is out of it. */
time_ps pipeline_receive(struct rnic *rnic, const struct frame *frame, time_ps now);

/* Memory of so many bytes is registered for the next work request. */
void pipeline_register(struct rnic *rnic, uint32_t bytes, time_ps now);

/* When the data of a READ that was asked for now are here. */
time_ps pipeline_gather(struct rnic *rnic, const struct qp *qp, uint32_t bytes, time_ps now);

/* Data of the queue pair's next answer wait for those of the one before. */
bool pipeline_gathers(const struct rnic *rnic, const struct qp *qp, time_ps now);

/* A completion is written to the host. */
static inline void pipeline_complete(struct rnic *rnic, time_ps now)
{
    struct pcie *pcie = &rnic->pipeline->pcie;
    if (pipeline_has_pcie(&rnic->params.pipeline))
        pcie_write_at(pcie, &pcie->entry, now);
}

/* A completion event: when it is out. */
time_ps pipeline_event(struct rnic *rnic, time_ps now);

/* RNIC_EVENT_ENGINE: of the queue pair, or 0, and RNIC_EVENT_TX_ENGINE. */
void pipeline_on_engine(struct rnic *rnic, uint32_t qpn, time_ps now);
/* The wire is free, or something became ready. */
void pipeline_serve(struct rnic *rnic, time_ps now);
void pipeline_on_tx(struct rnic *rnic, time_ps now);

/* For who accounts for time. */
bool pipeline_waits(const struct rnic *rnic, const struct qp *qp);
enum pipeline_hold pipeline_holds(const struct rnic *rnic, time_ps now);

void pipeline_audit(const struct rnic *rnic);

#endif
