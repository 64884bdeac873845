/* SPDX-License-Identifier: Apache-2.0
 * check_retries - a queue pair survives the loss of a packet.
 * IBTA Vol 1 9.7.6: with a retry count of 0, the first timeout or sequence NAK ends the queue pair;
 * with a timeout of 0, the loss of a message's last packet goes unnoticed. */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/fault.h"
#include "scenarios/workload/workload.h"

#include <string.h>

enum used {
    USED_CONNECTS = 1 << 0, /* sends the REQ, which sets timeout and retry count of both ends */
    USED_NVME = 1 << 2,     /* issues commands that may fail with a retryable status */
    USED_RECEIVES = 1 << 1, /* its peers' SENDs may find no receive posted; its REP sets their
                             * RNR retries */
};

static void check_host(const struct scenario_node *host, uint8_t used, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    if ((used & USED_CONNECTS) != 0 && rnic->retry_count == 0) {
        const struct check_thing thing = check_of_rnic(host, "retry-count");
        check_alike(report, DIAG_WARNING, &thing,
                    "retry-count 0: one lost or late packet ends the queue pair");
        check_remedy(report, "set rnic.retry-count: 7");
        check_set(report, &thing, "7");
    }
    if ((used & USED_CONNECTS) != 0 && rnic->timeout == 0) {
        const struct check_thing thing = check_of_rnic(host, "timeout");
        check_alike(
            report, DIAG_WARNING, &thing,
            "timeout 0: a lost packet is never retransmitted if no other packet follows it");
        check_remedy(report, "set rnic.timeout: 14 (67 ms), or the value of the devices");
        check_set(report, &thing, "14");
    }
    if ((used & USED_NVME) != 0 && host->host->nvme_host->core.max_retries == 0) {
        const struct check_thing thing = check_of_initiator(host, "max-retries");
        check_alike(report, DIAG_WARNING, &thing,
                    "nvme.max-retries 0: a command with a retryable status (an ANA change, a busy "
                    "target) fails immediately");
        check_remedy(report, "set nvme.max-retries: 5, the default of Linux");
        check_set(report, &thing, "5");
    }
    if ((used & USED_RECEIVES) != 0 && rnic->rnr_retry == 0) {
        const struct check_thing thing = check_of_rnic(host, "rnr-retry");
        check_alike(report, DIAG_WARNING, &thing,
                    "rnr-retry 0: a SEND that finds no receive posted ends the queue pair");
        check_remedy(report, "set rnic.rnr-retry: 7, which means without limit");
        check_set(report, &thing, "7");
    }
}

/* True if a fault changes an ANA state, closes a port or crashes a target. */
static bool statuses_pass(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if ((scenario->faults[i].ops->breaks(scenario->faults[i].params) & FAULT_KILLS_TARGET) != 0)
            return true;
    return false;
}

static void find_retries(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    const bool retries = statuses_pass(scenario);
    uint8_t *used = arena_take(&scratch, scenario->host_count);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        const bool sends = strcmp(workload->ops->name, "rdma-send") == 0;
        for (uint32_t i = 0; !workload->by_tcp && i < workload->pair_count; i++) {
            used[workload->pairs[i].from] |=
                USED_CONNECTS | (retries && workload->ops->needs_nvme_target ? USED_NVME : 0);
            used[workload->pairs[i].to] |= sends ? USED_RECEIVES : 0;
        }
    }
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (used[i] != 0)
            check_host(&scenario->nodes[i], used[i], report);
    arena_free(&scratch);
}

const struct check_rule check_retries = {
    .name = "retries",
    .about =
        "A queue pair survives the loss of a packet, and a command survives a retryable status.",
    .run = find_retries,
};
