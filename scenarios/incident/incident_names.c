/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/incident/incident_names.h"

#include "scenarios/incident/incident_time.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_AFTER = 1000, RANK_DIGITS = 5 };

static const char between[] = "-_. ,";

/* ---- words ---- */

static bool is_word(const char *word, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(word, known, length) == 0;
}

static bool is_one_of(const char *word, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(word, length, list[i]))
            return true;
    return false;
}
#define IS_ONE_OF(word, length, list)                                                              \
    is_one_of(word, length, list, sizeof(list) / sizeof((list)[0]))

/* What was printed, and how it is kept. */
static bool is_subject(const char *word, size_t length)
{
    static const char *const subjects[] = {
        "pfc",        "pfcwd",     "counters",  "counter",    "ethtool", "stats",   "stat",
        "statistics", "lldp",      "config",    "db",         "dmesg",   "log",     "logs",
        "syslog",     "messages",  "kern",      "journal",    "queue",   "queues",  "queuestat",
        "pfcstat",    "portstat",  "show",      "interfaces", "rdma",    "hw",      "txt",
        "json",       "out",       "output",    "dump",       "sample",  "samples", "session",
        "paste",      "wred",      "wredstat",  "pg",         "drop",    "drops",   "priority",
        "group",      "watermark", "neighbors", "table",      "fio",     "subsys",  "nvme",
        "list",       "S",         "yaml",      "running",    "csv",     "data",    "incident",
        "sysctl",     "conf",      "connect",   "discovery",  "mlnx",    "qos",     "sh",
        "etc"};
    return IS_ONE_OF(word, length, subjects);
}

/* "t3", "sample12", "round2". */
static int numbered_rank(const char *word, size_t length)
{
    static const char *const heads[] = {"t", "sample", "round", "poll", "snap", "snapshot"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t head = strlen(heads[i]);
        if (length > head && length <= head + RANK_DIGITS && strncmp(word, heads[i], head) == 0 &&
            strspn(word + head, "0123456789") >= length - head)
            return (int)strtol(word + head, NULL, 10);
    }
    return -1;
}

/* Which sample a word is of, or -1. */
static int rank_of(const char *word, size_t length)
{
    static const char *const before[] = {"before", "pre",     "old",   "start",
                                         "begin",  "earlier", "first", "baseline"};
    static const char *const during[] = {"during", "mid", "middle"};
    static const char *const after[] = {"after", "post", "new", "end", "later", "second", "last"};
    if (IS_ONE_OF(word, length, before))
        return 0;
    if (IS_ONE_OF(word, length, during))
        return RANK_AFTER / 2;
    if (IS_ONE_OF(word, length, after))
        return RANK_AFTER;
    return numbered_rank(word, length);
}

/* The length of a network device's name that begins there, or 0. */
static size_t device_length(const char *text)
{
    static const char *const heads[] = {"mlx5_", "mlx4_", "bnxt_re", "irdma", "rocep",
                                        "roce",  "eth",   "ens",     "enp",   "eno",
                                        "swp",   "bond",  "ib"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t head = strlen(heads[i]);
        if (strncmp(text, heads[i], head) != 0 || !isdigit((unsigned char)text[head]))
            continue;
        size_t length = head;
        while (isalnum((unsigned char)text[length]))
            length++;
        return length;
    }
    return 0;
}

/* ---- a component of the path ---- */

struct parts {
    struct arena *arena;
    struct incident_name *name;
    char *host; /* the words that are left */
    size_t host_length;
};

static void keep_word(struct parts *parts, const char *word, size_t length, char separator)
{
    if (parts->host_length > 0)
        parts->host[parts->host_length++] = separator;
    memcpy(parts->host + parts->host_length, word, length);
    parts->host_length += length;
}

/* Takes what one word says; returns its length, which may be more than that of the word. */
static size_t take_word(struct parts *parts, const char *word, char separator)
{
    size_t length = strcspn(word, between);
    const size_t device = device_length(word);
    struct incident_name *name = parts->name;
    if (device > 0 && (word[device] == '\0' || strchr(between, word[device]) != NULL)) {
        name->device = arena_text(parts->arena, word, device);
        return device;
    }
    if (incident_time_stamp(word, strcspn(word, "_. "), &name->when.seconds)) {
        length = strcspn(word, "_. ");
        name->when.text = arena_text(parts->arena, word, length);
        return length;
    }
    const int rank = rank_of(word, length);
    if (rank >= 0)
        name->when.rank = rank;
    else if (!is_subject(word, length))
        keep_word(parts, word, length, separator);
    return length;
}

/* The host that a component names, or NULL. */
static const char *read_component(struct arena *arena, const char *text, size_t length,
                                  bool is_file, struct incident_name *name)
{
    const char *component = arena_text(arena, text, length);
    char *host = arena_take(arena, length + 2);
    struct parts parts = {arena, name, host, 0};
    if (!is_file && strspn(component, "0123456789") == length && length <= RANK_DIGITS) {
        name->when.rank = (int)strtol(component, NULL, 10);
        return NULL;
    }
    char separator = '-';
    for (const char *at = component; *at != '\0';) {
        at += take_word(&parts, at, separator);
        if (*at != '\0')
            separator = *at++;
    }
    return parts.host_length > 0 ? host : NULL;
}

struct incident_name incident_name(struct arena *arena, const char *within)
{
    struct incident_name name = {.when = {.rank = 0, .seconds = INCIDENT_NO_TIME, .text = NULL}};
    const char *folder = NULL;
    const char *file = NULL;
    for (const char *at = within + strspn(within, "./"); *at != '\0';) {
        const size_t length = strcspn(at, "/");
        const bool is_file = at[length] == '\0';
        const char *host = length == 0 ? NULL : read_component(arena, at, length, is_file, &name);
        if (is_file)
            file = host;
        else if (folder == NULL)
            folder = host;
        at += length + (is_file ? 0 : 1);
    }
    name.host = folder != NULL ? folder : file != NULL ? file : "unknown";
    name.host = incident_short_host(arena, name.host);
    return name;
}

const char *incident_short_host(struct arena *arena, const char *host)
{
    const size_t length = strcspn(host, ".");
    if (length == 0 || host[length] == '\0' || strspn(host, "0123456789.") == strlen(host))
        return host;
    return arena_text(arena, host, length);
}
