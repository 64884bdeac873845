/* SPDX-License-Identifier: Apache-2.0
 * json - maps paths to containers.
 * A path consists of words joined by '.' and indices in brackets. Containers common to two
 * consecutive paths stay open; the remaining ones of the old path are closed from the inside out,
 * then those of the new path are opened. */
#include "reports/text/json.h"

#include "base/check.h"
#include "base/printable.h"
#include "reports/text/json_members.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_begin_foreign(struct json *json, FILE *out)
{
    *json = (struct json){.out = out};
    json->open[json->depth++] = '{';
    fputc('{', out);
}

void json_begin(struct json *json, FILE *out)
{
    json_begin_foreign(json, out);
    json_integer(json, "schema", JSON_SCHEMA);
}

void json_open(FILE *out)
{
    fprintf(out, "{\"schema\": %d, ", JSON_SCHEMA);
}

static void close_to(struct json *json, int depth)
{
    while (json->depth > depth)
        fputc(json->open[--json->depth] == '{' ? '}' : ']', json->out);
}

void json_end(struct json *json)
{
    close_to(json, 0);
    fputc('\n', json->out);
}

static void write_escape(FILE *out, uint32_t code)
{
    if (code < 0x10000)
        fprintf(out, "\\u%04x", (unsigned)code);
    else
        fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code >> 10)),
                (unsigned)(0xDC00 + (code & 0x3FF)));
}

void json_string(FILE *out, const char *text)
{
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (;;) {
        uint32_t code;
        const size_t plain = printable_plain(text, "\"\\");
        fwrite(text, 1, plain, out);
        text += plain;
        if (*text == '\0')
            break;
        const size_t length = printable_utf8(text, &code);
        if (length == 0)
            fputs("\\ufffd", out); /* the replacement character */
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (!printable_is_shown(code))
            write_escape(out, code);
        else
            fwrite(text, 1, length, out);
        text += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

/* Fifteen digits are always exact in a double. Integral values keep a decimal point. */
void json_real(FILE *out, double value)
{
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    fputs(text, out);
    if (strpbrk(text, ".e") == NULL)
        fputs(".0", out);
}

static void write_value(FILE *out, const char *type, const struct store_value *value)
{
    if (strcmp(type, "text") == 0)
        json_string(out, value->text);
    else if (strcmp(type, "integer") == 0)
        fprintf(out, "%" PRId64, value->integer);
    else if (strcmp(type, "real") == 0)
        json_real(out, value->real);
    else if (strcmp(type, "boolean") == 0)
        fputs(value->integer != 0 ? "true" : "false", out);
    else if (strcmp(type, "empty") == 0)
        fputs("[]", out);
    else
        fputs("null", out);
}

/* Length of the first part of a path: a word, or an index with its brackets. */
static size_t part_length(const char *path)
{
    if (path[0] == '[')
        return strcspn(path, "]") + 1;
    return strcspn(path, ".[");
}

/* Start of the next part, after a dot if there is one. */
static const char *next_part(const char *path, size_t length)
{
    return path + length + (path[length] == '.');
}

static void open_container(struct json *json, char kind)
{
    CHECK(json->depth < JSON_DEPTH_MAX);
    json->open[json->depth++] = kind;
    fputc(kind, json->out);
    json->last[0] = '\0'; /* its first member has no predecessor */
}

/* The member's name, after a comma and line break if necessary. */
static void begin_member(struct json *json, const char *part, size_t length, bool first)
{
    const bool member = part[0] != '[';
    const bool record = !member && json->depth == 2;
    if (!first)
        fputc(',', json->out);
    if (json->depth == 1 || record)
        fprintf(json->out, "\n%*s", json->depth * 1, "");
    else if (!first)
        fputc(' ', json->out);
    if (!member)
        return;
    fprintf(json->out, "\"%.*s\": ", (int)length, part);
}

/* Returns the part of the path that the previous one does not have; *depth is the depth of their
 * common containers, which stay open. */
static const char *new_part(const struct json *json, const char *path, int *depth)
{
    const char *old = json->last;
    const char *now = path;
    *depth = 1;
    while (old[0] != '\0' && now[0] != '\0') {
        const size_t length = part_length(now);
        if (length != part_length(old) || strncmp(old, now, length) != 0)
            break;
        old = next_part(old, length);
        now = next_part(now, length);
        ++*depth;
    }
    return now;
}

void json_value(struct json *json, const char *path, const char *type,
                const struct store_value *value)
{
    CHECK(strlen(path) < JSON_PATH_BYTES);
    int depth;
    const char *now = new_part(json, path, &depth);
    CHECK(now[0] != '\0'); /* paths must be unique */
    bool first = json->written == 0;
    close_to(json, depth);
    while (now[0] != '\0') {
        const size_t length = part_length(now);
        begin_member(json, now, length, first);
        now = next_part(now, length);
        if (now[0] != '\0')
            open_container(json, now[0] == '[' ? '[' : '{');
        first = true;
    }
    write_value(json->out, type, value);
    memcpy(json->last, path, strlen(path) + 1);
    json->written++;
}

/* A damaged database may have values without a name or with a repeated name; they are omitted. */
static void write_rows(struct json *json, struct store *store, const char *sql)
{
    struct store_statement *rows = store_prepare(store, sql);
    while (store_step(rows)) {
        char path[JSON_PATH_BYTES];
        snprintf(path, sizeof path, "%s", store_text(rows, "path"));
        const struct store_value value = {.integer = store_int(rows, "value"),
                                          .real = store_real(rows, "value")};
        struct store_value with_text = value;
        with_text.text = store_text(rows, "value");
        if (new_part(json, path, &(int){0})[0] != '\0')
            json_value(json, path, store_text(rows, "type"), &with_text);
    }
    store_finish(rows);
}

/* A query's rows, with columns of these names and types, as the list `list`. */
struct json_list {
    const char *list, *sql;
    const char *const *names, *const *types;
    int columns;
};

static void write_list(struct json *json, struct store *store, const struct json_list *list)
{
    struct store_statement *rows = store_prepare(store, list->sql);
    char path[JSON_PATH_BYTES];
    int64_t shown = 0;
    for (; store_step(rows); shown++)
        for (int i = 0; i < list->columns; i++) {
            const bool none = store_is_null(rows, list->names[i]);
            const struct store_value value = {.integer = store_int(rows, list->names[i]),
                                              .real = store_real(rows, list->names[i])};
            struct store_value with_text = value;
            with_text.text = store_text(rows, list->names[i]);
            snprintf(path, sizeof path, "%s[%" PRId64 "].%s", list->list, shown, list->names[i]);
            json_value(json, path, none ? "null" : list->types[i], &with_text);
        }
    if (shown == 0)
        json_value(json, list->list, "empty", &(const struct store_value){0});
    store_finish(rows);
}

/* The longest queues; nothing for a measurement, which has no samples. */
static void write_queues(struct json *json, struct store *store)
{
    static const char *const names[] = {"port",      "priority",  "mean_bytes",
                                        "p50_bytes", "p99_bytes", "peak_bytes"};
    static const char *const types[] = {"text", "integer", "real", "integer", "integer", "integer"};
    const struct json_list queues = {
        "queues",
        "SELECT port, priority, mean_bytes, p50_bytes, p99_bytes, peak_bytes FROM v_queue"
        " WHERE samples>0 ORDER BY mean_bytes DESC, peak_bytes DESC, port, priority LIMIT 32",
        names, types, sizeof names / sizeof names[0]};
    write_list(json, store, &queues);
}

/* The first events, and the total number. */
static void write_events(struct json *json, struct store *store)
{
    static const char *const names[] = {"at_ns", "kind", "place", "took_ns", "text"};
    static const char *const types[] = {"real", "text", "text", "real", "text"};
    const struct json_list events = {"timeline",
                                     "SELECT at_us*1e3 AS at_ns, kind, place, took_us*1e3 AS "
                                     "took_ns, text FROM v_event ORDER BY position"
                                     " LIMIT 200",
                                     names, types, sizeof names / sizeof names[0]};
    write_list(json, store, &events);
    const struct store_value all = STORE_I(store_ask_int(store, "SELECT count(*) FROM event", 0));
    json_value(json, "timeline_count", "integer", &all);
}

bool json_run(struct store *store, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    write_rows(&json, store, "SELECT path, value, type FROM result ORDER BY position");
    write_rows(&json, store, "SELECT name AS path, value, 'real' AS type FROM wall ORDER BY name");
    write_queues(&json, store);
    write_events(&json, store);
    write_rows(&json, store,
               "SELECT 'measured.'||name AS path, value, CASE WHEN value='' OR value GLOB "
               "'*[^0-9]*' OR name IN"
               " ('device','firmware','kernel') THEN 'text' ELSE 'integer' END"
               " AS type FROM measured ORDER BY name");
    json_end(&json);
    return store_error(store) == NULL && ferror(out) == 0;
}
