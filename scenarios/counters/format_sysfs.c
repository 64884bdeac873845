/* SPDX-License-Identifier: Apache-2.0
 * format_sysfs - counters of RDMA devices below /sys/class/infiniband and of network devices below
 * /sys/class/net, as printed by `grep . FILES` and `head FILES`, or copied as files with one number
 * each.
 * Source: Linux Documentation/ABI, stable/sysfs-class-infiniband and
 * testing/sysfs-class-net-statistics. */
#include "scenarios/counters/counts_private.h"

#include <string.h>

enum { PATH_BYTES = 512 };

struct where {
    const char *port, *name;
    enum counts_scope scope;
};

/* True if the path ends with file `name` in a directory `folder`, which ends with '/'. */
static bool is_in(const char *path, const char *name, const char *folder)
{
    const size_t length = strlen(folder);
    return (size_t)(name - path) >= length && strncmp(name - length, folder, length) == 0;
}

/* ".../mlx5_0/ports/1/hw_counters/np_cnp_sent", ".../net/eth0/statistics/rx_packets"; `width`
 * bytes. False: another kind of path. */
static bool read_path(struct counts_reader *reader, const char *text, size_t width,
                      struct where *where)
{
    if (width == 0 || width > PATH_BYTES || memchr(text, ' ', width) != NULL)
        return false;
    const char *path = arena_text(reader->arena, text, width);
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const bool rdma = counts_is_sysfs(path) && is_in(path, name, "counters/"),
               net = strstr(path, "/net/") != NULL && is_in(path, name, "/statistics/");
    if ((!rdma && !net) || *name == '\0' || strlen(name) > COUNTS_WORD_MAX)
        return false;
    where->name = counts_clean(reader->arena, name, strlen(name));
    where->scope = rdma ? COUNTS_RDMA : COUNTS_ETHERNET;
    const char *device = counts_path_device(reader->arena, path);
    where->port =
        device == NULL ? counts_own_port(reader) : counts_port(reader, device, strlen(device));
    return true;
}

/* `lifespan` is a cache lifetime, not a counter. */
static void add(struct counts_reader *reader, const struct where *where, const char *at)
{
    size_t length;
    const char *number = counts_word(&at, &length);
    if (strcmp(where->name, "lifespan") != 0)
        counts_add(reader, where->port, where->name, counts_name(where->name, where->scope), number,
                   length);
}

/* "PATH:5", or "==> PATH <==" with the number on the next line. */
static bool sysfs_head(struct counts_reader *reader)
{
    const char *text = reader->lines.text + strspn(reader->lines.text, " \t");
    struct where where, *kept;
    const bool title = strncmp(text, "==> ", 4) == 0;
    text += title ? 4 : 0;
    const char *end = title ? strstr(text, " <==") : strrchr(text, ':');
    if (end == NULL || !read_path(reader, text, (size_t)(end - text), &where))
        return false;
    reader->state = NULL;
    if (title) {
        kept = arena_take(reader->arena, sizeof *kept);
        *kept = where;
        reader->state = kept;
    } else {
        add(reader, &where, end + 1);
    }
    return true;
}

static bool row(struct counts_reader *reader)
{
    const struct where *where = reader->state;
    if (where == NULL)
        return false;
    add(reader, where, reader->lines.text);
    reader->state = NULL;
    return true;
}

/* A file with one number, identified by the file's own path. */
static bool whole(struct counts_reader *reader)
{
    const struct tree_file *file = reader->lines.file;
    const char *newline = memchr(file->text, '\n', file->length);
    const size_t length = newline == NULL ? file->length : (size_t)(newline - file->text);
    struct where where;
    int64_t value;
    if (length + 1 < file->length || !counts_number(file->text, length, &value) ||
        !read_path(reader, file->name, strlen(file->name), &where))
        return false;
    if (lines_next(&reader->lines, reader->arena))
        add(reader, &where, reader->lines.text);
    return true;
}

const struct counts_format format_sysfs = {
    .name = "hw_counters", .head = sysfs_head, .row = row, .whole = whole};
