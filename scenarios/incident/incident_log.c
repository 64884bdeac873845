/* SPDX-License-Identifier: Apache-2.0
 * incident_log - lines of kernel and system logs, as dmesg, journalctl and files have them. */
#include "base/check.h"
#include "scenarios/incident/incident_private.h"
#include "scenarios/incident/incident_time.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum { SUBJECT_BYTES = 64 };

static const struct {
    const char *name, *about;
} kinds[] = {
#define KIND(id, name, about) {name, about},
#include "scenarios/incident/incident_log.def"
#undef KIND
};

static const struct {
    enum incident_event_kind kind;
    const char *pattern, *source;
} patterns[] = {
#define EVENT(id, pattern, source) {INCIDENT_##id, pattern, source},
#include "scenarios/incident/incident_log.def"
#undef EVENT
};

const char *incident_event_name(enum incident_event_kind kind)
{
    CHECK(kind < INCIDENT_EVENT_KINDS);
    return kinds[kind].name;
}

const char *incident_event_about(enum incident_event_kind kind)
{
    CHECK(kind < INCIDENT_EVENT_KINDS);
    return kinds[kind].about;
}

/* "[12345.678901] " of dmesg; its time is that since boot, which has no date. */
static const char *read_uptime(const char *line)
{
    if (*line == '<')
        line += strcspn(line, ">") + (strchr(line, '>') != NULL);
    if (*line != '[')
        return NULL;
    const char *at = line + 1 + strspn(line + 1, " ");
    const size_t whole = strspn(at, "0123456789");
    if (whole == 0 || at[whole] != '.')
        return NULL;
    at += whole + 1;
    at += strspn(at, "0123456789");
    return at[0] == ']' && at[1] == ' ' ? at + 2 : NULL;
}

/* "host kernel: message" or "host swss#orchagent: message" behind the time of a system log. */
static bool read_origin(struct arena *arena, const char *at, struct incident_log_line *log)
{
    const size_t length = strcspn(at, " \t");
    if (length == 0 || length > SUBJECT_BYTES || at[length] == '\0' ||
        !isalnum((unsigned char)at[0]) || strchr(at + length, ':') == NULL)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)at[i]) && strchr("-_.", at[i]) == NULL)
            return false;
    log->host = incident_short_host(arena, arena_text(arena, at, length));
    log->text = at + length + strspn(at + length, " \t");
    const char *uptime = strstr(log->text, "kernel: ");
    const char *rest = uptime == log->text ? read_uptime(uptime + 8) : NULL;
    log->text = rest != NULL ? rest : log->text;
    return true;
}

bool incident_log_read(struct arena *arena, const char *line, struct incident_log_line *log)
{
    struct incident_time time;
    *log = (struct incident_log_line){.when = {.seconds = INCIDENT_NO_TIME}};
    const char *text = read_uptime(line);
    if (text != NULL) {
        log->text = text;
        log->when.text = arena_text(arena, line, (size_t)(text - 1 - line));
        return true;
    }
    const bool bracket = *line == '[';
    if (!incident_time_read(line + bracket, &time) || *time.end == '\0' ||
        bracket != (*time.end == ']'))
        return false;
    log->when.seconds = time.seconds;
    const char *begin = line + bracket, *end = time.end;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    log->when.text = arena_text(arena, begin, (size_t)(end - begin));
    if (bracket) {
        log->text = time.end + 1 + strspn(time.end + 1, " ");
        return true;
    }
    return read_origin(arena, time.end, log);
}

/* The controller, card or port: "nvme3", "mlx5_core 0000:3b:00.0", "Ethernet24". */
static const char *read_subject(struct arena *arena, const char *text)
{
    static const char *const heads[] = {"nvme nvme", "mlx5_core ", "bnxt_en ",
                                        "on port ",  "Port ",      "dev nvme"};
    static const size_t skipped[] = {5, 0, 0, 8, 5, 4};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const char *at = strstr(text, heads[i]);
        if (at == NULL)
            continue;
        at += skipped[i];
        size_t length = strcspn(at, " ,");
        if (skipped[i] == 0)
            length += 1 + strcspn(at + length + (at[length] != '\0'), " ,");
        length = length > SUBJECT_BYTES ? SUBJECT_BYTES : length;
        length = strnlen(at, length);
        while (length > 0 && strchr(":,. ", at[length - 1]) != NULL)
            length--;
        char *subject = arena_text(arena, at, length);
        for (char *c = subject; *c != '\0'; c++)
            if (*c < ' ' || *c > '~')
                *c = '?';
        return subject;
    }
    return "";
}

bool incident_log_event(struct arena *arena, const char *text, struct incident_event *event)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (fnmatch(patterns[i].pattern, text, FNM_NOESCAPE) == 0) {
            event->kind = patterns[i].kind;
            event->subject = read_subject(arena, text);
            return true;
        }
    return false;
}
