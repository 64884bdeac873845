/* SPDX-License-Identifier: Apache-2.0
 * test_ss - figures of a TCP connection as ss -tin prints them. */
#include "replay/database/ss.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_printed(const struct stream_info *info, const char *expected)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ss_print_info(info, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

/* The names and units of ss.c: ms, bit/s with a prefix, and two numbers where it has two. */
static void a_busy_connection_has_every_field(void **state)
{
    (void)state;
    const struct stream_info info = {
        .congestion_control = "dctcp",
        .scaled = true,
        .send_scale = 7,
        .receive_scale = 9,
        .ecn = true,
        .alpha_ppm = 250000,
        .rto = 201 * PS_PER_MS + 250 * PS_PER_US,
        .backoff = 1,
        .rtt = 85 * PS_PER_US + 1,
        .rttvar = 12 * PS_PER_US,
        .min_rtt = 30 * PS_PER_US,
        .mss = 1448,
        .cwnd = 20,
        .ssthresh = 14,
        .bytes_sent = 4344,
        .bytes_retrans = 1448,
        .bytes_acked = 2896,
        .bytes_received = 72,
        .segs_out = 9,
        .segs_in = 8,
        .data_segs_out = 3,
        .data_segs_in = 1,
        .idle_sent = 4 * PS_PER_MS,
        .idle_read = PS_PER_MS - 1,
        .pacing_bps = 1234567890,
        .delivered = 2,
        .delivered_ce = 1,
        .packets_out = 6,
        .retrans_out = 1,
        .retrans = 2,
        .lost = 3,
        .sacked = 4,
        .reordering = 5,
        .notsent = 100,
        .send_window = 64256,
        .receive_window = 65536,
    };
    assert_printed(
        &info, " dctcp wscale:7,9 rto:201.25 backoff:1 rtt:0.085/0.012 mss:1448 cwnd:20 ssthresh:14"
               " bytes_sent:4344 bytes_retrans:1448 bytes_acked:2896 bytes_received:72 segs_out:9"
               " segs_in:8 data_segs_out:3 data_segs_in:1 dctcp:(alpha:256) send 2.73Gbps lastsnd:4"
               " pacing_rate 1.23Gbps delivered:2 delivered_ce:1 unacked:6 retrans:1/2 lost:3"
               " sacked:4 reordering:5 notsent:100 minrtt:0.03 snd_wnd:64256 rcv_wnd:65536");
}

static void a_fresh_connection_has_few(void **state)
{
    (void)state;
    const struct stream_info info = {
        .congestion_control = "cubic", .ssthresh = UINT32_MAX, .cwnd = 10, .reordering = 3};
    assert_printed(&info, " cubic cwnd:10");
    const struct stream_info without_ecn = {.congestion_control = "dctcp", .reordering = 3};
    assert_printed(&without_ecn, " dctcp dctcp:fallback_mode");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_connection_has_every_field),
        cmocka_unit_test(a_fresh_connection_has_few),
    };
    return cmocka_run_group_tests_name("record/ss", tests, NULL, NULL);
}
