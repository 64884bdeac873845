/* SPDX-License-Identifier: Apache-2.0
 * text_measured - the table `measured` as text. */
#include "reports/summary/text_measured.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <string.h>

enum { VALUE_BYTES = 512 };

static void value_of(struct store *store, const char *name, char value[VALUE_BYTES])
{
    struct store_statement *row = store_prepare(store, "SELECT value FROM measured WHERE name=?");
    store_bind(row, 1, STORE_T(name));
    snprintf(value, VALUE_BYTES, "%s", store_step(row) ? store_text(row, "value") : "");
    store_finish(row);
}

static int64_t count_of(struct store *store, const char *name)
{
    struct store_statement *row =
        store_prepare(store, "SELECT CAST(value AS INTEGER) AS value FROM measured WHERE name=?");
    store_bind(row, 1, STORE_T(name));
    const int64_t count = store_step(row) ? store_int(row, "value") : 0;
    store_finish(row);
    return count;
}

bool text_is_measured(struct store *store)
{
    return store_ask_int(store, "SELECT count(*) FROM measured", 0) > 0;
}

void text_measured(struct store *store, FILE *out, const struct paint *paint)
{
    char device[VALUE_BYTES], firmware[VALUE_BYTES], kernel[VALUE_BYTES], address[VALUE_BYTES];
    char value[VALUE_BYTES];
    value_of(store, "device", device);
    value_of(store, "firmware", firmware);
    value_of(store, "kernel", kernel);
    value_of(store, "address", address);
    fprintf(out, "%smeasured%s on %s%s%s at %s, Linux %s", paint->bold, paint->off, device,
            firmware[0] != '\0' ? ", firmware " : "", firmware, address, kernel);
    value_of(store, "agreement", value);
    if (value[0] != '\0')
        fprintf(out, "; %s", value);
    fputc('\n', out);
    value_of(store, "faults_outside", value);
    if (value[0] != '\0')
        fprintf(out, "  faults injected outside: %s\n", value);
}

bool text_served(struct store *store, FILE *out, const struct paint *paint)
{
    char role[VALUE_BYTES];
    value_of(store, "role", role);
    if (strcmp(role, "target") != 0)
        return false;
    const int64_t errors = count_of(store, "target_errors");
    fprintf(out, "\n%s%-16s%s%s %s, %s %s, %s%s %s%s; %s %s\n", paint->bold, "Served", paint->off,
            words_count(count_of(store, "target_reads")).text,
            plural(count_of(store, "target_reads"), "read", "reads"),
            words_count(count_of(store, "target_writes")).text,
            plural(count_of(store, "target_writes"), "write", "writes"),
            errors > 0 ? paint->bad : "", words_count(errors).text,
            plural(errors, "error", "errors"), errors > 0 ? paint->off : "",
            words_count(count_of(store, "accepts")).text,
            plural(count_of(store, "accepts"), "connection", "connections"));
    return true;
}
