/* SPDX-License-Identifier: Apache-2.0
 * cmd_pcap - stormglass pcap. */
#include "cli/cli.h"
#include "replay/stored.h"
#include "reports/beside.h"
#include "reports/pcap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "OUT.pcapng", "write there instead of to standard output"},
    {"port", 'p', "PORT", "what a capture at this port sees; may be given often"},
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

static int write_file(struct store *store, const struct pcap_options *with, const char *path,
                      char why[PCAP_WHY_BYTES])
{
    struct beside beside;
    bool written = true; /* or `why` says what was asked for in vain */
    if (beside_open(&beside, path)) {
        written = pcap_write(store, with, beside.out, why);
        if (beside_end(&beside, written))
            return CLI_DONE;
    }
    if (!written)
        return CLI_USAGE;
    cli_error("%s: %s", path, strerror(errno));
    return CLI_FAILED;
}

static int run(const struct cli_args *args)
{
    char error[STORE_ERROR_BYTES], why[PCAP_WHY_BYTES] = "";
    struct pcap_options with = {0};
    with.ports = cli_values(args, "port", &with.port_count);
    if (!read_snap(cli_value(args, "snap"), &with.snap))
        return CLI_USAGE;
    const char *path = cli_value(args, "output");
    if (path == NULL && isatty(STDOUT_FILENO)) {
        cli_error("a capture is no text: use -o OUT.pcapng, or redirect the output");
        return CLI_USAGE;
    }
    struct store *store = stored_open(args->operands[0], error);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[0], error);
        return CLI_USAGE;
    }
    int code = CLI_DONE;
    if (path != NULL)
        code = write_file(store, &with, path, why);
    else if (!pcap_write(store, &with, stdout, why))
        code = CLI_USAGE;
    if (why[0] != '\0')
        cli_error("%s: %s", args->operands[0], why);
    store_close(store);
    return code;
}

const struct cli_command cmd_pcap = {
    .name = "pcap",
    .operands = "RUN.db",
    .about = "writes what Wireshark would have seen of a run recorded with --record packets",
    .details = "Without --port: one interface for each RNIC port, and each frame once, where it\n"
               "left an RNIC.  Times are those of the run, from 1970 on.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
