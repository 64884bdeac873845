/* SPDX-License-Identifier: Apache-2.0
 * cmd_pcap - stormglass pcap. */
#include "cli/cli.h"
#include "replay/database/stored.h"
#include "replay/files/output.h"
#include "reports/wire/pcap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option cmd_pcap_options[] = {
    {"output", 'o', "OUT.pcapng", "write to OUT.pcapng instead of standard output"},
    {"port", 'p', "PORT", "capture at this port; repeatable"},
    {"snap", 0, "BYTES", "keep only the first bytes of each frame"},
    {0},
};

static bool read_snap(const char *text, uint32_t *snap)
{
    char *end;
    *snap = 0;
    if (text == NULL)
        return true;
    errno = 0;
    const unsigned long bytes = strtoul(text, &end, 10);
    if (errno == 0 && *end == '\0' && end != text && text[0] != '-' && bytes >= 14 &&
        bytes <= 65535) {
        *snap = (uint32_t)bytes;
        return true;
    }
    cli_error("--snap %s: expected a number from 14 to 65535", text);
    return false;
}

static int write_capture(struct store *store, const struct pcap_options *with, const char *path,
                         const struct output_inputs *inputs)
{
    char why[PCAP_WHY_BYTES] = "";
    struct output output;
    if (output_open(&output, path, inputs) &&
        output_end(&output, pcap_write(store, with, output.out, why)))
        return CLI_DONE;
    if (why[0] == '\0')
        return cli_output_failed(path, inputs, errno);
    cli_error("%s: %s", inputs->paths[0], why);
    return CLI_USAGE;
}

static int run_pcap(const struct cli_args *args)
{
    char error[STORE_ERROR_BYTES];
    struct pcap_options with = {0};
    const char *name = args->operands[0], *path = cli_value(args, "output");
    const struct output_inputs inputs = {&name, 1};
    with.ports = cli_values(args, "port", &with.port_count);
    if (!read_snap(cli_value(args, "snap"), &with.snap) || !cli_output_allowed(path, &inputs))
        return CLI_USAGE;
    if ((path == NULL || strcmp(path, "-") == 0) && isatty(STDOUT_FILENO)) {
        cli_error("no capture is written to a terminal: use -o OUT.pcapng, or redirect the output");
        return CLI_USAGE;
    }
    struct store *store = stored_open(name, error);
    if (store == NULL) {
        cli_error("%s: %s", name, error);
        return CLI_USAGE;
    }
    const int code = write_capture(store, &with, path, &inputs);
    store_close(store);
    return code;
}

const struct cli_command cmd_pcap = {
    .name = "pcap",
    .operands = "RUN.db",
    .about = "write a Wireshark capture of a run that was recorded with --record packets",
    .details = "Without --port, the capture has one interface for each RNIC port, and each frame "
               "once, as it\n"
               "leaves its RNIC. Time stamps are virtual times; time 0 is 1970-01-01.",
    .examples =
        (const struct cli_example[]){
            {"A capture for Wireshark", "stormglass run first-io --record packets -o first.db && "
                                        "stormglass pcap first.db -o first.pcapng"},
            {"The frames at one port, 128 bytes of each",
             "stormglass pcap first.db --port host0:p0 --snap 128 -o host0.pcapng"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the capture was written"},
            {2, "the command line or the database is wrong; nothing was written"},
            {3, "the capture could not be written"},
            {0}},
    .options = cmd_pcap_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_pcap,
};
