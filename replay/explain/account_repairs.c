/* SPDX-License-Identifier: Apache-2.0
 * account_repairs - how TCP repaired losses: fast retransmission, timeouts, tail loss probes.
 * The times are sums of the model's counters, so that they need no recording of frames. */
#include "replay/explain/account.h"

#include "base/units.h"

/* Each has the counters of its times, of its segments, and of their waits; without segments, each
 * time is one wait. */
static const struct {
    const char *key, *name, *times, *segments, *wait;
} kinds[ACCOUNT_REPAIRS] = {
    {"fast_retransmission", "fast retransmission",
     "name IN('TcpExtTCPSackRecovery','TcpExtTCPRenoRecovery')", "name='TcpExtTCPFastRetrans'",
     "name='tcp_fast_retrans_wait_ns'"},
    {"tail_loss_probe", "tail loss probe", "name='TcpExtTCPLossProbes'", NULL,
     "name='tcp_loss_probe_wait_ns'"},
    {"timeout", "retransmission timeout", "name='TcpExtTCPTimeouts'",
     "name='TcpExtTCPSlowStartRetrans'", "name='tcp_slow_start_retrans_wait_ns'"},
};

/* Within a range that products of times stay in; a damaged database may have any value. */
static int64_t sum_of(struct store *store, const char *which)
{
    const int64_t most = INT64_MAX / PS_PER_NS;
    char query[256];
    snprintf(query, sizeof query, "SELECT CAST(total(value) AS INTEGER) FROM counter WHERE %s",
             which);
    const int64_t sum = store_ask_int(store, query, 0);
    return sum < 0 ? 0 : sum > most ? most : sum;
}

void account_repairs(struct account *account, struct store *store)
{
    for (size_t i = 0; i < ACCOUNT_REPAIRS; i++) {
        const int64_t times = sum_of(store, kinds[i].times);
        const int64_t segments = kinds[i].segments == NULL ? -1 : sum_of(store, kinds[i].segments);
        const int64_t waits = segments < 0 ? times : segments;
        if (times == 0)
            continue;
        account->repairs[account->repair_count++] = (struct account_repair){
            .key = kinds[i].key,
            .name = kinds[i].name,
            .times = times,
            .segments = segments,
            .mean_wait_ps = waits == 0 ? 0 : sum_of(store, kinds[i].wait) / waits * PS_PER_NS};
    }
    account->probe_repairs = sum_of(store, "name='TcpExtTCPLossProbeRecovery'");
}
