/* SPDX-License-Identifier: Apache-2.0
 * compare_wire - reads the captures, compares them, and prints the result. */
#include "cli/measure/compare_wire.h"

#include "base/plural.h"
#include "cli/cli.h"
#include "reports/wire/wire_compare.h"

#include <inttypes.h>

/* Explains why no connections are visible, or that they are older than the capture. */
static void tell_no_connection(const struct wire_trace *trace, const char *path)
{
    if (trace->cut > 0)
        cli_error("%s: no CM REQ: %" PRIu32 " of %" PRIu32 " %s cut, to at most %" PRIu32
                  " B: expected whole frames (tcpdump -s 0)",
                  path, trace->cut, trace->frames, plural(trace->frames, "frame is", "frames are"),
                  trace->kept);
    else if (trace->odd > 0)
        cli_error("%s: no CM REQ: %" PRIu32 " of %" PRIu32
                  " %s EtherType 0x%04X is not supported: expected RoCE v1, or RoCEv2 over IPv4, "
                  "with VLAN "
                  "tags or without",
                  path, trace->odd, trace->frames,
                  plural(trace->frames, "frame has", "frames have"), (unsigned)trace->odd_type);
    else if (trace->ipv6 > 0)
        cli_error("%s: no CM REQ: %" PRIu32 " of %" PRIu32 " %s IPv6: expected RoCEv2 over "
                  "IPv4",
                  path, trace->ipv6, trace->frames,
                  plural(trace->frames, "frame is", "frames are"));
    else if (trace->frames > 0 && trace->others == trace->frames)
        cli_error("%s: none of %" PRIu32
                  " %s is RoCE, NVMe/TCP or iSCSI, whose packets and PDUs can be compared",
                  path, trace->frames, plural(trace->frames, "frame", "frames"));
    else
        cli_error("%s: no CM REQ: expected a capture that starts before the first connection",
                  path);
}

static struct wire_trace *read_trace(const char *path)
{
    char why[CAPTURE_WHY_BYTES];
    struct capture *capture = capture_open(path, why);
    struct wire_trace *trace = capture == NULL ? NULL : wire_trace_read(capture, why);
    if (trace == NULL)
        cli_error("%s", why);
    if (trace != NULL && trace->note[0] != '\0')
        fprintf(stderr, "note: %s\n", trace->note);
    if (trace != NULL && trace->connection_count == 0) {
        tell_no_connection(trace, path);
        wire_trace_free(trace);
        trace = NULL;
    }
    return trace;
}

static int compare(const struct wire_trace *const traces[2], const char *const names[2],
                   enum wire_form form)
{
    struct wire_comparison comparison = wire_compare(traces, names);
    if (form == WIRE_JSON)
        wire_compare_json(&comparison, stdout);
    else if (form == WIRE_CSV)
        wire_compare_csv(&comparison, stdout);
    else
        wire_compare_text(&comparison, stdout);
    const bool equal = wire_compare_equal(&comparison);
    wire_compare_fini(&comparison);
    return equal ? CLI_DONE : CLI_BROKEN;
}

int compare_wire(const char *a, const char *b, enum wire_form form)
{
    int code = CLI_USAGE;
    struct wire_trace *first = read_trace(a);
    struct wire_trace *second = first == NULL || b == NULL ? NULL : read_trace(b);
    if (first != NULL && b == NULL) {
        wire_trace_print(first, stdout);
        code = CLI_DONE;
    } else if (first != NULL && second != NULL) {
        code = compare((const struct wire_trace *const[]){first, second},
                       (const char *const[]){a, b}, form);
    }
    wire_trace_free(first);
    wire_trace_free(second);
    return code;
}
