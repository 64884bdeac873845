/* SPDX-License-Identifier: Apache-2.0
 * counts_prompt - finds the device of the counters that follow: prompts of shells and switches,
 * names of files. */
#include "scenarios/counters/counts_private.h"

#include <string.h>

enum { NAME_MAX_BYTES = 256 };

static const char blanks[] = " \t";
static const char host_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

/* ---- prompts ---- */

static const char *const commands[] = {
    "show",     "ethtool",  "rdma", "cat",  "grep",   "head",      "tail",     "nv",    "sudo",
    "pfcwd",    "pfcstat",  "for",  "exit", "date",   "terminal",  "portstat", "ip",    "queuestat",
    "hostname", "mlnx_qos", "cd",   "sh",   "sho",    "clear",     "watch",    "while", "echo",
    "sleep",    "uptime",   "ls",   "ssh",  "conf",   "configure", "end",      "ping",  "pwd",
    "lspci",    "ibstat",   "tc",   "dcb",  "sysctl", "nvme"};

static bool is_command(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (counts_is(word, length, commands[i]))
            return true;
    return false;
}

/* End of the prompt: "[root@db7 ~]#", "admin@leaf7:~$", "n9k-1(config)#", "admin@qfx1>" or "$".
 * NULL: the line does not begin with a prompt. Out: its host, which may be empty. */
static const char *prompt_end(const char *text, const char **host, size_t *length, bool *user)
{
    text += strspn(text, blanks);
    const char *at = text + (*text == '[');
    size_t width = strspn(at, host_letters);
    *user = at[width] == '@' && width > 0;
    if (*user) {
        at += width + 1;
        width = strspn(at, host_letters);
    }
    *host = at;
    *length = width;
    at += width;
    if (width > COUNTS_WORD_MAX || (width == 0 && *user))
        return NULL;
    if (*at == ':' || *at == '(' || (*at == ' ' && *text == '['))
        at += strcspn(at, "#$>");
    at += *at == ' ' && at[1] == '#'; /* "db7 # " */
    at += *at == ']';
    return *at == '#' || *at == '$' || *at == '>' ? at + 1 : NULL;
}

/* True if the word ends one of several commands on a line: "date;", "&&", "|". */
static bool ends_command(const char *word, size_t length)
{
    return word[length - 1] == ';' || word[length - 1] == '|' || counts_is(word, length, "&&");
}

/* Options of ethtool that precede the device: counters, and pauses with -I. */
static bool is_device_option(const char *word, size_t length)
{
    static const char *const options[] = {"-S", "--statistics", "-a", "--show-pause"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (counts_is(word, length, options[i]))
            return true;
    return false;
}

/* True for a port such as "et-0/0/7", which may be anywhere in a Junos command. */
static bool is_junos_port(const char *word, size_t length)
{
    return length > 4 && length <= COUNTS_WORD_MAX && strspn(word, "egtx") == 2 && word[2] == '-' &&
           strspn(word + 3, "0123456789/:") == length - 3;
}

/* Device in the command: `ethtool -S eth0`, `nv show interface swp1 counters`; also in later
 * commands of a line: `date; ethtool -S eth0 | grep prio`. */
static void read_command(struct counts_reader *reader, const char *at)
{
    size_t length;
    bool next = false, shell = false, nvue = false;
    reader->device = NULL;
    reader->format = NULL;
    reader->title = NULL;
    for (const char *word = counts_word(&at, &length); length > 0;
         word = counts_word(&at, &length)) {
        const bool last = ends_command(word, length);
        length -= word[length - 1] == ';';
        if (next && counts_is_port(word, length)) {
            reader->device = arena_text(reader->arena, word, length);
            return;
        }
        if (is_junos_port(word, length))
            reader->device = arena_text(reader->arena, word, length);
        shell = shell || counts_is(word, length, "ethtool") || counts_is(word, length, "sudo");
        nvue = nvue || counts_is(word, length, "nv");
        next = (nvue && counts_is(word, length, "interface")) ||
               counts_is(word, length, "detailed") || (shell && is_device_option(word, length));
        if (last)
            next = shell = nvue = false;
    }
}

/* Device of the sysfs directory that the line names or that an earlier `cd` entered. */
static void read_directory(struct counts_reader *reader)
{
    const char *text = reader->lines.text, *cd = strstr(text, "cd /");
    const char *device = counts_path_device(reader->arena, text);
    if (cd != NULL)
        reader->directory = device;
    if (reader->device == NULL && device != NULL && strchr(device, '*') == NULL)
        reader->device = device;
    else if (reader->device == NULL)
        reader->device = reader->directory;
}

/* A command copied without its prompt. */
static bool read_bare_command(struct counts_reader *reader)
{
    static const char *const begins[] = {"ethtool -S ", "ethtool --statistics ", "rdma stat",
                                         "rdma -j stat", "nv show interface "};
    const char *text = reader->lines.text + strspn(reader->lines.text, blanks);
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0) {
            read_command(reader, text);
            return true;
        }
    return false;
}

/* True if the next line is the heading of `ethtool -S`. */
static bool heading_follows(const struct counts_reader *reader)
{
    static const char heading[] = "NIC statistics:";
    const struct tree_file *file = reader->lines.file;
    const size_t next = reader->lines.next;
    return next < file->length && file->length - next >= sizeof heading - 1 &&
           memcmp(file->text + next, heading, sizeof heading - 1) == 0;
}

/* True if the next line is a counter of `ethtool -S`, without the heading: "     rx_prio3_pause:
 * 5". */
static bool counter_follows(const struct counts_reader *reader)
{
    const struct tree_file *file = reader->lines.file;
    if (reader->lines.next >= file->length)
        return false;
    const char *line = file->text + reader->lines.next, *name = line + strspn(line, blanks);
    const size_t length = strspn(name, host_letters);
    return name > line && length > 0 && strncmp(name + length, ": ", 2) == 0 &&
           name[length + 2] >= '0' && name[length + 2] <= '9';
}

/* "eth0", "eth0:" or "=== eth0 ===" above the heading of `ethtool -S`, as printed by a loop; also
 * "eth0" alone directly above the counters, if grep removed the heading. */
static bool read_device(struct counts_reader *reader)
{
    static const char around[] = "=#-*: \t";
    const char *word = reader->lines.text + strspn(reader->lines.text, around);
    const size_t length = strspn(word, host_letters);
    const bool alone =
        word == reader->lines.text && word[length] == '\0' && strcspn(word, "0123456789") < length;
    if (length == 0 || length > COUNTS_WORD_MAX || word[length + strspn(word + length, around)] ||
        (!heading_follows(reader) && (!alone || !counter_follows(reader))))
        return false;
    reader->device = arena_text(reader->arena, word, length);
    reader->format = NULL;
    return true;
}

/* `cat PATH` of a counter in sysfs; the number that follows is its value. */
static void read_cat(struct counts_reader *reader, const char *at)
{
    size_t length, more;
    const char *word = counts_word(&at, &length);
    if (!counts_is(word, length, "cat"))
        return;
    word = counts_word(&at, &length);
    counts_word(&at, &more);
    if (length == 0 || length > NAME_MAX_BYTES || more > 0 || memchr(word, '*', length) != NULL)
        return;
    reader->lines.text = arena_format(reader->arena, "==> %.*s <==", (int)length, word);
    if (format_sysfs.head(reader)) {
        reader->format = &format_sysfs;
        reader->recognized = true;
    }
}

static bool read_prompt(struct counts_reader *reader)
{
    const char *host;
    size_t width, length;
    bool user;
    const char *at = prompt_end(reader->lines.text, &host, &width, &user);
    if (at == NULL)
        return false;
    const char *rest = at, *word = counts_word(&rest, &length);
    const bool bare = length == 0 && width > 0;
    if (!is_command(word, length) && !user && !bare)
        return false;
    if (width > 0) {
        reader->host = counts_clean(reader->arena, host, width);
        reader->prompt = reader->prompt == NULL ? reader->host : reader->prompt;
    }
    read_command(reader, at);
    read_directory(reader);
    read_cat(reader, at);
    return true;
}

/* ---- names of files ---- */

static const char *base_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

static bool is_time(const char *word, size_t length)
{
    static const char *const times[] = {"before", "after", "pre",    "post",  "old",
                                        "new",    "start", "end",    "begin", "earlier",
                                        "later",  "first", "second", "t0",    "t1"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (counts_is(word, length, times[i]))
            return true;
    return false;
}

/* `text` without words for a point in time and the character before each. */
static char *without_times(struct arena *arena, const char *text, size_t length, bool *had)
{
    static const char between[] = "-_.";
    char *out = arena_text(arena, "", 0), *made = arena_take(arena, length + 1);
    size_t kept = 0;
    *had = false;
    for (size_t at = 0; at < length;) {
        size_t width = 0;
        while (at + width < length && strchr(between, text[at + width]) == NULL)
            width++;
        if (is_time(text + at, width)) {
            *had = true;
        } else {
            if (kept > 0)
                made[kept++] = text[at - 1];
            memcpy(made + kept, text + at, width);
            kept += width;
        }
        at += width + 1;
    }
    return kept > 0 ? made : out;
}

const char *counts_file_port(struct arena *arena, const char *file)
{
    bool had;
    const char *base = base_of(file);
    const size_t length = strcspn(base, ".");
    const char *kept = without_times(arena, base, length, &had);
    return *kept == '\0' ? counts_clean(arena, base, length)
                         : counts_clean(arena, kept, strlen(kept));
}

/* True for "leaf1" and "leaf2": the same word for a device with different numbers. */
bool counts_files_apart(struct arena *arena, const char *before, const char *after)
{
    static const char *const devices[] = {"leaf", "spine",  "tor",     "host",   "node", "switch",
                                          "sw",   "server", "storage", "client", "eth",  "swp",
                                          "ens",  "db",     "gpu",     "super"};
    const char *a = counts_file_port(arena, before), *b = counts_file_port(arena, after);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        const int x = counts_number_after(a, strlen(a), devices[i]),
                  y = counts_number_after(b, strlen(b), devices[i]);
        if (x >= 0 && y >= 0 && x != y)
            return true;
    }
    return false;
}

const char *counts_file_subject(struct arena *arena, const char *file)
{
    bool had;
    const char *base = base_of(file);
    const char *kept = without_times(arena, base, strlen(base), &had);
    if (!had || *kept == '\0')
        return NULL;
    return counts_clean(arena, kept, strcspn(kept, "."));
}

/* Component of the path that ends before `end`. */
static const char *component_before(const char *path, const char *end, size_t *length)
{
    const char *at = end;
    while (at > path && at[-1] != '/')
        at--;
    *length = (size_t)(end - at);
    return at;
}

const char *counts_path_device(struct arena *arena, const char *path)
{
    const char *ports = strstr(path, "/ports/"), *statistics = strstr(path, "/statistics/");
    size_t length;
    if (ports == NULL && statistics == NULL)
        return NULL;
    const char *device = component_before(path, ports != NULL ? ports : statistics, &length);
    const char *number = ports != NULL ? ports + 7 : "";
    const char *name = arena_format(arena, "%.*s%s%.*s", (int)length, device, *number ? "/" : "",
                                    (int)strspn(number, "0123456789"), number);
    return length == 0 || strlen(name) > COUNTS_WORD_MAX ? NULL
                                                         : counts_clean(arena, name, strlen(name));
}

bool counts_is_sysfs(const char *path)
{
    return strstr(path, "hw_counters/") != NULL ||
           (strstr(path, "/ports/") != NULL && strstr(path, "/counters/") != NULL);
}

/* "==> eth0.after <==", printed by head and tail before each of several files. */
static bool read_name(struct counts_reader *reader)
{
    const char *line = reader->lines.text;
    if (strncmp(line, "==> ", 4) != 0)
        return false;
    const char *name = line + 4, *end = strstr(name, " <==");
    if (end == NULL || end - name > NAME_MAX_BYTES)
        return false;
    name = arena_text(reader->arena, name, (size_t)(end - name));
    if (counts_is_sysfs(name))
        return false;
    reader->named = name;
    reader->device = reader->title = NULL;
    reader->format = NULL;
    return true;
}

void counts_take_name(struct counts_reader *reader)
{
    if (reader->named != NULL)
        reader->host = counts_file_port(reader->arena, reader->named);
    reader->named = NULL;
}

bool counts_prompt(struct counts_reader *reader)
{
    return read_name(reader) || read_prompt(reader) || read_bare_command(reader) ||
           read_device(reader);
}
