/* SPDX-License-Identifier: Apache-2.0
 * htsim - reads fat trees and connection matrices of htsim, line by line. */
#include "scenarios/import/htsim.h"

#include "scenarios/format/lines.h"
#include "scenarios/import/flows.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 32, SWITCH_NODES_MAX = 1024 };

struct reading {
    struct cabling *cabling;
    struct lines lines;
    struct htsim_tree *tree;
    int64_t tier;  /* tier of the current lines; -1: none */
    int64_t nodes; /* nodes in the matrix */
    const char *words[WORDS_MAX];
    size_t lengths[WORDS_MAX];
    int count;
    int triggers, priorities; /* number of flows with a trigger, with a priority */
};

static void split_words(struct reading *reading)
{
    const char *at = reading->lines.text;
    reading->count = 0;
    while (reading->count < WORDS_MAX) {
        at += strspn(at, " \t\r");
        const size_t length = strcspn(at, " \t\r");
        if (length == 0 || (reading->count == 0 && *at == '#'))
            return;
        reading->words[reading->count] = at;
        reading->lengths[reading->count++] = length;
        at += length;
    }
}

static bool report_error(const struct reading *reading, int word, const char *what)
{
    const bool there = word < reading->count;
    const char *at =
        there ? reading->words[word] : reading->lines.text + strlen(reading->lines.text);
    diag_add(reading->cabling->diag, DIAG_ERROR,
             lines_place(&reading->lines, at, there ? reading->lengths[word] : 1),
             reading->lines.text, "expected %s", what);
    return false;
}

static bool is_word(const struct reading *reading, int word, const char *text)
{
    return word < reading->count && strlen(text) == reading->lengths[word] &&
           strncasecmp(reading->words[word], text, reading->lengths[word]) == 0;
}

/* Reads a number; a fraction is ignored, as in htsim. */
static bool number_at(const struct reading *reading, int word, int64_t most, const char *what,
                      int64_t *number)
{
    if (word >= reading->count)
        return report_error(reading, word, what);
    const char *text = reading->words[word];
    const size_t length = reading->lengths[word], digits = strspn(text, "0123456789");
    size_t end = digits;
    if (end < length && text[end] == '.')
        end += 1 + strspn(text + end + 1, "0123456789");
    if (digits == 0 || digits > 18 || end != length)
        return report_error(reading, word, what);
    *number = strtoll(text, NULL, 10);
    return *number <= most || report_error(reading, word, what);
}

/* ------------------------------------------------------------------ the tree */

static const struct {
    const char *word;
    size_t offset; /* offset in struct htsim_tier */
    int64_t most;
    const char *what;
} htsim_rows[] = {
#define ROW(word, member, most, what)                                                              \
    {                                                                                              \
        word, offsetof(struct htsim_tier, member), most, what                                      \
    }
    ROW("Downlink_speed_Gbps", rate_gbps, 10000, "a rate in Gb/s, at most 10000"),
    ROW("Radix_Down", radix_down, 1024, "a number of ports, at most 1024"),
    ROW("Radix_Up", radix_up, 1024, "a number of ports, at most 1024"),
    ROW("Downlink_Latency_ns", latency_ns, 1000000000, "a time in ns, at most 1 s"),
    ROW("Switch_Latency_ns", switch_ns, 100000, "a time in ns, at most 100 us"),
    ROW("Oversubscribed", oversubscribed, 1024, "a ratio, at most 1024"),
    ROW("Bundle", bundle, 1024, "a number of cables, at most 1024"),
#undef ROW
};

static void note_row(const struct reading *reading)
{
    notes_add(&reading->cabling->notes, lines_place(&reading->lines, reading->words[0], 1),
              "%s has no counterpart", notes_clean(reading->cabling->arena, reading->lines.text));
}

static bool take_tier(struct reading *reading)
{
    if (!number_at(reading, 1, HTSIM_TIERS - 1, "the number of a tier, from 0 to 2",
                   &reading->tier))
        return false;
    reading->tree->tier[reading->tier] = (struct htsim_tier){.bundle = 1, .there = true};
    return true;
}

static bool take_row(struct reading *reading)
{
    for (size_t i = 0; i < sizeof htsim_rows / sizeof htsim_rows[0]; i++) {
        if (!is_word(reading, 0, htsim_rows[i].word))
            continue;
        if (reading->tier < 0)
            return report_error(reading, 0, "a line Tier N before the settings of a tier");
        char *tier = (char *)&reading->tree->tier[reading->tier];
        return number_at(reading, 1, htsim_rows[i].most, htsim_rows[i].what,
                         (int64_t *)(void *)(tier + htsim_rows[i].offset));
    }
    note_row(reading);
    return true;
}

static bool take_tree_line(struct reading *reading)
{
    struct htsim_tree *tree = reading->tree;
    if (is_word(reading, 0, "Nodes"))
        return number_at(reading, 1, CABLING_NODES_MAX, "a number of hosts, at most 50000",
                         &tree->nodes);
    if (is_word(reading, 0, "Tiers"))
        return (number_at(reading, 1, HTSIM_TIERS, "2 or 3 tiers", &tree->tiers) &&
                tree->tiers >= 2) ||
               (!diag_failed(reading->cabling->diag) && report_error(reading, 1, "2 or 3 tiers"));
    if (is_word(reading, 0, "Podsize"))
        return number_at(reading, 1, CABLING_NODES_MAX, "the hosts of a pod, at most 50000",
                         &tree->pod);
    return is_word(reading, 0, "Tier") ? take_tier(reading) : take_row(reading);
}

static bool missing(const struct reading *reading, const char *what)
{
    diag_add(reading->cabling->diag, DIAG_ERROR, reading->tree->place, NULL, "expected %s", what);
    return false;
}

static bool is_whole(const struct reading *reading)
{
    const struct htsim_tree *tree = reading->tree;
    if (tree->nodes == 0 || tree->tiers == 0)
        return missing(reading, "Nodes and Tiers, each above 0");
    for (int64_t i = 0; i < tree->tiers; i++) {
        const struct htsim_tier *tier = &tree->tier[i];
        if (!tier->there || tier->rate_gbps == 0 || tier->radix_down == 0 ||
            tier->latency_ns == 0 || tier->bundle == 0 ||
            (i + 1 < tree->tiers && tier->radix_up == 0))
            return missing(reading, "for each tier Downlink_speed_Gbps, Radix_Down, Radix_Up (not "
                                    "for the last tier) and Downlink_Latency_ns, above 0");
    }
    return true;
}

/* A scenario has one latency for all switches, so all tiers must have the same. */
static void take_latency(struct reading *reading)
{
    const struct htsim_tree *tree = reading->tree;
    int64_t most = 0;
    bool same = true;
    for (int64_t i = 0; i < tree->tiers; i++) {
        same &= tree->tier[i].switch_ns == tree->tier[0].switch_ns;
        most = tree->tier[i].switch_ns > most ? tree->tier[i].switch_ns : most;
    }
    reading->cabling->switch_latency = arena_format(reading->cabling->arena, "%" PRId64 "ns", most);
    if (!same)
        notes_add(
            &reading->cabling->notes, tree->place,
            "Switch_Latency_ns differs between tiers: all switches have the greatest, %" PRId64
            " ns",
            most);
}

/* Default of Podsize: all hosts for two tiers, else the hosts below one agg switch. */
static void choose_pod(struct htsim_tree *tree)
{
    if (tree->pod == 0)
        tree->pod = tree->tiers == 2 ? tree->nodes
                                     : tree->tier[0].radix_down * tree->tier[1].radix_down /
                                           tree->tier[1].bundle;
}

static bool read_tree(struct reading *reading)
{
    reading->tier = -1;
    while (lines_next(&reading->lines, reading->cabling->arena)) {
        split_words(reading);
        if (reading->count > 0 && !take_tree_line(reading))
            return false;
    }
    if (!is_whole(reading))
        return false;
    choose_pod(reading->tree);
    take_latency(reading);
    return htsim_build(reading->cabling, reading->tree);
}

/* ------------------------------------------------------------------ the matrix */

/* A matrix without a tree: all hosts are at one switch. */
static bool make_switch(struct reading *reading)
{
    struct cabling *cabling = reading->cabling;
    const struct diag_place place = lines_place(&reading->lines, reading->lines.text, 1);
    if (reading->nodes > SWITCH_NODES_MAX)
        return report_error(reading, 0,
                            "a topology (.topo) beside a matrix of more than 1024 nodes");
    notes_add(&cabling->notes, place,
              "without a topology (.topo) the hosts are at one switch, with links of 100 Gb/s");
    struct cabling_node *middle = cabling_node(cabling, "switch0", place);
    middle->role = CABLING_SWITCH;
    middle->why = "there is no topology";
    for (int64_t i = 0; i < reading->nodes; i++) {
        struct cabling_node *host =
            cabling_node(cabling, arena_format(cabling->arena, "host%" PRId64, i), place);
        struct cabling_link *link = cabling_link(cabling, place);
        if (host == NULL || link == NULL)
            return false;
        host->role = CABLING_HOST;
        host->why = "they are the matrix's nodes";
        link->ends[0].node = host;
        link->ends[1].node = middle;
    }
    return true;
}

/* Reads "0->7". */
static bool ends_of(const struct reading *reading, struct cabling_flow *flow)
{
    static const char what[] = "FROM->TO with two numbers below Nodes, such as 0->7";
    const char *text = reading->words[0], *arrow = strstr(text, "->");
    const char *numbers[2] = {text, arrow + 2};
    struct cabling_node *nodes[2];
    for (int i = 0; i < 2; i++) {
        const size_t digits = strspn(numbers[i], "0123456789");
        const int64_t number = digits > 0 && digits < 10 ? strtoll(numbers[i], NULL, 10) : -1;
        char name[32];
        snprintf(name, sizeof name, "host%" PRId64, number);
        nodes[i] = cabling_find(reading->cabling, name);
        if (number < 0 || number >= reading->nodes || nodes[i] == NULL)
            return report_error(reading, 0, what);
    }
    flow->from = nodes[0];
    flow->to = nodes[1];
    return true;
}

static bool take_options(struct reading *reading, struct cabling_flow *flow, bool *triggered)
{
    int64_t ignored = 0;
    flow->start = -1;
    for (int i = 1; i < reading->count; i++) {
        bool fine = true;
        if (is_word(reading, i, "start"))
            fine =
                number_at(reading, ++i, INT64_C(100000000000000000), "a start in ps", &flow->start);
        else if (is_word(reading, i, "size"))
            fine = number_at(reading, ++i, INT64_C(1) << 50, "a size in bytes", &flow->bytes);
        else if (is_word(reading, i, "trigger"))
            fine = *triggered = number_at(reading, ++i, INT32_MAX, "a trigger's number", &ignored);
        else if (is_word(reading, i, "prio")) {
            fine = number_at(reading, ++i, INT32_MAX, "a priority", &ignored);
            reading->priorities++;
        } else if (is_word(reading, i, "id") || is_word(reading, i, "send_done_trigger") ||
                   is_word(reading, i, "recv_done_trigger"))
            fine = number_at(reading, ++i, INT32_MAX, "a number", &ignored);
        else if (!is_word(reading, i, "addon"))
            fine = report_error(reading, i,
                                "start, size, id, prio, trigger, send_done_trigger, "
                                "recv_done_trigger or addon");
        if (!fine)
            return false;
    }
    return flow->start >= 0 || *triggered ||
           report_error(reading, reading->count, "start with a time in ps");
}

static bool take_connection(struct reading *reading)
{
    struct cabling_flow flow = {0};
    bool triggered = false;
    if (reading->nodes == 0)
        return report_error(reading, 0, "Nodes before the first connection");
    if (reading->cabling->node_count == 0 && !make_switch(reading))
        return false;
    if (!ends_of(reading, &flow) || !take_options(reading, &flow, &triggered))
        return false;
    flow.place = lines_place(&reading->lines, reading->words[0], reading->lengths[0]);
    if (triggered) {
        if (reading->triggers++ == 0)
            notes_add(&reading->cabling->notes, flow.place,
                      "flows that a trigger starts are left out: a scenario starts workloads at a "
                      "time");
        return true;
    }
    return flows_add(reading->cabling, flow);
}

static bool take_matrix_line(struct reading *reading)
{
    int64_t ignored = 0;
    if (is_word(reading, 0, "Nodes"))
        return number_at(reading, 1, CABLING_NODES_MAX, "a number of hosts, at most 50000",
                         &reading->nodes);
    if (is_word(reading, 0, "Connections") || is_word(reading, 0, "Triggers") ||
        is_word(reading, 0, "Failures"))
        return number_at(reading, 1, INT32_MAX, "a number", &ignored);
    if (is_word(reading, 0, "trigger"))
        return true; /* triggers of flows that are left out */
    if (is_word(reading, 0, "failure")) {
        note_row(reading);
        return true;
    }
    const char *arrow = strstr(reading->words[0], "->");
    if (arrow == NULL || arrow >= reading->words[0] + reading->lengths[0])
        return report_error(reading, 0,
                            "Nodes, Connections, or a connection such as 0->7 start 0 size "
                            "2000000");
    return take_connection(reading);
}

static bool read_matrix(struct reading *reading)
{
    while (lines_next(&reading->lines, reading->cabling->arena)) {
        split_words(reading);
        if (reading->count > 0 && !take_matrix_line(reading))
            return false;
    }
    if (reading->priorities > 0)
        notes_add(&reading->cabling->notes, lines_place(&reading->lines, reading->lines.text, 1),
                  "priorities of flows are not imported: all flows have the class of RoCE");
    return true;
}

/* ------------------------------------------------------------------ files */

static bool is_tree(const struct tree_file *file)
{
    return strstr(file->text, "Tiers") != NULL || strstr(file->text, "tiers") != NULL;
}

bool htsim_read(struct cabling *cabling)
{
    struct htsim_tree *tree = arena_take(cabling->arena, sizeof *tree);
    size_t trees = 0;
    for (int pass = 0; pass < 2; pass++) /* trees before matrices */
        for (size_t i = 0; i < cabling->file_count; i++) {
            const struct tree_file *file = cabling->files[i];
            if (is_tree(file) != (pass == 0))
                continue;
            *tree = (struct htsim_tree){
                .place = {.file = file->name, .line = 1, .column = 1, .width = 1}};
            struct reading reading = {
                .cabling = cabling, .lines = {.file = file}, .tree = tree, .tier = -1};
            if (pass == 0 && trees++ > 0)
                return missing(&reading, "one topology (.topo)");
            if (!(pass == 0 ? read_tree(&reading) : read_matrix(&reading)))
                return false;
        }
    return true;
}
