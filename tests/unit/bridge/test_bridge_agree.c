/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_agree - two ends that agree, or say why not. */
#include "base/check.h"
#include "base/probe.h"
#include "bridge/agree/agree.h"
#include "bridge/agree/agree_wire.h"
#include "bridge/verbs/verbs_real.h"
#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/bridge/bridge_case.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char one_text[] =
    "stormglass: 1\n"
    "name: one\n"
    "about: One.\n"
    "seed: 1\n"
    "duration: 200ms\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 3}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}\n"
    "workloads:\n"
    "  - {name: w, kind: nvme, from: host1, to: host0, block-size: 4KiB, queue-depth: 4}\n";

enum { HOSTS = 3 };

struct end {
    struct probe probe;
    struct env env;
    struct verbs_device *device;
    struct scenario *scenario;
    struct agree_plan plan;
    struct access access;
    struct agree_site site;
};

struct pair {
    struct loop *loop;
    struct end host, target;
    struct agree_state state;
    struct agree_target *listens;
    struct agree_host *hosts[HOSTS];
    unsigned done, refusals;
    char refusal[256];
};

static void open_end(struct pair *pair, struct end *end, uint32_t ip, const char *text)
{
    const struct verbs_real_site site = {
        .calls = &fake_rdma_calls, .loop = pair->loop, .ip = ip, .depth = CONTENT_FULL};
    end->probe = probe_none;
    end->env = (struct env){
        .ops = &loop_env_ops, .world = pair->loop, .probe = &end->probe, .owner = "agree"};
    end->device = verbs_real_open(&site);
    CHECK(end->device != NULL);
    end->scenario = bridge_case_load(text);
    agree_plan_make(&end->plan, end->scenario);
    end->site = (struct agree_site){.env = &end->env,
                                    .verbs = &verbs_real,
                                    .device = end->device,
                                    .plan = &end->plan,
                                    .access = &end->access};
    access_add_own(&end->access, CASE_HOST_IP);
}

static void close_end(struct end *end)
{
    agree_plan_free(&end->plan);
    scenario_free(end->scenario);
    verbs_real_close(end->device);
}

static void on_refused(void *self, const char *text)
{
    struct pair *pair = self;
    pair->refusals++;
    snprintf(pair->refusal, sizeof pair->refusal, "%s", text);
}

static void begin(struct pair *pair, const char *host_text, const char *target_text)
{
    *pair = (struct pair){.state = {.zero = TIME_NEVER}};
    bridge_case_begin();
    pair->loop = loop_create();
    CHECK(pair->loop != NULL);
    open_end(pair, &pair->host, CASE_HOST_IP, host_text);
    open_end(pair, &pair->target, CASE_TARGET_IP, target_text);
    pair->listens = agree_target_create(&pair->target.site, &pair->state, on_refused, pair);
    assert_non_null(pair->listens);
}

static void end(struct pair *pair)
{
    for (unsigned i = 0; i < HOSTS; i++)
        agree_host_free(pair->hosts[i]);
    agree_target_free(pair->listens);
    close_end(&pair->host);
    close_end(&pair->target);
    loop_free(pair->loop);
    bridge_case_end();
}

static void on_done(void *self)
{
    struct pair *pair = self;
    pair->done++;
    loop_stop(pair->loop);
}

static void run(struct pair *pair, time_ps span)
{
    loop_touch(pair->loop);
    loop_run(pair->loop, loop_now(pair->loop) + span);
}

static struct agree_host *ask(struct pair *pair, unsigned index, time_ps zero)
{
    static const uint32_t ips[NICS_MAX] = {CASE_HOST_IP, CASE_HOST_IP + 100};
    const unsigned before = pair->done;
    loop_touch(pair->loop);
    pair->hosts[index] =
        agree_host_create(&pair->host.site, CASE_TARGET_IP, ips, zero, PS_PER_S, on_done, pair);
    while (pair->done == before)
        run(pair, 20 * PS_PER_S);
    return pair->hosts[index];
}

static void leave(struct pair *pair, unsigned index)
{
    agree_host_free(pair->hosts[index]);
    pair->hosts[index] = NULL;
    run(pair, PS_PER_MS);
}

/* Both ends are on one clock here, so that the moments can be compared. */
static void test_agree(void **state)
{
    (void)state;
    struct pair pair;
    begin(&pair, one_text, one_text);
    const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
    assert_int_equal(agree_host_end(host), AGREE_AGREED);
    assert_int_equal(pair.state.hosts, 1);
    const time_ps round_trip = agree_host_round_trip(host),
                  apart = pair.state.zero - agree_host_zero(host);
    assert_true(round_trip >= 0 && round_trip < PS_PER_S);
    assert_true(apart <= round_trip && -apart <= round_trip);
    assert_true(pair.state.zero > loop_now(pair.loop));
    /* A second one begins with the first, whatever it proposes; a third when all have left anew. */
    const time_ps first = pair.state.zero;
    assert_int_equal(agree_host_end(ask(&pair, 1, 900 * PS_PER_S)), AGREE_AGREED);
    assert_int_equal(pair.state.zero, first);
    assert_true(agree_host_zero(pair.hosts[1]) < 100 * PS_PER_S);
    leave(&pair, 0);
    assert_int_equal(pair.state.zero, first);
    leave(&pair, 1);
    assert_int_equal(pair.state.hosts, 0);
    assert_true(pair.state.zero == TIME_NEVER);
    assert_int_equal(agree_host_end(ask(&pair, 2, TIME_NEVER)), AGREE_AGREED);
    assert_true(pair.state.zero > first);
    assert_int_equal(pair.state.joined, 3);
    end(&pair);
}

/* The scenario with `old` replaced. */
static char *changed(const char *old, const char *new)
{
    const char *at = strstr(one_text, old);
    const size_t size = sizeof one_text + strlen(new);
    char *text = malloc(size);
    CHECK(at != NULL && text != NULL);
    snprintf(text, size, "%.*s%s%s", (int)(at - one_text), one_text, new, at + strlen(old));
    return text;
}

static void test_every_difference_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *here, *there;
    } rows[] = {
        {"name: one\n", "name: other\n", "name = one here", "name = other there"},
        {"seed: 1", "seed: 2", "seed = 1 here", "seed = 2 there"},
        {"duration: 200ms", "duration: 201ms", "duration = 200ms here", "duration = 201ms there"},
        {"queue-depth: 4", "queue-depth: 5", "queue-depth = 4 here", "queue-depth = 5 there"},
        {"name: w,", "name: v,", "w", "v"},
        {"from: host1", "from: host2", "workloads.w.pair = host1 to host0 here",
         "workloads.w.pair = host2 to host0 there"},
        {"queue-depth: 4}\n",
         "queue-depth: 4}\nfaults:\n  - {at: 1ms, kind: link-down, where: host0-switch0}\n", "here",
         "there"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair pair;
        char *text = changed(rows[i].old, rows[i].new);
        begin(&pair, one_text, text);
        const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
        assert_int_equal(agree_host_end(host), AGREE_REFUSED);
        assert_non_null(strstr(agree_host_text(host), rows[i].here));
        assert_non_null(strstr(agree_host_text(host), rows[i].there));
        assert_int_equal(pair.refusals, 1);
        assert_non_null(strstr(pair.refusal, "refused 10.0.0.1: it runs a different scenario"));
        assert_int_equal(pair.state.hosts, 0);
        end(&pair);
        free(text);
    }
}

static void test_another_target(void **state)
{
    (void)state;
    struct pair pair;
    begin(&pair, one_text, one_text);
    pair.host.site.node = 2;
    const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
    assert_int_equal(agree_host_end(host), AGREE_REFUSED);
    assert_string_equal(agree_host_text(host), "the target there is host0, not host2");
    end(&pair);
}

static void test_a_foreign_target(void **state)
{
    (void)state;
    struct pair pair;
    begin(&pair, one_text, one_text);
    agree_target_free(pair.listens);
    pair.listens = NULL;
    run(&pair, PS_PER_MS);
    assert_int_equal(agree_host_end(ask(&pair, 0, TIME_NEVER)), AGREE_FOREIGN);
    end(&pair);
}

static void on_request(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    const struct agree_answer answer = {
        .version = AGREE_VERSION, .verdict = AGREE_OTHER_SCENARIO, .lines = 3};
    unsigned char bytes[AGREE_ANSWER_BYTES];
    unsigned *requests = self;
    if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
        return;
    ++*requests;
    agree_write_answer(&answer, bytes);
    fuzz_input("agree", bytes, sizeof bytes);
    verbs_real.reject(conn, bytes, sizeof bytes);
}

/* One that says "another scenario" whatever it is asked is not asked for ever. */
static void test_a_target_that_repeats_itself(void **state)
{
    (void)state;
    struct pair pair;
    unsigned requests = 0;
    begin(&pair, one_text, one_text);
    agree_target_free(pair.listens);
    pair.listens = NULL;
    const struct verbs_user user = {.self = &requests, .on_cm = on_request};
    assert_int_equal(verbs_real.listen(pair.target.device, AGREE_PORT, &user), 0);
    const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
    assert_int_equal(agree_host_end(host), AGREE_REFUSED);
    assert_int_equal(requests, 2);
    assert_non_null(strstr(agree_host_text(host), "gave no reason"));
    end(&pair);
}

/* Whatever the CM says, it ends and says so. */
static void test_no_way_there(void **state)
{
    (void)state;
    static const struct {
        enum rdma_cm_event_type of, as;
        int status;
        const char *words;
    } rows[] = {
        {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT,
         ": Connection timed out"},
        {RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_ROUTE_ERROR, -EHOSTUNREACH,
         ": No route to host"},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_UNREACHABLE, -ENETUNREACH,
         ": Network is unreachable"},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_UNREACHABLE, 0, ": No route to host"},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL, ": Invalid argument"},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_DEVICE_REMOVAL, 0, "device was removed"},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_DISCONNECTED, 0, "target left"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair pair;
        begin(&pair, one_text, one_text);
        fake_rdma_event(rows[i].of, rows[i].as, rows[i].status);
        const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
        assert_int_equal(agree_host_end(host), AGREE_SILENT);
        if (strstr(agree_host_text(host), rows[i].words) == NULL)
            fail_msg("'%s' instead of '%s'", agree_host_text(host), rows[i].words);
        end(&pair);
    }
}

static void test_many_come_and_go(void **state)
{
    (void)state;
    struct pair pair;
    begin(&pair, one_text, one_text);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(agree_host_end(ask(&pair, 0, TIME_NEVER)), AGREE_AGREED);
        leave(&pair, 0);
    }
    assert_int_equal(pair.state.hosts, 0);
    assert_int_equal(pair.state.joined, 1000);
    assert_true(fake_rdma_alive() < 100);
    end(&pair);
}

/* A host that there is no memory for is sent away, and the next one is welcome. */
static void test_no_memory_for_a_host(void **state)
{
    (void)state;
    struct pair pair;
    begin(&pair, one_text, one_text);
    fake_rdma_limit_regions(CASE_TARGET_IP, 1);
    assert_int_not_equal(agree_host_end(ask(&pair, 0, TIME_NEVER)), AGREE_AGREED);
    leave(&pair, 0);
    fake_rdma_limit_regions(CASE_TARGET_IP, 10);
    assert_int_equal(agree_host_end(ask(&pair, 0, TIME_NEVER)), AGREE_AGREED);
    end(&pair);
}

/* ------------------------------------------------------------------ secrets */

static void set_secret(struct end *end, const char *secret)
{
    char why[ACCESS_WHY_BYTES];
    if (secret != NULL)
        assert_true(access_set_secret(&end->access, secret, strlen(secret), why));
}

/* Who has which secret, and what both ends say of it; far: the host is on another machine. */
static void test_secrets(void **state)
{
    (void)state;
    static const char one[] = "a secret of the laboratory", other[] = "a secret of another place";
    static const struct {
        const char *host, *target, *host_says, *target_says;
        bool far;
    } rows[] = {
        {one, one, NULL, NULL, true},
        {one, one, NULL, NULL, false},
        {NULL, NULL, NULL, NULL, false},
        {NULL, NULL, "only with a shared secret", "other machines need a shared secret", true},
        {one, other, "has a different shared secret", "has a different shared secret", true},
        {NULL, one, "requires its shared secret", "it has no shared secret", true},
        {one, NULL, "but the target has none", "this target has none (--secret)", false},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair pair;
        begin(&pair, one_text, one_text);
        set_secret(&pair.host, rows[i].host);
        set_secret(&pair.target, rows[i].target);
        if (rows[i].far)
            pair.target.access.own_count = 0;
        const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
        const bool agreed = rows[i].host_says == NULL;
        assert_int_equal(agree_host_end(host), agreed ? AGREE_AGREED : AGREE_REFUSED);
        assert_int_equal(pair.state.joined, agreed);
        assert_int_equal(agree_target_knows(pair.listens, CASE_HOST_IP), agreed);
        assert_int_equal(agree_target_knows(pair.listens, CASE_HOST_IP + 100), agreed);
        assert_false(agree_target_knows(pair.listens, 0));
        if (!agreed) {
            assert_non_null(strstr(agree_host_text(host), rows[i].host_says));
            assert_non_null(strstr(pair.refusal, rows[i].target_says));
        }
        leave(&pair, 0);
        assert_false(agree_target_knows(pair.listens, CASE_HOST_IP));
        end(&pair);
    }
}

/* With a secret the first difference is found all the same. */
static void test_a_difference_among_the_sworn(void **state)
{
    (void)state;
    struct pair pair;
    char *text = changed("queue-depth: 4", "queue-depth: 5");
    begin(&pair, one_text, text);
    set_secret(&pair.host, "a secret of the laboratory");
    set_secret(&pair.target, "a secret of the laboratory");
    const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
    assert_int_equal(agree_host_end(host), AGREE_REFUSED);
    assert_non_null(strstr(agree_host_text(host), "queue-depth = 4 here"));
    end(&pair);
    free(text);
}

/* A target that only says that it has the secret is none. */
static void test_a_target_without_the_secret(void **state)
{
    (void)state;
    struct pair pair;
    unsigned requests = 0;
    begin(&pair, one_text, one_text);
    set_secret(&pair.host, "a secret of the laboratory");
    agree_target_free(pair.listens);
    pair.listens = NULL;
    const struct verbs_user user = {.self = &requests, .on_cm = on_request};
    assert_int_equal(verbs_real.listen(pair.target.device, AGREE_PORT, &user), 0);
    const struct agree_host *host = ask(&pair, 0, TIME_NEVER);
    assert_int_equal(agree_host_end(host), AGREE_REFUSED);
    assert_int_equal(requests, 1);
    assert_non_null(strstr(agree_host_text(host), "does not prove"));
    end(&pair);
}

/* ------------------------------------------------------------------ bytes */

static void test_bytes(void **state)
{
    (void)state;
    unsigned char bytes[AGREE_ANSWER_BYTES], again[AGREE_ANSWER_BYTES];
    const struct agree_request asked = {.version = AGREE_VERSION,
                                        .question = AGREE_COMPARE,
                                        .nonce = 3,
                                        .prefix = 5,
                                        .prefix_hash = 6};
    const struct agree_request joins = {.version = AGREE_VERSION,
                                        .question = AGREE_JOIN,
                                        .proven = true,
                                        .digest = {1, 2},
                                        .lines = 9,
                                        .target = 7};
    struct agree_request request;
    agree_write_request(&asked, bytes);
    fuzz_input("agree", bytes, AGREE_REQUEST_BYTES);
    assert_true(agree_read_request(bytes, AGREE_REQUEST_BYTES, &request));
    agree_write_request(&request, again);
    assert_memory_equal(bytes, again, AGREE_REQUEST_BYTES);
    assert_int_equal(request.prefix, 5);
    assert_int_equal(request.prefix_hash, 6);
    assert_int_equal(request.nonce, 3);
    agree_write_request(&joins, again);
    assert_true(agree_read_request(again, AGREE_REQUEST_BYTES, &request));
    assert_true(request.proven && request.digest.low == joins.digest.low);
    assert_int_equal(request.lines, 9);
    assert_int_equal(request.target, 7);
    assert_false(agree_read_request(bytes, AGREE_REQUEST_BYTES - 1, &request));
    bytes[0] ^= 1;
    assert_false(agree_read_request(bytes, AGREE_REQUEST_BYTES, &request));

    struct agree_answer answer = {
        .version = AGREE_VERSION, .verdict = AGREE_SAME, .text = "a\033b"};
    agree_write_answer(&answer, bytes);
    assert_true(agree_read_answer(bytes, AGREE_ANSWER_BYTES, &answer));
    assert_string_equal(answer.text, "a?b"); /* nothing steers the terminal */
    bytes[4] = 99;
    assert_true(agree_read_answer(bytes, AGREE_ANSWER_BYTES, &answer));
    assert_int_equal(answer.verdict, AGREE_OTHER_VERSION);

    struct agree_moment moment = {.kind = AGREE_BEGIN, .sequence = 1, .clock = 2, .zero = -1};
    agree_write_moment(&moment, bytes);
    assert_false(agree_read_moment(bytes, AGREE_MOMENT_BYTES, &moment));
    moment = (struct agree_moment){.kind = AGREE_PING, .clock = 5, .zero = TIME_NEVER};
    agree_write_moment(&moment, bytes);
    assert_true(agree_read_moment(bytes, AGREE_MOMENT_BYTES, &moment));
    assert_true(moment.zero == TIME_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree),
        cmocka_unit_test(test_every_difference_is_found),
        cmocka_unit_test(test_another_target),
        cmocka_unit_test(test_a_foreign_target),
        cmocka_unit_test(test_no_way_there),
        cmocka_unit_test(test_no_memory_for_a_host),
        cmocka_unit_test(test_many_come_and_go),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_a_difference_among_the_sworn),
        cmocka_unit_test(test_a_target_without_the_secret),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_a_target_that_repeats_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
