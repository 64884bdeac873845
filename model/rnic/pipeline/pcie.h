/* SPDX-License-Identifier: Apache-2.0
 * pcie - the PCIe link between an RNIC and its host, as two servers.
 * Down, to the RNIC: completions of its reads. Up, to the host: its writes, and the requests of its
 * reads. A transfer occupies the link with packets (TLPs) of limited payload, each with its
 * headers; the time of reads is also bounded by the number of outstanding read requests. Transfers
 * are served in the order of the requests.
 * Source: PCI Express Base Specification 5.0, ch. 2.2 (headers: 16 bytes of a request with a 64-bit
 * address, 12 of a completion), 4.2 (framing: 4 bytes of STP with the sequence number, 4 of LCRC;
 * 128b/130b, 8b/10b before generation 3); Neugebauer et al., SIGCOMM 2018, table 1 and 4. With an
 * IOMMU each transfer accesses as many pages as it needs, anywhere in a window of memory; pages
 * missing in the IOTLB occupy the link during the page walk. Payload may be in another device, such
 * as a GPU, whose memory or path limits its rate; work requests, completions and page lists are
 * always in host memory. Not modeled: ordering between the two
 * directions, poisoned or retried packets. Units: ps, bytes. Clock: now is passed in. Owner: the
 * pipeline. */
#ifndef STORMGLASS_RNIC_PIPELINE_PCIE_H
#define STORMGLASS_RNIC_PIPELINE_PCIE_H

#include "base/check.h"
#include "base/units.h"
#include "rnic/pipeline/context_cache.h"
#include "rnic/pipeline/pipeline_params.h"

enum {
    PCIE_PARTS_LOG = 20
}; /* the time per byte is not a whole number of ps for any PCIe rate;
                               * a resolution of 2^-20 ps suffices */

struct pcie_direction {
    uint64_t per_byte; /* ps / 2^PCIE_PARTS_LOG */
    uint64_t carry;    /* ps / 2^PCIE_PARTS_LOG */
    time_ps free_at;
    time_ps busy; /* total */
};

/* Size of a queue entry, a work request or a completion: Linux mlx5 MLX5_SEND_WQE_BB, a CQE. */
enum { PCIE_ENTRY_BYTES = 64 };

/* Time that a transfer of `bytes` occupies each direction, in ps / 2^PCIE_PARTS_LOG. */
struct pcie_cost {
    uint32_t bytes;
    uint64_t written;     /* up */
    uint64_t asked, read; /* read request, up; read data, down */
    time_ps least;        /* minimum time of a read, ps */
};

struct pcie {
    struct pcie_direction down, up;
    struct pcie_cost entry, packet;   /* packet: payload of a full packet in host memory */
    uint8_t payload_log, request_log; /* log2 of bytes: maximum payload, maximum read request */
    time_ps per_read;                 /* ps per read request when the maximum number is
                                       * outstanding */
    time_ps per_peer_read;            /* the same for reads of payload in another device */
    uint64_t peer_read, peer_written; /* bit/s; 0: no limit */
    uint32_t apart;             /* payload up to this size takes the slow path: 0, or UINT32_MAX
                                 * if payload is in another device that has its own limits */
    time_ps latency;            /* from a read to its first data, without an IOTLB miss */
    time_ps payload_latency;    /* the same for payload */
    struct context_cache iotlb; /* 0 sets: no IOMMU */
    uint64_t touched;           /* pages accessed so far, determines the next page */
    uint64_t page, pages;       /* bytes per page; number of pages in the window */
    time_ps miss;
};

/* Bits per second of the lanes of a generation, after line coding. */
uint64_t pcie_raw_bps(int64_t generation, int64_t lanes);

/* `packet`: payload of a full packet, the most frequent transfer size. */
void pcie_init(struct pcie *pcie, const struct pipeline_params *params, uint32_t packet);
void pcie_fini(struct pcie *pcie);

/* ------------------------------------------------------------------ transfers */

enum { PCIE_FRAMING = 8, PCIE_REQUEST_HEADER = 16, PCIE_COMPLETION_HEADER = 12 };

/* Time of IOTLB lookups for a transfer, when there is an IOMMU. */
time_ps pcie_look_up(struct pcie *pcie, uint32_t bytes);

static inline time_ps pcie_translate(struct pcie *pcie, uint32_t bytes)
{
    return LIKELY(pcie->iotlb.sets == 0) ? 0 : pcie_look_up(pcie, bytes);
}

static inline uint32_t pcie_packets(uint32_t bytes, uint8_t most_log)
{
    return (bytes + (UINT32_C(1) << most_log) - 1) >> most_log;
}

/* Bytes that a read occupies on the downstream link. */
static inline uint32_t pcie_read_bytes(const struct pcie *pcie, uint32_t bytes)
{
    return bytes + pcie_packets(bytes, pcie->payload_log) * (PCIE_FRAMING + PCIE_COMPLETION_HEADER);
}

/* Occupies the direction for `parts`, but for at least `least` ps, the bound of another
 * resource. */
static inline time_ps pcie_take(struct pcie_direction *direction, uint64_t parts, time_ps least,
                                time_ps now)
{
    const uint64_t sum = parts + direction->carry;
    const time_ps takes = time_later((time_ps)(sum >> PCIE_PARTS_LOG), least);
    direction->carry = sum & ((UINT64_C(1) << PCIE_PARTS_LOG) - 1);
    direction->free_at = time_later(direction->free_at, now) + takes;
    direction->busy += takes;
    return direction->free_at;
}

/* Of host memory. */
static inline struct pcie_cost pcie_cost_of(const struct pcie *pcie, uint32_t bytes)
{
    const uint32_t requests = pcie_packets(bytes, pcie->request_log);
    const uint32_t headers = PCIE_FRAMING + PCIE_REQUEST_HEADER;
    return (struct pcie_cost){
        .bytes = bytes,
        .written = (bytes + pcie_packets(bytes, pcie->payload_log) * headers) * pcie->up.per_byte,
        .asked = requests * headers * pcie->up.per_byte,
        .read = pcie_read_bytes(pcie, bytes) * pcie->down.per_byte,
        .least = requests * pcie->per_read,
    };
}

/* Reads from or writes to memory as soon as the link is free; return when the last byte has
 * passed, excluding the latency of a read. */
static inline time_ps pcie_read_at(struct pcie *pcie, const struct pcie_cost *cost, time_ps now)
{
    pcie_take(&pcie->up, cost->asked, 0, now);
    const time_ps looked_up = pcie_translate(pcie, cost->bytes);
    const time_ps there = pcie_take(&pcie->down, cost->read, cost->least, now);
    return LIKELY(looked_up == 0) ? there : pcie_take(&pcie->down, 0, looked_up, now);
}

static inline time_ps pcie_write_at(struct pcie *pcie, const struct pcie_cost *cost, time_ps now)
{
    const time_ps looked_up = pcie_translate(pcie, cost->bytes);
    const time_ps there = pcie_take(&pcie->up, cost->written, 0, now);
    return LIKELY(looked_up == 0) ? there : pcie_take(&pcie->up, 0, looked_up, now);
}

/* Of host memory. */
static inline time_ps pcie_fetch(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    const struct pcie_cost cost = pcie_cost_of(pcie, bytes);
    return pcie_read_at(pcie, &cost, now);
}

/* Of payload in another device, or of no bytes. */
NOINLINE time_ps pcie_read_apart(struct pcie *pcie, uint32_t bytes, time_ps now);
NOINLINE time_ps pcie_write_apart(struct pcie *pcie, uint32_t bytes, time_ps now);

/* Of payload. */
static inline time_ps pcie_read(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    if (bytes == pcie->packet.bytes)
        return pcie_read_at(pcie, &pcie->packet, now);
    if (UNLIKELY(bytes <= pcie->apart))
        return pcie_read_apart(pcie, bytes, now);
    const struct pcie_cost cost = pcie_cost_of(pcie, bytes);
    return pcie_read_at(pcie, &cost, now);
}

static inline time_ps pcie_write(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    if (bytes == pcie->packet.bytes)
        return pcie_write_at(pcie, &pcie->packet, now);
    if (UNLIKELY(bytes <= pcie->apart))
        return pcie_write_apart(pcie, bytes, now);
    const struct pcie_cost cost = pcie_cost_of(pcie, bytes);
    return pcie_write_at(pcie, &cost, now);
}

/* Time that a read of payload occupies an otherwise idle downstream link. */
time_ps pcie_read_time(const struct pcie *pcie, uint32_t bytes);

/* An event: no write passes before everything before it is in memory. */
static inline time_ps pcie_event(struct pcie *pcie, time_ps cost, time_ps now)
{
    return pcie_take(&pcie->up, 0, cost, now);
}

#endif
