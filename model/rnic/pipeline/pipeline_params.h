/* SPDX-License-Identifier: Apache-2.0
 * pipeline_params - what the silicon of an RNIC and the PCIe link below it can do.
 * Part of the RNIC's parameters; their rows are in pipeline_params.def.  Costs are ps; a cost of 0
 * and a size that is off cost nothing, in the model and to it. */
#ifndef STORMGLASS_RNIC_PIPELINE_PIPELINE_PARAMS_H
#define STORMGLASS_RNIC_PIPELINE_PIPELINE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

struct pipeline_params {
    int64_t post;          /* of the core that posts and polls: no part of the RNIC itself */
    int64_t qp_message;    /* between two messages of a queue pair */
    int64_t message, read; /* of the message engine: a SEND or WRITE, a READ */
    int64_t gather;        /* likewise, more where the payload is not inline */
    int64_t read_response; /* of the engine for packets received: a READ's request */
    int64_t read_contexts; /* of a responder's READs; 0: all of them */
    int64_t read_context_miss;
    int64_t qp_read;              /* between two READs that a queue pair answers ... */
    int64_t read_overlap;         /* ... which are longer than so many bytes */
    int64_t registration;         /* of the message engine: a fast registration of memory */
    int64_t register_inline;      /* bytes of its list of pages */
    int64_t register_fence;       /* it waits for all that was sent before */
    int64_t tx_packet, rx_packet; /* of the packet engines */
    int64_t inline_size;          /* bytes */
    int64_t pcie_generation;      /* 1 to 5; PCIE_OFF: none is modelled */
    int64_t pcie_lanes;
    int64_t pcie_payload, pcie_request;      /* bytes */
    int64_t pcie_tags;                       /* read requests under way */
    int64_t pcie_latency;                    /* of a read */
    int64_t pcie_overhead;                   /* ppm of the link */
    int64_t socket_latency;                  /* more, to memory of the other socket */
    int64_t iotlb, iotlb_page, iotlb_window; /* entries; bytes; 0: no IOMMU */
    int64_t iotlb_miss, iotlb_miss_latency;  /* of the link; of a read */
    int64_t qp_cache;                        /* contexts; 0: all of them */
    int64_t qp_cache_miss;
    int64_t completions;           /* RNIC_COMPLETIONS_... */
    int64_t cq_count, cq_time;     /* of moderation */
    int64_t cq_size;               /* entries; 0: as many as are needed */
    int64_t event;                 /* of PCIe, for a completion event */
    int64_t interrupt, completion; /* of the core of a connection */
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

/* Requests of READs take time. */
static inline bool pipeline_slows_reads(const struct pipeline_params *params)
{
    return params->read_response > 0 ||
           (params->read_contexts > 0 && params->read_context_miss > 0);
}

/* What arrives takes time too. */
static inline bool pipeline_slows_receiving(const struct pipeline_params *params)
{
    return pipeline_has_pcie(params) || params->rx_packet > 0 || params->qp_cache > 0 ||
           pipeline_slows_reads(params);
}

/* Anything of it limits anything. */
static inline bool pipeline_is_on(const struct pipeline_params *params)
{
    return pipeline_slows_receiving(params) || params->qp_message > 0 || params->message > 0 ||
           params->read > 0 || params->gather > 0 || params->registration > 0 ||
           params->tx_packet > 0 || params->qp_read > 0;
}

#endif
