/* SPDX-License-Identifier: Apache-2.0
 * tool_ethtool - reads `ethtool DEVICE` and `ethtool -c DEVICE`: link speed and interrupt
 * moderation.
 * Moderation belongs to no parameter, because RDMA completions have their own. */
#include "replay/readings/tool.h"

#include "base/note_text.h"

#include <string.h>

struct scan {
    const struct tool_file *file;
    struct lines lines;
    size_t known;
};

/* The value after "NAME:" at the start of the line. */
static const char *value_of(const struct scan *scan, const char *name)
{
    const char *text = scan->lines.text + strspn(scan->lines.text, " \t>|");
    if (strncmp(text, name, strlen(name)) != 0)
        return NULL;
    text += strlen(name);
    return text + strspn(text, " \t");
}

static void take_speed(struct scan *scan)
{
    const char *value = value_of(scan, "Speed:");
    int64_t mbps;
    if (value == NULL || strncmp(value, "Unknown", 7) == 0)
        return;
    const size_t digits = tool_count(value, 6400000, &mbps);
    scan->known++;
    if (digits == 0 || mbps < 1 || strncmp(value + digits, "Mb/s", 4) != 0)
        tool_say(scan->file, DIAG_ERROR, &scan->lines, value, strcspn(value, " \t"),
                 "expected a speed such as 100000Mb/s");
    else
        tool_set(scan->file, &scan->lines, value, "rnic.line-rate", "%lldMbps", (long long)mbps);
}

static void take_adaptive(struct scan *scan)
{
    const char *value = value_of(scan, "Adaptive RX:");
    if (value == NULL)
        return;
    scan->known++;
    if (strncmp(value, "on", 2) == 0)
        tool_note(scan->file, &scan->lines, value,
                  "adaptive interrupt moderation is on; it does not affect latencies at low load");
    else if (strncmp(value, "off", 3) != 0 && strncmp(value, "n/a", 3) != 0)
        tool_say(scan->file, DIAG_ERROR, &scan->lines, value, strcspn(value, " \t"),
                 "expected on, off or n/a");
}

static void take_usecs(struct scan *scan)
{
    const char *value = value_of(scan, "rx-usecs:");
    int64_t us;
    if (value == NULL)
        return;
    scan->known++;
    if (strncmp(value, "n/a", 3) == 0)
        return;
    if (tool_count(value, 1000000, &us) == 0)
        tool_say(scan->file, DIAG_ERROR, &scan->lines, value, strcspn(value, " \t"),
                 "expected a number of microseconds up to 1000000, or n/a");
    else if (us > 0)
        tool_note(scan->file, &scan->lines, value,
                  "the network device delays interrupts by up to %s",
                  note_time(us * PS_PER_US).text);
}

static void read_output(const struct tool_file *file)
{
    struct scan scan = {.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&scan.lines, &file->readings->arena)) {
        take_speed(&scan);
        take_adaptive(&scan);
        take_usecs(&scan);
    }
    if (scan.known == 0 && !diag_failed(file->diag))
        tool_cut(file, "expected Speed, or rx-usecs, as ethtool prints them: the file is cut");
}

static const char *const ethtool_marks[] = {"Coalesce parameters for ", "Settings for ", NULL};

const struct tool tool_ethtool = {
    .word = "ethtool",
    .about = "ethtool and ethtool -c",
    .marks = ethtool_marks,
    .read = read_output,
};
