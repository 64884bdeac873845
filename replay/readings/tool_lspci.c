/* SPDX-License-Identifier: Apache-2.0
 * tool_lspci - reads PCIe properties of a card from `lspci -vv`: LnkSta, and sizes and tags from
 * DevCtl.
 * Of several network cards, the one with the fastest possible link (LnkCap) counts; lines without a
 * device above them are the card's. All functions of a card report the same.
 * Source: pciutils ls-caps.c (cap_express_dev, cap_express_link). */
#include "replay/readings/tool.h"

#include <string.h>

enum { DEVICES_MAX = 256 };

struct found {
    int64_t value;
    int line; /* 0: not reported */
    const char *text, *at;
};

/* Of a device; `at` points into the text of its line. */
struct device {
    bool network;
    int64_t rank; /* its maximum link speed, otherwise the current one */
    struct found generation, lanes, payload, request, tags;
    bool downgraded;
};

struct scan {
    const struct tool_file *file;
    struct lines lines;
    struct device devices[DEVICES_MAX];
    int count;
    bool control; /* inside the lines of DevCtl */
};

static struct found found(const struct scan *scan, const char *at, int64_t value)
{
    return (struct found){value, scan->lines.number, scan->lines.text, at};
}

/* ------------------------------------------------------------------ lines */

/* "b3:00.0 Ethernet controller: ..." at the start of a line, with or without a domain. */
static bool is_device(const char *text)
{
    const char *colon = strstr(text, ": ");
    const size_t slot = strspn(text, "0123456789abcdef:.");
    return slot >= 7 && text[slot] == ' ' && memchr(text, '.', slot) != NULL && colon != NULL;
}

static struct device *begin_device(struct scan *scan)
{
    const char *text = scan->lines.text;
    if (scan->count == DEVICES_MAX) {
        tool_say(scan->file, DIAG_ERROR, &scan->lines, text, strlen(text),
                 "expected at most %d devices", DEVICES_MAX);
        return &scan->devices[DEVICES_MAX - 1];
    }
    struct device *device = &scan->devices[scan->count++];
    device->network = strstr(text, "Ethernet controller") != NULL ||
                      strstr(text, "Infiniband controller") != NULL ||
                      strstr(text, "Network controller") != NULL;
    scan->control = false;
    return device;
}

/* Parses a number after a word such as "Width x". Returns false if the word is missing, or, with a
 * message, if no number follows. */
static bool number_behind(const struct scan *scan, const char *word, const char *unit,
                          const char **at, int64_t *value)
{
    const char *text = strstr(scan->lines.text, word);
    if (text == NULL)
        return false;
    *at = text + strlen(word);
    const size_t digits = tool_count(*at, 65536, value);
    if (digits > 0 && strncmp(*at + digits, unit, strlen(unit)) == 0)
        return true;
    tool_say(scan->file, DIAG_ERROR, &scan->lines, *at, strcspn(*at, " \t,"),
             "expected a number behind '%s', such as %s8%s", word, word, unit);
    return false;
}

/* The generation of a speed; 0 if it is none. */
static int64_t generation_of(const char *speed)
{
    static const char *const speeds[] = {"2.5GT/s", "5GT/s", "8GT/s", "16GT/s", "32GT/s"};
    for (int i = 0; i < 5; i++)
        if (strncmp(speed, speeds[i], strlen(speeds[i])) == 0)
            return i + 1;
    return 0;
}

static const char *speed_of(const struct scan *scan)
{
    static const char word[] = "Speed ";
    const char *at = strstr(scan->lines.text, word);
    return at == NULL ? NULL : at + strlen(word);
}

static void rank(const struct scan *scan, struct device *device)
{
    const char *speed = speed_of(scan), *width = strstr(scan->lines.text, "Width x");
    int64_t lanes = 0;
    if (speed == NULL || width == NULL || tool_count(width + 7, 32, &lanes) == 0)
        return;
    const int64_t generation = generation_of(speed);
    const int64_t rank = lanes << (generation > 0 ? generation : 5);
    device->rank = rank > device->rank ? rank : device->rank;
}

static void take_link(const struct scan *scan, struct device *device)
{
    const char *at, *speed = speed_of(scan);
    int64_t lanes;
    rank(scan, device);
    if (speed == NULL || *speed == '\0') {
        tool_say(scan->file, DIAG_ERROR, &scan->lines, scan->lines.text, scan->lines.length,
                 "expected LnkSta with Speed and Width: the line is cut");
        return;
    }
    if (generation_of(speed) > 0)
        device->generation = found(scan, speed, generation_of(speed));
    else
        tool_say(scan->file, DIAG_WARNING, &scan->lines, speed, strcspn(speed, ","),
                 "expected a speed from 2.5GT/s to 32GT/s: it is left out");
    if (number_behind(scan, "Width x", "", &at, &lanes) && lanes >= 1 && lanes <= 32)
        device->lanes = found(scan, at, lanes);
    device->downgraded |= strstr(scan->lines.text, "(downgraded)") != NULL;
}

static void take_control(const struct scan *scan, struct device *device)
{
    const char *at;
    int64_t bytes;
    if (number_behind(scan, "MaxPayload ", " bytes", &at, &bytes))
        device->payload = found(scan, at, bytes);
    if (number_behind(scan, "MaxReadReq ", " bytes", &at, &bytes))
        device->request = found(scan, at, bytes);
    if ((at = strstr(scan->lines.text, "ExtTag")) != NULL)
        device->tags = found(scan, at, at[strlen("ExtTag")] == '+' ? 256 : 32);
}

static void read_line(struct scan *scan)
{
    const char *text = scan->lines.text, *word = text + strspn(text, " \t>|");
    struct device *device =
        is_device(text) || scan->count == 0 ? begin_device(scan) : &scan->devices[scan->count - 1];
    if (strncmp(word, "DevCtl:", 7) == 0)
        scan->control = true;
    else if (strncmp(word, "Dev", 3) == 0 || strncmp(word, "Lnk", 3) == 0)
        scan->control = false;
    if (scan->control)
        take_control(scan, device);
    if (strncmp(word, "LnkCap:", 7) == 0)
        rank(scan, device);
    if (strncmp(word, "LnkSta:", 7) == 0)
        take_link(scan, device);
}

/* ------------------------------------------------------------------ the card */

/* Prefers network cards to lines without a device. */
static const struct device *choose(const struct scan *scan)
{
    const struct device *best = NULL;
    for (int i = 0; i < scan->count; i++) {
        const struct device *device = &scan->devices[i];
        const bool counts = device->network || scan->count == 1;
        if (counts && (best == NULL || device->rank > best->rank))
            best = device;
    }
    return best;
}

static void add_setting(const struct scan *scan, const struct found *what, const char *path,
                        const char *unit)
{
    struct lines lines = {.file = scan->file->file, .text = what->text, .number = what->line};
    if (what->line > 0)
        tool_set(scan->file, &lines, what->at, path, "%lld%s", (long long)what->value, unit);
}

static void read_output(const struct tool_file *file)
{
    struct scan *scan = arena_take(&file->readings->arena, sizeof *scan);
    *scan = (struct scan){.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&scan->lines, &file->readings->arena))
        read_line(scan);
    const struct device *card = choose(scan);
    if (card == NULL || (card->generation.line == 0 && card->lanes.line == 0)) {
        if (!diag_failed(file->diag))
            tool_cut(file, "expected LnkSta of a network card, with Speed and Width, as lspci -vv "
                           "prints it for root");
        return;
    }
    add_setting(scan, &card->generation, "rnic.pcie-generation", "");
    add_setting(scan, &card->lanes, "rnic.pcie-lanes", "");
    add_setting(scan, &card->payload, "rnic.pcie-payload", "B");
    add_setting(scan, &card->request, "rnic.pcie-read-request", "B");
    add_setting(scan, &card->tags, "rnic.pcie-tags", "");
    struct lines lines = {.file = file->file, .text = card->lanes.text, .number = card->lanes.line};
    if (card->downgraded && card->lanes.line > 0)
        tool_note(file, &lines, card->lanes.at,
                  "the card could do more than this link: is the slot the right one?");
}

static const char *const lspci_marks[] = {"LnkSta:", "DevCtl:", NULL};

const struct tool tool_lspci = {
    .word = "lspci",
    .about = "lspci -vv",
    .marks = lspci_marks,
    .read = read_output,
};
