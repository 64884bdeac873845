/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/incident/watch_text.h"

#include "base/plural.h"
#include "base/printable.h"
#include "reports/incident/triage_text.h"
#include "reports/text/json_members.h"
#include "reports/text/paint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t count_devices(const struct incident_past *past)
{
    size_t devices = 0;
    for (size_t i = 0; i < past->number_count; i++)
        devices += i == 0 || strcmp(past->numbers[i].host, past->numbers[i - 1].host) != 0;
    return devices;
}

/* ---- text ---- */

static void print_first(const struct watch_look *look, const struct incident_past *past, FILE *out)
{
    const size_t devices = count_devices(past);
    fprintf(out, "%s baseline: %zu %s of %zu %s; later polls are compared with these counters\n",
            look->time, past->number_count, plural(past->number_count, "counter", "counters"),
            devices, plural(devices, "device", "devices"));
}

void watch_text(const struct watch_look *look, const struct watch_state *state,
                const struct incident *incident, FILE *out)
{
    const struct paint paint = paint_for(out);
    if (state->past.is_empty)
        print_first(look, incident->next, out);
    for (size_t i = 0; i < look->began_count; i++) {
        fprintf(out, "%s %sbegan%s: ", look->time, paint.bold, paint.off);
        triage_suspect_text(look->began[i], false, out);
    }
    for (size_t i = 0; i < look->ended_count; i++) {
        const struct watch_pattern *pattern = look->ended[i];
        fprintf(out, "%s no longer seen: ", look->time);
        triage_place_text(pattern->device, pattern->port, pattern->peer, pattern->peer_port, out);
        printable_print(out, ": %s [%s], first seen at %s\n", suspects_about[pattern->kind].about,
                        suspects_about[pattern->kind].name, pattern->since);
    }
}

/* ---- JSON ---- */

/* For people as the file has it; for the state so that it can be read back. */
static void put_name(struct json *json, const char *path, const char *name, bool of_state)
{
    char *kept = of_state && name != NULL ? watch_state_name(name) : NULL;
    json_text_or_null(json, path, kept != NULL ? kept : name);
    free(kept);
}

static void put_pattern(struct json *json, const char *list, size_t index,
                        const struct watch_pattern *pattern, bool of_state)
{
    char path[JSON_PATH_BYTES];
    json_text(json, json_member(path, list, index, "kind"), suspects_about[pattern->kind].name);
    put_name(json, json_member(path, list, index, "device"), pattern->device, of_state);
    put_name(json, json_member(path, list, index, "port"), pattern->port, of_state);
    put_name(json, json_member(path, list, index, "peer"), pattern->peer, of_state);
    put_name(json, json_member(path, list, index, "peer_port"), pattern->peer_port, of_state);
    json_text(json, json_member(path, list, index, "since"), pattern->since);
}

static void put_patterns(struct json *json, const struct watch_look *look, bool of_state)
{
    JSON_EACH(json, "patterns", look->pattern_count)
    put_pattern(json, "patterns", i, &look->patterns[i], of_state);
}

void watch_json(const struct watch_look *look, const struct watch_state *state,
                const struct incident *incident, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_text(&json, "time", look->time);
    json_boolean(&json, "first_look", state->past.is_empty);
    json_integer(&json, "devices", (int64_t)count_devices(incident->next));
    json_integer(&json, "counters", (int64_t)incident->next->number_count);
    JSON_EACH(&json, "began", look->began_count)
    triage_suspect_json(look->began[i], "began", i, &json);
    JSON_EACH(&json, "ended", look->ended_count)
    put_pattern(&json, "ended", i, look->ended[i], false);
    put_patterns(&json, look, false);
    json_end(&json);
}

/* ---- the state ---- */

static void put_texts(struct json *json, const char *list, const char *const *texts, size_t count)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, list, count)
    {
        snprintf(path, sizeof path, "%s[%" PRIu32 "]", list, i);
        put_name(json, path, texts[i], true);
    }
}

static void put_files(struct json *json, const struct incident_past *past)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, "files", past->file_count)
    {
        const struct incident_past_file *file = &past->files[i];
        put_name(json, json_member(path, "files", i, "name"), file->name, true);
        json_integer(json, json_member(path, "files", i, "size"), file->size);
        json_text(json, json_member(path, "files", i, "stamp"), file->stamp);
        json_integer(json, json_member(path, "files", i, "lines"), file->lines);
        json_text(json, json_member(path, "files", i, "digest"), file->digest);
        json_text(json, json_member(path, "files", i, "data"), file->data);
        json_boolean(json, json_member(path, "files", i, "closed"), file->is_closed);
        json_boolean(json, json_member(path, "files", i, "pending"), file->is_pending);
    }
}

static void write_name(const char *name, FILE *out)
{
    char *kept = watch_state_name(name);
    json_string(out, kept);
    free(kept);
}

/* Names of counters are keys, which paths of json.h cannot have: any character may be in them. */
static void write_ports(const struct incident_past *past, FILE *out)
{
    for (size_t i = 0; i < past->number_count; i++) {
        const struct incident_past_number *number = &past->numbers[i];
        const bool goes_on = i > 0 && watch_state_same_port(number, number - 1);
        if (!goes_on) {
            fprintf(out, "%s\n  {\"host\": ", i == 0 ? "" : "}},");
            write_name(number->host, out);
            fputs(", \"port\": ", out);
            write_name(number->port, out);
            if (number->seconds == INCIDENT_NO_TIME)
                fputs(", \"seconds\": null, \"date\": ", out);
            else
                fprintf(out, ", \"seconds\": %" PRId64 ", \"date\": ", number->seconds);
            if (number->date == NULL)
                fputs("null", out);
            else
                write_name(number->date, out);
            fputs(", \"counters\": {", out);
        }
        fputs(goes_on ? ", " : "", out);
        write_name(number->key, out);
        fprintf(out, ": %" PRId64, number->value);
    }
    fputs(past->number_count == 0 ? "" : "}}", out);
}

void watch_state_write(const struct watch_look *look, const struct watch_state *state,
                       const struct incident *incident, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_integer(&json, "stormglass-watch", 1);
    put_texts(&json, "of", state->of, state->of_count);
    put_patterns(&json, look, true);
    put_files(&json, incident->next);
    put_texts(&json, "contents", incident->next->contents, incident->next->content_count);
    put_texts(&json, "tables", incident->next->tables, incident->next->table_count);
    json_text(&json, "last", look->time);
    fputs(",\n \"ports\": [", out);
    write_ports(incident->next, out);
    fputc(']', out);
    json_end(&json);
}
