/* SPDX-License-Identifier: Apache-2.0
 * diff_json - the differences between two runs as one object. */
#include "reports/text/diff_text.h"
#include "reports/text/json_members.h"

#include <stdio.h>

static void write_side(struct json *json, const char *name, const struct compare_side *side,
                       const char *digest)
{
    char path[JSON_PATH_BYTES];
    const struct {
        const char *word, *value;
    } texts[] = {{"path", side->path},     {"scenario", side->scenario}, {"version", side->version},
                 {"status", side->status}, {"record", side->record},     {"digest", digest}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(path, sizeof path, "%s.%s", name, texts[i].word);
        json_text(json, path, texts[i].value);
    }
}

static void write_value(struct json *json, const char *path, const struct diff_row *row, int which)
{
    if (row->number)
        json_number(json, path, row->values[which]);
    else
        json_text_or_null(json, path, row->texts[which]);
}

static void write_section(struct json *json, enum diff_section_kind kind,
                          const struct diff_section *section)
{
    char list[48], path[JSON_PATH_BYTES];
    snprintf(list, sizeof list, "%s.equal", diff_section_word(kind));
    json_integer(json, list, (int64_t)section->equal);
    snprintf(list, sizeof list, "%s.different", diff_section_word(kind));
    if (section->count == 0)
        json_empty(json, list);
    for (size_t i = 0; i < section->count; i++) {
        const struct diff_row *row = &section->rows[i];
        json_text(json, json_member(path, list, i, "what"), row->what);
        write_value(json, json_member(path, list, i, "a"), row, 0);
        write_value(json, json_member(path, list, i, "b"), row, 1);
        if (row->unit[0] != '\0')
            json_text(json, json_member(path, list, i, "unit"), row->unit);
        if (kind != DIFF_SETTINGS)
            continue;
        json_text(json, json_member(path, list, i, "a_set_by"), row->where[0]);
        json_text(json, json_member(path, list, i, "b_set_by"), row->where[1]);
    }
}

static void write_events(struct json *json, const char *list,
                         const struct eventlog_reported *events, uint32_t count)
{
    char path[JSON_PATH_BYTES];
    if (count == 0)
        json_empty(json, list);
    for (uint32_t i = 0; i < count; i++) {
        json_integer(json, json_member(path, list, i, "at_ps"), events[i].at);
        json_text(json, json_member(path, list, i, "port"), events[i].port);
        json_text(json, json_member(path, list, i, "what"), events[i].what);
    }
}

static void write_parting(struct json *json, const struct diff *diff)
{
    const struct lockstep *lockstep = &diff->lockstep;
    if (diff->events != DIFF_EVENTS_PARTED) {
        json_null(json, "first_divergence");
        return;
    }
    json_integer(json, "first_divergence.at_ps", lockstep->at);
    json_text(json, "first_divergence.node", lockstep->node);
    json_text(json, "first_divergence.how", lockstep->how);
    write_events(json, "first_divergence.before", lockstep->same, lockstep->same_count);
    write_events(json, "first_divergence.a", lockstep->next[0], lockstep->counts[0]);
    write_events(json, "first_divergence.b", lockstep->next[1], lockstep->counts[1]);
}

/* The difference found from the checkpoints of both databases. */
static void write_recorded(struct json *json, const struct diff *diff)
{
    if (!diff->recorded.parted) {
        json_null(json, "recorded_divergence");
        return;
    }
    json_integer(json, "recorded_divergence.after_ps", diff->recorded.after);
    json_integer(json, "recorded_divergence.before_ps", diff->recorded.before);
    json_integer(json, "recorded_divergence.node_count", diff->recorded.count);
    json_text(json, "recorded_divergence.nodes", diff->nodes);
}

bool diff_json(const struct diff *diff, FILE *out)
{
    static const char *const events[] = {[DIFF_EVENTS_EQUAL] = "equal",
                                         [DIFF_EVENTS_PARTED] = "different",
                                         [DIFF_EVENTS_UNKNOWN] = "unknown"};
    struct json json;
    json_begin(&json, out);
    json_boolean(&json, "equal", diff_is_equal(diff));
    write_side(&json, "a", &diff->sides[0], diff->digests[0]);
    write_side(&json, "b", &diff->sides[1], diff->digests[1]);
    json_text(&json, "events", events[diff->events]);
    write_parting(&json, diff);
    write_recorded(&json, diff);
    for (int i = 0; i < DIFF_SECTION_COUNT; i++)
        write_section(&json, (enum diff_section_kind)i, &diff->sections[i]);
    json_end(&json);
    return ferror(out) == 0;
}
