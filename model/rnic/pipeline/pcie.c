/* SPDX-License-Identifier: Apache-2.0
 * pcie - what a transfer takes. */
#include "rnic/pipeline/pcie.h"

#include "base/hash.h"

#include <stddef.h>

enum { IOTLB_WAYS = 8, FRAMING = 8, REQUEST_HEADER = 16, COMPLETION_HEADER = 12 };

uint64_t pcie_raw_bps(int64_t generation, int64_t lanes)
{
    static const uint64_t per_lane[] = {
        0,
        2000000000,
        4000000000, /* 2.5 and 5 GT/s, 8b/10b */
        UINT64_C(8000000000) * 128 / 130,
        UINT64_C(16000000000) * 128 / 130,
        UINT64_C(32000000000) * 128 / 130,
    };
    CHECK(generation > 0 && (size_t)generation < sizeof per_lane / sizeof per_lane[0]);
    return per_lane[generation] * (uint64_t)lanes;
}

void pcie_init(struct pcie *pcie, const struct pipeline_params *params)
{
    const uint64_t raw = pcie_raw_bps(params->pcie_generation, params->pcie_lanes);
    const uint64_t bps = raw / (uint64_t)PPM * (uint64_t)(PPM - params->pcie_overhead);
    const uint64_t per_byte = (UINT64_C(8) * (uint64_t)PS_PER_S << PCIE_PARTS_LOG) / bps;
    *pcie = (struct pcie){
        .down.per_byte = per_byte,
        .up.per_byte = per_byte,
        .payload = (uint32_t)params->pcie_payload,
        .request = (uint32_t)params->pcie_request,
        .per_read = pcie_latency(params) / params->pcie_tags,
        .page = (uint64_t)params->iotlb_page,
        .pages = (uint64_t)((params->iotlb_window + params->iotlb_page - 1) / params->iotlb_page),
        .miss = params->iotlb_miss,
    };
    context_cache_init(&pcie->iotlb, params->iotlb, IOTLB_WAYS);
}

void pcie_fini(struct pcie *pcie)
{
    context_cache_fini(&pcie->iotlb);
}

time_ps pcie_latency(const struct pipeline_params *params)
{
    return params->pcie_latency + params->socket_latency;
}

/* Of a transfer: how long translations are looked up.  Any page of the window may be the next. */
static time_ps translate(struct pcie *pcie, uint32_t bytes)
{
    time_ps takes = 0;
    if (LIKELY(pcie->iotlb.sets == 0))
        return 0;
    for (uint64_t at = 0; at < bytes; at += pcie->page) {
        const uint64_t page = hash_mix(++pcie->touched) % pcie->pages;
        if (!context_cache_use(&pcie->iotlb, (uint32_t)(page + 1)))
            takes += pcie->miss;
    }
    return takes;
}

static uint32_t packets(uint32_t bytes, uint32_t most)
{
    return (bytes + most - 1) / most;
}

/* The direction takes so many bytes; they take `least` where something else is slower. */
static time_ps take(struct pcie_direction *direction, uint32_t bytes, time_ps least, time_ps now)
{
    const uint64_t parts = bytes * direction->per_byte + direction->carry;
    const time_ps wire = (time_ps)(parts >> PCIE_PARTS_LOG);
    direction->carry = parts & ((UINT64_C(1) << PCIE_PARTS_LOG) - 1);
    const time_ps takes = time_later(wire, least);
    direction->free_at = time_later(direction->free_at, now) + takes;
    direction->busy += takes;
    return direction->free_at;
}

/* Bytes of the link down that a read takes. */
static uint32_t read_bytes(const struct pcie *pcie, uint32_t bytes)
{
    return bytes + packets(bytes, pcie->payload) * (FRAMING + COMPLETION_HEADER);
}

time_ps pcie_read_time(const struct pcie *pcie, uint32_t bytes)
{
    const time_ps wire = (time_ps)(read_bytes(pcie, bytes) * pcie->down.per_byte >> PCIE_PARTS_LOG);
    return time_later(wire, packets(bytes, pcie->request) * pcie->per_read);
}

time_ps pcie_read(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    const uint32_t requests = packets(bytes, pcie->request);
    if (bytes == 0)
        return now;
    take(&pcie->up, requests * (FRAMING + REQUEST_HEADER), 0, now);
    const time_ps looked_up = translate(pcie, bytes);
    const time_ps there =
        take(&pcie->down, read_bytes(pcie, bytes), requests * pcie->per_read, now);
    return looked_up == 0 ? there : take(&pcie->down, 0, looked_up, now);
}

time_ps pcie_event(struct pcie *pcie, time_ps cost, time_ps now)
{
    return take(&pcie->up, 0, cost, now);
}

time_ps pcie_write(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    if (bytes == 0)
        return now;
    const time_ps looked_up = translate(pcie, bytes);
    const time_ps there =
        take(&pcie->up, bytes + packets(bytes, pcie->payload) * (FRAMING + REQUEST_HEADER), 0, now);
    return looked_up == 0 ? there : take(&pcie->up, 0, looked_up, now);
}
