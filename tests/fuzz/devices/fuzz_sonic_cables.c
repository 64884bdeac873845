/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sonic_cables - any bytes as the cables of two SONiC switches: a list, tables of LLDP or a
 * graph.  What is imported is a scenario whose YAML can be read.
 * Reads: scenarios/sonic/sonic_cabling.c scenarios/sonic/sonic_[lg]*.c */
#include "base/check.h"
#include "scenarios/format/tree.h"
#include "scenarios/sonic/sonic.h"
#include "tests/fuzz/token_mutator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libcgraph keeps what it had read when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcgraph.so\nleak:libcdt.so\n";
}

static const char leaf[] =
    "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"leaf\"}}, \"PORT\": {"
    "\"Ethernet0\": {\"alias\": \"etp1\", \"speed\": \"100000\", \"admin_status\": \"up\"},"
    "\"Ethernet4\": {\"alias\": \"etp2\", \"speed\": \"100000\", \"admin_status\": \"up\"}},"
    "\"DEVICE_NEIGHBOR\": {\"Ethernet4\": {\"name\": \"h9\", \"port\": \"eth0\"}}}";
static const char spine[] =
    "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"spine\"}}, \"PORT\": {"
    "\"Ethernet0\": {\"alias\": \"one\", \"speed\": \"100000\", \"admin_status\": \"up\"},"
    "\"Ethernet4\": {\"speed\": \"100000\", \"admin_status\": \"down\"}}}";

static void is_yaml(const char *text)
{
    static struct diag diag;
    struct arena arena = {0};
    diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&arena, "out.yaml", text, strlen(text));
    CHECK(tree_parse(&arena, file, 0, &diag) != NULL);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    char *text = calloc(1, size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    const struct sonic_input inputs[] = {{"leaf.lldp", text, size},
                                         {"leaf.json", leaf, sizeof leaf - 1},
                                         {"spine.json", spine, sizeof spine - 1}};
    const struct sonic_ask ask = {.inputs = inputs, .count = 3, .verbose = true};
    struct sonic_result result;
    diag = (struct diag){0};
    const bool fine = sonic_import(&ask, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.scenario != NULL) && fine == (result.notes != NULL));
    if (fine)
        is_yaml(result.scenario);
    sonic_free(&result);
    free(text);
    return 0;
}
