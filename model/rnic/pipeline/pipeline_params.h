/* SPDX-License-Identifier: Apache-2.0
 * pipeline_params - performance of an RNIC's silicon and of its PCIe link.
 * Part of the RNIC's parameters; the rows are in pipeline_params.def. Costs are in ps; a cost of 0
 * and a disabled size take neither simulated nor real time. */
#ifndef STORMGLASS_RNIC_PIPELINE_PIPELINE_PARAMS_H
#define STORMGLASS_RNIC_PIPELINE_PIPELINE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

struct pipeline_params {
    int64_t post, post_jitter; /* core that posts and polls; not part of the RNIC itself */
    int64_t qp_message;        /* between two messages of a queue pair */
    int64_t qp_packet;         /* queue pair: per packet of a message */
    int64_t message, read;     /* message engine: per SEND or WRITE, per READ */
    int64_t gather;            /* message engine: additional when the payload is not inline */
    int64_t read_response;     /* receive packet engine: per READ request */
    int64_t read_contexts;     /* READs that a responder keeps track of itself; 0: all */
    int64_t read_context_miss;
    int64_t qp_read;              /* between two long READs answered by a queue pair */
    int64_t qp_read_packet;       /* queue pair: per packet of a long READ that it answers */
    int64_t read_overlap;         /* bytes above which a READ is long for qp_read */
    int64_t registration;         /* message engine: per fast memory registration */
    int64_t register_inline;      /* bytes of the page list that are inline */
    int64_t register_fence;       /* bool: waits for everything sent before */
    int64_t tx_packet, rx_packet; /* packet engines: per packet */
    int64_t srq_receive;          /* receive packet engine: per receive of a shared queue */
    int64_t inline_size;          /* bytes */
    int64_t copy_bps;             /* 0: a packet is not stored whole */
    int64_t pcie_generation;      /* 1 to 5; PCIE_OFF: not modeled */
    int64_t pcie_lanes;
    int64_t pcie_payload, pcie_request;      /* maximum payload and read request, bytes */
    int64_t pcie_tags;                       /* maximum outstanding read requests */
    int64_t pcie_latency;                    /* latency of a read */
    int64_t pcie_overhead;                   /* ppm of the link's capacity */
    int64_t socket_latency;                  /* additional, to memory of the other socket */
    int64_t peer_read, peer_write;           /* bit/s of payload in another device; 0: no limit */
    int64_t peer_latency;                    /* additional, to payload in another device */
    int64_t iotlb, iotlb_page, iotlb_window; /* IOTLB entries; bytes per page; bytes; 0 entries:
                                              * no IOMMU */
    int64_t iotlb_miss, iotlb_miss_latency;  /* link time per miss; latency per miss of a read */
    int64_t qp_cache;                        /* contexts; 0: unlimited */
    int64_t qp_cache_miss;
    int64_t wr_cache; /* work requests; 0: unlimited */
    int64_t wr_cache_miss;
    int64_t completions;           /* RNIC_COMPLETIONS_... */
    int64_t cq_count, cq_time;     /* moderation: completions; ps */
    int64_t cq_size;               /* entries; 0: unlimited */
    int64_t event;                 /* PCIe time per completion event */
    int64_t interrupt, completion; /* core of a connection: per interrupt, per completion */
};

#define RNIC_COMPLETIONS(X)                                                                        \
    X(POLLING, "polling")                                                                          \
    X(INTERRUPT, "interrupt")                                                                      \
    X(ADAPTIVE, "adaptive")
#define X(name, word) RNIC_COMPLETIONS_##name,
enum { RNIC_COMPLETIONS(X) };
#undef X

enum { PCIE_OFF = -1 };

static inline bool pipeline_has_pcie(const struct pipeline_params *params)
{
    return params->pcie_generation != PCIE_OFF;
}

/* Whether READ requests take time. */
static inline bool pipeline_slows_reads(const struct pipeline_params *params)
{
    return params->read_response > 0 ||
           (params->read_contexts > 0 && params->read_context_miss > 0);
}

/* Whether the work request of a READ's response may have to be fetched. */
static inline bool pipeline_caches_wrs(const struct pipeline_params *params)
{
    return params->wr_cache > 0 && params->wr_cache_miss > 0;
}

/* Whether received packets take time. */
static inline bool pipeline_slows_receiving(const struct pipeline_params *params)
{
    return pipeline_has_pcie(params) || params->rx_packet > 0 || params->qp_cache > 0 ||
           params->srq_receive > 0 || pipeline_slows_reads(params) || pipeline_caches_wrs(params);
}

/* Whether any of the parameters has an effect. */
static inline bool pipeline_is_on(const struct pipeline_params *params)
{
    return pipeline_slows_receiving(params) || params->qp_message > 0 || params->message > 0 ||
           params->read > 0 || params->gather > 0 || params->registration > 0 ||
           params->tx_packet > 0 || params->qp_read > 0 || params->qp_packet > 0 ||
           params->qp_read_packet > 0 || params->copy_bps > 0;
}

/* Makes pipeline_is_on false. */
static inline void pipeline_turn_off(struct pipeline_params *params)
{
    params->pcie_generation = PCIE_OFF;
    params->completions = RNIC_COMPLETIONS_POLLING;
    params->qp_message = params->message = params->read = params->gather = 0;
    params->read_response = params->read_contexts = params->qp_read = params->registration = 0;
    params->tx_packet = params->rx_packet = params->qp_packet = params->qp_read_packet = 0;
    params->qp_cache = params->wr_cache = params->copy_bps = params->srq_receive = 0;
}

#endif
