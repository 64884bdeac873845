/* SPDX-License-Identifier: Apache-2.0
 * bridge_case - texts into scenarios. */
#include "tests/unit/bridge/bridge_case.h"

#include "base/check.h"
#include "scenarios/load/load.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <stdlib.h>
#include <string.h>

struct scenario *bridge_case_load_with(const char *text, const char *file)
{
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    const struct scenario_source beside = {"jobs.fio", file, strlen(file)};
    const struct scenario_input input = {
        .name = "test", .text = text, .length = strlen(text), .files = &beside, .file_count = 1};
    struct scenario *scenario = scenario_load(&input, diag);
    diag_print(diag, stderr);
    CHECK(scenario != NULL);
    free(diag);
    return scenario;
}

struct scenario *bridge_case_load(const char *text)
{
    return bridge_case_load_with(text, "");
}

struct live_options bridge_case_options(void)
{
    return (struct live_options){
        .calls = &fake_rdma_calls,
        .role = LIVE_BOTH,
        .address = {{CASE_HOST_IP}, 1},
        .peer = {{CASE_TARGET_IP}, 1},
        .depth = CONTENT_FULL,
        .lead = 100 * PS_PER_MS,
    };
}

void bridge_case_begin(void)
{
    fake_rdma_init();
    fake_rdma_node(CASE_HOST_IP);
    fake_rdma_node(CASE_TARGET_IP);
    fake_rdma_node(CASE_SECOND_IP);
}

void bridge_case_end(void)
{
    CHECK(fake_rdma_fini() == 0);
}
