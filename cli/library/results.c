/* SPDX-License-Identifier: Apache-2.0
 * results - copies the results of a run out of its database. */
#include "cli/library/results.h"

#include "base/memory.h"
#include "reports/summary/text.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *write_text(struct store *store, bool (*write)(struct store *store, FILE *out))
{
    char *text;
    size_t length;
    FILE *stream = memory_stream(&text, &length);
    const bool well = write(store, stream);
    memory_stream_end(stream);
    if (well)
        return text;
    free(text);
    return NULL;
}

/* As in the JSON object, but texts without quotes. */
static bool read_value(struct results_value *value, const struct store_statement *rows)
{
    const char *type = store_text(rows, "type");
    char text[40];
    value->number = store_real(rows, "value");
    value->is_number = strcmp(type, "integer") == 0 || strcmp(type, "real") == 0;
    if (strcmp(type, "text") == 0)
        value->text = memory_text(store_text(rows, "value"));
    else if (strcmp(type, "integer") == 0)
        snprintf(text, sizeof text, "%" PRId64, store_int(rows, "value"));
    else if (strcmp(type, "real") == 0)
        snprintf(text, sizeof text, "%.15g", value->number);
    else if (strcmp(type, "boolean") == 0)
        snprintf(text, sizeof text, "%s", store_int(rows, "value") != 0 ? "true" : "false");
    else
        return false;
    if (value->text == NULL)
        value->text = memory_text(text);
    return true;
}

static void read_values(struct results *results, struct store *store)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT path, value, type FROM result UNION ALL"
                             " SELECT name, value, 'real' FROM wall");
    while (store_step(rows)) {
        struct results_value value = {0};
        if (!read_value(&value, rows))
            continue;
        value.key = memory_text(store_text(rows, "path"));
        results->values =
            memory_grown(results->values, results->count, &results->room, sizeof value);
        results->values[results->count++] = value;
    }
    store_finish(rows);
}

static int compare_keys(const void *a, const void *b)
{
    const struct results_value *one = a, *other = b;
    return strcmp(one->key, other->key);
}

bool results_read(struct results *results, struct store *store)
{
    *results = (struct results){0};
    results->json = write_text(store, json_run);
    results->summary = write_text(store, text_run);
    read_values(results, store);
    if (results->count > 0)
        qsort(results->values, results->count, sizeof *results->values, compare_keys);
    return results->json != NULL && results->summary != NULL && store_error(store) == NULL;
}

void results_free(struct results *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        free(results->values[i].key);
        free(results->values[i].text);
    }
    free(results->values);
    free(results->json);
    free(results->summary);
    *results = (struct results){0};
}

const struct results_value *results_find(const struct results *results, const char *key)
{
    char *copy = memory_text(key);
    const struct results_value wanted = {.key = copy};
    const struct results_value *found = results->count == 0
                                            ? NULL
                                            : bsearch(&wanted, results->values, results->count,
                                                      sizeof *results->values, compare_keys);
    free(copy);
    return found;
}
