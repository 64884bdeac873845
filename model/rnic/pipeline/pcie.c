/* SPDX-License-Identifier: Apache-2.0
 * pcie - what a transfer takes. */
#include "rnic/pipeline/pcie.h"

#include <stddef.h>

enum { FRAMING = 8, REQUEST_HEADER = 16, COMPLETION_HEADER = 12 };

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
        .per_read = params->pcie_latency / params->pcie_tags,
    };
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

time_ps pcie_read(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    const uint32_t requests = packets(bytes, pcie->request);
    const uint32_t completions = packets(bytes, pcie->payload);
    if (bytes == 0)
        return now;
    take(&pcie->up, requests * (FRAMING + REQUEST_HEADER), 0, now);
    return take(&pcie->down, bytes + completions * (FRAMING + COMPLETION_HEADER),
                requests * pcie->per_read, now);
}

time_ps pcie_write(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    if (bytes == 0)
        return now;
    return take(&pcie->up, bytes + packets(bytes, pcie->payload) * (FRAMING + REQUEST_HEADER), 0,
                now);
}
