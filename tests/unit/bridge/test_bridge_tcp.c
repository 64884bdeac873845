/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_tcp - scenarios over TCP on real sockets of the loopback interface.
 * Each run has two addresses of 127.0.0.0/8 of its own, since ports are fixed and other tests run
 * at the same time. */
#include "base/check.h"
#include "nvme/wire/spec.h"
#include "tests/unit/bridge/bridge_case.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TCP_CASE(transport, target, host, more)                                                    \
    "stormglass: 1\n"                                                                              \
    "name: sockets\n"                                                                              \
    "about: In capsules, and by R2T.\n"                                                            \
    "seed: 1\n"                                                                                    \
    "duration: 20s\n"                                                                              \
    "fabric:\n"                                                                                    \
    "  topology: {kind: single-switch, hosts: 3}\n"                                                \
    "hosts:\n"                                                                                     \
    "  defaults: {target: {" target "}, nvme: {" host "}}\n"                                       \
    "  targets: {where: host0, namespaces: [{media: \"null\", count: 2}]}\n"                       \
    "workloads:\n"                                                                                 \
    "  - {name: small, kind: nvme, from: host1, to: host0, transport: " transport ",\n"            \
    "     read: 50%, block-size: 4KiB, queue-depth: 4, queues: 2, count: 200}\n"                   \
    "  - {name: large, kind: nvme, from: host2, to: host0, transport: " transport ",\n"            \
    "     read: 50%, block-size: 256KiB, queue-depth: 8, queues: 2, count: 100}\n" more            \
    "expect: [all-commands-complete]\n"

static uint32_t own_ip(unsigned index)
{
    const uint32_t pid = (uint32_t)getpid();
    return 127u << 24 | (1 + pid / 250 % 250) << 16 | (1 + pid % 250) << 8 | (1 + index);
}

static struct live_options options_of(enum live_role role)
{
    struct live_options options = bridge_case_options();
    options.calls = NULL; /* nothing here is RDMA */
    options.role = role;
    options.address = (struct nic_addresses){{own_ip(0)}, 1};
    options.peer = (struct nic_addresses){{own_ip(1)}, 1};
    if (role == LIVE_TARGET)
        options.address = options.peer;
    return options;
}

/* ---- whole runs ---- */

static int64_t measured(const struct live_run *play, const char *name)
{
    char ask[96];
    snprintf(ask, sizeof ask, "SELECT CAST(value AS INTEGER) FROM measured WHERE name='%s'", name);
    return store_ask_int(live_store(play), ask, -1);
}

static void run_both(const char *text, const char *store)
{
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    struct scenario *scenario = bridge_case_load(text);
    struct live_options options = options_of(LIVE_BOTH);
    char why[LIVE_WHY_BYTES], transport[16];
    options.stores[0] = store;
    options.store_count = store != NULL;
    struct live_run *play = live_create(scenario, &options, diag, why);
    diag_print(diag, stderr);
    assert_non_null(play);
    assert_true(live_run(play));
    const struct result *result = live_result(play);
    assert_int_equal(result->workloads[0].completed, 200);
    assert_int_equal(result->workloads[1].completed, 100);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(result->workloads[i].failed, 0);
        assert_int_equal(result->workloads[i].corrupt, 0);
    }
    assert_true(result_held(result));
    assert_int_equal(live_unsound(play), 0);
    store_ask_text(live_store(play), "SELECT value FROM measured WHERE name='transport'", transport,
                   sizeof transport);
    assert_string_equal(transport, "tcp");
    /* An admin queue and two I/O queues for each host; all were closed in order. */
    assert_int_equal(measured(play, "connects"), 6);
    assert_int_equal(measured(play, "accepts"), 6);
    assert_int_equal(measured(play, "resets"), 0);
    assert_true(measured(play, "bytes_sent") > 100 * (256 << 10));
    assert_true(live_free(play));
    scenario_free(scenario);
    free(diag);
}

static void test_plain(void **state)
{
    (void)state;
    run_both(TCP_CASE("tcp", "", "", ""), NULL);
}

static void test_digests_and_alignment(void **state)
{
    (void)state;
    run_both(TCP_CASE("tcp", "tcp-data-alignment: 64B, tcp-max-h2c-data: 4100B",
                      "tcp-header-digest: true, tcp-data-digest: true, tcp-data-alignment: 128B",
                      ""),
             NULL);
}

static void test_several_r2ts(void **state)
{
    (void)state;
    run_both(TCP_CASE("tcp", "tcp-r2t-length: 24KiB, tcp-max-h2c-data: 16KiB",
                      "tcp-max-r2t: 4, tcp-data-digest: true", ""),
             NULL);
}

static void test_success_and_small_capsules(void **state)
{
    (void)state;
    run_both(TCP_CASE("tcp", "tcp-success: true, tcp-in-capsule: 0B", "tcp-data-digest: true", ""),
             NULL);
}

static void test_bytes(void **state)
{
    (void)state;
    run_both(TCP_CASE("tcp", "", "tcp-data-digest: true", ""), "memory");
    run_both(TCP_CASE("tcp", "", "", ""), "memory");
}

/* ---- host and target in two processes ---- */

struct end {
    bool held, unsound;
    char why[LIVE_WHY_BYTES];
};

static struct end run_end(enum live_role role, bool foreign, const char *text)
{
    struct end end = {0};
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    struct scenario *scenario = bridge_case_load(text);
    struct live_options options = options_of(role);
    options.foreign = foreign;
    struct live_run *play = live_create(scenario, &options, diag, end.why);
    CHECK(play != NULL);
    if (live_run(play))
        end.held = role == LIVE_TARGET || result_held(live_result(play));
    else
        snprintf(end.why, sizeof end.why, "%s", live_error(play));
    end.unsound = live_unsound(play) > 0;
    CHECK(live_free(play));
    scenario_free(scenario);
    free(diag);
    return end;
}

/* The addresses are of the parent's process. */
static void run_apart(bool foreign, const char *host_text, const char *target_text,
                      const char *refusal)
{
    struct live_options options = options_of(LIVE_TARGET);
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = bridge_case_load(target_text);
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    options.foreign = foreign;
    struct live_run *target = live_create(scenario, &options, diag, why);
    assert_non_null(target); /* it listens before the host begins */
    const pid_t target_process = fork();
    if (target_process == 0)
        _exit(live_run(target) ? 0 : 1);
    const struct end host = run_end(LIVE_HOST, foreign, host_text);
    int status = 0;
    if (refusal != NULL)
        assert_int_equal(kill(target_process, SIGTERM), 0);
    assert_int_equal(waitpid(target_process, &status, 0), target_process);
    if (refusal == NULL) {
        assert_string_equal(host.why, "");
        assert_true(host.held && !host.unsound);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    } else {
        assert_non_null(strstr(host.why, refusal));
    }
    assert_true(live_free(target));
    scenario_free(scenario);
    free(diag);
}

static void test_two_processes(void **state)
{
    (void)state;
    run_apart(false, TCP_CASE("tcp", "", "", ""), TCP_CASE("tcp", "", "", ""), NULL);
    run_apart(true, TCP_CASE("tcp", "", "", ""), TCP_CASE("tcp", "", "", ""), NULL);
}

static void test_another_scenario(void **state)
{
    (void)state;
    run_apart(false, TCP_CASE("tcp", "", "tcp-data-digest: true", ""), TCP_CASE("tcp", "", "", ""),
              "the target runs a different scenario");
}

/* ---- a peer that is no host ---- */

static void connect_and_leave(void)
{
    const struct sockaddr_in there = {.sin_family = AF_INET,
                                      .sin_port = htons(NVME_TCP_PORT),
                                      .sin_addr.s_addr = htonl(own_ip(1))};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&there, sizeof there), 0);
    close(fd);
}

/* A target ends 1 s after its last host, but a connection without a Connect is no host. */
static void test_a_scan_does_not_end_the_target(void **state)
{
    struct live_options options = options_of(LIVE_TARGET);
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = bridge_case_load(TCP_CASE("tcp", "", "", ""));
    char why[LIVE_WHY_BYTES];
    int status = 0;
    (void)state;
    CHECK(diag != NULL);
    struct live_run *target = live_create(scenario, &options, diag, why);
    assert_non_null(target);
    const pid_t process = fork();
    if (process == 0)
        _exit(live_run(target) ? 0 : 1);
    connect_and_leave();
    usleep(1500 * 1000);
    assert_int_equal(waitpid(process, &status, WNOHANG), 0);
    assert_int_equal(kill(process, SIGTERM), 0);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(live_free(target));
    scenario_free(scenario);
    free(diag);
}

/* ---- refused before anything is opened ---- */

static void refuse(const char *text, const char *message)
{
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    struct scenario *scenario = bridge_case_load(text);
    const struct live_options options = options_of(LIVE_BOTH);
    char why[LIVE_WHY_BYTES];
    assert_null(live_create(scenario, &options, diag, why));
    assert_string_equal(why, "");
    assert_non_null(strstr(diag->messages[0].text, message));
    scenario_free(scenario);
    free(diag);
}

static void test_what_it_does_not_run(void **state)
{
    (void)state;
    refuse(TCP_CASE("tcp", "", "",
                    "  - {name: raw, kind: rdma-write, from: host1, to: host0, count: 1}\n"),
           "workloads over RDMA and over TCP in one run: raw");
    refuse(TCP_CASE("tcp", "", "",
                    "  - {name: raw, kind: tcp-stream, from: host1, to: host0, count: 1}\n"),
           "the bridge does not run the kind tcp-stream");
    refuse(TCP_CASE("tcp", "", "",
                    "  - {name: many, kind: nvme, from: host1, to: host0, transport: tcp, "
                    "queues: 1024, count: 1}\n"),
           "the workloads to host0, each a TCP connection: 1031, expected at most 1024");
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit low = {.rlim_cur = 70, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    refuse(TCP_CASE("tcp", "", "", ""), "workloads: 76 needed, the limit is 70 (ulimit -n)");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void test_address_of_another_machine(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = bridge_case_load(TCP_CASE("tcp", "", "", ""));
    struct live_options options = options_of(LIVE_BOTH);
    char why[LIVE_WHY_BYTES];
    (void)state;
    CHECK(diag != NULL);
    options.address.ip[0] = 0xC0000201; /* 192.0.2.1: documentation, RFC 5737 */
    assert_null(live_create(scenario, &options, diag, why));
    assert_non_null(strstr(why, "192.0.2.1 cannot be used"));
    options = options_of(LIVE_BOTH);
    struct live_run *first = live_create(scenario, &options, diag, why);
    assert_non_null(first);
    assert_null(live_create(scenario, &options, diag, why)); /* the port is taken */
    assert_non_null(strstr(why, "cannot listen for connections: Address already in use"));
    assert_true(live_free(first));
    scenario_free(scenario);
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_digests_and_alignment),
        cmocka_unit_test(test_several_r2ts),
        cmocka_unit_test(test_success_and_small_capsules),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_another_scenario),
        cmocka_unit_test(test_a_scan_does_not_end_the_target),
        cmocka_unit_test(test_what_it_does_not_run),
        cmocka_unit_test(test_address_of_another_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
