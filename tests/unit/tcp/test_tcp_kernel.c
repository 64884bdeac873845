/* SPDX-License-Identifier: Apache-2.0
 * The kernel of this machine and the model's TCP have the same exchange and lose the same segment,
 * once: both repair the loss by the same means (fast retransmit, tail loss probe, timeout).
 * If the wire holds all segments for longer than the timeout, both find out that it was spurious.
 * Both negotiate ECN by the same flags: classic, and accurate if the kernel knows it.
 * TCP_KERNEL_ALL=1 tries each segment with all settings, and prints each outcome. */
#include "tests/unit/tcp/tcp_kernel.h"
#include "tests/unit/tcp/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    DELAY_US = 10000,
    POSITIONS_MAX = 1024,
    AT_ONCE = 64,
    NO_NAMESPACE = 77,
    NEAR_US = 10000,
    LEAST_POSITIONS = 30
};

/* What an NVMe/TCP host and its target say: ICReq, Connect, a property, then a write and a read of
 * 4 KiB, of 64 KiB, and four reads of 16 KiB. */
static const struct kernel_message messages[] = {
    {0, 128},        {1, 128}, {0, 72 + 1024}, {1, 24},    {0, 72},    {1, 24},    {0, 4168},
    {1, 24},         {0, 72},  {1, 4144},      {0, 72},    {1, 24},    {0, 72},    {1, 24 + 65560},
    {0, 24 + 65536}, {1, 24},  {0, 4 * 72},    {1, 16432}, {1, 16432}, {1, 16432}, {1, 16432},
};

/* ------------------------------------------------------------------ the model */

static const struct tcp_exchange *lossy; /* for lose_byte, hold_all */
#define SPACE (10 * PS_PER_US)
static time_ps held_until; /* 0: no data was sent so far */

static struct tcp_pair_fate hold_all(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (held_until == 0 && frame->side == 0 && frame->payload > 0)
        held_until = frame->at + lossy->hold_us * PS_PER_US;
    if (frame->at + pair->delay < held_until) /* one by one, in order */
        fate.late = held_until + pair->seen++ * SPACE - frame->at - pair->delay;
    return fate;
}

static struct tcp_pair_fate lose_byte(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    const bool syn = (frame->flags & SEGMENT_SYN) != 0;
    const int64_t from = syn ? TCP_LOST_SYN : (int64_t)frame->seq - 1;
    const int64_t length =
        (int64_t)frame->payload + (syn ? 1 : 0) + ((frame->flags & SEGMENT_FIN) != 0 ? 1 : 0);
    struct tcp_pair_fate fate = {0};
    if (pair->seen > 0 || frame->side != lossy->lost_sender || lossy->lost_byte < from ||
        lossy->lost_byte >= from + length)
        return fate;
    pair->seen = 1;
    fate.lose = true;
    return fate;
}

static struct tcp_outcome outcome_of(const struct tcp_pair *pair)
{
    struct tcp_outcome outcome = {.us = -1};
    for (unsigned i = 0; i < 3 && i < pair->log_count; i++)
        outcome.handshake = outcome.handshake << 3 | pair->log[i].ace;
    for (int side = 0; side < 2; side++) {
        const struct tcp_counters *counters = tcp_counters(pair->sides[side].tcp);
        outcome.timeouts += counters->timeouts;
        outcome.probes += counters->loss_probes;
        outcome.recoveries += counters->sack_recovery + counters->reno_recovery;
        outcome.retransmitted += counters->retrans_segs;
        outcome.spurious += counters->spurious_rtos;
        outcome.undone += counters->loss_undo;
    }
    if (tcp_pair_conn(pair, 0)->fin_seen)
        outcome.us = pair->engine.now / PS_PER_US;
    return outcome;
}

static void run_messages(struct tcp_pair *pair, const struct tcp_exchange *exchange)
{
    uint64_t due[2] = {0};
    size_t at = 0;
    bool closed[2] = {false};
    while (pair->engine.now < 20 * PS_PER_S && !(closed[0] && tcp_pair_conn(pair, 0)->fin_seen)) {
        tcp_pair_run(pair, 20 * PS_PER_US);
        if (pair->sides[1].accepted == 0 || pair->sides[0].connected == 0)
            continue;
        for (int side = 0; side < 2; side++)
            if (!closed[side] && at == exchange->count && pair->sides[0].got == due[0] &&
                pair->sides[1].got == due[1] && (side == 0 || tcp_pair_conn(pair, 1)->fin_seen)) {
                tcp_stream_ops.close(pair->sides[side].conn);
                closed[side] = true;
            }
        while (at < exchange->count && pair->sides[0].got == due[0] &&
               pair->sides[1].got == due[1]) {
            const struct kernel_message *message = &exchange->messages[at++];
            due[1 - message->sender] += message->bytes;
            tcp_pair_send(pair, message->sender, message->bytes, 5);
        }
    }
}

static int64_t ecn_of(char value)
{
    static const int64_t words[] = {TCP_ECN_OFF,
                                    TCP_ECN_ON,
                                    TCP_ECN_PASSIVE,
                                    TCP_ECN_ACCURATE,
                                    TCP_ECN_ON_ACCURATE_PASSIVE,
                                    TCP_ECN_ACCURATE_PASSIVE};
    return words[value - '0'];
}

static struct tcp_pair *model_run(const struct tcp_exchange *exchange)
{
    struct tcp_pair *pair = tcp_pair_new(exchange->delay_us * PS_PER_US);
    for (int side = 0; side < 2; side++) {
        struct tcp_params *params = &pair->sides[side].params;
        params->send_buffer = 1 << 20;
        params->gro_size = 0;
        for (const struct tcp_setting *s = exchange->settings; s->name != NULL; s++) {
            if (strcmp(s->name, "tcp_sack") == 0)
                params->sack = s->value[0] != '0';
            if (strcmp(s->name, "tcp_early_retrans") == 0)
                params->tlp = s->value[0] != '0';
            if (strcmp(s->name, "tcp_frto") == 0)
                params->frto = s->value[0] != '0';
            if (strcmp(s->name, "tcp_ecn") == 0)
                params->ecn = ecn_of(s->value[0]);
            if (strcmp(s->name, "tcp_timestamps") == 0)
                params->timestamps = s->value[0] != '0';
        }
    }
    pair->fate = exchange->hold_us > 0 ? hold_all : lose_byte;
    lossy = exchange;
    held_until = 0;
    tcp_pair_connect(pair);
    run_messages(pair, exchange);
    return pair;
}

/* ------------------------------------------------------------------ positions */

struct position {
    int sender;
    int64_t byte;
};

/* The middle of each segment that the model sends when none is lost. */
static unsigned find_positions(const struct tcp_exchange *exchange, struct position *positions)
{
    struct tcp_pair *pair = model_run(exchange);
    unsigned count = 0;
    for (unsigned i = 0; i < pair->log_count; i++) {
        const struct tcp_pair_frame *frame = &pair->log[i];
        const bool syn = (frame->flags & SEGMENT_SYN) != 0;
        if (frame->payload == 0 && (frame->flags & (SEGMENT_SYN | SEGMENT_FIN)) == 0)
            continue;
        assert_true(count < POSITIONS_MAX);
        positions[count].sender = frame->side;
        positions[count++].byte = syn ? TCP_LOST_SYN : (int64_t)frame->seq - 1 + frame->payload / 2;
    }
    assert_int_equal(outcome_of(pair).retransmitted, 0);
    tcp_pair_free(pair);
    return count;
}

/* ------------------------------------------------------------------ comparison */

static const char *kind_of(const struct tcp_outcome *outcome)
{
    static const char *const kinds[] = {"none",
                                        "timeout",
                                        "probe",
                                        "probe, timeout",
                                        "fast retransmit",
                                        "fast retransmit, timeout",
                                        "probe, fast retransmit",
                                        "probe, fast retransmit, timeout"};
    if (outcome->us < 0)
        return "not repaired";
    return kinds[(outcome->timeouts > 0) + 2 * (outcome->probes > 0) +
                 4 * (outcome->recoveries > 0)];
}

/* The kernel's outcomes at the positions; each run is a process of its own, most of which wait. */
static void kernel_runs(struct tcp_exchange exchange, const struct position *positions,
                        unsigned count, struct tcp_outcome *outcomes)
{
    unsigned begun = 0, running = 0;
    while (running > 0 || begun < count) {
        if (begun < count && running < AT_ONCE) {
            exchange.lost_sender = positions[begun].sender;
            exchange.lost_byte = positions[begun].byte;
            const pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0)
                _exit(tcp_kernel_run(&exchange, &outcomes[begun]) ? 0 : NO_NAMESPACE);
            begun++;
            running++;
            continue;
        }
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
        running--;
    }
}

/* Whether this user may have a network namespace with a TUN device. */
static bool is_able(const struct tcp_exchange *exchange, struct tcp_outcome *outcome)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(tcp_kernel_run(exchange, outcome) ? 0 : NO_NAMESPACE);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) &&
                (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_NAMESPACE));
    return WEXITSTATUS(status) == 0;
}

static void show(const char *name, const struct position *position, const char *which,
                 const struct tcp_outcome *outcome)
{
    printf("%s: side %d, byte %lld, %s: %s, %llu sent again, %lld us\n", name, position->sender,
           (long long)position->byte, which, kind_of(outcome),
           (unsigned long long)outcome->retransmitted, (long long)outcome->us);
}

/* Compares every n-th position. */
static void compare_runs(const char *name, struct tcp_exchange exchange, unsigned n,
                         struct tcp_outcome *kernel)
{
    struct position positions[POSITIONS_MAX];
    const bool all = getenv("TCP_KERNEL_ALL") != NULL;
    unsigned count = find_positions(&exchange, positions), kept = 0, same = 0, near = 0;
    for (unsigned i = 0; i < count; i += all ? 1 : n)
        positions[kept++] = positions[i];
    kernel_runs(exchange, positions, kept, kernel);
    for (unsigned i = 0; i < kept; i++) {
        exchange.lost_sender = positions[i].sender;
        exchange.lost_byte = positions[i].byte;
        struct tcp_pair *pair = model_run(&exchange);
        const struct tcp_outcome model = outcome_of(pair);
        tcp_pair_free(pair);
        const bool equal = strcmp(kind_of(&model), kind_of(&kernel[i])) == 0;
        same += equal;
        near += llabs(model.us - kernel[i].us) <= NEAR_US + model.us / 20;
        if (equal && !all)
            continue;
        show(name, &positions[i], "model", &model);
        show(name, &positions[i], "kernel", &kernel[i]);
    }
    printf("%s: %u of %u losses are repaired by the same means, %u within 10 ms and 5%%\n", name,
           same, kept, near);
    assert_true(kept > LEAST_POSITIONS && 10 * same >= 9 * kept);
}

static void compare(const char *name, const struct tcp_setting *settings, unsigned n)
{
    const struct tcp_exchange exchange = {.messages = messages,
                                          .count = sizeof messages / sizeof messages[0],
                                          .settings = settings,
                                          .delay_us = DELAY_US,
                                          .lost_byte = TCP_LOST_NONE};
    const size_t bytes = POSITIONS_MAX * sizeof(struct tcp_outcome);
    struct tcp_outcome *kernel =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(kernel != MAP_FAILED);
    const bool able = is_able(&exchange, kernel);
    if (able) {
        assert_string_equal(kind_of(kernel), "none");
        struct tcp_pair *pair = model_run(&exchange);
        assert_int_equal(outcome_of(pair).handshake, kernel->handshake);
        tcp_pair_free(pair);
        compare_runs(name, exchange, n, kernel);
    }
    munmap(kernel, bytes);
    if (!able) {
        printf("no network namespace with a TUN device for this user\n");
        skip();
    }
}

/* The buffers are the model's: the machine's may be others. */
#define BUFFERS                                                                                    \
    {"tcp_wmem", "4096 1048576 4194304"},                                                          \
    {                                                                                              \
        "tcp_rmem", "4096 131072 6291456"                                                          \
    }

static void test_defaults(void **state)
{
    static const struct tcp_setting settings[] = {BUFFERS, {0}};
    (void)state;
    compare("defaults", settings, 1);
}

static void test_no_probes(void **state)
{
    static const struct tcp_setting settings[] = {BUFFERS, {"tcp_early_retrans", "0"}, {0}};
    (void)state;
    compare("no tail loss probes", settings, 4);
}

static void test_no_sack(void **state)
{
    static const struct tcp_setting settings[] = {BUFFERS, {"tcp_sack", "0"}, {0}};
    (void)state;
    compare("no SACK", settings, 4);
}

static void test_no_timestamps(void **state)
{
    static const struct tcp_setting settings[] = {BUFFERS, {"tcp_timestamps", "0"}, {0}};
    (void)state;
    compare("no timestamps", settings, 4);
}

static void test_classic_ecn(void **state)
{
    static const struct tcp_setting settings[] = {BUFFERS, {"tcp_ecn", "1"}, {0}};
    (void)state;
    compare("classic ECN", settings, 4);
}

/* Linux accepts the value from 7.0 on; 6.18 refuses it. */
static void test_accurate_ecn(void **state)
{
    static const struct tcp_setting settings[] = {BUFFERS, {"tcp_ecn", "3"}, {0}};
    static const struct tcp_setting buffers[] = {BUFFERS, {0}};
    static const struct kernel_message nothing[] = {{0, 100}};
    struct tcp_exchange exchange = {
        .messages = nothing, .count = 1, .settings = buffers, .lost_byte = TCP_LOST_NONE};
    struct tcp_outcome outcome;
    (void)state;
    if (is_able(&exchange, &outcome)) {
        exchange.settings = settings;
        if (!is_able(&exchange, &outcome)) {
            printf("this kernel refuses tcp_ecn 3\n");
            skip();
        }
    }
    compare("accurate ECN", settings, 4);
}

/* ------------------------------------------------------------------ late segments */

/* A timeout comes after 262 ms: the probe at 2 RTT + 2 ms, and from then on RTT + 200 ms.  The next
 * one would come at 702 ms. */
enum { HOLD_US = 450000, ATTEMPTS = 3 };

static void hold(const char *name, const struct tcp_setting *settings, uint64_t spurious,
                 uint64_t undone)
{
    static const struct kernel_message write[] = {{0, 200000}, {1, 24}};
    const struct tcp_exchange exchange = {.messages = write,
                                          .count = sizeof write / sizeof write[0],
                                          .settings = settings,
                                          .delay_us = DELAY_US,
                                          .lost_byte = TCP_LOST_NONE,
                                          .hold_us = HOLD_US};
    struct tcp_outcome *kernel =
        mmap(NULL, sizeof *kernel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(kernel != MAP_FAILED);
    struct tcp_pair *pair = model_run(&exchange);
    const struct tcp_outcome model = outcome_of(pair);
    tcp_pair_free(pair);
    bool able = is_able(&exchange, kernel);
    /* A machine that is busy for tenths of a second has a timeout more, or less. */
    for (int i = 1; i < ATTEMPTS && able && kernel->timeouts != 1; i++)
        able = is_able(&exchange, kernel);
    const struct tcp_outcome real = *kernel;
    munmap(kernel, sizeof *kernel);
    assert_int_equal(model.timeouts, 1);
    assert_int_equal(model.spurious, spurious);
    assert_int_equal(model.undone, undone);
    if (!able) {
        printf("no network namespace with a TUN device for this user\n");
        skip();
    }
    for (int i = 0; i < 2; i++) {
        const struct tcp_outcome *outcome = i == 0 ? &model : &real;
        printf("%s: %s: %s, %llu spurious, %llu undone, %llu sent again, %lld us\n", name,
               i == 0 ? "model" : "kernel", kind_of(outcome), (unsigned long long)outcome->spurious,
               (unsigned long long)outcome->undone, (unsigned long long)outcome->retransmitted,
               (long long)outcome->us);
    }
    assert_string_equal(kind_of(&model), kind_of(&real));
    assert_int_equal(real.timeouts, model.timeouts);
    assert_int_equal(real.spurious, model.spurious);
    assert_int_equal(real.undone, model.undone);
    assert_int_equal(real.retransmitted, model.retransmitted);
}

static void test_spurious_timeout(void **state)
{
    static const struct tcp_setting frto[] = {BUFFERS, {"tcp_timestamps", "0"}, {0}};
    static const struct tcp_setting eifel[] = {BUFFERS, {0}};
    static const struct tcp_setting neither[] = {
        BUFFERS, {"tcp_timestamps", "0"}, {"tcp_frto", "0"}, {0}};
    (void)state;
    hold("late segments, F-RTO", frto, 1, 1);
    hold("late segments, timestamps", eifel, 0, 1);
    hold("late segments, neither", neither, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),         cmocka_unit_test(test_no_probes),
        cmocka_unit_test(test_no_sack),          cmocka_unit_test(test_no_timestamps),
        cmocka_unit_test(test_classic_ecn),      cmocka_unit_test(test_accurate_ecn),
        cmocka_unit_test(test_spurious_timeout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
