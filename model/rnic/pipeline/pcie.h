/* SPDX-License-Identifier: Apache-2.0
 * pcie - the PCIe link between an RNIC and its host, as two servers.
 * Down, to the RNIC: completions of its reads.  Up, to the host: its writes, and the requests of
 * its reads.  A transfer takes the link in packets (TLPs) of at most so many bytes of payload, each
 * with its headers; reads also take as long as so many of them may be under way.  What is asked for
 * comes one after the other, in the order in which it was asked for.
 * Source: PCI Express Base Specification 5.0, ch. 2.2 (headers: 16 bytes of a request with a 64-bit
 * address, 12 of a completion), 4.2 (framing: 4 bytes of STP with the sequence number, 4 of LCRC;
 * 128b/130b, 8b/10b before generation 3); Neugebauer et al., SIGCOMM 2018, table 1 and 4.
 * With an IOMMU each transfer touches the pages that it needs, from anywhere in a window of memory;
 * those that the IOMMU has no translation of take the link as long as they are looked up.
 * Not modelled: ordering between the two, poisoned or retried packets.
 * Units: ps, bytes.  Clock: now is passed in.  Owner: the pipeline. */
#ifndef STORMGLASS_RNIC_PIPELINE_PCIE_H
#define STORMGLASS_RNIC_PIPELINE_PCIE_H

#include "base/units.h"
#include "rnic/pipeline/context_cache.h"
#include "rnic/pipeline/pipeline_params.h"

enum { PCIE_PARTS_LOG = 20 }; /* no rate of PCIe divides a second: 2^-20 ps are near enough */

struct pcie_direction {
    uint64_t per_byte; /* ps, in PCIE_PARTS of one */
    uint64_t carry;    /* likewise */
    time_ps free_at;
    time_ps busy; /* in all */
};

struct pcie {
    struct pcie_direction down, up;
    uint32_t payload, request;
    time_ps per_read;           /* of a request, when as many as may be are under way */
    struct context_cache iotlb; /* no sets: no IOMMU */
    uint64_t touched;           /* pages so far: which is the next */
    uint64_t page, pages;       /* bytes; of the window */
    time_ps miss;
};

/* Bits per second of a generation's lanes, coding taken off. */
uint64_t pcie_raw_bps(int64_t generation, int64_t lanes);

void pcie_init(struct pcie *pcie, const struct pipeline_params *params);
void pcie_fini(struct pcie *pcie);

/* From a read to its first data; whether the translation is there is not asked. */
time_ps pcie_latency(const struct pipeline_params *params);

/* Reads from, or writes to the host's memory as soon as the link is free: when the last byte has
 * passed.  A read's latency is not in it. */
time_ps pcie_read(struct pcie *pcie, uint32_t bytes, time_ps now);
/* What a read takes of the link down, when nothing else is before it. */
time_ps pcie_read_time(const struct pcie *pcie, uint32_t bytes);
time_ps pcie_write(struct pcie *pcie, uint32_t bytes, time_ps now);

/* An event: nothing is written until all before it is in memory. */
time_ps pcie_event(struct pcie *pcie, time_ps cost, time_ps now);

#endif
