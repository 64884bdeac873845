/* SPDX-License-Identifier: Apache-2.0
 * What tests/models/go_back_n.pml proves of a model with four or eight PSNs, played with the real
 * transport and 2^24 of them, which wrap: whatever is lost on either wire,
 *   - each message is received once, in order, with the bytes that were sent
 *   - each request completes once, in order, with success: of retries one more than frames are lost
 *     between two steps forward is enough
 * Messages, losses, receives that come late, and how ACKs are asked for and put together are drawn
 * (GO_BACK_SEEDS, from GO_BACK_SEED on). */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 60, MESSAGES = 40, LENGTH_MAX = 6000, RETRIES = 7, STEPS_MAX = 200000 };

/* A loss among `odds` frames, but no more than the retries allow. */
struct wires {
    struct rng rng;
    unsigned odds;
    unsigned lost; /* since the requester got on */
    uint32_t una;
    uint64_t losses;
};

struct play {
    struct pair *pair;
    struct wires wires;
    struct verbs_mr *sent[MESSAGES], *received[MESSAGES];
    enum ibv_wr_opcode opcodes[MESSAGES];
    unsigned sends, posted, checked; /* SENDs; receives for them; those that were looked at */
};

/* The pair has no pointer of its own for lose(). */
static struct wires *wires_of(const struct pair *pair)
{
    return (struct wires *)(uintptr_t)pair->lose_state;
}

static bool lose(struct pair *pair, const struct pair_frame *frame)
{
    (void)frame;
    struct wires *wires = wires_of(pair);
    const uint32_t una = pair->ends[0].conn->qp->una_psn;
    if (una != wires->una)
        wires->lost = 0;
    wires->una = una;
    if (wires->lost == RETRIES - 1 || rng_below(&wires->rng, wires->odds) > 0)
        return false;
    wires->lost++;
    wires->losses++;
    return true;
}

static unsigned between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

static void make(struct play *play, struct rng *rng)
{
    struct pair_params params;
    pair_presets(&params);
    params.seed = rng_below(rng, 1000000);
    params.rnic.path_mtu = 1024;
    params.rnic.timeout = between(rng, 5, 8); /* from 131 us on: far more than there and back */
    params.rnic.retry_count = RETRIES;
    params.rnic.min_rnr_timer = between(rng, 1, 8);
    params.rnic.ack_interval = between(rng, 1, 8);
    params.rnic.ack_coalescing = between(rng, 0, 1);
    play->pair = pair_make(&params);
    pair_connect(play->pair);
    pair_set_psn(play->pair, 0xFFFFFF - between(rng, 0, 100));
}

static void fill(struct verbs_mr *mr, unsigned number)
{
    for (uint32_t i = 0; i < mr->length; i++)
        mr->bytes[i] = (unsigned char)(i * 31 + number * 7);
}

/* SENDs and WRITEs of any length; the bytes stay where they are, for they may be sent again. */
static void post_messages(struct play *play, struct rng *rng)
{
    struct verbs_mr *far = pair_mr(play->pair, 1, LENGTH_MAX, VERBS_BULK);
    for (unsigned i = 0; i < MESSAGES; i++) {
        const bool send = between(rng, 0, 2) > 0;
        play->opcodes[i] = send ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;
        struct verbs_mr *mr = pair_mr(play->pair, 0, between(rng, 1, LENGTH_MAX), VERBS_BYTES);
        fill(mr, i);
        if (send)
            play->sent[play->sends++] = mr;
        assert_int_equal(pair_post(play->pair, 0, play->opcodes[i], mr, far, IBV_SEND_SIGNALED), 0);
    }
}

static void post_receives(struct play *play, unsigned count)
{
    for (; count > 0 && play->posted < play->sends; count--, play->posted++) {
        play->received[play->posted] = pair_mr(play->pair, 1, LENGTH_MAX, VERBS_BYTES);
        assert_int_equal(pair_recv(play->pair, 1, play->received[play->posted]), 0);
    }
}

static void check_received(struct play *play)
{
    const struct pair_end *end = &play->pair->ends[1];
    for (; play->checked < end->wc_count; play->checked++) {
        const struct ibv_wc *wc = &end->wcs[play->checked];
        assert_true(play->checked < play->sends);
        const struct verbs_mr *sent = play->sent[play->checked];
        assert_int_equal(wc->status, IBV_WC_SUCCESS);
        assert_int_equal(wc->byte_len, sent->length);
        assert_memory_equal(play->received[play->checked]->bytes, sent->bytes, sent->length);
    }
}

static void check_completed(const struct play *play)
{
    const struct pair_end *end = &play->pair->ends[0];
    assert_int_equal(end->wc_count, MESSAGES);
    for (unsigned i = 0; i < MESSAGES; i++) {
        assert_int_equal(end->wcs[i].status, IBV_WC_SUCCESS);
        assert_int_equal(end->wcs[i].wr_id, i);
        assert_int_equal(end->wcs[i].opcode,
                         play->opcodes[i] == IBV_WR_SEND ? IBV_WC_SEND : IBV_WC_RDMA_WRITE);
    }
    assert_int_equal(play->checked, play->sends);
    assert_int_equal(play->pair->rnics[1]->counters.received_messages, MESSAGES);
}

static void add_counters(struct rnic_counters *sum, const struct pair *pair)
{
    sum->timeouts += pair->rnics[0]->counters.timeouts;
    sum->naks += pair->rnics[0]->counters.naks;
    sum->rnr_naks += pair->rnics[0]->counters.rnr_naks;
    sum->duplicate_requests += pair->rnics[1]->counters.duplicate_requests;
    sum->retries_exceeded += pair->rnics[0]->counters.retries_exceeded;
}

static uint64_t play_seed(unsigned seed, struct rnic_counters *sum)
{
    struct rng rng = rng_stream(seed, "go-back-n", "load");
    struct play play = {.wires.rng = rng_stream(seed, "go-back-n", "loss")};
    make(&play, &rng);
    post_messages(&play, &rng);
    play.wires.odds = 1u << between(&rng, 1, 7);
    play.pair->lose_state = (uint64_t)(uintptr_t)&play.wires;
    play.pair->lose = lose;
    const unsigned late = between(&rng, 0, 3); /* 0: receives are always there */
    for (unsigned i = 0; i < STEPS_MAX && play.pair->ends[0].wc_count < MESSAGES; i++) {
        post_receives(&play, late == 0 ? MESSAGES : between(&rng, 0, late));
        pair_run(play.pair, between(&rng, 1, 40) * PS_PER_US);
        check_received(&play);
        play.pair->log_count = 0;
    }
    check_completed(&play);
    add_counters(sum, play.pair);
    pair_free(play.pair);
    return play.wires.losses;
}

static unsigned from_environment(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void once_and_in_order_whatever_is_lost(void **state)
{
    (void)state;
    const unsigned first = from_environment("GO_BACK_SEED", 1);
    const unsigned seeds = from_environment("GO_BACK_SEEDS", SEEDS);
    struct rnic_counters sum = {0};
    uint64_t losses = 0;
    for (unsigned seed = first; seed - first < seeds; seed++) {
        printf("seed %u\n", seed);
        losses += play_seed(seed, &sum);
    }
    print_message(
        "%u seeds: %llu frames lost; %llu NAKs, %llu timeouts, %llu RNRs, %llu duplicates\n", seeds,
        (unsigned long long)losses, (unsigned long long)sum.naks, (unsigned long long)sum.timeouts,
        (unsigned long long)sum.rnr_naks, (unsigned long long)sum.duplicate_requests);
    assert_int_equal(sum.retries_exceeded, 0);
    if (seeds >= SEEDS)
        assert_true(sum.naks > seeds && sum.timeouts > seeds && sum.rnr_naks > seeds &&
                    sum.duplicate_requests > seeds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(once_and_in_order_whatever_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
