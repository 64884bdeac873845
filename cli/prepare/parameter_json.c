/* SPDX-License-Identifier: Apache-2.0
 * parameter_json - a parameter as an entry of explain-parameter --json. */
#include "cli/prepare/parameter_json.h"

#include "reports/text/json_members.h"
#include "scenarios/load/profile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 64 };

/* One entry of the list of parameters. */
struct entry {
    struct json *json;
    char path[48]; /* "parameters[3]" */
};

static const char *key_of(const struct entry *entry, const char *name, char text[JSON_PATH_BYTES])
{
    snprintf(text, JSON_PATH_BYTES, "%s.%s", entry->path, name);
    return text;
}

static void write_text(const struct entry *entry, const char *name, const char *value)
{
    char key[JSON_PATH_BYTES];
    json_text_or_null(entry->json, key_of(entry, name, key), value);
}

static void write_boolean(const struct entry *entry, const char *name, bool value)
{
    char key[JSON_PATH_BYTES];
    json_boolean(entry->json, key_of(entry, name, key), value);
}

static void write_list_item(const struct entry *entry, const char *name, uint32_t index,
                            const char *value)
{
    char key[JSON_PATH_BYTES];
    snprintf(key, sizeof key, "%s.%s[%u]", entry->path, name, index);
    json_text(entry->json, key, value);
}

static void write_list_end(const struct entry *entry, const char *name, uint32_t count)
{
    char key[JSON_PATH_BYTES];
    if (count == 0)
        json_empty(entry->json, key_of(entry, name, key));
}

/* The words of a choice, or those that may stand in place of a quantity. */
static void write_choices(const struct entry *entry, const struct opt *row)
{
    uint32_t count = 0;
    for (const char *at = row->choices; at != NULL && *at != '\0'; count++) {
        char word[WORD_BYTES];
        const size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        write_list_item(entry, "choices", count, word);
        at += length + (at[length] == '|');
    }
    write_list_end(entry, "choices", count);
}

static void write_notations(const struct entry *entry, const struct opt *row,
                            const struct block_word *words)
{
    uint32_t count = 0;
    for (const struct block_word *word = words; word->path != NULL; word++)
        if (strcmp(word->row, row->name) == 0)
            write_list_item(entry, "also", count++, word->path);
    write_list_end(entry, "also", count);
}

static void write_needs(const struct entry *entry, const struct opt *row)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPT_NEED_COUNT; i++)
        if ((row->effect.needs >> i & 1) != 0)
            write_list_item(entry, "needs", count++, opt_need_words(i));
    write_list_end(entry, "needs", count);
}

static void write_effect(const struct entry *entry, const struct opt *row)
{
    static const char *const worse[] = {
        [OPT_WORSE_ANY] = "any",     [OPT_WORSE_DRAW] = "equal",  [OPT_WORSE_LESS] = "lower",
        [OPT_WORSE_MORE] = "higher", [OPT_WORSE_LIMIT] = "lower", [OPT_WORSE_CEILING] = "higher",
    };
    static const char *const shows[] = {
        [OPT_BY_DELAY] = "delay",     [OPT_BY_COST] = "shared delay", [OPT_BY_RATE] = "rate",
        [OPT_BY_SERVICE] = "service", [OPT_BY_TRACE] = "counters",    [OPT_BY_NOTHING] = NULL,
    };
    const bool acts = row->effect.by != OPT_BY_NOTHING;
    char part[WORD_BYTES];
    snprintf(part, sizeof part, "%s", opt_part_name(row));
    for (char *at = part; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    write_text(entry, "acts_on", part);
    write_text(entry, "worse", acts ? worse[row->effect.worse] : NULL);
    write_boolean(entry, "zero_is_off", opt_is_limit(row));
    write_text(entry, "shows", shows[row->effect.by]);
}

struct profile_list {
    const struct entry *entry;
    uint32_t count;
};

static void write_profile(void *self, const struct profile_value *value)
{
    struct profile_list *list = self;
    char name[64];
    snprintf(name, sizeof name, "profiles[%u].profile", list->count);
    write_text(list->entry, name, value->profile);
    snprintf(name, sizeof name, "profiles[%u].value", list->count);
    write_text(list->entry, name, value->value);
    snprintf(name, sizeof name, "profiles[%u].evidence", list->count);
    write_text(list->entry, name, value->origin.evidence);
    char key[JSON_PATH_BYTES];
    snprintf(key, sizeof key, "%s.profiles[%u].sources", list->entry->path, list->count);
    json_integer(list->entry->json, key, value->origin.sources);
    snprintf(name, sizeof name, "profiles[%u].source", list->count++);
    write_text(list->entry, name, value->origin.source);
}

static void write_profiles(const struct entry *entry, const struct parameter *parameter)
{
    struct profile_list list = {.entry = entry};
    profile_each_value(parameter->where, parameter->row->name, write_profile, &list);
    write_list_end(entry, "profiles", list.count);
}

void parameter_write_json(struct json *json, int at, const struct parameter *parameter,
                          const char *path, const char *value, const struct block_word *words)
{
    const struct opt *row = parameter->row;
    static const char *const types[] = {
        [OPT_INT] = "integer",     [OPT_BOOL] = "boolean", [OPT_TIME] = "time",
        [OPT_SIZE] = "size",       [OPT_RATE] = "rate",    [OPT_LENGTH] = "length",
        [OPT_PERCENT] = "percent", [OPT_RATIO] = "ratio",  [OPT_DECIMAL] = "decimal",
        [OPT_CHOICE] = "choice",   [OPT_MASK] = "list",    [OPT_DSCP] = "dscp",
    };
    struct entry entry = {.json = json};
    char factor[24];
    snprintf(entry.path, sizeof entry.path, "parameters[%d]", at);
    snprintf(factor, sizeof factor, "%lld", (long long)row->factor);
    write_text(&entry, "name", path);
    write_text(&entry, "about", row->about);
    write_text(&entry, "value", value);
    write_text(&entry, "type", types[row->type]);
    write_choices(&entry, row);
    write_notations(&entry, row, words);
    write_text(&entry, "default", row->preset);
    write_text(&entry, "min", row->min);
    write_text(&entry, "max", row->max);
    write_text(&entry, "multiple_of", row->step);
    write_text(&entry, "power_of", row->factor > 0 ? factor : NULL);
    write_effect(&entry, row);
    write_needs(&entry, row);
    write_text(&entry, "source", row->source);
    write_profiles(&entry, parameter);
}
