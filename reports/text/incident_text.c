/* SPDX-License-Identifier: Apache-2.0
 * incident_text - compares an incident's counters with a run's, as text and JSON. */
#include "reports/text/incident_text.h"

#include "base/plural.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ROWS = 30, SHOWN_NAMES = 8, NAME_WIDTH = 30 };

static bool agrees(const struct incident_row *row)
{
    return row->orders == 0 && !row->one_sided;
}

static void verdict(const struct incident_row *row, char *text, size_t size)
{
    const int orders = abs(row->orders);
    if (row->one_sided)
        snprintf(text, size,
                 row->expected < (double)row->replay ? "counted only in the replay"
                                                     : "counted only in the incident");
    else if (orders == 0)
        snprintf(text, size, "within a factor of 10");
    else
        snprintf(text, size, "replay %d order%s of magnitude %s", orders, plural(orders, "", "s"),
                 row->orders > 0 ? "higher" : "lower");
}

static void ratio(const struct incident_row *row, char *text, size_t size)
{
    if (row->expected > 0)
        snprintf(text, size, "%.3g", (double)row->replay / row->expected);
    else
        snprintf(text, size, "-");
}

static int widest_port(const struct incident_diff *diff)
{
    size_t widest = 4;
    for (size_t i = 0; i < diff->row_count; i++)
        if (strlen(diff->rows[i].port) > widest)
            widest = strlen(diff->rows[i].port);
    return (int)widest;
}

static void print_rows(const struct incident_diff *diff, bool all, FILE *out)
{
    const int width = widest_port(diff);
    size_t shown = 0;
    if (diff->row_count > 0)
        fprintf(out, "%-*s  %-*s %16s %16s %9s\n", width, "port", NAME_WIDTH, "counter",
                diff->scaled ? "incident, scaled" : "incident", "replay", "ratio");
    for (size_t i = 0; i < diff->row_count; i++) {
        const struct incident_row *row = &diff->rows[i];
        char words[48], quotient[24];
        if (!all && (agrees(row) || shown == SHOWN_ROWS))
            continue;
        shown++;
        verdict(row, words, sizeof words);
        ratio(row, quotient, sizeof quotient);
        fprintf(out, "%-*s  %-*s %16.0f %16" PRId64 " %9s  %s\n", width, row->port, NAME_WIDTH,
                row->name, row->expected, row->replay, quotient, words);
    }
    const size_t differ = diff->row_count - diff->agree;
    if (!all && differ > shown)
        fprintf(out, "... and %zu more that differ (--all lists them)\n", differ - shown);
}

static void print_left(const struct incident_diff *diff, bool all, enum incident_apart why,
                       const char *head, FILE *out)
{
    size_t count = 0;
    for (size_t i = 0; i < diff->left_count; i++) {
        const struct incident_left *left = &diff->left[i];
        if (left->why != why)
            continue;
        if (count == 0)
            fputs(head, out);
        if (all || count < SHOWN_NAMES)
            fprintf(out, "%s%s (%" PRIu32 " %s)", count == 0 ? " " : ", ", left->name, left->count,
                    why == INCIDENT_NO_PORT ? plural(left->count, "counter", "counters")
                                            : plural(left->count, "port", "ports"));
        count++;
    }
    if (!all && count > SHOWN_NAMES)
        fprintf(out, " and %zu more (--all lists them)", count - SHOWN_NAMES);
    if (count > 0)
        fputc('\n', out);
}

/* The score says which of several runs agrees best, also where none or all of the counters differ
 * by an order of magnitude. */
static void print_score(const struct incident_diff *diff, FILE *out)
{
    if (diff->row_count == 0)
        return;
    fprintf(out,
            "score %.1f (0: all counters agree; of several runs, the one with the highest score "
            "explains the incident best)\n",
            diff->score < -0.05 ? diff->score : 0.0);
    if (!diff->scaled)
        fprintf(out,
                "the score scales the counters of the incident by %.3g; this factor is fitted, "
                "because --lasted is not given\n",
                diff->scale);
}

void incident_text(const struct incident_diff *diff, bool all, FILE *out)
{
    print_rows(diff, all, out);
    fprintf(out,
            "%s%zu %s of %" PRIu32 " %s compared: %" PRIu32 " within a factor of 10, %zu not\n",
            diff->row_count > 0 ? "\n" : "", diff->row_count,
            plural(diff->row_count, "counter", "counters"), diff->ports,
            plural(diff->ports, "port", "ports"), diff->agree, diff->row_count - diff->agree);
    print_score(diff, out);
    if (incident_diff_is_empty(diff))
        fprintf(out,
                "nothing was compared: %s; --map PORT=NODE:pN maps a port to a port of the run\n",
                diff->ports == 0 ? "no port of the incident has counters in the run"
                                 : "the run has none of the counters that changed in the incident");
    print_left(diff, all, INCIDENT_NO_PORT,
               "not compared, because the run has no such port (--map NAME=NODE:pN maps it):", out);
    print_left(diff, all, INCIDENT_NO_COUNTER,
               "not compared, because the run has no such counter:", out);
}

/* Logarithms differ in the last digits between C libraries. */
static void json_score(double score, bool known, FILE *out)
{
    json_real(out, !known ? NAN : score < -0.0005 ? round(score * 1000) / 1000 : 0.0);
}

static void json_row(const struct incident_row *row, bool first, FILE *out)
{
    fputs(first ? "\n  {\"port\": " : ",\n  {\"port\": ", out);
    json_string(out, row->port);
    fputs(", \"run_port\": ", out);
    json_string(out, row->run_port);
    fputs(", \"name\": ", out);
    json_string(out, row->name);
    fprintf(out, ", \"unit\": \"%s\", \"incident\": %" PRId64 ", \"expected\": ", row->unit,
            row->incident);
    json_real(out, row->expected);
    fprintf(out, ", \"replay\": %" PRId64 ", \"ratio\": ", row->replay);
    json_real(out, row->expected > 0 ? (double)row->replay / row->expected : NAN);
    fputs(", \"score\": ", out);
    json_score(row->score, !row->is_peak, out);
    fprintf(out, ", \"orders\": %d, \"one_sided\": %s, \"agrees\": %s}", row->orders,
            row->one_sided ? "true" : "false", agrees(row) ? "true" : "false");
}

static void json_left(const struct incident_diff *diff, enum incident_apart why, const char *key,
                      FILE *out)
{
    bool first = true;
    fprintf(out, ", \"%s\": [", key);
    for (size_t i = 0; i < diff->left_count; i++) {
        if (diff->left[i].why != why)
            continue;
        fputs(first ? "\n  {\"name\": " : ",\n  {\"name\": ", out);
        json_string(out, diff->left[i].name);
        fprintf(out, ", \"count\": %" PRIu32 "}", diff->left[i].count);
        first = false;
    }
    fputc(']', out);
}

void incident_json(const struct incident_diff *diff, FILE *out)
{
    json_open(out);
    fprintf(out,
            "\"compared\": %zu, \"ports\": %" PRIu32 ", \"agree\": %" PRIu32
            ", \"scaled\": %s, \"score\": ",
            diff->row_count, diff->ports, diff->agree, diff->scaled ? "true" : "false");
    json_score(diff->score, diff->row_count > 0, out);
    fprintf(out, ", \"scale\": %.6g, \"counters\": [", diff->scale);
    for (size_t i = 0; i < diff->row_count; i++)
        json_row(&diff->rows[i], i == 0, out);
    fputc(']', out);
    json_left(diff, INCIDENT_NO_PORT, "ports_not_mapped", out);
    json_left(diff, INCIDENT_NO_COUNTER, "counters_not_known", out);
    fputs("}\n", out);
}

void incident_csv(const struct incident_diff *diff, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out,
              "port,run_port,name,unit,incident,expected,replay,ratio,orders,one_sided,agrees");
    for (size_t i = 0; i < diff->row_count; i++) {
        const struct incident_row *row = &diff->rows[i];
        csv_text(&csv, row->port);
        csv_text(&csv, row->run_port);
        csv_text(&csv, row->name);
        csv_text(&csv, row->unit);
        csv_integer(&csv, row->incident);
        csv_real(&csv, row->expected);
        csv_integer(&csv, row->replay);
        csv_real(&csv, row->expected > 0 ? (double)row->replay / row->expected : (double)NAN);
        csv_integer(&csv, row->orders);
        csv_boolean(&csv, row->one_sided);
        csv_boolean(&csv, agrees(row));
        csv_end_row(&csv);
    }
}
