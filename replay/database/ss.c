/* SPDX-License-Identifier: Apache-2.0
 * ss - TCP connections as `ss -tin` prints them. */
#include "replay/database/ss.h"

#include "base/units.h"

#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------ figures of a connection */

/* The kernel counts microseconds. */
static double ms(time_ps time)
{
    return (double)(time / PS_PER_US) / 1000;
}

static void print_rate(const char *name, double bps, FILE *out)
{
    static const struct {
        double from;
        const char *prefix;
    } scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if (bps >= scales[i].from) {
            fprintf(out, " %s %.3g%sbps", name, bps / scales[i].from, scales[i].prefix);
            return;
        }
    if (bps > 0)
        fprintf(out, " %s %gbps", name, bps);
}

static void print_count(const char *name, uint64_t count, FILE *out)
{
    if (count > 0)
        fprintf(out, " %s:%" PRIu64, name, count);
}

static void print_ms(const char *name, time_ps time, FILE *out)
{
    if (time >= PS_PER_US)
        fprintf(out, " %s:%g", name, ms(time));
}

static void print_timers(const struct stream_info *info, FILE *out)
{
    fprintf(out, " %s", info->congestion_control);
    if (info->scaled)
        fprintf(out, " wscale:%u,%u", info->send_scale, info->receive_scale);
    print_ms("rto", info->rto, out);
    print_count("backoff", info->backoff, out);
    if (info->rtt >= PS_PER_US)
        fprintf(out, " rtt:%g/%g", ms(info->rtt), ms(info->rttvar));
}

static void print_window(const struct stream_info *info, FILE *out)
{
    print_count("mss", info->mss, out);
    print_count("cwnd", info->cwnd, out);
    if (info->ssthresh < 0xFFFF)
        print_count("ssthresh", info->ssthresh, out);
}

static void print_totals(const struct stream_info *info, FILE *out)
{
    print_count("bytes_sent", info->bytes_sent, out);
    print_count("bytes_retrans", info->bytes_retrans, out);
    print_count("bytes_acked", info->bytes_acked, out);
    print_count("bytes_received", info->bytes_received, out);
    print_count("segs_out", info->segs_out, out);
    print_count("segs_in", info->segs_in, out);
    print_count("data_segs_out", info->data_segs_out, out);
    print_count("data_segs_in", info->data_segs_in, out);
}

/* The kernel's alpha is in units of 1/1024. */
static void print_dctcp(const struct stream_info *info, FILE *out)
{
    if (strcmp(info->congestion_control, "dctcp") != 0)
        return;
    if (info->ecn)
        fprintf(out, " dctcp:(alpha:%" PRIu64 ")", (uint64_t)info->alpha_ppm * 1024 / PPM);
    else
        fputs(" dctcp:fallback_mode", out);
}

static void print_rates(const struct stream_info *info, FILE *out)
{
    const double rtt_s = (double)(info->rtt / PS_PER_US) / 1e6;
    if (rtt_s > 0)
        print_rate("send", 8.0 * info->cwnd * info->mss / rtt_s, out);
    print_count("lastsnd", (uint64_t)(info->idle_sent / PS_PER_MS), out);
    print_count("lastrcv", (uint64_t)(info->idle_read / PS_PER_MS), out);
    print_rate("pacing_rate", (double)info->pacing_bps, out);
    print_count("delivered", info->delivered, out);
    print_count("delivered_ce", info->delivered_ce, out);
}

static void print_segments(const struct stream_info *info, FILE *out)
{
    print_count("unacked", info->packets_out, out);
    if (info->retrans_out > 0 || info->retrans > 0)
        fprintf(out, " retrans:%u/%" PRIu64, info->retrans_out, info->retrans);
    print_count("lost", info->lost, out);
    print_count("sacked", info->sacked, out);
    if (info->reordering != 3)
        fprintf(out, " reordering:%u", info->reordering);
    print_count("notsent", info->notsent, out);
    print_ms("minrtt", info->min_rtt, out);
    print_count("snd_wnd", info->send_window, out);
    print_count("rcv_wnd", info->receive_window, out);
}

void ss_print_info(const struct stream_info *info, FILE *out)
{
    print_timers(info, out);
    print_window(info, out);
    print_totals(info, out);
    print_dctcp(info, out);
    print_rates(info, out);
    print_segments(info, out);
}

/* ------------------------------------------------------------------ connections of a run */

enum { END_BYTES = 24 }; /* "255.255.255.255:65535" */

static const char *with_port(uint32_t ip, int64_t port, char text[END_BYTES])
{
    snprintf(text, END_BYTES, "%u.%u.%u.%u:%" PRId64, ip >> 24, ip >> 16 & 0xFF, ip >> 8 & 0xFF,
             ip & 0xFF, port & 0xFFFF);
    return text;
}

static void print_connection(const struct store_statement *row, FILE *out)
{
    struct stream_info info = {
        .state = store_text(row, "state"),
        .congestion_control = store_text(row, "congestion_control"),
#define SS(column, field, text) \
    .field = (__typeof__(((struct stream_info *)NULL)->field))store_int(row, #column),
#include "replay/database/ss_field.def"
    };
    char local[END_BYTES], peer[END_BYTES];
    fprintf(out, "%-10s %-6" PRIu64 " %-6" PRIu64 " %21s %21s\n\t", info.state, info.readable,
            info.unacked + info.notsent,
            with_port((uint32_t)store_int(row, "ip"), store_int(row, "local_port"), local),
            with_port((uint32_t)store_int(row, "peer_ip"), store_int(row, "peer_port"), peer));
    ss_print_info(&info, out);
    fputc('\n', out);
}

void ss_print_port(struct store *store, const char *port, FILE *out)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT ip, local_port, peer_ip, c.peer_port, state,"
                             " congestion_control"
#define SS(column, field, text) ", " #column
#include "replay/database/ss_field.def"
                             " FROM port p JOIN tcp_connection c USING(node, port)"
                             " WHERE p.name=? ORDER BY local_port, peer_ip, c.peer_port");
    store_bind(rows, 1, STORE_T(port));
    fprintf(out, "%-10s %-6s %-6s %21s %21s\n", "State", "Recv-Q", "Send-Q", "Local Address:Port",
            "Peer Address:Port");
    while (store_step(rows))
        print_connection(rows, out);
    store_finish(rows);
}
