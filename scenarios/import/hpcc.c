/* SPDX-License-Identifier: Apache-2.0
 * hpcc - topology, flow and config files of the HPCC simulator. */
#include "scenarios/import/hpcc.h"

#include "base/quantity.h"
#include "base/units.h"
#include "net/port/port.h"
#include "scenarios/import/flows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_BYTES = 64, PRIORITY = 3 };

/* Words of the file, split as by an istream. */
struct scan {
    struct cabling *cabling;
    const struct tree_file *file;
    const char *at;
    const char *line_start;
    int line;
    char token[TOKEN_BYTES];
    struct diag_place place; /* place of the token */
};

static struct scan scan_of(struct cabling *cabling, const struct tree_file *file)
{
    return (struct scan){
        .cabling = cabling, .file = file, .at = file->text, .line_start = file->text, .line = 1};
}

static void skip_blanks(struct scan *scan)
{
    for (; *scan->at != '\0' && strchr(" \t\r\n\v\f", *scan->at) != NULL; scan->at++)
        if (*scan->at == '\n') {
            scan->line++;
            scan->line_start = scan->at + 1;
        }
}

static bool expected(const struct scan *scan, const char *what)
{
    diag_add(scan->cabling->diag, DIAG_ERROR, scan->place, tree_line(scan->file, scan->line),
             "expected %s%s%s%s", what, scan->token[0] != '\0' ? ", not '" : ": the file ends here",
             notes_clean(scan->cabling->arena, scan->token), scan->token[0] != '\0' ? "'" : "");
    return false;
}

static bool next_token(struct scan *scan, const char *what)
{
    skip_blanks(scan);
    const size_t length = strcspn(scan->at, " \t\r\n\v\f");
    scan->place =
        (struct diag_place){scan->file->name, scan->line, (int)(scan->at - scan->line_start) + 1,
                            length > 0 ? (int)length : 1};
    snprintf(scan->token, sizeof scan->token, "%.*s",
             (int)(length < TOKEN_BYTES ? length : TOKEN_BYTES - 1), scan->at);
    scan->at += length;
    return length > 0 && length < TOKEN_BYTES ? true : expected(scan, what);
}

static bool next_number(struct scan *scan, int64_t most, const char *what, int64_t *number)
{
    if (!next_token(scan, what))
        return false;
    const size_t digits = strspn(scan->token, "0123456789");
    *number = strtoll(scan->token, NULL, 10);
    if (digits > 0 && digits < 19 && scan->token[digits] == '\0' && *number <= most)
        return true;
    return expected(scan, what);
}

static bool next_node(struct scan *scan, struct cabling_node **node)
{
    struct cabling *cabling = scan->cabling;
    int64_t number = 0;
    const int64_t last = (int64_t)cabling->node_count - 1;
    if (!next_number(scan, last, "the number of a node, below the number of nodes", &number))
        return false;
    *node = cabling->nodes[number];
    return true;
}

/* ------------------------------------------------------------------ topology */

static bool make_nodes(struct scan *scan, int64_t nodes, int64_t switches)
{
    struct cabling *cabling = scan->cabling;
    int64_t *numbers = arena_array(cabling->arena, (size_t)switches, sizeof *numbers);
    bool *is_switch = arena_array(cabling->arena, (size_t)nodes, sizeof *is_switch);
    for (int64_t i = 0; i < nodes; i++)
        is_switch[i] = false;
    for (int64_t i = 0; i < switches; i++) {
        if (!next_number(scan, nodes - 1, "the number of a switch, below the number of nodes",
                         &numbers[i]))
            return false;
        is_switch[numbers[i]] = true;
    }
    for (int64_t i = 0; i < nodes; i++) {
        const char *name =
            arena_format(cabling->arena, "%s%" PRId64, is_switch[i] ? "switch" : "host", i);
        struct cabling_node *node = cabling_node(cabling, name, scan->place);
        if (node == NULL)
            return false;
        node->role = is_switch[i] ? CABLING_SWITCH : CABLING_HOST;
        node->why = is_switch[i] ? "the file lists them as switches"
                                 : "the file does not list them as switches";
    }
    return true;
}

/* ns-3 writes Gbps and Gb/s; a number without a unit is in bits per second. */
static const char *rate_text(struct scan *scan)
{
    char text[TOKEN_BYTES + 8];
    const size_t digits = strspn(scan->token, "0123456789.");
    const char *unit = scan->token + digits;
    const char *slash = strstr(unit, "b/s");
    if (slash != NULL)
        snprintf(text, sizeof text, "%.*s%.*sbps", (int)digits, scan->token, (int)(slash - unit),
                 unit);
    else
        snprintf(text, sizeof text, "%.*s%s", (int)digits, scan->token,
                 *unit == '\0' ? "bps" : unit);
    return arena_text(scan->cabling->arena, text, strlen(text));
}

static bool set(struct scan *scan, struct cabling_link *link, const char *name, const char *text)
{
    return cabling_set(scan->cabling, link, (struct cabling_value){name, text, scan->place});
}

/* Reads a time in ns-3's notation, such as 1us or 0.001ms; without a unit, in seconds. */
static bool next_delay(struct scan *scan, struct cabling_link *link)
{
    if (!next_token(scan, "the delay of the link, such as 1us"))
        return false;
    const size_t digits = strspn(scan->token, "0123456789.");
    const char *text = scan->token[digits] == '\0'
                           ? arena_format(scan->cabling->arena, "%ss", scan->token)
                           : arena_text(scan->cabling->arena, scan->token, strlen(scan->token));
    char why[OPT_WHY_BYTES];
    int64_t delay = 0;
    if (!opt_parse(opt_find(port_opts, "delay"), text, &delay, why))
        return expected(scan, "the delay of the link, such as 1us");
    /* Links have a default cable length. If the file gives the delay, set the length to 0 so that
     * the cable adds nothing. */
    return set(scan, link, "delay", text) && (delay == 0 || set(scan, link, "length", "0m"));
}

static bool next_errors(struct scan *scan, bool *noted)
{
    char *end = NULL;
    if (!next_token(scan, "the error rate of the link, such as 0"))
        return false;
    const bool fine = strspn(scan->token, "0123456789.eE+-") == strlen(scan->token);
    if (!fine || strpbrk(scan->token, "123456789") == NULL || *noted) {
        strtoll(scan->token, &end, 10);
        return fine && end != scan->token ? true : expected(scan, "the error rate of the link");
    }
    notes_add(&scan->cabling->notes, scan->place,
              "error rates of links are not imported: use a fault of kind random-loss");
    *noted = true;
    return true;
}

static bool read_link(struct scan *scan, bool *noted)
{
    struct cabling_node *ends[2];
    if (!next_node(scan, &ends[0]))
        return false;
    const struct diag_place place = scan->place;
    if (!next_node(scan, &ends[1]))
        return false;
    struct cabling_link *link = cabling_link(scan->cabling, place);
    if (link == NULL)
        return false;
    for (int i = 0; i < 2; i++)
        link->ends[i].node = ends[i];
    return next_token(scan, "the rate of the link, such as 100Gbps") &&
           set(scan, link, "rate", rate_text(scan)) && next_delay(scan, link) &&
           next_errors(scan, noted);
}

static bool read_topology(struct scan *scan)
{
    int64_t nodes = 0, switches = 0, links = 0;
    bool noted = false;
    if (!next_number(scan, CABLING_NODES_MAX, "the number of nodes, at most 50000", &nodes) ||
        !next_number(scan, nodes, "the number of switches, at most that of nodes", &switches) ||
        !next_number(scan, CABLING_LINKS_MAX, "the number of links, at most 100000", &links) ||
        !make_nodes(scan, nodes, switches))
        return false;
    for (int64_t i = 0; i < links; i++)
        if (!read_link(scan, &noted))
            return false;
    return true;
}

/* ------------------------------------------------------------------ flows */

static bool next_start(struct scan *scan, int64_t *ps)
{
    static const char what[] = "the start of the flow in seconds, at most 100000";
    if (!next_token(scan, what))
        return false;
    const char *text = arena_format(scan->cabling->arena, "%ss", scan->token);
    static const struct opt row = {
        .name = "start", .type = OPT_TIME, .min = "0s", .max = "100000s"};
    char why[OPT_WHY_BYTES];
    return opt_parse(&row, text, ps, why) ? true : expected(scan, what);
}

static bool read_flow(struct scan *scan, bool *noted)
{
    struct cabling_flow flow = {0};
    int64_t priority = 0, port = 0;
    if (!next_node(scan, &flow.from))
        return false;
    flow.place = scan->place;
    if (!next_node(scan, &flow.to) ||
        !next_number(scan, 7, "the priority of the flow, from 0 to 7", &priority))
        return false;
    if (priority != PRIORITY && !*noted) {
        notes_add(&scan->cabling->notes, scan->place,
                  "priorities of flows other than 3 are not imported: all flows have the class of "
                  "RoCE");
        *noted = true;
    }
    if (!next_number(scan, UINT32_MAX, "the destination port of the flow", &port) ||
        !next_number(scan, INT64_C(1) << 50, "the bytes of the flow", &flow.bytes) ||
        !next_start(scan, &flow.start))
        return false;
    if (flow.bytes == 0)
        notes_add(&scan->cabling->notes, flow.place, "the flow has no bytes: it is left out");
    return flow.bytes == 0 || flows_add(scan->cabling, flow);
}

static bool read_flows(struct scan *scan)
{
    int64_t flows = 0;
    bool noted = false;
    if (!next_number(scan, INT32_MAX, "the number of flows", &flows))
        return false;
    if (flows > FLOWS_MAX)
        notes_add(&scan->cabling->notes, scan->place,
                  "flows of the file: %" PRId64 "; the first %d are imported", flows, FLOWS_MAX);
    for (int64_t i = 0; i < flows && i < FLOWS_MAX; i++)
        if (!read_flow(scan, &noted))
            return false;
    return true;
}

/* ------------------------------------------------------------------ config */

/* CC_MODE in third.cc. */
static const struct {
    const char *mode, *name;
} algorithms[] = {{"1", "dcqcn"}, {"3", "hpcc"}};

static void take_algorithm(struct scan *scan)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        if (strcmp(scan->token, algorithms[i].mode) == 0)
            scan->cabling->congestion_control = algorithms[i].name;
    if (scan->cabling->congestion_control == NULL)
        notes_add(&scan->cabling->notes, scan->place, "CC_MODE %s has no counterpart",
                  notes_clean(scan->cabling->arena, scan->token));
}

static bool take_key(struct scan *scan, const char *key)
{
    int64_t number = 0;
    if (strcmp(key, "CC_MODE") == 0 && next_token(scan, "a number")) {
        take_algorithm(scan);
        return true;
    }
    if (strcmp(key, "PACKET_PAYLOAD_SIZE") == 0)
        return next_number(scan, 9000, "the payload of a packet, at most 9000", &number) &&
               ((scan->cabling->packet_bytes = number) > 0 || expected(scan, "a number above 0"));
    if (strcmp(key, "BUFFER_SIZE") == 0 &&
        next_number(scan, 1 << 20, "the buffer of a switch in MB", &number)) {
        scan->cabling->buffer_mib = number;
        return true;
    }
    notes_add(&scan->cabling->notes, scan->place, "%s is not imported",
              notes_clean(scan->cabling->arena, key));
    return !diag_failed(scan->cabling->diag);
}

static bool read_config(struct scan *scan)
{
    for (skip_blanks(scan); *scan->at != '\0'; skip_blanks(scan)) {
        char key[TOKEN_BYTES];
        if (!next_token(scan, "a key"))
            return false;
        memcpy(key, scan->token, sizeof key);
        if (!take_key(scan, key))
            return false;
        scan->at += strcspn(scan->at, "\n");
    }
    return true;
}

/* ------------------------------------------------------------------ files */

/* A config begins with a word, a flow file with a line of one number. */
static bool is_config(const struct tree_file *file)
{
    const char first = file->text[strspn(file->text, " \t\r\n")];
    return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
}

bool hpcc_read(struct cabling *cabling)
{
    cabling->switch_latency = "0ns"; /* the simulator's switches forward without delay */
    cabling->packet_bytes = 1000;    /* its default PACKET_PAYLOAD_SIZE */
    for (size_t i = 0; i < cabling->file_count; i++) {
        struct scan scan = scan_of(cabling, cabling->files[i]);
        const bool fine = i == 0                         ? read_topology(&scan)
                          : is_config(cabling->files[i]) ? read_config(&scan)
                                                         : read_flows(&scan);
        if (!fine)
            return false;
    }
    return true;
}
