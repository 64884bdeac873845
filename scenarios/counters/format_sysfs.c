/* SPDX-License-Identifier: Apache-2.0
 * format_sysfs - counters of RDMA devices below /sys/class/infiniband, as `grep . FILES` and
 * `head FILES` print them, or copied as files of one number each.
 * Source: Linux Documentation/ABI/stable/sysfs-class-infiniband. */
#include "scenarios/counters/counts_private.h"

#include <string.h>

enum { PATH_BYTES = 512 };

struct where {
    const char *port, *name;
};

static const char folder[] = "counters/";

/* The component of the path that ends before `end`. */
static const char *component_before(const char *path, const char *end, size_t *length)
{
    const char *at = end;
    while (at > path && at[-1] != '/')
        at--;
    *length = (size_t)(end - at);
    return at;
}

/* ".../mlx5_0/ports/1/hw_counters/np_cnp_sent" of `width` bytes; false: it is no such path. */
static bool read_path(struct counts_reader *reader, const char *text, size_t width,
                      struct where *where)
{
    if (width == 0 || width > PATH_BYTES || memchr(text, ' ', width) != NULL)
        return false;
    const char *path = arena_text(reader->arena, text, width);
    const char *name = strrchr(path, '/');
    if (name == NULL || !counts_is_sysfs(path) || name[1] == '\0' ||
        strlen(name + 1) > COUNTS_WORD_MAX ||
        strstr(path, folder) != name + 1 - (sizeof folder - 1))
        return false;
    where->name = counts_clean(reader->arena, name + 1, strlen(name + 1));
    const char *ports = strstr(path, "/ports/");
    where->port = counts_own_port(reader);
    if (ports == NULL)
        return true;
    size_t length;
    const char *device = component_before(path, ports, &length);
    const char *number = ports + 7;
    device = counts_clean(reader->arena,
                          arena_format(reader->arena, "%.*s/%.*s", (int)length, device,
                                       (int)strcspn(number, "/"), number),
                          length + 1 + strcspn(number, "/"));
    where->port = counts_port(reader, device, strlen(device));
    return true;
}

/* Its own lifetime in the cache is no counter. */
static void add(struct counts_reader *reader, const struct where *where, const char *at)
{
    size_t length;
    const char *number = counts_word(&at, &length);
    if (strcmp(where->name, "lifespan") != 0)
        counts_add(reader, where->port, where->name, counts_name(where->name, COUNTS_RDMA), number,
                   length);
}

/* "PATH:5", or "==> PATH <==" with the number below. */
static bool head(struct counts_reader *reader)
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

/* A file of one number, whose own path is the counter's. */
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

const struct counts_format format_sysfs = {"hw_counters", head, NULL, row, whole};
