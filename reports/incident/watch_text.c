/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/incident/watch_text.h"

#include "base/plural.h"
#include "base/printable.h"
#include "reports/incident/triage_text.h"
#include "reports/text/json_members.h"
#include "reports/text/paint.h"

#include <inttypes.h>
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
    fprintf(out, "%s first look: %zu %s of %zu %s; the next look is compared with this one\n",
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
        printable_print(out, ": %s [%s], since %s\n", suspects_about[pattern->kind].about,
                        suspects_about[pattern->kind].name, pattern->since);
    }
}

/* ---- JSON ---- */

static void put_pattern(struct json *json, const char *list, size_t index,
                        const struct watch_pattern *pattern)
{
    char path[JSON_PATH_BYTES];
    json_text(json, json_member(path, list, index, "kind"), suspects_about[pattern->kind].name);
    json_text(json, json_member(path, list, index, "device"), pattern->device);
    json_text_or_null(json, json_member(path, list, index, "port"), pattern->port);
    json_text_or_null(json, json_member(path, list, index, "peer"), pattern->peer);
    json_text_or_null(json, json_member(path, list, index, "peer_port"), pattern->peer_port);
    json_text(json, json_member(path, list, index, "since"), pattern->since);
}

static void put_patterns(struct json *json, const struct watch_look *look)
{
    JSON_EACH(json, "patterns", look->pattern_count)
    put_pattern(json, "patterns", i, &look->patterns[i]);
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
    put_pattern(&json, "ended", i, look->ended[i]);
    put_patterns(&json, look);
    json_end(&json);
}

/* ---- the state ---- */

static void put_texts(struct json *json, const char *list, const char *const *texts, size_t count)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, list, count)
    {
        snprintf(path, sizeof path, "%s[%" PRIu32 "]", list, i);
        json_text(json, path, texts[i]);
    }
}

static void put_files(struct json *json, const struct incident_past *past)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, "files", past->file_count)
    {
        const struct incident_past_file *file = &past->files[i];
        json_text(json, json_member(path, "files", i, "name"), file->name);
        json_integer(json, json_member(path, "files", i, "size"), file->size);
        json_integer(json, json_member(path, "files", i, "modified"), file->modified);
        json_integer(json, json_member(path, "files", i, "lines"), file->lines);
        json_text(json, json_member(path, "files", i, "digest"), file->digest);
        json_boolean(json, json_member(path, "files", i, "closed"), file->is_closed);
        json_boolean(json, json_member(path, "files", i, "pending"), file->is_pending);
    }
}

static bool same_print(const struct incident_past_number *a, const struct incident_past_number *b)
{
    return strcmp(a->host, b->host) == 0 && strcmp(a->port, b->port) == 0 &&
           a->seconds == b->seconds;
}

/* Names of counters are keys, which paths of json.h cannot have: any character may be in them. */
static void write_ports(const struct incident_past *past, FILE *out)
{
    for (size_t i = 0; i < past->number_count; i++) {
        const struct incident_past_number *number = &past->numbers[i];
        const bool goes_on = i > 0 && same_print(number, number - 1);
        if (!goes_on) {
            fprintf(out, "%s\n  {\"host\": ", i == 0 ? "" : "}},");
            json_string(out, number->host);
            fputs(", \"port\": ", out);
            json_string(out, number->port);
            if (number->seconds == INCIDENT_NO_TIME)
                fputs(", \"seconds\": null, \"date\": ", out);
            else
                fprintf(out, ", \"seconds\": %" PRId64 ", \"date\": ", number->seconds);
            if (number->date == NULL)
                fputs("null", out);
            else
                json_string(out, number->date);
            fputs(", \"counters\": {", out);
        }
        fputs(goes_on ? ", " : "", out);
        json_string(out, number->key);
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
    put_patterns(&json, look);
    put_files(&json, incident->next);
    put_texts(&json, "tables", incident->next->tables, incident->next->table_count);
    json_text(&json, "last", look->time);
    fputs(",\n \"ports\": [", out);
    write_ports(incident->next, out);
    fputc(']', out);
    json_end(&json);
}
