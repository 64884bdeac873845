/* SPDX-License-Identifier: Apache-2.0
 * cmd_run - stormglass-bridge run. */
#include "base/memory.h"
#include "base/quantity.h"
#include "bridge/bytes/bytes.h"
#include "bridge/command.h"
#include "bridge/play/play.h"
#include "nvme/wire/spec.h"
#include "replay/record/record_begin.h"
#include "reports/text/json.h"
#include "reports/text/text.h"
#include "scenarios/load/library.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = 64 };

struct command {
    struct play_options play;
    struct places_texts places;
    const char *scenario;
    const char *sets[SETS_MAX];
    char seed[64];
    uint32_t set_count;
    bool json, has_address, helped;
};

static const char usage[] =
    "usage: stormglass-bridge run SCENARIO --role host|target|both --address A [--peer B]\n"
    "Runs the workloads of a scenario (a file, or a case by its name) in real time on RDMA "
    "devices\n(libibverbs, librdmacm).\n\n"
    "  --role ROLE         host: issues the workloads; target: serves them; both: in one process\n"
    "  --address A         local address (IPv4) of an RDMA device; a target listens only there\n"
    "  --peer B|HOST=B,... address of the target, or of each; with --role both local (default: A)\n"
    "  --as HOST,...       the hosts of the scenario to run here (default: all)\n"
    "  -o, --output RUN.db write the run database there (SQLite), marked measured\n"
    "  --seed N            another seed than the scenario's\n"
    "  --set PATH=VALUE    change one value of the scenario; may be given often\n"
    "  --record LEVEL      summary (default), counters or ios\n"
    "  --lead T            time to connect before the scenario's moment 0 (default 1s)\n"
    "  --verify HOW        of arriving data: full, tags (default; 16 bytes of each 512) or first\n"
    "  --store WHAT        data store of a target, for foreign hosts: null (reads zeros), "
    "memory,\n                      file:PATH; once for all namespaces or once for each\n"
    "  --busy-poll         poll completion queues instead of waiting for events\n"
    "  --serve             a target keeps running when its last host has left\n"
    "  --any               listen on every local address\n"
    "  --foreign           peers are other programs: no agreement with them\n"
    "  --faults external   the scenario's faults are injected outside\n"
    "  --json              one JSON object instead of the summary\n"
    "Exit codes: 0 all expectations held, 1 one did not, 2 the scenario or the command line is\n"
    "wrong, 3 device or database failed.\n";

static int read_lead(struct command *command, const char *value)
{
    char why[QUANTITY_WHY_BYTES];
    if (quantity_parse(QUANTITY_TIME, value, &command->play.lead, why) && command->play.lead >= 0)
        return DONE;
    return command_complain("--lead", value, "a time such as 500ms");
}

static int add_set(struct command *command, const char *value)
{
    if (command->set_count == SETS_MAX)
        return command_complain("--set", value, "at most 63 of them");
    command->sets[command->set_count++] = value;
    return DONE;
}

static int add_text(const char **texts, uint32_t *count, const char *option)
{
    if (*count == PLACES_TEXTS_MAX)
        return command_complain(option, optarg, "at most 64 of them");
    texts[(*count)++] = optarg;
    return DONE;
}

static int add_store(struct command *command, const char *value)
{
    const char *path;
    if (command->play.store_count == PLAY_STORES_MAX)
        return command_complain("--store", value, "at most 64 of them");
    command->play.stores[command->play.store_count++] = value;
    return bytes_find(value, &path) != NULL
               ? DONE
               : command_complain("--store", value, "null, memory or file:PATH");
}

static const struct option long_options[] = {
    {"role", required_argument, NULL, 'r'},
    {"address", required_argument, NULL, 'a'},
    {"peer", required_argument, NULL, 'p'},
    {"as", required_argument, NULL, 'w'},
    {"output", required_argument, NULL, 'o'},
    {"seed", required_argument, NULL, 's'},
    {"set", required_argument, NULL, 'S'},
    {"record", required_argument, NULL, 'R'},
    {"lead", required_argument, NULL, 'l'},
    {"verify", required_argument, NULL, 'v'},
    {"store", required_argument, NULL, 't'},
    {"busy-poll", no_argument, NULL, 'b'},
    {"serve", no_argument, NULL, 'e'},
    {"any", no_argument, NULL, 'A'},
    {"foreign", no_argument, NULL, 'f'},
    {"faults", required_argument, NULL, 'F'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int read_option(struct command *command, int option)
{
    switch (option) {
    case 'r':
        return command_role(optarg, &command->play.role);
    case 'a':
        command->has_address = places_read_address(optarg, &command->play.address);
        return command->has_address ? DONE
                                    : command_complain("--address", optarg, "an IPv4 address");
    case 'p':
        return add_text(command->places.peers, &command->places.peer_count, "--peer");
    case 'w':
        return add_text(command->places.as, &command->places.as_count, "--as");
    case 'o':
        command->play.path = optarg;
        return optarg[0] != '\0' ? DONE : command_complain("-o", optarg, "the name of a file");
    case 's':
        snprintf(command->seed, sizeof command->seed, "seed=%s", optarg);
        return add_set(command, command->seed);
    case 'S':
        return add_set(command, optarg);
    case 'R':
        return record_level_find(optarg, &command->play.level) &&
                       command->play.level != RECORD_PACKETS
                   ? DONE
                   : command_complain("--record", optarg, "summary, counters or ios");
    case 'l':
        return read_lead(command, optarg);
    case 'v':
        return command_depth(optarg, &command->play.depth);
    case 't':
        return add_store(command, optarg);
    case 'b':
        command->play.busy = true;
        return DONE;
    case 'e':
        command->play.serve = true;
        return DONE;
    case 'A':
        command->play.any = true;
        return DONE;
    case 'f':
        command->play.foreign = true;
        return DONE;
    case 'F':
        command->play.faults_outside = strcmp(optarg, "external") == 0;
        return command->play.faults_outside ? DONE
                                            : command_complain("--faults", optarg, "external");
    case 'j':
        command->json = true;
        return DONE;
    case 'h':
        command->helped = true;
        return DONE;
    default:
        return USAGE; /* getopt has said why */
    }
}

static int read_command(struct command *command, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0)
        if (read_option(command, option) != DONE)
            return USAGE;
    if (command->helped)
        return DONE;
    if (argc - optind != 1)
        return command_complain("SCENARIO", "", "one scenario: a file or the name of a case");
    command->scenario = argv[optind];
    if (command->play.role == 0)
        return command_complain("--role", "", "host, target or both");
    if (!command->has_address)
        return command_complain("--address", "", "the address of a local RDMA device");
    if (command->play.store_count > 0 && command->play.role == PLAY_HOST)
        return command_complain("--store", command->play.stores[0],
                                "it with --role target or both");
    return DONE;
}

static int report(struct play *play, bool json)
{
    struct store *store = play_store(play);
    if (!(json ? json_run(store, stdout) : text_run(store, stdout)) || fflush(stdout) != 0) {
        fprintf(stderr, "stormglass-bridge: the results could not be written\n");
        return FAILED;
    }
    if (play_unsound(play) > 0)
        fprintf(stderr, "stormglass-bridge: %llu transfers delivered wrong data\n",
                (unsigned long long)play_unsound(play));
    return result_held(play_result(play)) ? DONE : BROKEN;
}

static int play_scenario(const struct command *command, const struct scenario *scenario,
                         struct diag *diag)
{
    int device_errno = 0;
    struct play *play = play_create(scenario, &command->play, diag, &device_errno);
    if (play == NULL && device_errno == 0)
        return USAGE;
    if (play == NULL) {
        fprintf(stderr, "stormglass-bridge: no usable RDMA device at the address: %s\n",
                strerror(device_errno));
        return FAILED;
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the command that met it */
    diag_print(diag, stderr); /* notes */
    *diag = (struct diag){0};
    play_tell_listening(play, stderr);
    int code = play_run(play) ? DONE : play_refused(play) ? USAGE : FAILED;
    if (code == DONE)
        code = report(play, command->json);
    else
        fprintf(stderr, "stormglass-bridge: %s\n", play_error(play));
    if (!play_free(play)) {
        fprintf(stderr, "stormglass-bridge: the last writes failed\n");
        code = FAILED;
    }
    return code;
}

static int run(struct command *command, struct scenario *scenario, struct diag *diag)
{
    struct places places;
    char why[OUTPUT_WHY_BYTES];
    if (!record_begin_may(command->play.path, scenario, why)) {
        fprintf(stderr, "stormglass-bridge: -o %s\n", why);
        return USAGE;
    }
    if (!places_read(&command->places, scenario, &places, diag)) {
        places_free(&places);
        return USAGE;
    }
    command->play.peer = places.peer;
    if (places.peer == 0 && command->play.role == PLAY_BOTH)
        command->play.peer = command->play.address;
    command->play.places = &places;
    const int code = play_scenario(command, scenario, diag);
    places_free(&places);
    return code;
}

int command_run(int argc, char **argv)
{
    struct command command = {
        .play = {.calls = &rdma_calls_real, .depth = CONTENT_TAGS, .lead = PS_PER_S}};
    if (read_command(&command, argc, argv) != DONE) {
        fputs("see stormglass-bridge run --help\n", stderr);
        return USAGE;
    }
    if (command.helped) {
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? DONE : FAILED;
    }
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario =
        library_load(command.scenario, command.sets, command.set_count, diag);
    const int code = scenario == NULL ? USAGE : run(&command, scenario, diag);
    diag_print(diag, stderr);
    free(diag);
    scenario_free(scenario);
    return code;
}
