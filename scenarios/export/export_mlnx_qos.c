/* SPDX-License-Identifier: Apache-2.0
 * export_mlnx_qos - writes a host as commands that configure the QoS of a ConnectX: trust, the map
 * from DSCP to priority, the priorities with PFC, the receive buffer, the bandwidth shares, the
 * DSCP of RoCE and of CNPs.
 * The commands need a shell with DEVICE and RDMA set to the host's devices and REST set to a value
 * that only the card reports.
 * Source: mlnx_qos of mlnx-tools (its options); rdma_cm's traffic class file and the ECN files of
 * mlx5 (NVIDIA, RoCE configuration with DSCP).
 * export_ecn.h writes the parameters of DCQCN; other congestion control is reported. */
#include "base/plural.h"
#include "rnic/cc/cc_kinds.h"
#include "rnic/host/rnic.h"
#include "scenarios/export/export.h"
#include "scenarios/export/export_ecn.h"
#include "scenarios/fabric/pauses.h"

#include <string.h>

enum { PERCENT = 100, DSCP_SHIFT = 2, ECT0 = 2 };

/* "--pfc 0,0,0,1,0,0,0,0" */
static void put_list(FILE *out, const char *option, const int64_t values[PRIORITIES])
{
    fprintf(out, " %s ", option);
    for (int p = 0; p < PRIORITIES; p++)
        fprintf(out, "%s%lld", p == 0 ? "" : ",", (long long)values[p]);
}

/* The default priority of a DSCP is its upper three bits. */
static void put_map(FILE *out, const struct scenario_node *node)
{
    for (int dscp = 0; dscp < DSCPS; dscp++)
        if (node->priority_of_dscp[dscp] != dscp >> 3)
            fprintf(out, "mlnx_qos -i \"$DEVICE\" --dscp2prio set,%d,%u\n", dscp,
                    (unsigned)node->priority_of_dscp[dscp]);
}

/* Two receive buffers: one for lossy priorities, one for lossless ones. */
static void put_pauses(FILE *out, const struct rnic_params *rnic, unsigned mask)
{
    int64_t on[PRIORITIES];
    for (int p = 0; p < PRIORITIES; p++)
        on[p] = mask >> p & 1;
    fputs("mlnx_qos -i \"$DEVICE\"", out);
    put_list(out, "--pfc", on);
    fputc('\n', out);
    if (mask == 0)
        return;
    fputs("# Buffer 1 is for the priorities that pause.\nmlnx_qos -i \"$DEVICE\"", out);
    put_list(out, "--prio2buffer", on);
    fprintf(out, " --buffer_size \"$REST,%lld,0,0,0,0,0,0\"\n", (long long)rnic->rx_buffer);
}

/* Percentages of the weighted priorities, which must add up to 100: the first ones get the rounding
 * remainder. */
static void share_percent(const struct rnic_params *rnic, int64_t percent[PRIORITIES])
{
    int64_t sum = 0, given = 0;
    for (int p = 0; p < PRIORITIES; p++)
        sum += rnic->weight[p];
    for (int p = 0; p < PRIORITIES; p++) {
        percent[p] = sum == 0 ? 0 : rnic->weight[p] * PERCENT / sum;
        given += percent[p];
    }
    for (int p = 0; sum > 0 && given < PERCENT; p = (p + 1) % PRIORITIES)
        if (rnic->weight[p] > 0) {
            percent[p]++;
            given++;
        }
}

static void put_shares(FILE *out, const struct rnic_params *rnic)
{
    int64_t percent[PRIORITIES], class[PRIORITIES];
    bool weighted = false;
    for (int p = 0; p < PRIORITIES; p++) {
        class[p] = p;
        weighted |= rnic->weight[p] > 0;
    }
    share_percent(rnic, percent);
    fputs("mlnx_qos -i \"$DEVICE\"", out);
    put_list(out, "--prio_tc", class);
    fputs(" --tsa ", out);
    for (int p = 0; p < PRIORITIES; p++)
        fprintf(out, "%s%s", p == 0 ? "" : ",", rnic->weight[p] > 0 ? "ets" : "strict");
    if (weighted)
        put_list(out, "--tcbw", percent);
    fputc('\n', out);
}

static void write_host(const struct scenario *scenario, const struct scenario_node *node, FILE *out,
                       struct notes *notes)
{
    const struct rnic_params *rnic = node->host->rnic;
    const struct diag_place place = node->place;
    fprintf(out,
            "# %s: first set DEVICE to the network device, RDMA to the RDMA device, and REST to\n# "
            "the bytes of its receive buffer that are left for the priorities that do not pause.\n",
            node->name);
    fputs("mlnx_qos -i \"$DEVICE\" --trust dscp\n", out);
    put_map(out, node);
    put_pauses(out, rnic, pauses_enabled(scenario, node, 0));
    put_shares(out, rnic);
    fprintf(out,
            "echo %lld > \"/sys/class/infiniband/$RDMA/tc/1/traffic_class\" # DSCP %lld, ECT\n",
            (long long)(rnic->dscp << DSCP_SHIFT | ECT0), (long long)rnic->dscp);
    fprintf(out, "echo %lld > \"/sys/class/net/$DEVICE/ecn/roce_np/cnp_dscp\"\n",
            (long long)rnic->cnp_dscp);
    if (node->host->cc == &cc_dcqcn)
        export_ecn(node, out, notes);
    else if (strcmp(node->host->cc->name, "none") != 0)
        notes_add(notes, place, "%s: a ConnectX has no settings for %s", node->name,
                  node->host->cc->name);
    if (node->outer_ports > 1)
        notes_add(notes, place, "%s has %u %s: the commands are for each of them", node->name,
                  node->outer_ports, plural(node->outer_ports, "NIC", "NICs"));
}

const struct export_kind export_mlnx_qos = {
    .name = "mlnx_qos",
    .about = "a host as commands that set the classes and DCQCN of a ConnectX",
    .of = SCENARIO_HOST,
    .write = write_host};
