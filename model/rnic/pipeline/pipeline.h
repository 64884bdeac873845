/* SPDX-License-Identifier: Apache-2.0
 * pipeline - the stages that a message passes in the silicon of an RNIC, and their limits.
 *   doorbell -> message engine -> fetched -> may be sent;  packet engine, PCIe -> wire
 *   wire -> receive buffer -> packet engine, PCIe -> transport
 * The message engine takes one work request of each queue pair in turn, at a cost per operation; a
 * queue pair's next one has to wait until its own engine is free. A work request that is alone with
 * its doorbell is part of it (BlueFlame); others are read over PCIe, as is the payload unless it is
 * inline. A data packet leaves when the packet engine has built it and its payload has been read;
 * the next one is prepared while it is on the wire. A received packet stays in the receive buffer
 * until the packet engine has processed it and its payload is written. A queue pair whose context
 * is not cached has to fetch it, as does a READ's response whose work request is not.
 * Acknowledgments, CNPs and connection manager messages do not wait and use no resources. An RNIC
 * without such limits has no pipeline, at no cost.
 * Source: our own model, based on published measurements: Kalia et al., USENIX ATC 2016 (design
 * guidelines: doorbells, inline, PCIe), Neugebauer et al., SIGCOMM 2018 (PCIe). Not modeled: the
 * card's own cache of address translations. The core that posts belongs to the workload
 * (`post-cost`), the cores woken by interrupts to cq.h. Owner: the RNIC; on a card with several
 * ports the first. Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_PIPELINE_PIPELINE_H
#define STORMGLASS_RNIC_PIPELINE_PIPELINE_H

#include "rnic/host/rnic.h"
#include "rnic/pipeline/context_cache.h"
#include "rnic/pipeline/pcie.h"

/* State of a queue pair. */
struct pipeline_qp {
    uint32_t qpn;   /* 0: no doorbell so far */
    uint32_t rung;  /* producer index of the last doorbell */
    uint32_t begun; /* work requests begun by the message engine */
    uint32_t next;  /* next in the list */
    bool listed, resting;
    bool alone; /* the next work request was part of its doorbell */
    time_ps rests_until;
    time_ps visible_at;  /* when the work request begun last has been fetched */
    time_ps gathered_at; /* responder: when it may fetch data of the next long READ */
    uint32_t answering;  /* responder: READs that it answers now; counted if contexts are limited */
};

enum { PIPELINE_SIDES = 8, PIPELINE_SIDE_BITS = 3 };

/* The pipeline of one RNIC, or of several ports of a card (its sides), of which the first owns
 * it. */
struct pipeline {
    struct pipeline_qp *qps; /* indexed by queue pair, then by side */
    uint32_t qp_room;
    uint8_t side_bits, side_count;
    struct rnic *sides[PIPELINE_SIDES];
    struct rnic_list waiting; /* queue pairs waiting for the message engine */
    bool engine_due;          /* its event is pending */
    uint8_t tx_due;           /* mask of sides with a pending RNIC_EVENT_TX_ENGINE */
    time_ps engine_free, tx_free, rx_free;
    time_ps engine_busy, tx_busy, rx_busy; /* total ps */
    struct pcie pcie;
    struct context_cache cache;
    uint32_t answering; /* READs that all queue pairs answer now */
    bool caches_wrs;
    uint64_t wr_misses; /* share of the next miss of a work request, in outstanding ones */
};

/* What holds a data packet. */
enum pipeline_hold { PIPELINE_FREE, PIPELINE_ENGINE, PIPELINE_PCIE };

void pipeline_init(struct rnic *rnic);
/* Makes the RNIC a side of the owner's pipeline, before it has queue pairs. The owner must end
 * last. */
void pipeline_join(struct rnic *rnic, struct rnic *owner);
void pipeline_fini(struct rnic *rnic);

/* The doorbell: work requests were posted. */
void pipeline_ring(struct rnic *rnic, struct qp *qp, time_ps now);

/* Whether the received frame has data for the host, and PCIe takes time for it. */
static inline bool pipeline_crosses(const struct rnic *rnic, const struct frame *frame)
{
    return frame->payload > 0 && pipeline_has_pcie(&rnic->params.pipeline);
}

/* Whether a frame that does not cross PCIe would have to wait for nothing: it then skips
 * pipeline_receive, but counts as a use of its context. */
bool pipeline_passes(struct rnic *rnic, const struct frame *frame, time_ps now);

/* When a frame that is now at the head of the receive buffer leaves it. */
time_ps pipeline_receive(struct rnic *rnic, const struct frame *frame, time_ps now);

/* Registers `bytes` of memory for the next work request. */
void pipeline_register(struct rnic *rnic, uint32_t bytes, time_ps now);

/* When the data of a READ requested now is available. */
time_ps pipeline_gather(struct rnic *rnic, const struct qp *qp, uint32_t bytes, time_ps now);

/* The READs that the queue pair answers have changed. */
void pipeline_count_reads(struct rnic *rnic, const struct qp *qp);

/* Whether the data of the queue pair's next answer waits for that of the previous one. */
bool pipeline_gathers(const struct rnic *rnic, const struct qp *qp, time_ps now);

/* Writes a completion to the host. */
static inline void pipeline_complete(struct rnic *rnic, time_ps now)
{
    struct pcie *pcie = &rnic->pipeline->pcie;
    if (pipeline_has_pcie(&rnic->params.pipeline))
        pcie_write_at(pcie, &pcie->entry, now);
}

/* Writes a completion event; returns when it is out. */
time_ps pipeline_event(struct rnic *rnic, time_ps now);

/* RNIC_EVENT_ENGINE: of the queue pair, or 0; pipeline_on_tx: RNIC_EVENT_TX_ENGINE. */
void pipeline_on_engine(struct rnic *rnic, uint32_t qpn, time_ps now);
/* The wire is free, or something became ready. */
void pipeline_serve(struct rnic *rnic, time_ps now);
void pipeline_on_tx(struct rnic *rnic, time_ps now);

/* For the time accounting. */
bool pipeline_waits(const struct rnic *rnic, const struct qp *qp);
enum pipeline_hold pipeline_holds(const struct rnic *rnic, time_ps now);

void pipeline_audit(const struct rnic *rnic);

#endif
