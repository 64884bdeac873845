/* SPDX-License-Identifier: Apache-2.0
 * triage_json - the suspects of an incident as one object, its counters as diff reads them, and
 * the first suspect as a fault of a scenario. */
#include "reports/incident/fit_text.h"
#include "reports/incident/triage_text.h"
#include "reports/text/csv.h"
#include "reports/text/json_members.h"

#include <inttypes.h>
#include <string.h>

static void put_signs(struct json *json, const char *list, const struct triage_sign *signs,
                      size_t count)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, list, count)
    {
        json_text_or_null(json, json_member(path, list, i, "file"), signs[i].place.file);
        json_integer(json, json_member(path, list, i, "line"), signs[i].place.line);
        json_text(json, json_member(path, list, i, "text"), signs[i].text);
    }
}

void triage_suspect_json(const struct triage_suspect *suspect, const char *list, size_t index,
                         struct json *json)
{
    char path[JSON_PATH_BYTES];
    const struct suspect_about *about = &suspects_about[suspect->kind];
    json_text(json, json_member(path, list, index, "kind"), about->name);
    json_text(json, json_member(path, list, index, "about"), about->about);
    json_boolean(json, json_member(path, list, index, "fault"), about->is_fault);
    json_text(json, json_member(path, list, index, "device"), suspect->device);
    json_text_or_null(json, json_member(path, list, index, "port"), suspect->port);
    json_text_or_null(json, json_member(path, list, index, "peer"), suspect->peer);
    json_text_or_null(json, json_member(path, list, index, "peer_port"), suspect->peer_port);
    json_text_or_null(json, json_member(path, list, index, "since"), suspect->since);
    json_number(json, json_member(path, list, index, "score"), suspect->score);
    json_boolean(json, json_member(path, list, index, "confirmed"), false);
    put_signs(json, json_member(path, list, index, "for"), suspect->signs, suspect->sign_count);
    put_signs(json, json_member(path, list, index, "against"), suspect->against,
              suspect->against_count);
}

static void put_suspects(struct json *json, const struct triage *triage)
{
    JSON_EACH(json, "suspects", triage->suspect_count)
    triage_suspect_json(&triage->suspects[i], "suspects", i, json);
}

static void put_pauses(struct json *json, const struct triage *triage)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, "pauses", triage->pause_count)
    {
        const struct triage_pause *pause = &triage->pauses[i];
        json_text_or_null(json, json_member(path, "pauses", i, "from"), pause->from);
        json_text_or_null(json, json_member(path, "pauses", i, "from_port"), pause->from_port);
        json_text_or_null(json, json_member(path, "pauses", i, "to"), pause->to);
        json_text_or_null(json, json_member(path, "pauses", i, "to_port"), pause->to_port);
        json_integer(json, json_member(path, "pauses", i, "frames"), pause->frames);
    }
}

static void put_files(struct json *json, const struct incident *incident)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, "files", incident->file_count)
    {
        const struct incident_file *file = &incident->files[i];
        json_text(json, json_member(path, "files", i, "name"), file->name);
        json_text_or_null(json, json_member(path, "files", i, "not_used"), file->left_out);
        json_integer(json, json_member(path, "files", i, "counters"), file->numbers);
        json_integer(json, json_member(path, "files", i, "cables"), file->cables);
        json_integer(json, json_member(path, "files", i, "log_lines"), file->log_lines);
        json_integer(json, json_member(path, "files", i, "messages"), file->events);
        json_boolean(json, json_member(path, "files", i, "configuration"),
                     file->is_configuration || file->outputs > 0);
        json_integer(json, json_member(path, "files", i, "unknown_lines"), file->lines_left);
        json_integer(json, json_member(path, "files", i, "first_unknown_line"),
                     file->first_left.line);
        json_integer(json, json_member(path, "files", i, "malformed_lines"), file->malformed);
        json_integer(json, json_member(path, "files", i, "first_malformed_line"),
                     file->first_malformed.line);
    }
}

static void put_events(struct json *json, const struct incident *incident)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, "messages", incident->event_count)
    {
        const struct incident_event *event = &incident->events[i];
        json_text(json, json_member(path, "messages", i, "kind"), incident_event_name(event->kind));
        json_text(json, json_member(path, "messages", i, "device"), event->host);
        json_text(json, json_member(path, "messages", i, "subject"), event->subject);
        json_text_or_null(json, json_member(path, "messages", i, "time"), event->when.text);
        json_text(json, json_member(path, "messages", i, "file"), event->place.file);
        json_integer(json, json_member(path, "messages", i, "line"), event->place.line);
    }
}

void triage_json(const struct triage *triage, const struct incident *incident,
                 const struct fit *fit, FILE *out)
{
    struct json json;
    char path[JSON_PATH_BYTES];
    json_begin(&json, out);
    json_text(&json, "verdict", triage_verdict_name(triage->verdict));
    if (fit != NULL)
        fit_json(fit, &json);
    put_suspects(&json, triage);
    put_pauses(&json, triage);
    put_signs(&json, "contradictions", triage->contradictions, triage->contradiction_count);
    JSON_EACH(&json, "unknown", triage->unknown_count)
    {
        snprintf(path, sizeof path, "unknown[%" PRIu32 "]", i);
        json_text(&json, path, triage->unknown[i]);
    }
    json_integer(&json, "cables", (int64_t)triage->cables);
    json_integer(&json, "cables_known", (int64_t)triage->cables_known);
    json_text_or_null(&json, "from", triage->from);
    json_text_or_null(&json, "to", triage->to);
    json_integer(&json, "seconds", triage->seconds);
    json_boolean(&json, "one_sample", triage->single);
    json_integer(&json, "unpaired", (int64_t)triage->unpaired);
    put_events(&json, incident);
    put_files(&json, incident);
    json_end(&json);
}

void triage_csv(const struct triage *triage, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "kind,device,port,peer,peer_port,since,score,fault,about");
    for (size_t i = 0; i < triage->suspect_count; i++) {
        const struct triage_suspect *suspect = &triage->suspects[i];
        csv_text(&csv, suspects_about[suspect->kind].name);
        csv_text(&csv, suspect->device);
        csv_text(&csv, suspect->port);
        csv_text(&csv, suspect->peer);
        csv_text(&csv, suspect->peer_port);
        csv_text(&csv, suspect->since);
        csv_real(&csv, suspect->score);
        csv_boolean(&csv, suspects_about[suspect->kind].is_fault);
        csv_text(&csv, suspects_about[suspect->kind].about);
        csv_end_row(&csv);
    }
}

/* ---- counters ---- */

static void put_counters(const struct incident *incident, bool moved, FILE *out)
{
    const char *between = "";
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_count *count = &incident->counts[i];
        if (!count->known || (count->difference != 0) != moved)
            continue;
        char port[256];
        snprintf(port, sizeof port, "%s%s%s", count->host, *count->port == '\0' ? "" : ":",
                 count->port);
        fprintf(out, "%s\n  {\"port\": ", between);
        json_string(out, port);
        fputs(", \"priority\": ", out);
        if (count->priority < 0)
            fputs("null", out);
        else
            fprintf(out, "%d", count->priority);
        fputs(", \"name\": ", out);
        json_string(out, count->name);
        if (moved)
            fprintf(out, ", \"difference\": %" PRId64, count->difference);
        fputc('}', out);
        between = ",";
    }
}

void triage_counters(const struct incident *incident, FILE *out)
{
    fputs("{\"stormglass-counters\": 1, \"counters\": [", out);
    put_counters(incident, true, out);
    fputs("\n], \"unmoved\": [", out);
    put_counters(incident, false, out);
    fputs("\n], \"unknown\": []}\n", out);
}

/* ---- the fault ---- */

/* Values are to begin with: how slow and how long, counters alone do not say. */
static const char *fault_of(enum suspect_kind kind)
{
    switch (kind) {
    case SUSPECT_HOST_PAUSES:
        return "kind: slow-receiver, drain: 10%";
    case SUSPECT_LINK_DOWN:
        return "kind: link-down";
    case SUSPECT_SWITCH_DOWN:
        return "kind: switch-down";
    case SUSPECT_BIT_ERRORS:
        return "kind: bit-errors, rate: 1e-7";
    case SUSPECT_SILENT_LOSS:
        return "kind: random-loss, rate: 1/1000";
    case SUSPECT_NO_PFC:
        return "kind: pfc-off";
    case SUSPECT_SLOW_TARGET:
        return "kind: target-stall";
    default:
        return NULL;
    }
}

void triage_fault(const struct triage *triage, FILE *out)
{
    const struct triage_suspect *first = triage->suspect_count > 0 ? &triage->suspects[0] : NULL;
    const char *fault = first == NULL ? NULL : fault_of(first->kind);
    if (fault == NULL)
        return;
    fprintf(out,
            "# The first suspect of the counters, with values to begin with.\n"
            "faults:\n  - {%s, where: \"%s",
            fault, first->device);
    if (first->peer != NULL)
        fprintf(out, "-%s", first->peer);
    fputs("\", at: 1ms}\n", out);
}
