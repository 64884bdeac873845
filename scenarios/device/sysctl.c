/* SPDX-License-Identifier: Apache-2.0
 * sysctl - reads the TCP settings of a Linux host: `sysctl -a`, sysctl.conf, files of
 * /etc/sysctl.d, and commands of a script (`sysctl -w KEY=VALUE`, `echo VALUE > /proc/sys/KEY`).
 * sysctl.def lists the keys: a key becomes a parameter of `tcp:`, or is named in a note.  Other
 * keys below net. are counted by their folders, those of TCP by name.  The last value of a key
 * counts, as for sysctl -p.  A value outside the range of the parameter becomes its bound.
 *   Limits:  device.h; FOLDERS_MAX folders and NAMES_MAX unknown keys have names in notes.
 * Source: sysctl(8), sysctl.conf(5), sysctl.d(5). */
#include "scenarios/device/device.h"

#include "tcp/tcp.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDERS_MAX = 24, NAMES_MAX = 40, VALUE_BYTES = 64, NUMBERS = 3 };

static const char blanks[] = " \t";
static const char key_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_./*-";

/* A key that becomes a parameter; `unit` NULL: by `words`. */
struct taken {
    const char *key, *row, *words, *unit;
    int index;
};

static const struct taken taken[] = {
#define WORDS(key, row, words)        {key, row, words, NULL, 0},
#define NUMBER(key, index, unit, row) {key, row, NULL, unit, index},
#include "scenarios/device/sysctl.def"
#undef WORDS
#undef NUMBER
};

static const struct {
    const char *key, *preset, *why;
} none[] = {
#define NONE(key, preset, why) {key, preset, why},
#include "scenarios/device/sysctl.def"
#undef NONE
};

enum { TAKEN = sizeof taken / sizeof taken[0], NONES = sizeof none / sizeof none[0] };

/* The last value of a key; `value` NULL: the file has none. */
struct setting {
    const char *value;
    struct diag_place place;
    const char *line; /* where it is written */
};

struct folder {
    const char *name; /* "ipv4", "ipv6.conf" */
    size_t keys;
};

struct reader {
    struct device *device;
    struct setting taken[TAKEN], none[NONES];
    struct folder folders[FOLDERS_MAX];
    size_t folder_count, other_count, outside_count;
    const char *names[NAMES_MAX]; /* unknown keys of TCP */
    size_t name_count;
    bool is_script; /* begins with #!, so that # begins a comment and is no prompt */
};

/* ---- lines ---- */

static struct arena *arena_of(const struct reader *reader)
{
    return &reader->device->arena;
}

/* The end of a value without quotes: the end of its line, a comment, a redirection, an option or
 * the next key. */
static size_t value_length(const char *value)
{
    size_t length = 0;
    while (value[length] != '\0' && strchr("\"';|>&", value[length]) == NULL) {
        const char *next = value + length + 1;
        if (strchr(blanks, value[length]) != NULL &&
            (*next == '#' || *next == '-' || strncmp(next, "net.", 4) == 0))
            break;
        length++;
    }
    while (length > 0 && strchr(" \t\r", value[length - 1]) != NULL)
        length--;
    return length;
}

static void store(struct reader *reader, struct setting *setting, const char *value, size_t length)
{
    const struct lines *lines = &reader->device->lines;
    *setting = (struct setting){.value = arena_text(arena_of(reader), value, length),
                                .place = lines_place(lines, value, length == 0 ? 1 : length),
                                .line = lines->text};
}

/* Counts a key without the leading "net." in its folder: up to two components above the last. */
static void count_other(struct reader *reader, const char *key)
{
    const char *dot = strchr(key, '.');
    const char *second = dot == NULL ? NULL : strchr(dot + 1, '.');
    const size_t length = second != NULL ? (size_t)(second - key)
                          : dot != NULL  ? (size_t)(dot - key)
                                         : strlen(key);
    reader->other_count++;
    if (strncmp(key, "ipv4.tcp_", 9) == 0 && reader->name_count < NAMES_MAX)
        reader->names[reader->name_count++] = key;
    for (size_t i = 0; i < reader->folder_count; i++)
        if (strlen(reader->folders[i].name) == length &&
            strncmp(reader->folders[i].name, key, length) == 0) {
            reader->folders[i].keys++;
            return;
        }
    if (reader->folder_count < FOLDERS_MAX)
        reader->folders[reader->folder_count++] =
            (struct folder){arena_text(arena_of(reader), key, length), 1};
}

static void take_setting(struct reader *reader, const char *key, const char *value, size_t length)
{
    bool is_known = false;
    for (size_t i = 0; i < TAKEN; i++)
        if (strcmp(taken[i].key, key) == 0) {
            store(reader, &reader->taken[i], value, length);
            is_known = true;
        }
    for (size_t i = 0; i < NONES; i++)
        if (strcmp(none[i].key, key) == 0) {
            store(reader, &reader->none[i], value, length);
            is_known = true;
        }
    if (!is_known)
        count_other(reader, key);
}

/* "net/ipv4/tcp_sack" is net.ipv4.tcp_sack. */
static const char *dotted(struct reader *reader, const char *key, size_t length)
{
    char *text = arena_text(arena_of(reader), key, length);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '/' ? '.' : *at;
    return text;
}

/* The next key below net. in a text, or NULL. */
static const char *find_key(const char *text)
{
    for (const char *at = text; (at = strstr(at, "net")) != NULL; at++) {
        const bool begins =
            at == text || strchr(key_letters, at[-1]) == NULL || at[-1] == '-' || at[-1] == '/';
        if (begins && (at[3] == '.' || at[3] == '/') && strchr(key_letters, at[4]) != NULL &&
            at[4] != '\0')
            return at;
    }
    return NULL;
}

/* `echo VALUE > /proc/sys/KEY`, also through tee; NULL: the line is no such command. */
static const char *echoed(const char *text, const char *key)
{
    const char *echo = strstr(text, "echo ");
    const char *arrow = strpbrk(text, ">|");
    if (echo == NULL || arrow == NULL || echo > arrow || arrow > key)
        return NULL;
    const char *value = echo + 5 + strspn(echo + 5, blanks);
    value += strncmp(value, "-n ", 3) == 0 ? 3 : 0;
    return value + strspn(value, " \t\"'");
}

static void read_keys(struct reader *reader, const char *text)
{
    for (const char *key = find_key(text); key != NULL;) {
        const size_t length = strspn(key, key_letters);
        const char *behind = key + length + strspn(key + length, " \t\"'");
        const char *name = dotted(reader, key + 4, length - 4);
        const char *value = *behind == '=' || *behind == ':' ? behind + 1 : NULL;
        if (value != NULL)
            value += strspn(value, " \t\"'");
        else
            value = echoed(text, key);
        if (value != NULL)
            take_setting(reader, name, value, value_length(value));
        else
            device_note(reader->device, key, "net.%s has no value: left out",
                        notes_clean(arena_of(reader), name));
        key = find_key(value == NULL || value < key ? key + length : value + value_length(value));
    }
}

/* A setting outside net., or something else. */
static void read_rest(struct reader *reader, const char *text)
{
    const size_t length = strspn(text, key_letters);
    if (length > 0 && text[length + strspn(text + length, blanks)] == '=' &&
        memchr(text, '.', length) != NULL)
        reader->outside_count++;
}

static void read_line(struct reader *reader)
{
    const struct device *device = reader->device;
    const char *text = device->text + strspn(device->text, blanks);
    reader->is_script |= device->lines.number == 1 && strncmp(text, "#!", 2) == 0;
    const bool is_prompt = !reader->is_script && strncmp(text, "# sysctl ", 9) == 0;
    if (*text == ';' || (*text == '#' && !is_prompt))
        return;
    if (find_key(text) != NULL)
        read_keys(reader, text);
    else
        read_rest(reader, text);
}

/* ---- values ---- */

static void refuse_value(struct reader *reader, const struct setting *setting, const char *expected)
{
    diag_add(reader->device->diag, DIAG_ERROR, setting->place, setting->line,
             "found '%s', expected %s", notes_clean(arena_of(reader), setting->value), expected);
}

/* The word of a value in "value word|value word"; NULL: none. */
static const char *word_of(struct arena *arena, const char *words, const char *value)
{
    const size_t length = strlen(value);
    for (const char *at = words; *at != '\0'; at += strcspn(at, "|"), at += *at == '|') {
        const char *word = strchr(at, ' ');
        const size_t width = (size_t)(word - at);
        if ((width == length && strncmp(at, value, length) == 0) || (width == 1 && *at == '*'))
            return arena_text(arena, word + 1, strcspn(word + 1, "|"));
    }
    return NULL;
}

static const char *named_word(struct reader *reader, const struct taken *row,
                              const struct setting *setting)
{
    const bool is_number = row->words[0] >= '0' && row->words[0] <= '9';
    if (setting->value[0] == '\0' ||
        (is_number && strspn(setting->value, "0123456789") != strlen(setting->value))) {
        refuse_value(reader, setting, is_number ? "a number" : "a word");
        return NULL;
    }
    const char *word = word_of(arena_of(reader), row->words, setting->value);
    if (word == NULL)
        notes_add(&reader->device->notes, setting->place,
                  "net.%s %s has no counterpart: %s has its default", row->key,
                  notes_clean(arena_of(reader), setting->value), row->row);
    return word;
}

/* The number at `index` of "4096 131072 6291456"; false: there is none. */
static bool find_number(const char *value, int index, char digits[VALUE_BYTES])
{
    for (int i = 0; i < index; i++) {
        value += strcspn(value, blanks);
        value += strspn(value, blanks);
    }
    const size_t length = strspn(value, "0123456789");
    if (length == 0 || length >= 19)
        return false;
    memcpy(digits, value, length);
    digits[length] = '\0';
    return true;
}

static bool are_numbers(const char *value)
{
    int count = 0;
    for (; *value != '\0'; count++) {
        const size_t length = strspn(value, "0123456789");
        if (length == 0 || length >= 19 || strchr(blanks, value[length]) == NULL)
            return false;
        value += length + strspn(value + length, blanks);
    }
    return count > 0 && count <= NUMBERS;
}

static const char *scaled_number(struct reader *reader, const struct taken *row,
                                 const struct setting *setting)
{
    char digits[VALUE_BYTES];
    if (!are_numbers(setting->value)) {
        if (row == taken || strcmp(row[-1].key, row->key) != 0) /* once for all its numbers */
            refuse_value(reader, setting, row->index == 0 ? "a number" : "up to three numbers");
        return NULL;
    }
    if (!find_number(setting->value, row->index, digits))
        return NULL;
    return device_bounded(reader->device, opt_find(tcp_base_opts, row->row), digits, row->unit,
                          setting->place, arena_format(arena_of(reader), "net.%s", row->key));
}

static const char *imported_value(struct reader *reader, size_t i)
{
    const struct setting *setting = &reader->taken[i];
    if (setting->value == NULL)
        return NULL;
    return taken[i].unit == NULL ? named_word(reader, &taken[i], setting)
                                 : scaled_number(reader, &taken[i], setting);
}

/* ---- results ---- */

static const struct setting *none_named(const struct reader *reader, const char *key)
{
    for (size_t i = 0; i < NONES; i++)
        if (strcmp(none[i].key, key) == 0)
            return &reader->none[i];
    return NULL;
}

/* Without moderation the kernel never enlarges a receive buffer. */
static bool is_fixed(const struct reader *reader)
{
    const struct setting *setting = none_named(reader, "ipv4.tcp_moderate_rcvbuf");
    return setting->value != NULL && strcmp(setting->value, "0") == 0;
}

static const char *written_value(struct reader *reader, size_t i, const char *buffer)
{
    const bool is_most = strcmp(taken[i].row, "receive-buffer-max") == 0;
    const char *value = imported_value(reader, i);
    if (is_most && is_fixed(reader))
        return buffer != NULL ? buffer : opt_find(tcp_base_opts, "receive-buffer")->preset;
    return value;
}

static struct diag_place whole_file(const struct reader *reader)
{
    return (struct diag_place){.file = reader->device->lines.file->name, .line = 1, .column = 1};
}

/* A value that differs from the default has its own note; all others share one. */
static void note_none(struct reader *reader)
{
    const char *list = "";
    for (size_t i = 0; i < NONES; i++) {
        const struct setting *setting = &reader->none[i];
        if (setting->value == NULL)
            continue;
        if (strcmp(none[i].preset, "*") != 0 && strcmp(none[i].preset, setting->value) != 0)
            notes_add(&reader->device->notes, setting->place, "net.%s %s: %s", none[i].key,
                      notes_clean(arena_of(reader), setting->value), none[i].why);
        else
            list = arena_format(arena_of(reader), "%s%s%s", list, *list == '\0' ? "" : ", ",
                                none[i].key);
    }
    if (*list != '\0')
        notes_add(&reader->device->notes, whole_file(reader),
                  "at the default of Linux, or a limit that the model does not have: %s", list);
}

static void note_others(struct reader *reader)
{
    const struct diag_place place = whole_file(reader);
    const char *list = "";
    for (size_t i = 0; i < reader->folder_count; i++)
        list = arena_format(arena_of(reader), "%s%snet.%s %zu", list, i == 0 ? "" : ", ",
                            notes_clean(arena_of(reader), reader->folders[i].name),
                            reader->folders[i].keys);
    if (reader->other_count > 0)
        notes_add(&reader->device->notes, place, "other keys below net., left out: %zu (%s%s)",
                  reader->other_count, list, reader->folder_count == FOLDERS_MAX ? ", .." : "");
    list = "";
    for (size_t i = 0; i < reader->name_count; i++)
        list = arena_format(arena_of(reader), "%s%s%s", list, i == 0 ? "" : ", ",
                            notes_clean(arena_of(reader), reader->names[i]));
    if (reader->name_count > 0)
        notes_add(&reader->device->notes, place, "of these, unknown keys of TCP: %s%s", list,
                  reader->name_count == NAMES_MAX ? ", .." : "");
    if (reader->outside_count > 0)
        notes_add(&reader->device->notes, place, "keys outside net., left out: %zu",
                  reader->outside_count);
}

static void write_values(struct reader *reader, FILE *out)
{
    size_t written = 0;
    const char *buffer = NULL;
    fputs("# From sysctl; all other settings are defaults.\nhosts:\n  defaults:\n    tcp:", out);
    for (size_t i = 0; i < TAKEN; i++) {
        const char *value = written_value(reader, i, buffer);
        if (value == NULL)
            continue;
        if (strcmp(taken[i].row, "receive-buffer") == 0)
            buffer = value;
        fprintf(out, "\n      %s: %s # net.%s", taken[i].row, value, taken[i].key);
        device_origin(reader->device, taken[i].row,
                      arena_format(arena_of(reader), "net.%s", taken[i].key),
                      reader->taken[i].place);
        written++;
    }
    fputs(written == 0 ? " {}\n" : "\n", out);
}

void device_sysctl(struct device *device, FILE *out)
{
    struct reader reader = {.device = device};
    size_t known = 0;
    while (device_line(device))
        read_line(&reader);
    for (size_t i = 0; i < TAKEN; i++)
        known += reader.taken[i].value != NULL;
    for (size_t i = 0; i < NONES; i++)
        known += reader.none[i].value != NULL;
    if (!diag_failed(device->diag) && known == 0)
        device_refuse(device, "expected sysctl -a, sysctl.conf or a file of /etc/sysctl.d with "
                              "keys such as net.ipv4.tcp_rmem");
    if (diag_failed(device->diag))
        return;
    write_values(&reader, out);
    note_none(&reader);
    note_others(&reader);
}
