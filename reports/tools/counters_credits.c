/* SPDX-License-Identifier: Apache-2.0
 * counters_credits - counters of Fibre Channel and InfiniBand as their equipment prints them.
 * Only what the model counts is printed: docs/counters.md.
 * Source: Brocade Fabric OS Command Reference, portStatsShow and portShow; Cisco MDS 9000, show
 * interface counters; infiniband-diags, perfquery; IBTA Vol 1 16.1.3.5. */
#include "reports/tools/counters.h"

#include <inttypes.h>
#include <string.h>

enum { PRIORITIES = 8, WORD_BYTES = 4, VCRC_BYTES = 2 };
#define INTERVAL_PS INT64_C(2500000) /* of the time without credits, Fibre Channel */
#define TICK_PS     INT64_C(4000)    /* of PortXmitWait; assumed */

struct lists {
    const struct port_counters *counters;
    const struct port_counters_port *port;
    FILE *out;
};

static int64_t get(const struct lists *lists, enum counter_id id)
{
    return port_counters_get(lists->counters, lists->port, id, -1);
}

static int64_t sum(const struct lists *lists, enum counter_id id)
{
    int64_t all = 0;
    for (int i = 0; i < PRIORITIES; i++)
        all += port_counters_get(lists->counters, lists->port, id, i);
    return all;
}

static int64_t in_words(int64_t bytes)
{
    return bytes / WORD_BYTES;
}

/* ---- Brocade ---- */

static void fos_row(const struct lists *lists, const char *name, int64_t value, const char *about)
{
    fprintf(lists->out, "%-25s%-20" PRId64 "%s\n", name, value, about);
}

static void print_fos(const struct lists *lists)
{
    fos_row(lists, "stat_wtx", in_words(sum(lists, COUNTER_TX_PRIO_BYTES)),
            "4-byte words transmitted");
    fos_row(lists, "stat_wrx", in_words(sum(lists, COUNTER_RX_PRIO_BYTES)),
            "4-byte words received");
    fos_row(lists, "stat_ftx", sum(lists, COUNTER_TX_PRIO_PACKETS), "Frames transmitted");
    fos_row(lists, "stat_frx", sum(lists, COUNTER_RX_PRIO_PACKETS), "Frames received");
    fos_row(lists, "stat_c3_frx", sum(lists, COUNTER_RX_PRIO_PACKETS), "Class 3 frames received");
    fos_row(lists, "tim_txcrd_z", sum(lists, COUNTER_TX_PRIO_BLOCKED) / INTERVAL_PS,
            "Time TX Credit Zero (2.5Us ticks)");
    fos_row(lists, "er_crc", get(lists, COUNTER_RX_CRC_ERRORS), "Frames with CRC errors");
    fos_row(lists, "er_toolong", get(lists, COUNTER_RX_OVERSIZE), "Frames longer than maximum");
    fos_row(lists, "er_rx_c3_timeout", get(lists, COUNTER_RX_DROPPED_LIFETIME),
            "Class 3 receive frames discarded due to timeout");
    fos_row(lists, "er_tx_c3_timeout", get(lists, COUNTER_TX_LIFETIME_DISCARDS),
            "Class 3 transmit frames discarded due to timeout");
    fos_row(lists, "Lr_in", get(lists, COUNTER_RX_LINK_RESETS), "Link resets received");
    fos_row(lists, "Lr_out", get(lists, COUNTER_TX_LINK_RESETS), "Link resets sent");
}

/* ---- Cisco ---- */

static void nx_os_row(const struct lists *lists, int indent, int64_t value, const char *name)
{
    fprintf(lists->out, "%*s%" PRId64 " %s\n", indent, "", value, name);
}

/* "    480849 frames input, 35793364 bytes" */
static void nx_os_traffic(const struct lists *lists, const char *way, int64_t frames, int64_t bytes)
{
    fprintf(lists->out, "    %" PRId64 " %s %s, %" PRId64 " %s\n", frames, "frames", way, bytes,
            "bytes");
}

static void print_nx_os(const struct lists *lists)
{
    nx_os_traffic(lists, "input", sum(lists, COUNTER_RX_PRIO_PACKETS),
                  sum(lists, COUNTER_RX_PRIO_BYTES));
    fprintf(lists->out, "      %" PRId64 " CRC/FCS, %" PRId64 " too long\n",
            get(lists, COUNTER_RX_CRC_ERRORS), get(lists, COUNTER_RX_OVERSIZE));
    nx_os_traffic(lists, "output", sum(lists, COUNTER_TX_PRIO_PACKETS),
                  sum(lists, COUNTER_TX_PRIO_BYTES));
    nx_os_row(lists, 4, get(lists, COUNTER_TX_LINK_RESETS), "credit loss");
    nx_os_row(lists, 4, get(lists, COUNTER_RX_LINK_RESETS), "input LR");
    nx_os_row(lists, 4, get(lists, COUNTER_LINK_DOWN_EVENTS), "link failures");
    nx_os_row(lists, 6, get(lists, COUNTER_TX_CREDIT_ZERO),
              "Transmit B2B credit transitions to zero");
    nx_os_row(lists, 6, get(lists, COUNTER_RX_CREDIT_ZERO),
              "Receive B2B credit transitions to zero");
    nx_os_row(lists, 6, sum(lists, COUNTER_TX_PRIO_BLOCKED) / INTERVAL_PS,
              "2.5us TxWait due to lack of transmit credits");
}

/* ---- InfiniBand ---- */

enum { PERFQUERY_COLUMN = 33 };

/* "PortXmitWait:....................2" */
static void perfquery_row(const struct lists *lists, const char *name, int64_t value)
{
    fprintf(lists->out, "%s:", name);
    for (size_t at = strlen(name) + 1; at < PERFQUERY_COLUMN; at++)
        fputc('.', lists->out);
    fprintf(lists->out, "%" PRId64 "\n", value);
}

static void print_perfquery(const struct lists *lists)
{
    const int64_t sent = sum(lists, COUNTER_TX_PRIO_PACKETS);
    const int64_t received = sum(lists, COUNTER_RX_PRIO_PACKETS);
    perfquery_row(lists, "PortXmitData",
                  in_words(sum(lists, COUNTER_TX_PRIO_BYTES) - VCRC_BYTES * sent));
    perfquery_row(lists, "PortRcvData",
                  in_words(sum(lists, COUNTER_RX_PRIO_BYTES) - VCRC_BYTES * received));
    perfquery_row(lists, "PortXmitPkts", sent);
    perfquery_row(lists, "PortRcvPkts", received);
    perfquery_row(lists, "LinkDownedCounter", get(lists, COUNTER_LINK_DOWN_EVENTS));
    perfquery_row(lists, "PortRcvErrors", get(lists, COUNTER_RX_CRC_ERRORS));
    perfquery_row(lists, "PortXmitDiscards",
                  get(lists, COUNTER_TX_DISCARDS) + get(lists, COUNTER_TX_LIFETIME_DISCARDS));
    perfquery_row(lists, "PortXmitWait", sum(lists, COUNTER_TX_PRIO_BLOCKED) / TICK_PS);
}

void counters_credits(const struct port_counters *counters, const bool *chosen,
                      enum counters_form form, FILE *out)
{
    for (uint32_t i = 0; i < counters->port_count; i++) {
        const struct lists lists = {counters, &counters->ports[i], out};
        if (!chosen[i])
            continue;
        fprintf(out, form == COUNTERS_PERFQUERY ? "# Port counters: %s\n" : "%s\n",
                counters->ports[i].name);
        if (form == COUNTERS_FOS)
            print_fos(&lists);
        else if (form == COUNTERS_NX_OS)
            print_nx_os(&lists);
        else
            print_perfquery(&lists);
        fputc('\n', out);
    }
}
