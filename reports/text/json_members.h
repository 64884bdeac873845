/* SPDX-License-Identifier: Apache-2.0
 * json_members - typed values for objects that are written member by member. */
#ifndef STORMGLASS_REPORTS_TEXT_JSON_MEMBERS_H
#define STORMGLASS_REPORTS_TEXT_JSON_MEMBERS_H

#include "reports/text/json.h"

static inline void json_text(struct json *json, const char *path, const char *value)
{
    json_value(json, path, "text", &(const struct store_value){.text = value});
}

static inline void json_boolean(struct json *json, const char *path, bool value)
{
    json_value(json, path, "boolean", &(const struct store_value){.integer = value});
}

static inline void json_integer(struct json *json, const char *path, int64_t value)
{
    json_value(json, path, "integer", &(const struct store_value){.integer = value});
}

static inline void json_number(struct json *json, const char *path, double value)
{
    json_value(json, path, "real", &(const struct store_value){.real = value});
}

static inline void json_null(struct json *json, const char *path)
{
    json_value(json, path, "null", &(const struct store_value){0});
}

/* null where there is no text */
static inline void json_text_or_null(struct json *json, const char *path, const char *value)
{
    if (value == NULL)
        json_null(json, path);
    else
        json_text(json, path, value);
}

static inline void json_empty(struct json *json, const char *path)
{
    json_value(json, path, "empty", &(const struct store_value){0});
}

/* The statement after it writes member i of the list, which is empty if `count` is 0. */
#define JSON_EACH(json, list, count)                                                               \
    if ((count) == 0)                                                                              \
        json_empty((json), (list));                                                                \
    for (uint32_t i = 0; i < (count); i++)

/* "rows[3].what": writes the path of a member of a list entry to `path`. */
static inline const char *json_member(char path[JSON_PATH_BYTES], const char *list, size_t index,
                                      const char *name)
{
    snprintf(path, JSON_PATH_BYTES, "%s[%zu].%s", list, index, name);
    return path;
}

#endif
