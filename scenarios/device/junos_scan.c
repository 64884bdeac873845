/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/device/junos_private.h"

#include <string.h>
#include <strings.h>

struct scan {
    struct device *device;
    junos_statement_fn *call;
    void *context;
    struct command path;         /* words of the enclosing blocks and of the current statement */
    int begins[JUNOS_DEPTH_MAX]; /* by block: number of words before it */
    int depth, own;              /* number of open blocks; number of words before the current
                                  * statement */
    int base;                    /* number of words from "[edit ..]" */
    bool in_comment, is_set;
};

static void emit(struct scan *scan)
{
    struct command *path = &scan->path;
    if (path->count > scan->own) {
        path->words[path->count] = NULL;
        scan->call(scan->context, path);
    }
    path->count = scan->own;
}

static void add_word(struct scan *scan, const char *at, size_t length)
{
    struct command *path = &scan->path;
    if (path->count == scan->own)
        path->place = lines_place(&scan->device->lines, at, length);
    if (path->count < QOS_WORDS_MAX)
        path->words[path->count++] = arena_text(&scan->device->arena, at, length);
}

static void open_block(struct scan *scan, const char *at)
{
    if (scan->depth == JUNOS_DEPTH_MAX) {
        device_error(scan->device, at, 1, "more than %d levels of braces", JUNOS_DEPTH_MAX);
        return;
    }
    scan->begins[scan->depth++] = scan->own;
    scan->own = scan->path.count;
}

static void close_block(struct scan *scan, const char *at)
{
    emit(scan);
    if (scan->depth == 0) {
        device_error(scan->device, at, 1, "a '}' without its '{'");
        return;
    }
    scan->own = scan->begins[--scan->depth];
    scan->path.count = scan->own;
}

/* Reads one word or sign; returns the position behind it. */
static const char *scan_token(struct scan *scan, const char *at)
{
    static const char signs[] = "{};[]";
    if (*at == '{')
        open_block(scan, at);
    else if (*at == '}')
        close_block(scan, at);
    else if (*at == ';')
        emit(scan);
    else if (*at == '"') {
        const size_t length = strcspn(at + 1, "\"");
        add_word(scan, at + 1, length);
        return at + 1 + length + (at[1 + length] == '"');
    } else if (strchr(signs, *at) == NULL) {
        const size_t length = strcspn(at, " \t\r{};[]");
        add_word(scan, at, length);
        return at + length;
    }
    return at + 1;
}

/* Uses the words up to `end` as the enclosing blocks of the following lines. */
static void read_base(struct scan *scan, const char *at, const char *end)
{
    scan->path.count = scan->own = 0;
    while (*at != '\0' && strchr(end, *at) == NULL) {
        at += strspn(at, " \t\r");
        const size_t word = strcspn(at, " \t\r"), rest = strcspn(at, end);
        const size_t length = word < rest ? word : rest;
        if (length > 0)
            add_word(scan, at, length);
        at += length;
    }
    scan->own = scan->base = scan->path.count;
}

/* "[edit class-of-service]": the following commands are below this level. */
static bool read_edit(struct scan *scan, const char *at)
{
    if (strncmp(at, "[edit", 5) != 0 || scan->depth > 0)
        return false;
    read_base(scan, at + 5, "]");
    return true;
}

/* "admin@qfx1> show configuration class-of-service", "admin@qfx1# show class-of-service": the
 * output that follows omits the enclosing blocks named by the command. */
static bool read_prompt(struct scan *scan, const char *at)
{
    const size_t width = strcspn(at, " \t\r");
    const char *user = memchr(at, '@', width);
    if (scan->depth > 0 || user == NULL || strchr("#>%", at[width - 1]) == NULL)
        return false;
    at += width;
    at += strspn(at, " \t\r");
    if (strncmp(at, "set ", 4) == 0)
        return false;
    const bool whole = strstr(at, "display set") != NULL && strstr(at, "relative") == NULL;
    if (strncmp(at, "show ", 5) == 0) {
        at += 5 + strspn(at + 5, " ");
        at += strncmp(at, "configuration", 13) == 0 ? 13 : 0;
        read_base(scan, whole ? "" : at, "|");
    }
    return true;
}

static void read_line(struct scan *scan)
{
    const char *at = scan->device->text, *set = strstr(at, "set ");
    at += strspn(at, " \t");
    if (!scan->in_comment && (read_edit(scan, at) || read_prompt(scan, at)))
        return;
    const bool behind_prompt = set != NULL && set > at + 1 && strchr("#>%", set[-2]) != NULL;
    scan->is_set = !scan->in_comment && scan->depth == 0 && (set == at || behind_prompt);
    if (scan->is_set) {
        scan->path.count = scan->own = scan->base;
        at = set + 4;
    }
    while (*at != '\0' && scan->device->diag->errors < DIAG_MAX) {
        at += strspn(at, " \t\r");
        const char *end = scan->in_comment ? strstr(at, "*/") : NULL;
        if (scan->in_comment) {
            at = end == NULL ? at + strlen(at) : end + 2;
            scan->in_comment = end == NULL;
        } else if (strncmp(at, "/*", 2) == 0) {
            scan->in_comment = true;
            at += 2;
        } else if (*at == '#') {
            break;
        } else if (*at != '\0') {
            at = scan_token(scan, at);
        }
    }
    if (scan->is_set)
        emit(scan);
}

void junos_scan(struct device *device, junos_statement_fn *call, void *context)
{
    struct scan scan = {.device = device, .call = call, .context = context};
    while (device_line(device))
        read_line(&scan);
    if (scan.depth > 0 && !diag_failed(device->diag))
        device_refuse(device, "expected '}' before the end of the file");
}

/* ---- code points ---- */

/* Value of "011010" or of a name such as af31, be, nc1; QOS_UNSET: neither. */
static int code_point(const char *word, size_t bits)
{
    int value = 0;
    if (strlen(word) == bits && strspn(word, "01") == bits) {
        for (; *word != '\0'; word++)
            value = value * 2 + (*word - '0');
        return value;
    }
    if (bits != 6)
        return QOS_UNSET;
    if (strcasecmp(word, "nc1") == 0 || strcasecmp(word, "nc2") == 0)
        return word[2] == '1' ? 48 : 56;
    return word[0] >= '0' && word[0] <= '9' ? QOS_UNSET : qos_dscp(word);
}

uint64_t junos_code_points(const struct command *at, int from, size_t bits)
{
    uint64_t mask = 0;
    for (int i = from; i < at->count; i++) {
        const int value = code_point(at->words[i], bits);
        mask |= value == QOS_UNSET ? 0 : UINT64_C(1) << value;
    }
    return mask;
}
