/* SPDX-License-Identifier: Apache-2.0
 * text_measured - the table `measured` as text. */
#include "reports/summary/text_part.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdlib.h>
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
    char value[VALUE_BYTES];
    value_of(store, name, value);
    return strtoll(value, NULL, 10);
}

bool text_is_measured(struct store *store)
{
    return store_ask_int(store, "SELECT count(*) FROM measured", 0) > 0;
}

void text_measured(const struct text *text)
{
    char device[VALUE_BYTES], firmware[VALUE_BYTES], kernel[VALUE_BYTES], address[VALUE_BYTES];
    char value[VALUE_BYTES];
    if (!text->measured)
        return;
    value_of(text->store, "device", device);
    value_of(text->store, "firmware", firmware);
    value_of(text->store, "kernel", kernel);
    value_of(text->store, "address", address);
    fprintf(text->out, "%smeasured%s on %s%s%s at %s, Linux %s", text->paint.bold, text->paint.off,
            device, firmware[0] != '\0' ? ", firmware " : "", firmware, address, kernel);
    value_of(text->store, "agreement", value);
    if (value[0] != '\0')
        fprintf(text->out, "; %s", value);
    fputc('\n', text->out);
    value_of(text->store, "faults_outside", value);
    if (value[0] != '\0')
        fprintf(text->out, "  faults injected outside: %s\n", value);
}

bool text_served(const struct text *text)
{
    char role[VALUE_BYTES];
    value_of(text->store, "role", role);
    if (strcmp(role, "target") != 0)
        return false;
    const int64_t errors = count_of(text->store, "target_errors");
    fprintf(text->out, "\n%s%-16s%s%s %s, %s %s, %s%s %s%s; %s %s\n", text->paint.bold, "Served",
            text->paint.off, words_count(count_of(text->store, "target_reads")).text,
            plural(count_of(text->store, "target_reads"), "read", "reads"),
            words_count(count_of(text->store, "target_writes")).text,
            plural(count_of(text->store, "target_writes"), "write", "writes"),
            errors > 0 ? text->paint.bad : "", words_count(errors).text,
            plural(errors, "error", "errors"), errors > 0 ? text->paint.off : "",
            words_count(count_of(text->store, "accepts")).text,
            plural(count_of(text->store, "accepts"), "connection", "connections"));
    return true;
}
