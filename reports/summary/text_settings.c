/* SPDX-License-Identifier: Apache-2.0
 * text_settings - settings grouped by path. */
#include "reports/summary/text_part.h"

#include "base/plural.h"
#include "base/text.h"
#include "replay/database/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 10, GROUP_BYTES = 96, LINE_BYTES = 96, GROUP_WIDTH = 33, PROFILE_BYTES = 64 };

/* OWN: set by the scenario, an override or --set. KEY: the settings used to compare runs. The
 * others come from profiles. */
#define OWN "(value<>preset AND set_by NOT LIKE 'profile %')"
#define KEY                                                                                        \
    "(path='fabric.host-links.rate' OR path LIKE '%.path-mtu' OR path LIKE '%.congestion-control'" \
    " OR path LIKE '%.pfc-priorities' OR path LIKE '%.loss-recovery')"
#define PROFILE "set_by LIKE 'profile %'"
/* The path up to its last dot. Within a group, settings of the user come first, so that they are
 * not cut off. */
#define GROUP "rtrim(path, replace(path, '.', ''))"

struct line {
    char group[GROUP_BYTES];     /* "fabric.switch" */
    char name[GROUP_BYTES];      /* "switch-down at spine0: " of a fault */
    char text[LINE_BYTES];       /* "ecn-kmin=400KB, ..." */
    char profile[PROFILE_BYTES]; /* that the values come from */
    char chosen[PROFILE_BYTES];  /* that the scenario names */
    int64_t profile_values;
    bool full;
};

static void add_item(struct line *line, const char *name, const char *value)
{
    const size_t used = strlen(line->text);
    const char *comma = used == 0 ? "" : ", ";
    if (line->full)
        return;
    const int length =
        snprintf(line->text + used, sizeof line->text - used, "%s%s=%s", comma, name, value);
    if (length >= 0 && (size_t)length < sizeof line->text - used - strlen(", ..."))
        return;
    snprintf(line->text + used, sizeof line->text - used, "%s", ", ...");
    line->full = true;
}

static bool write_line(const struct text *text, struct line *line)
{
    if (line->chosen[0] != '\0' && (line->profile_values == 0 ||
                                    strcmp(line->profile + strlen("profile "), line->chosen) != 0))
        add_item(line, "profile", line->chosen);
    if (line->text[0] == '\0' && line->profile_values == 0)
        return false;
    fprintf(text->out, "  %-*s %s%s", GROUP_WIDTH, line->group, line->name, line->text);
    if (line->profile_values > 0)
        fprintf(text->out, "%s%s%s sets %" PRId64 " %s%s", text->paint.dim,
                line->text[0] == '\0' ? "" : "; ", line->profile, line->profile_values,
                plural(line->profile_values, "value", "values"), text->paint.off);
    fputc('\n', text->out);
    return true;
}

static void begin_line(const struct text *text, struct line *line, const char *path, size_t group)
{
    *line = (struct line){0};
    snprintf(line->group, sizeof line->group, "%.*s", (int)group, path);
    if (!text_begins(line->group, "faults["))
        return;
    struct store_statement *row =
        store_prepare(text->store, "SELECT name FROM fault WHERE 'faults[' || fault || ']'=?");
    store_bind(row, 1, STORE_T(line->group));
    if (store_step(row))
        snprintf(line->name, sizeof line->name, "%.90s: ", store_text(row, "name"));
    store_finish(row);
}

/* The ACK timeouts of InfiniBand are codes: 8 stands for 4.096 us x 2^8. */
static bool is_timeout_code(const struct line *line, const char *name)
{
    const size_t length = strlen(line->group);
    return length > 5 && strcmp(line->group + length - 5, ".rnic") == 0 &&
           (strcmp(name, "timeout") == 0 || strcmp(name, "accept-timeout") == 0);
}

static void add_timeout(struct line *line, const char *name, const char *value)
{
    char text[64], *end;
    const long code = strtol(value, &end, 10);
    if (*end != '\0' || code < 1 || code > 31) {
        add_item(line, name, value);
        return;
    }
    snprintf(text, sizeof text, "%s (code %ld)", words_time((time_ps)4096 * PS_PER_NS << code).text,
             code);
    add_item(line, name, text);
}

static void add_row(struct line *line, const struct store_statement *row, const char *name)
{
    const char *value = store_text(row, "value");
    if (store_int(row, "shown") != 0 && strcmp(name, "profile") == 0)
        snprintf(line->chosen, sizeof line->chosen, "%s", value);
    else if (store_int(row, "shown") != 0 && is_timeout_code(line, name))
        add_timeout(line, name, value);
    else if (store_int(row, "shown") != 0)
        add_item(line, name, value);
    if (store_int(row, "profiled") == 0)
        return;
    line->profile_values++;
    snprintf(line->profile, sizeof line->profile, "%s", store_text(row, "set_by"));
}

void text_settings(const struct text *text)
{
    fprintf(text->out, "\n%sNon-default settings%s\n", text->paint.bold, text->paint.off);
    struct store_statement *rows = store_prepare(
        text->store,
        "SELECT path, value, set_by, " OWN " OR " KEY " AS shown, " PROFILE " AS profiled"
        " FROM setting"
        " WHERE path LIKE '%.%' AND (" OWN " OR " KEY " OR " PROFILE
        ") ORDER BY min(rowid) OVER (PARTITION BY " GROUP "), NOT " OWN ", rowid");
    struct line line = {0};
    int lines = 0;
    while (lines < LINES_MAX && store_step(rows)) {
        const char *path = store_text(rows, "path"), *dot = strrchr(path, '.');
        const size_t group = (size_t)(dot - path);
        if (strlen(line.group) != group || strncmp(line.group, path, group) != 0) {
            lines += write_line(text, &line);
            begin_line(text, &line, path, group);
        }
        add_row(&line, rows, dot + 1);
    }
    if (lines < LINES_MAX)
        write_line(text, &line);
    else
        fprintf(text->out,
                "  %s... and more (stormglass query RUN.db \"SELECT * FROM v_changed\")%s\n",
                text->paint.dim, text->paint.off);
    store_finish(rows);
}
