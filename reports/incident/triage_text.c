/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/incident/triage_text.h"

#include "base/plural.h"
#include "base/printable.h"
#include "replay/database/words.h"
#include "replay/incident/incident_answer.h"
#include "reports/text/paint.h"

#include <inttypes.h>
#include <string.h>

enum {
    SHOWN_SUSPECTS = 3,
    SHOWN_SIGNS = 4,
    SHOWN_PAUSES = 8,
    SHOWN_NAMES = 8,
    SHOWN_FILES = 12,
    PLACE_WIDTH = 28
};

const char *triage_verdict_name(enum triage_verdict verdict)
{
    static const char *const names[] = {"none", "overload", "unclear", "fault"};
    return names[verdict];
}

void triage_place_text(const char *device, const char *port, const char *peer,
                       const char *peer_port, FILE *out)
{
    printable_print(out, "%s", device);
    if (port != NULL && *port != '\0')
        printable_print(out, " %s", port);
    if (peer != NULL)
        printable_print(out, " (cable to %s%s%s)", peer, peer_port == NULL ? "" : " ",
                        peer_port == NULL ? "" : peer_port);
}

static void print_place(const struct triage_suspect *suspect, FILE *out)
{
    triage_place_text(suspect->device, suspect->port, suspect->peer, suspect->peer_port, out);
}

/* ---- the verdict ---- */

static void print_verdict(const struct triage *triage, FILE *out)
{
    const struct paint paint = paint_for(out);
    fputs(paint.bold, out);
    fputs(triage_verdict_words(triage), out);
    if (triage_names_suspect(triage)) {
        const struct triage_suspect *first = &triage->suspects[0];
        print_place(first, out);
        fprintf(out, ": %s", suspects_about[first->kind].about);
        if (first->since != NULL)
            printable_print(out, ", first seen at %s", first->since);
    }
    fprintf(out, "%s\n", paint.off);
    if (triage->single)
        fprintf(out, "%s\n", triage_caution_words(triage));
    if (triage->seconds > 0)
        printable_print(out, "Samples from %s to %s (%lld s).\n", triage->from, triage->to,
                        (long long)triage->seconds);
}

/* ---- suspects ---- */

static void print_signs(const char *head, const struct triage_sign *signs, size_t count,
                        size_t shown, FILE *out)
{
    for (size_t i = 0; i < count && i < shown; i++) {
        char place[256] = "";
        if (signs[i].place.file != NULL)
            snprintf(place, sizeof place, "%s:%d", signs[i].place.file, signs[i].place.line);
        fprintf(out, "     %-8s", i == 0 ? head : "");
        printable_print(out, "%-*s  %s\n", PLACE_WIDTH, place, signs[i].text);
    }
    if (count > shown)
        fprintf(out, "     %-8sand %zu more %s (--all lists them)\n", "", count - shown,
                plural(count - shown, "sign", "signs"));
}

void triage_suspect_text(const struct triage_suspect *suspect, bool all, FILE *out)
{
    print_place(suspect, out);
    fprintf(out, ": %s [%s, score %.1f]\n", suspects_about[suspect->kind].about,
            suspects_about[suspect->kind].name, suspect->score);
    print_signs("for", suspect->signs, suspect->sign_count, all ? SIZE_MAX : SHOWN_SIGNS, out);
    print_signs("against", suspect->against, suspect->against_count, all ? SIZE_MAX : SHOWN_SIGNS,
                out);
}

static void print_suspects(const struct triage *triage, bool all, FILE *out)
{
    const size_t shown = all ? triage->suspect_count : SHOWN_SUSPECTS;
    if (triage->suspect_count > 0)
        fputs("\nSuspects, from the counters alone, not confirmed by simulation:\n", out);
    for (size_t i = 0; i < triage->suspect_count && i < shown; i++) {
        fprintf(out, "%3zu. ", i + 1);
        triage_suspect_text(&triage->suspects[i], all, out);
    }
    if (triage->suspect_count > shown)
        fprintf(out, "     and %zu weaker %s (--all lists them)\n", triage->suspect_count - shown,
                plural(triage->suspect_count - shown, "suspect", "suspects"));
}

/* ---- pauses and what is unknown ---- */

/* "leaf0 Ethernet4", or what is known of it. */
static const char *pause_end(const char *device, const char *port, char text[128])
{
    if (device == NULL)
        return "an unknown neighbor";
    snprintf(text, 128, "%.60s%s%.60s", device, port == NULL ? "" : " ", port == NULL ? "" : port);
    return text;
}

static void print_pauses(const struct triage *triage, bool all, FILE *out)
{
    const size_t shown = all ? triage->pause_count : SHOWN_PAUSES;
    if (triage->pause_count > 0)
        fputs("\nPauses:\n", out);
    for (size_t i = 0; i < triage->pause_count && i < shown; i++) {
        const struct triage_pause *pause = &triage->pauses[i];
        char from[128], to[128];
        printable_print(out, "     %s pauses %s: %s pause %s%s\n",
                        pause_end(pause->from, pause->from_port, from),
                        pause_end(pause->to, pause->to_port, to), words_count(pause->frames).text,
                        plural(pause->frames, "frame", "frames"),
                        pause->is_sent_known ? "" : " (by the receiver's counter)");
    }
    if (triage->pause_count > shown)
        fprintf(out, "     and %zu more %s (--all lists them)\n", triage->pause_count - shown,
                plural(triage->pause_count - shown, "pause", "pauses"));
}

static void print_names(const char *const *names, size_t count, bool all, FILE *out)
{
    const size_t shown = all ? count : SHOWN_NAMES;
    for (size_t i = 0; i < count && i < shown; i++)
        printable_print(out, "%s%s", i == 0 ? " " : ", ", names[i]);
    if (count > shown)
        fprintf(out, " and %zu more %s", count - shown, plural(count - shown, "device", "devices"));
    fputc('\n', out);
}

static void print_unknown(const struct triage *triage, const struct incident *incident, bool all,
                          FILE *out)
{
    if (incident->scenario == NULL)
        fputs(
            "\nNo cables are known, so pauses and losses cannot be followed from device to device. "
            "Add `show lldp table` or config_db.json of the switches, or --fabric.\n",
            out);
    else
        fprintf(out, "\n%zu of %zu %s %s counters from both ends.\n", triage->cables_known,
                triage->cables, plural(triage->cables, "cable", "cables"),
                plural(triage->cables_known, "has", "have"));
    if (triage->unknown_count > 0) {
        fputs("Devices without counters, so their state is unknown:", out);
        print_names(triage->unknown, triage->unknown_count, all, out);
    }
    if (triage->unpaired > 0)
        fprintf(out, "Not used: %zu %s.\n", triage->unpaired,
                plural(triage->unpaired, "counter, which has only one sample",
                       "counters, which have only one sample"));
    if (triage->contradiction_count > 0)
        fputs("The counters of the two ends of a cable disagree:\n", out);
    print_signs("", triage->contradictions, triage->contradiction_count,
                all ? SIZE_MAX : SHOWN_SIGNS, out);
}

/* ---- files ---- */

static void print_file(const struct incident_file *file, FILE *out)
{
    printable_print(out, "     %s: ", file->name);
    if (file->left_out != NULL) {
        fprintf(out, "not used: %s\n", file->left_out);
        return;
    }
    const char *between = "";
    const struct {
        uint32_t count;
        const char *one, *many;
    } parts[] = {{file->numbers, "counter", "counters"},
                 {file->cables, "cable", "cables"},
                 {file->log_lines, "log line", "log lines"},
                 {file->events, "known message", "known messages"},
                 {file->is_configuration, "switch configuration", ""},
                 {file->outputs, "host configuration", "host configurations"},
                 {file->is_scenario, "scenario", ""}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].count > 0) {
            fprintf(out, "%s%" PRIu32 " %s", between, parts[i].count,
                    plural(parts[i].count, parts[i].one, parts[i].many));
            between = ", ";
        }
    if (file->lines_left > 0)
        fprintf(out, "; %" PRIu32 " %s of unknown kind, the first is line %d", file->lines_left,
                plural(file->lines_left, "line", "lines"), file->first_left.line);
    if (file->malformed > 0)
        fprintf(out, "; %" PRIu32 " malformed %s skipped, the first is line %d", file->malformed,
                plural(file->malformed, "line", "lines"), file->first_malformed.line);
    fputc('\n', out);
}

static void print_files(const struct incident *incident, bool all, FILE *out)
{
    size_t shown = 0;
    fprintf(out, "\nRead %zu %s:\n", incident->file_count,
            plural(incident->file_count, "file", "files"));
    for (size_t i = 0; i < incident->file_count; i++)
        if (all || shown < SHOWN_FILES || incident->files[i].left_out != NULL ||
            incident->files[i].malformed > 0) {
            print_file(&incident->files[i], out);
            shown++;
        }
    if (incident->file_count > shown)
        fprintf(out, "     and %zu more %s, all used (--all lists them)\n",
                incident->file_count - shown,
                plural(incident->file_count - shown, "file", "files"));
}

void triage_text(const struct triage *triage, const struct incident *incident, bool all, FILE *out)
{
    print_verdict(triage, out);
    print_suspects(triage, all, out);
    print_pauses(triage, all, out);
    print_unknown(triage, incident, all, out);
    print_files(incident, all, out);
}
