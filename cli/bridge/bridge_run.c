/* SPDX-License-Identifier: Apache-2.0
 * bridge_run - stormglass-bridge run. */
#include "cli/bridge/bridge_options.h"

#include "base/memory.h"
#include "base/plural.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "bridge/bytes/bytes.h"
#include "nvme/wire/spec.h"
#include "replay/files/output.h"
#include "replay/record/record_begin.h"
#include "reports/summary/text.h"
#include "reports/text/json.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
    struct live_options play;
    struct host_addresses_texts addresses;
    const char *capture; /* path; NULL: none */
    bool json;
};

static const struct cli_option options[] = {
    {"role", 0, "ROLE", "host: issue the workloads; target: serve them; both: in one process"},
    {"address", 0, "A[+A2...]",
     "local IPv4 address of the RDMA device, or of each NIC; a target listens only on it "
     "(over TCP, default 127.0.0.1)"},
    {"peer", 0, "B[+B2...]|HOST=B,...",
     "address of the target, or of each target and NIC; with --role both, a local address "
     "(default: A)"},
    {"as", 0, "HOST,...", "hosts of the scenario to run on this machine (default: all)"},
    {"output", 'o', "RUN.db", "write the run database (SQLite), marked as measured, to FILE"},
    {"capture", 0, "OUT.pcapng", "write the PDUs of NVMe over TCP to a capture"},
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {"record", 0, "LEVEL", "summary (default), counters or ios"},
    {"lead", 0, "T", "time to connect before the scenario starts (default 1s)"},
    {"verify", 0, "HOW",
     "check of received data: full, tags (default; 16 bytes of each 512) or first"},
    {"store", 0, "WHAT",
     "storage of a target for other software: null (reads return zeros), memory or file:PATH"},
    {"busy-poll", 0, NULL, "poll completion queues instead of waiting for events"},
    {"serve", 0, NULL, "keep the target running after its last host has left"},
    {"any", 0, NULL, "listen on every local address"},
    {"foreign", 0, NULL, "peers run other software: no agreement on the scenario"},
    {"secret", 0, "FILE",
     "shared secret of hosts and targets on different machines (or STORMGLASS_SECRET)"},
    {"allow", 0, "A[/N],...", "addresses that may connect to the NVMe port (default: all)"},
    {"faults", 0, "external", "external: the scenario's faults are injected by other means"},
    {"json", 0, NULL, "one JSON object instead of the summary"},
    {0}};

/* Copies the values of an option; false: more than there is room for. */
static bool copy_values(const struct cli_args *args, const char *option, uint32_t most,
                        const char **texts, uint32_t *count)
{
    const char **given = cli_values(args, option, count);
    for (uint32_t i = 0; i < *count && i < most; i++)
        texts[i] = given[i];
    return *count <= most;
}

static int read_texts(struct command *command, const struct cli_args *args)
{
    struct host_addresses_texts *addresses = &command->addresses;
    struct live_options *play = &command->play;
    const char *path;
    if (!copy_values(args, "peer", HOST_ADDRESSES_TEXTS_MAX, addresses->peers,
                     &addresses->peer_count))
        return bridge_options_complain("--peer", "", "at most 64 entries");
    if (!copy_values(args, "as", HOST_ADDRESSES_TEXTS_MAX, addresses->as, &addresses->as_count))
        return bridge_options_complain("--as", "", "at most 64 entries");
    if (!copy_values(args, "store", LIVE_STORES_MAX, play->stores, &play->store_count))
        return bridge_options_complain("--store", "", "at most 64 entries");
    for (uint32_t i = 0; i < play->store_count; i++)
        if (bytes_find(play->stores[i], &path) == NULL)
            return bridge_options_complain("--store", play->stores[i], "null, memory or file:PATH");
    return CLI_DONE;
}

static int read_values(struct command *command, const struct cli_args *args)
{
    struct live_options *play = &command->play;
    const char *record = cli_value(args, "record"), *lead = cli_value(args, "lead");
    const char *faults = cli_value(args, "faults");
    char why[QUANTITY_WHY_BYTES];
    play->path = cli_value(args, "output");
    command->capture = cli_value(args, "capture");
    play->serve = cli_given(args, "serve");
    play->any = cli_given(args, "any");
    play->foreign = cli_given(args, "foreign");
    play->faults_outside = faults != NULL;
    command->json = cli_given(args, "json");
    if (play->path != NULL && play->path[0] == '\0')
        return bridge_options_complain("-o", "", "the name of a file");
    if (record != NULL &&
        (!record_level_find(record, &play->level) || play->level == RECORD_PACKETS))
        return bridge_options_complain("--record", record, "summary, counters or ios");
    if (lead != NULL && (!quantity_parse(QUANTITY_TIME, lead, &play->lead, why) || play->lead < 0))
        return bridge_options_complain("--lead", lead, "a time such as 500ms");
    if (faults != NULL && strcmp(faults, "external") != 0)
        return bridge_options_complain("--faults", faults, "external");
    return CLI_DONE;
}

static int read_command(struct command *command, const struct cli_args *args)
{
    struct live_options *play = &command->play;
    int code = bridge_options_read(args, play);
    code = code == CLI_DONE ? read_texts(command, args) : code;
    code = code == CLI_DONE ? read_values(command, args) : code;
    code = code == CLI_DONE ? bridge_options_access(args, true, &play->access) : code;
    if (code != CLI_DONE)
        return code;
    if (play->role == 0)
        return bridge_options_complain("--role", "", "host, target or both");
    if (play->store_count > 0 && play->role == LIVE_HOST)
        return bridge_options_complain("--store", play->stores[0], "it with --role target or both");
    return CLI_DONE;
}

static int report(struct live_run *play, bool json)
{
    struct store *store = live_store(play);
    if (!(json ? json_run(store, stdout) : text_run(store, stdout)) || fflush(stdout) != 0) {
        printable_say("stormglass-bridge", "the results could not be written");
        return CLI_FAILED;
    }
    if (live_unsound(play) > 0)
        printable_say("stormglass-bridge", "%llu %s delivered wrong data",
                      (unsigned long long)live_unsound(play),
                      plural(live_unsound(play), "transfer", "transfers"));
    return result_held(live_result(play)) ? CLI_DONE : CLI_BROKEN;
}

static int live_scenario(const struct command *command, const struct scenario *scenario,
                         struct diag *diag)
{
    char why[LIVE_WHY_BYTES];
    struct live_run *play = live_create(scenario, &command->play, diag, why);
    if (play == NULL && why[0] == '\0')
        return CLI_USAGE;
    if (play == NULL) {
        printable_say("stormglass-bridge", "%s", why);
        return CLI_FAILED;
    }
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit then is an error of the command
                               * that writes the file */
    diag_print(diag, stderr); /* notes */
    *diag = (struct diag){0};
    live_print_listeners(play, stderr);
    int code = live_run(play) ? CLI_DONE : live_refused(play) ? CLI_USAGE : CLI_FAILED;
    if (code == CLI_DONE)
        code = report(play, command->json);
    else
        printable_say("stormglass-bridge", "%s", live_error(play));
    if (!live_free(play)) {
        printable_say("stormglass-bridge", "the last writes failed");
        code = CLI_FAILED;
    }
    return code;
}

/* TCP needs no device, so without an address it stays on this machine. */
static int choose_address(struct command *command, const struct scenario *scenario)
{
    static const struct nic_addresses loopback = {.ip = {INADDR_LOOPBACK}, .count = 1};
    if (command->play.busy && live_uses_tcp(scenario)) {
        printable_say("stormglass-bridge", "--busy-poll needs RDMA; this scenario uses TCP");
        return CLI_USAGE;
    }
    if (command->play.address.count > 0)
        return CLI_DONE;
    if (!live_uses_tcp(scenario))
        return bridge_options_complain("--address", "", "the address of a local RDMA device");
    command->play.address = loopback;
    return CLI_DONE;
}

static int run_captured(struct command *command, const struct scenario *scenario, struct diag *diag)
{
    struct output output;
    const char *path = command->capture;
    if (path == NULL)
        return live_scenario(command, scenario, diag);
    if (!live_uses_tcp(scenario)) {
        printable_say("stormglass-bridge", "--capture needs transport: tcp");
        return CLI_USAGE;
    }
    if (!output_open(&output, path, &(struct output_inputs){0})) {
        printable_say("stormglass-bridge", "--capture %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    command->play.capture = output.out;
    const int code = live_scenario(command, scenario, diag);
    const bool ran = code == CLI_DONE || code == CLI_BROKEN;
    if (output_end(&output, ran && !ferror(output.out)) || !ran)
        return code;
    printable_say("stormglass-bridge", "--capture %s: %s", path, strerror(errno));
    return CLI_FAILED;
}

static int run_in(struct command *command, struct scenario *scenario, struct diag *diag)
{
    struct host_addresses addresses;
    char why[OUTPUT_WHY_BYTES];
    if (choose_address(command, scenario) != CLI_DONE)
        return CLI_USAGE;
    if (!record_begin_may(command->play.path, scenario, why)) {
        printable_say("stormglass-bridge", "-o %s", why);
        return CLI_USAGE;
    }
    if (!host_addresses_read(&command->addresses, scenario, &addresses, diag)) {
        host_addresses_free(&addresses);
        return CLI_USAGE;
    }
    command->play.peer = addresses.peer;
    if (addresses.peer.count == 0 && command->play.role == LIVE_BOTH)
        command->play.peer = command->play.address;
    command->play.addresses = &addresses;
    const int code = run_captured(command, scenario, diag);
    host_addresses_free(&addresses);
    return code;
}

static int run(const struct cli_args *args)
{
    struct command command = {
        .play = {.calls = &rdma_calls_real, .depth = CONTENT_TAGS, .lead = PS_PER_S}};
    if (read_command(&command, args) != CLI_DONE) {
        fputs("see stormglass-bridge run --help\n", stderr);
        return CLI_USAGE;
    }
    struct scenario *scenario = cli_load_changed(args);
    if (scenario == NULL)
        return CLI_USAGE;
    struct diag *diag = memory_new(sizeof *diag);
    const int code = run_in(&command, scenario, diag);
    diag_print(diag, stderr);
    free(diag);
    scenario_free(scenario);
    return code;
}

const struct cli_command bridge_run = {
    .program = "stormglass-bridge",
    .name = "run",
    .operands = "SCENARIO --role host|target|both --address A [--peer B]",
    .about = "runs the workloads of a scenario in real time on RDMA devices or over TCP",
    .details = "SCENARIO is a file or the name of a built-in case. RDMA devices are used through "
               "libibverbs,\nTCP (transport: tcp) through sockets.\nGive --store once for all "
               "namespaces, or once for each.",
    .examples =
        (const struct cli_example[]){
            {"The target of a scenario, on the device that has this address",
             "stormglass-bridge run case.yaml --role target --address 10.0.0.2"},
            {"The hosts of the scenario, with a database for stormglass compare",
             "stormglass-bridge run case.yaml --role host --address 10.0.0.1 --peer 10.0.0.2 -o "
             "measured.db"},
            {"Both ends in one process",
             "stormglass-bridge run first-io --role both --address 10.0.0.1"},
            {"NVMe over TCP, on this machine alone",
             "stormglass-bridge run case.yaml --role both --set workloads[0].transport=tcp"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "all expectations are met"},
            {1, "an expectation is not met"},
            {2, "the command line or the scenario is wrong, or the target runs a different "
                "scenario; nothing was written"},
            {3, "the device, the path to the target or the database failed"},
            {0}},
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
