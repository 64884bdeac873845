/* SPDX-License-Identifier: Apache-2.0
 * diff_text - one function for each part of the text. */
#include "reports/text/diff_text.h"

#include "base/plural.h"
#include "base/text.h"
#include "reports/text/paint.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROWS_MAX = 12, COLUMN = 20 };

struct section {
    const struct diff *diff;
    bool all;
    FILE *out;
    struct paint paint;
};

static void write_head(const struct section *section, const char *words)
{
    fprintf(section->out, "\n%s%-16s%s", section->paint.bold, words, section->paint.off);
}

static void write_side(const struct section *section, int which)
{
    const struct compare_side *side = &section->diff->sides[which];
    const char *digest = section->diff->digests[which];
    fprintf(section->out, "%c  %s: %s, stormglass %s, %s, digest %s\n", "AB"[which], side -> path,
            side -> scenario, side -> version, side -> status, *digest == '\0' ? "none" : digest);
}

/* ------------------------------------------------------------------ rows */

static bool is_mtu(const struct diff_row *row)
{
    static const char tail[] = " mtu";
    const size_t length = strlen(row->what), end = sizeof tail - 1;
    return strcmp(row->unit, "bytes") == 0 && length > end &&
           strcmp(row->what + length - end, tail) == 0;
}

struct words diff_value_words(const struct diff_row *row, int which)
{
    const double value = row->values[which];
    if (strcmp(row->unit, "ps") == 0)
        return words_time(words_whole(value));
    if (strcmp(row->unit, "us") == 0)
        return words_time(words_whole(value * PS_PER_US));
    if (strcmp(row->unit, "mm") == 0) {
        struct words words;
        snprintf(words.text, sizeof words.text, "%g m", value / 1000);
        return words;
    }
    if (strcmp(row->unit, "bps") == 0)
        return words_rate(value);
    if (text_begins(row->what, "harm.margins."))
        return words_percent(value, 1);
    if (is_mtu(row)) { /* an MTU is a number of bytes that readers recognize */
        struct words words;
        snprintf(words.text, sizeof words.text, "%.0f B", value);
        return words;
    }
    if (strcmp(row->unit, "bytes") == 0)
        return words_bytes(words_whole(value));
    return fabs(value) < 1e15 ? words_count((int64_t)value) : words_short(value);
}

const char *diff_side_text(const struct diff_row *row, int which, struct words *words)
{
    if (row->texts[which] == NULL)
        return "-";
    if (!row->number && !row->measured[which])
        return row->texts[which];
    *words = diff_value_words(row, which);
    return words->text;
}

/* There is no percentage from or to zero. */
struct words diff_change_words(double a, double b)
{
    struct words words = {""};
    if (a != 0 && b > 10 * a)
        snprintf(words.text, sizeof words.text, "x %.0f", b / a);
    else if (a != 0 && a != b)
        snprintf(words.text, sizeof words.text, "%+.1f%%", 100 * (b - a) / a);
    return words;
}

/* The words for a result whose path is not a name that expectations use; else the path without the
 * unit at its end ("pfc.paused_ps"), which follows the value. */
static const char *name_words(const struct diff_row *row, int *length)
{
    static const char *const words[][2] = {
        {"buffer.headroom_peak_bytes", "peak use of headroom at a switch"},
        {"buffer.peak_bytes", "peak use of packet memory at a switch"},
        {"drain_ps", "time for outstanding I/O at the end"},
        {"harm.drops", "dropped frames"},
        {"harm.failed_operations", "failed or unfinished operations"},
        {"harm.lossless_drops", "dropped frames of lossless classes"},
        {"harm.lost_ps", "delay of I/O, summed over hosts"},
        {"harm.margins.headroom", "peak use of headroom"},
        {"harm.margins.receive_buffer", "peak use of a receive buffer"},
        {"harm.margins.shared_memory", "peak use of shared memory"},
        {"harm.runs", "reruns that confirm causes"},
        {"harm.victims", "hosts or pairs of hosts with delayed I/O"},
        {"root_cause", "root cause of the pauses"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(row->what, words[i][0]) == 0) {
            *length = (int)strlen(words[i][1]);
            return words[i][1];
        }
    const size_t whole = strlen(row->what), tail = strlen(row->unit);
    const bool named = tail > 0 && whole > tail + 1 && row->what[whole - tail - 1] == '_' &&
                       strcmp(row->what + whole - tail, row->unit) == 0;
    *length = (int)(named ? whole - tail - 1 : whole);
    return row->what;
}

/* The value as stored, and a time in microseconds: ten digits of ps are hard to read. */
static void write_exact(const struct diff_row *row, int which, struct words *words)
{
    const char *unit = strcmp(row->unit, "count") == 0 ? "" : row->unit;
    if (strcmp(unit, "ps") == 0)
        snprintf(words->text, sizeof words->text, "%.6f us", row->values[which] / PS_PER_US);
    else
        snprintf(words->text, sizeof words->text, "%s%s%s", row->texts[which],
                 *unit == '\0' ? "" : " ", unit);
}

/* Prints enough digits that rounding does not make two different values look the same. */
static void write_number(const struct section *section, const struct diff_row *row)
{
    struct words a = diff_value_words(row, 0), b = diff_value_words(row, 1);
    if (strcmp(a.text, b.text) == 0) {
        write_exact(row, 0, &a);
        write_exact(row, 1, &b);
    }
    int length;
    const char *name = name_words(row, &length);
    const bool is_known[2] = {row->texts[0] != NULL && row->texts[0][0] != '\0',
                              row->texts[1] != NULL && row->texts[1][0] != '\0'};
    fprintf(section->out, "  %-44.*s %*s %*s", length, name, COLUMN, is_known[0] ? a.text : "-",
            COLUMN, is_known[1] ? b.text : "-");
    const struct words change = diff_change_words(row->values[0], row->values[1]);
    if (change.text[0] != '\0')
        fprintf(section->out, " %10s", change.text);
    fputc('\n', section->out);
}

static void write_text(const struct section *section, const struct diff_row *row)
{
    const char *texts[2];
    struct words words[2];
    int length;
    const char *name = name_words(row, &length);
    bool wide = false;
    for (int i = 0; i < 2; i++) {
        texts[i] = diff_side_text(row, i, &words[i]);
        wide |= strlen(texts[i]) > COLUMN;
    }
    if (wide) {
        fprintf(section->out, "  %.*s\n      A  %s\n      B  %s\n", length, name, texts[0],
                texts[1]);
        return;
    }
    fprintf(section->out, "  %-44.*s %*s %*s", length, name, COLUMN, texts[0], COLUMN, texts[1]);
    const char *const *where = row->where;
    const char *between = "  (set in ";
    for (int i = 0; i < 2; i++) {
        if (where[i][0] == '\0')
            continue;
        fprintf(section->out, "%s%s%c by %s%s", section->paint.dim, between, "AB"[i], where[i],
                section -> paint.off);
        between = ", in ";
    }
    fputs(*between == ',' ? ")" : "", section->out);
    fputc('\n', section->out);
}

/* A frame that is too large for its egress port is counted at its ingress port. */
static bool has_ingress_drops(const struct diff_section *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(rows->rows[i].what, "rx_dropped_mtu") != NULL)
            return true;
    return false;
}

static void write_section(const struct section *section, enum diff_section_kind kind)
{
    const struct diff_section *rows = &section->diff->sections[kind];
    if (rows->count == 0)
        return;
    write_head(section, diff_section_heading(kind));
    char counts[48];
    snprintf(counts, sizeof counts, "%zu %s, %zu equal", rows->count,
             plural(rows->count, "differs", "differ"), rows->equal);
    fprintf(section->out, "%-30s %*s %*s\n", counts, COLUMN, "A", COLUMN, "B");
    const size_t most = section->all || rows->count <= ROWS_MAX + 1 ? rows->count : ROWS_MAX;
    for (size_t i = 0; i < most; i++) {
        if (rows->rows[i].number)
            write_number(section, &rows->rows[i]);
        else
            write_text(section, &rows->rows[i]);
    }
    if (kind == DIFF_COUNTERS && has_ingress_drops(rows, most))
        fputs("  rx_dropped_mtu counts at the port that received the frame, Drops at the port "
              "that could not send it\n",
              section->out);
    if (most < rows->count)
        fprintf(section->out, "  %s... and %zu more (--all lists them)%s\n", section->paint.dim,
                rows->count - most, section->paint.off);
}

/* ------------------------------------------------------------------ events */

static void write_event(const struct section *section, const char *side,
                        const struct eventlog_reported *event)
{
    fprintf(section->out, "  %-5s %16.6f us  %-14s %s\n", side, (double)event->at / PS_PER_US,
            event->port, event->what);
}

static void write_parting(const struct section *section)
{
    const struct lockstep *lockstep = &section->diff->lockstep;
    fprintf(section->out, "%sthe runs diverge%s at %.6f us in %s: %s\n", section->paint.bad,
            section->paint.off, (double)lockstep->at / PS_PER_US, lockstep->node, lockstep->how);
    fprintf(section->out, "  the %" PRIu64 " %s before it are equal\n",
            lockstep->events[0] < lockstep->events[1] ? lockstep->events[0] : lockstep->events[1],
            plural(lockstep->events[0] < lockstep->events[1] ? lockstep->events[0]
                                                             : lockstep->events[1],
                   "event", "events"));
    for (uint32_t i = 0; i < lockstep->same_count; i++)
        write_event(section, "both", &lockstep->same[i]);
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < lockstep->counts[side]; i++)
            write_event(section, side == 0 ? "A" : "B", &lockstep->next[side][i]);
        if (lockstep->counts[side] == 0)
            fprintf(section->out, "  %-5s no more events in %s\n", side == 0 ? "A" : "B",
                    lockstep->node);
    }
}

/* The digests differ, but this version gives the same events for both. */
static void write_recorded(const struct section *section)
{
    const struct checkpoint_parting *parting = &section->diff->recorded;
    fprintf(section->out,
            "this version replays both runs with equal events, but the recorded digests differ\n");
    if (parting->parted)
        fprintf(section->out, "  the recorded runs diverge between %.6f us and %.6f us, in %s\n",
                (double)parting->after / PS_PER_US, (double)parting->before / PS_PER_US,
                section->diff->nodes);
}

static void write_events(const struct section *section)
{
    const struct diff *diff = section->diff;
    write_head(section, "Events");
    if (diff->events == DIFF_EVENTS_PARTED)
        write_parting(section);
    else if (diff->events == DIFF_EVENTS_UNKNOWN)
        fprintf(section->out, "not compared: %s\n", diff->why);
    else if (strcmp(diff->digests[0], diff->digests[1]) == 0)
        fprintf(section->out, "%sequal%s (the digests are equal)\n", section->paint.good,
                section->paint.off);
    else
        write_recorded(section);
}

static void write_result(const struct section *section)
{
    size_t equal = 0, different = 0;
    for (int i = 0; i < DIFF_SECTION_COUNT; i++) {
        equal += section->diff->sections[i].equal;
        different += section->diff->sections[i].count;
    }
    write_head(section, "Result");
    fprintf(section->out, "the runs are %s: %zu %s %s, %zu %s equal\n",
            diff_is_equal(section->diff) ? "equal" : "different", different,
            plural(different, "value", "values"), plural(different, "differs", "differ"), equal,
            plural(equal, "is", "are"));
}

bool diff_text(const struct diff *diff, bool all, FILE *out)
{
    const struct section section = {diff, all, out, paint_for(out)};
    write_side(&section, 0);
    write_side(&section, 1);
    write_section(&section, DIFF_SETTINGS);
    write_events(&section);
    for (int i = DIFF_SETTINGS + 1; i < DIFF_SECTION_COUNT; i++)
        write_section(&section, (enum diff_section_kind)i);
    write_result(&section);
    return ferror(out) == 0;
}
