/* SPDX-License-Identifier: Apache-2.0
 * TCP without losses: segments to the byte, handshake, windows, ACKs, end of connections. */
#include "tests/unit/tcp/tcp_pair.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DELAY (10 * PS_PER_US)

static const struct stream_ops *const ops = &tcp_stream_ops;

/* Ethernet 18, IPv4 20, TCP 20; a SYN has MSS 4, SACK permitted with timestamps 12, scale 4. */
static void test_handshake(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[0].connected, 1);
    assert_int_equal(pair->sides[1].accepted, 1);
    assert_int_equal(pair->log_count, 3);
    assert_int_equal(pair->log[0].bytes, 78);
    assert_int_equal(pair->log[0].flags, SEGMENT_SYN);
    assert_int_equal(pair->log[1].bytes, 78);
    assert_int_equal(pair->log[1].flags, SEGMENT_SYN | SEGMENT_ACK);
    assert_int_equal(pair->log[2].bytes, 70);
    assert_int_equal(pair->log[2].flags, SEGMENT_ACK);
    /* Each way: (78 + 20) bytes at 80 ps, and the delay. */
    assert_int_equal(pair->log[1].at, 98 * 80 + DELAY);
    assert_int_equal(pair->log[2].at, 2 * (98 * 80 + DELAY));
    const struct stream_info info = tcp_pair_info(pair, 0);
    assert_int_equal(info.mss, 1448);
    assert_int_equal(info.cwnd, 10);
    assert_int_equal(info.rtt, 2 * (98 * 80 + DELAY));
    assert_int_equal(info.rto, info.rtt + 200 * PS_PER_MS);
    assert_string_equal(info.state, "ESTAB");
    assert_string_equal(info.congestion_control, "cubic");
    tcp_pair_free(pair);
}

/* One segment: 58 + 12 + 1000 bytes; the answer is an ACK of 70 bytes. */
static void test_one_segment(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    const time_ps from = pair->engine.now;
    tcp_pair_send(pair, 0, 1000, 77);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->log_count, 2);
    assert_int_equal(pair->log[0].bytes, 1070);
    assert_int_equal(pair->log[0].flags, SEGMENT_ACK | SEGMENT_PSH);
    assert_int_equal(pair->log[0].at, from);
    assert_int_equal(pair->log[1].at, from + 1090 * 80 + DELAY);
    assert_int_equal(pair->log[1].ack, 1001);
    assert_int_equal(pair->sides[1].got, 1000);
    const struct stream_info info = tcp_pair_info(pair, 0);
    assert_int_equal(info.bytes_acked, 1000);
    assert_int_equal(info.unacked, 0);
    tcp_pair_free(pair);
}

static void test_timestamps_and_sack_off(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.timestamps = 0;
    pair->sides[1].params.sack = 0;
    pair->sides[1].params.window_scaling = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->log[0].bytes, 58 + 4 + 4 + 4);
    assert_int_equal(pair->log[1].bytes, 64); /* 58 + 4 is padded */
    assert_int_equal(pair->log[2].bytes, 64);
    assert_int_equal(tcp_pair_info(pair, 0).send_window, 65535);
    tcp_pair_send(pair, 0, 1460, 5);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(tcp_pair_nth(pair, 0, true, 0)->bytes, 1518);
    assert_false(tcp_pair_conn(pair, 0)->sack);
    tcp_pair_free(pair);
}

/* 91 segments of 128 KiB leave as 10, 20, 40 and 21: four flights. */
static void test_slow_start(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(50 * PS_PER_US);
    pair->sides[0].params.send_buffer = 1 << 20;
    pair->sides[1].params.receive_buffer = 1 << 20;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    tcp_pair_send(pair, 0, 128 * 1024, 9);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    assert_int_equal(tcp_pair_count(pair, 0, true), 91);
    unsigned flights[8] = {0}, flight = 0;
    time_ps before = tcp_pair_nth(pair, 0, true, 0)->at;
    for (unsigned i = 0; i < 91; i++) {
        const time_ps at = tcp_pair_nth(pair, 0, true, i)->at;
        flight += at - before > 80 * PS_PER_US;
        flights[flight]++;
        before = at;
    }
    assert_int_equal(flights[0], 10);
    assert_int_equal(flights[1], 20);
    assert_int_equal(flights[2], 40);
    assert_int_equal(flights[3], 21);
    assert_int_equal(pair->sides[1].got, 128 * 1024);
    tcp_pair_free(pair);
}

/* Whole segments back to back: 1448 bytes in each 1538 of the wire. */
static void test_line_rate(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    pair->engine.hostile = false;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    tcp_pair_send(pair, 0, UINT64_C(1) << 40, 3);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    const uint64_t before = pair->sides[1].got;
    tcp_pair_run(pair, 10 * PS_PER_MS);
    const uint64_t segments = 10 * PS_PER_MS / (1538 * 80);
    const uint64_t got = (pair->sides[1].got - before) / 1448;
    assert_true(got >= segments - 1 && got <= segments + 1);
    assert_int_equal(tcp_counters(pair->sides[0].tcp)->retrans_segs, 0);
    tcp_pair_free(pair);
}

/* Every second full segment is acknowledged after the quick ACKs; GRO merges more. */
static void test_delayed_acks(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[1].params.quick_acks = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    tcp_pair_send(pair, 0, 10 * 1448, 4);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    assert_int_equal(tcp_pair_count(pair, 1, false), 5);
    pair->log_count = 0;
    pair->sides[1].reads = false; /* a reader would acknowledge */
    tcp_pair_send(pair, 0, 1448, 4);
    tcp_pair_run(pair, 39 * PS_PER_MS);
    assert_int_equal(tcp_pair_count(pair, 1, false), 0);
    tcp_pair_run(pair, 2 * PS_PER_MS);
    assert_int_equal(tcp_pair_count(pair, 1, false), 1);
    assert_int_equal(tcp_counters(pair->sides[1].tcp)->delayed_acks, 1);
    tcp_pair_free(pair);
}

static void test_gro(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[1].params.interrupt_delay = 8 * PS_PER_US;
    pair->sides[1].params.quick_acks = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    const uint64_t before = tcp_counters(pair->sides[1].tcp)->rx_batches;
    tcp_pair_send(pair, 0, 10 * 1448, 4);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    assert_int_equal(tcp_counters(pair->sides[1].tcp)->rx_batches, before + 1);
    assert_int_equal(tcp_pair_count(pair, 1, false), 1); /* a stretch ACK */
    assert_int_equal(pair->sides[1].readable, 1);
    tcp_pair_free(pair);
}

/* A core that needs 1 us for a batch and 100 ns for each segment. */
/* What a connection waits for, and when its core works. */
static void test_look(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    struct tcp_look look;
    pair->sides[1].params.rx_batch_cost = 20 * PS_PER_US;
    pair->sides[1].params.receive_buffer = pair->sides[1].params.receive_buffer_max = 32768;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.active, 0); /* silent */
    tcp_look(pair->sides[1].tcp, &look);
    const time_ps before = look.busy[0];
    assert_int_equal(look.cores[0], 1);
    tcp_pair_send(pair, 0, 1 << 20, 4);
    tcp_pair_run(pair, DELAY + 5 * PS_PER_US);
    tcp_look(pair->sides[1].tcp, &look); /* more segments than those of the first batch */
    assert_int_equal(look.active, 1);
    assert_int_equal(look.core, 1);
    assert_in_range(look.busy[0] - before, 3 * PS_PER_US, 5 * PS_PER_US);
    unsigned window = 0, congestion = 0, moments = 0;
    for (; pair->sides[1].got < 1 << 20; moments++) {
        tcp_pair_run(pair, PS_PER_US);
        tcp_look(pair->sides[0].tcp, &look);
        assert_true(look.core + look.window + look.congestion + look.loss <= look.active);
        window += look.window;
        congestion += look.congestion;
    }
    assert_true(window > moments / 2);
    assert_true(congestion < moments / 4);
    tcp_pair_run(pair, PS_PER_MS);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.active, 0);
    tcp_pair_free(pair);
}

static struct tcp_pair_fate lose_all(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    (void)pair;
    return (struct tcp_pair_fate){.lose = frame->payload > 0};
}

/* A segment that is not acknowledged for long. */
static void test_look_at_loss(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    struct tcp_look look;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->fate = lose_all;
    tcp_pair_send(pair, 0, 100, 4);
    tcp_pair_run(pair, 100 * PS_PER_US);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.loss, 0);
    assert_int_equal(look.active, 1);
    tcp_pair_run(pair, 10 * PS_PER_MS); /* the ACK may be delayed */
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.active, 0);
    tcp_pair_run(pair, 40 * PS_PER_MS);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.active, 1);
    assert_int_equal(look.loss, 1);
    tcp_pair_free(pair);
}

/* Headers as real bytes between tagged payload, in pieces of any size, come out as they went in. */
static void test_content(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    unsigned char header[72], got[72];
    uint32_t tag = 0, length = 0;
    pair->sides[1].reads = false;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    for (unsigned i = 0; i < sizeof header; i++)
        header[i] = (unsigned char)(i + 1);
    for (uint32_t i = 0; i < 20; i++) {
        const struct stream_piece head = {.bytes = header, .length = 72, .more = true};
        const struct stream_piece data = {.length = 1000 + i, .content = 100 + i};
        assert_int_equal(ops->send(pair->sides[0].conn, &head), 72);
        assert_int_equal(ops->send(pair->sides[0].conn, &data), 1000 + i);
    }
    tcp_pair_run(pair, 100 * PS_PER_MS);
    for (uint32_t i = 0; i < 20; i++) {
        memset(got, 0, sizeof got);
        for (length = 0; length < 72;)
            length += ops->read(pair->sides[1].conn, got + length, length < 30 ? 30 : 72 - length);
        assert_memory_equal(got, header, 72);
        assert_int_equal(ops->read_bulk(pair->sides[1].conn, 400, 0, &tag), 400);
        assert_int_equal(tag, 100 + i);
        assert_int_equal(ops->read_bulk(pair->sides[1].conn, 600 + i, 400, &tag), 600 + i);
        assert_int_equal(tag, 100 + i);
    }
    assert_int_equal(ops->read(pair->sides[1].conn, got, 72), 0);
    tcp_pair_free(pair);
}

/* A read of the wrong kind is no error. */
static void test_wrong_kind(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    unsigned char bytes[16] = {1, 2, 3, 4};
    uint32_t tag = 0;
    pair->sides[1].reads = false;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    const struct stream_piece head = {.bytes = bytes, .length = 8, .more = true};
    const struct stream_piece data = {.length = 8, .content = 6};
    ops->send(pair->sides[0].conn, &head);
    ops->send(pair->sides[0].conn, &data);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(ops->read_bulk(pair->sides[1].conn, 12, 0, &tag), 12);
    assert_int_equal(tag, STREAM_CONTENT_MIXED);
    memset(bytes, 9, sizeof bytes);
    assert_int_equal(ops->read(pair->sides[1].conn, bytes, 16), 4);
    assert_int_equal(bytes[0] + bytes[3], 0);
    assert_int_equal(bytes[4], 9);
    tcp_pair_free(pair);
}

/* A reader that stops closes the window; the sender probes, and goes on when it reads. */
static void test_zero_window(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[1].reads = false;
    pair->sides[0].params.send_buffer = 1 << 20;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    tcp_pair_send(pair, 0, 200000, 8);
    tcp_pair_run(pair, 100 * PS_PER_MS);
    struct stream_info info = tcp_pair_info(pair, 0);
    assert_true(info.unacked == 0 && info.notsent > 0);
    const uint64_t held = tcp_pair_info(pair, 1).readable;
    assert_int_equal(held, 45 * 1448); /* the rest of 64 KiB is less than a segment */
    tcp_pair_run(pair, 2000 * PS_PER_MS);
    /* After 0.2 s the rest leaves, and probes after 0.2, 0.4 and 0.8 s more. */
    assert_int_equal(tcp_counters(pair->sides[0].tcp)->win_probe, 3);
    assert_int_equal(tcp_pair_info(pair, 1).readable, 65535); /* the window of the SYN-ACK */
    uint32_t tag;
    pair->sides[1].reads = true;
    pair->sides[1].got = ops->read_bulk(pair->sides[1].conn, 1 << 20, 0, &tag);
    tcp_pair_run(pair, 10 * PS_PER_MS); /* the update came at once, no probe was needed */
    assert_int_equal(pair->sides[1].got, 200000);
    tcp_pair_free(pair);
}

static void test_back_pressure(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    tcp_pair_connect(pair);
    const struct stream_piece early = {.length = 10};
    assert_int_equal(ops->send(pair->sides[0].conn, &early), 0);
    tcp_pair_run(pair, PS_PER_MS);
    const uint64_t room = tcp_pair_info(pair, 0).send_room;
    assert_int_equal(room, 2 * 10 * 1448);
    const struct stream_piece piece = {.length = 1 << 20, .content = 1};
    assert_int_equal(ops->send(pair->sides[0].conn, &piece), room);
    assert_int_equal(ops->send(pair->sides[0].conn, &piece), 0);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[0].writable, 1);
    assert_int_equal(pair->sides[1].got, room);
    tcp_pair_free(pair);
}

/* FIN, ACK, FIN, ACK: each side hears of the end once, without error. */
static void test_close(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    tcp_pair_send(pair, 0, 5000, 2);
    ops->close(pair->sides[0].conn);
    const struct stream_piece late = {.length = 10};
    assert_int_equal(ops->send(pair->sides[0].conn, &late), 0);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 5000);
    assert_true(ops->ended(pair->sides[1].conn));
    assert_string_equal(tcp_pair_info(pair, 0).state, "FIN-WAIT-2");
    assert_string_equal(tcp_pair_info(pair, 1).state, "CLOSE-WAIT");
    tcp_pair_send(pair, 1, 3000, 3); /* the other direction is open */
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[0].got, 3000);
    ops->close(pair->sides[1].conn);
    tcp_pair_run(pair, PS_PER_MS);
    assert_string_equal(tcp_pair_info(pair, 0).state, "TIME-WAIT");
    assert_string_equal(tcp_pair_info(pair, 1).state, "CLOSED");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pair->sides[i].closed, 1);
        assert_int_equal(pair->sides[i].error, 0);
        ops->destroy(pair->sides[i].conn);
    }
    assert_int_equal(tcp_connections(pair->sides[0].tcp), 1);
    tcp_pair_run(pair, 61 * PS_PER_S);
    assert_int_equal(tcp_connections(pair->sides[0].tcp), 0);
    assert_int_equal(tcp_connections(pair->sides[1].tcp), 0);
    tcp_pair_free(pair);
}

static void test_reset_and_refusal(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    tcp_pair_send(pair, 1, 100000, 2);
    ops->reset(pair->sides[0].conn);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[1].error, ECONNRESET);
    assert_int_equal(pair->sides[0].closed, 0);
    ops->destroy(pair->sides[0].conn);
    ops->destroy(pair->sides[1].conn);
    assert_int_equal(tcp_connections(pair->sides[0].tcp), 0);
    ops->unlisten(tcp_device(pair->sides[1].tcp), TCP_PAIR_PORT);
    const struct stream_peer peer = {.ip = 0x0A000002, .port = TCP_PAIR_PORT};
    const struct stream_user user = tcp_pair_user(&pair->sides[0]);
    pair->sides[0].conn = ops->connect(tcp_device(pair->sides[0].tcp), &peer, &user);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[0].closed, 1);
    assert_int_equal(pair->sides[0].error, ECONNREFUSED);
    tcp_pair_free(pair);
}

/* Two batches in each direction of a pair that answers: ACKs ride on data. */
static void test_piggyback(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[1].params.quick_acks = pair->sides[0].params.quick_acks = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    for (int i = 0; i < 5; i++) {
        tcp_pair_send(pair, 0, 64, 1);
        tcp_pair_run(pair, 30 * PS_PER_US);
        tcp_pair_send(pair, 1, 64, 2);
        tcp_pair_run(pair, 30 * PS_PER_US);
    }
    /* The first ones are acknowledged by their readers; then both sides answer. */
    assert_int_equal(tcp_pair_count(pair, 1, false), 1);
    assert_int_equal(tcp_pair_count(pair, 0, false), 1);
    tcp_pair_free(pair);
}

/* A paced sender leaves gaps: cwnd segments over srtt / 2 in slow start. */
static void test_pacing(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(500 * PS_PER_US);
    pair->sides[0].params.pacing = 1;
    pair->sides[0].params.tso_size = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    pair->log_count = 0;
    tcp_pair_send(pair, 0, 10 * 1448, 1);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    const time_ps gap = tcp_pair_nth(pair, 0, true, 9)->at - tcp_pair_nth(pair, 0, true, 8)->at;
    assert_true(gap > 49 * PS_PER_US && gap < 51 * PS_PER_US);
    tcp_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_one_segment),
        cmocka_unit_test(test_timestamps_and_sack_off),
        cmocka_unit_test(test_slow_start),
        cmocka_unit_test(test_line_rate),
        cmocka_unit_test(test_delayed_acks),
        cmocka_unit_test(test_gro),
        cmocka_unit_test(test_look),
        cmocka_unit_test(test_look_at_loss),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_wrong_kind),
        cmocka_unit_test(test_zero_window),
        cmocka_unit_test(test_back_pressure),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_reset_and_refusal),
        cmocka_unit_test(test_piggyback),
        cmocka_unit_test(test_pacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
