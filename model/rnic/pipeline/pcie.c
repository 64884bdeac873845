/* SPDX-License-Identifier: Apache-2.0
 * pcie - the time of a transfer. */
#include "rnic/pipeline/pcie.h"

#include "base/hash.h"

#include <stddef.h>

enum { IOTLB_WAYS = 8 };

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

static time_ps peer_time(uint64_t bps, uint32_t bytes)
{
    return bps == 0 ? 0 : units_transfer_ps(bytes, bps);
}

/* Of payload; least: of a read. */
static struct pcie_cost payload_cost(const struct pcie *pcie, uint32_t bytes)
{
    struct pcie_cost cost = pcie_cost_of(pcie, bytes);
    if (pcie->apart > 0)
        cost.least = time_later(pcie_packets(bytes, pcie->request_log) * pcie->per_peer_read,
                                peer_time(pcie->peer_read, bytes));
    return cost;
}

time_ps pcie_read_apart(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    if (bytes == 0)
        return now;
    const struct pcie_cost cost = payload_cost(pcie, bytes);
    return pcie_read_at(pcie, &cost, now);
}

time_ps pcie_write_apart(struct pcie *pcie, uint32_t bytes, time_ps now)
{
    if (bytes == 0)
        return now;
    const struct pcie_cost cost = pcie_cost_of(pcie, bytes);
    const time_ps looked_up = pcie_translate(pcie, bytes);
    const time_ps least = peer_time(pcie->peer_written, bytes);
    const time_ps there = pcie_take(&pcie->up, cost.written, least, now);
    return looked_up == 0 ? there : pcie_take(&pcie->up, 0, looked_up, now);
}

void pcie_init(struct pcie *pcie, const struct pipeline_params *params, uint32_t packet)
{
    const uint64_t raw = pcie_raw_bps(params->pcie_generation, params->pcie_lanes);
    const uint64_t bps = raw / (uint64_t)PPM * (uint64_t)(PPM - params->pcie_overhead);
    const uint64_t per_byte = (UINT64_C(8) * (uint64_t)PS_PER_S << PCIE_PARTS_LOG) / bps;
    const time_ps latency = params->pcie_latency + params->socket_latency;
    const time_ps payload_latency = latency + params->peer_latency;
    const bool peer = params->peer_read > 0 || params->peer_write > 0 || params->peer_latency > 0;
    *pcie = (struct pcie){
        .down.per_byte = per_byte,
        .up.per_byte = per_byte,
        .payload_log = (uint8_t)__builtin_ctzll((uint64_t)params->pcie_payload),
        .request_log = (uint8_t)__builtin_ctzll((uint64_t)params->pcie_request),
        .per_read = latency / params->pcie_tags,
        .per_peer_read = payload_latency / params->pcie_tags,
        .peer_read = (uint64_t)params->peer_read,
        .peer_written = (uint64_t)params->peer_write,
        .apart = peer ? UINT32_MAX : 0,
        .latency = latency,
        .payload_latency = payload_latency,
        .page = (uint64_t)params->iotlb_page,
        .pages = (uint64_t)((params->iotlb_window + params->iotlb_page - 1) / params->iotlb_page),
        .miss = params->iotlb_miss,
    };
    pcie->entry = pcie_cost_of(pcie, PCIE_ENTRY_BYTES);
    if (peer)
        pcie->packet.bytes = UINT32_MAX; /* no transfer is that large */
    else
        pcie->packet = pcie_cost_of(pcie, packet);
    context_cache_init(&pcie->iotlb, params->iotlb, IOTLB_WAYS);
}

void pcie_fini(struct pcie *pcie)
{
    context_cache_fini(&pcie->iotlb);
}

/* Each access goes to a pseudo-random page of the window. */
time_ps pcie_look_up(struct pcie *pcie, uint32_t bytes)
{
    time_ps takes = 0;
    for (uint64_t at = 0; at < bytes; at += pcie->page) {
        const uint64_t page = hash_mix(++pcie->touched) % pcie->pages;
        if (!context_cache_use(&pcie->iotlb, (uint32_t)(page + 1)))
            takes += pcie->miss;
    }
    return takes;
}

time_ps pcie_read_time(const struct pcie *pcie, uint32_t bytes)
{
    const struct pcie_cost cost = payload_cost(pcie, bytes);
    return time_later((time_ps)(cost.read >> PCIE_PARTS_LOG), cost.least);
}
