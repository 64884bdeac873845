/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/tree.h"

#include "base/memory.h"
#include "scenarios/format/near_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void file_error(struct diag *diag, const char *path, const char *text)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = path}, NULL, "%s", text);
}

/* Pipes have no size, so the limit is also checked while reading. */
static char *read_all(struct arena *arena, FILE *in, size_t *length)
{
    size_t room = 64 * 1024, used = 0;
    char *text = memory_new(room);
    for (size_t got; (got = fread(text + used, 1, room - used, in)) > 0;) {
        used += got;
        if (used > TREE_BYTES_MAX)
            break;
        if (used == room)
            text = memory_resized(text, room *= 2, 1);
    }
    char *kept = used > TREE_BYTES_MAX ? NULL : arena_text(arena, text, used);
    free(text);
    *length = used;
    return kept;
}

struct tree_file *tree_read(struct arena *arena, const char *path, struct diag *diag)
{
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "<stdin>" : arena_text(arena, path, strlen(path));
    FILE *in = standard ? stdin : fopen(path, "rb");
    if (in == NULL && errno == ENOMEM)
        memory_out(0, path);
    if (in == NULL) {
        const int reason = errno;
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name}, NULL, "%s%s",
                 strerror(reason), reason == ENOENT ? near_file_to(path).hint : "");
        return NULL;
    }
    static const char too_large[] = "the file is larger than 64 MiB";
    struct stat stat;
    struct tree_file *file = NULL;
    size_t length;
    char *text;
    if (fstat(fileno(in), &stat) == 0 && S_ISDIR(stat.st_mode))
        file_error(diag, name, strerror(EISDIR));
    else if (S_ISREG(stat.st_mode) && stat.st_size > TREE_BYTES_MAX)
        file_error(diag, name, too_large);
    else if ((text = read_all(arena, in, &length)) == NULL)
        file_error(diag, name, too_large);
    else if (ferror(in))
        file_error(diag, name, "the file cannot be read");
    else if (filekind_is_binary(filekind_of(text, length)))
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name}, NULL,
                 "expected text, but this is %s", filekind_words(filekind_of(text, length)));
    else
        file = tree_hold(arena, name, text, length);
    if (!standard)
        fclose(in);
    return file;
}

const char *tree_beside(struct arena *arena, const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    const size_t folder = slash == NULL || *name == '/' ? 0 : (size_t)(slash + 1 - file);
    return arena_format(arena, "%.*s%s%s", (int)folder, file, strcmp(name, "-") == 0 ? "./" : "",
                        name);
}

bool tree_is_kind(const struct tree_file *file, enum filekind wanted, const char *what,
                  struct diag *diag)
{
    const enum filekind kind = filekind_of(file->text, file->length);
    if (kind == wanted || kind == FILEKIND_UNKNOWN)
        return true;
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = file->name}, NULL,
             "expected %s, but this is %s", what, filekind_words(kind));
    return false;
}

struct tree_file *tree_hold(struct arena *arena, const char *name, const char *text, size_t length)
{
    struct tree_file *file = arena_take(arena, sizeof *file);
    *file = (struct tree_file){.name = name, .text = text, .length = length};
    return file;
}

const struct tree_item *tree_item(const struct tree_node *map, const char *key)
{
    if (map == NULL || map->kind != TREE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->items[i].key, key) == 0)
            return &map->items[i];
    return NULL;
}

struct tree_node *tree_get(const struct tree_node *map, const char *key)
{
    const struct tree_item *item = tree_item(map, key);
    return item == NULL ? NULL : item->value;
}

const char *tree_line(const struct tree_file *file, int line)
{
    const char *at = file->text, *end = file->text + file->length;
    for (int i = 1; i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL)
            return NULL;
        at++;
    }
    return line > 0 && at < end ? at : NULL;
}

void tree_message(struct diag *diag, enum diag_level level, const struct tree_node *node,
                  struct diag_place place, const char *text)
{
    /* Finding the line takes a pass over the file, so it is done only for messages that are
     * kept. */
    const bool here = place.file != NULL && strcmp(place.file, node->file->name) == 0;
    const char *line = here && diag->count < DIAG_MAX ? tree_line(node->file, place.line) : NULL;
    diag_add(diag, level, place, line, "%s", text);
}

void tree_error(struct diag *diag, const struct tree_node *node, const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tree_message(diag, DIAG_ERROR, node, node->place, text);
}

static const char *kind_name(enum tree_kind kind)
{
    static const char *const names[] = {
        [TREE_SCALAR] = "a word", [TREE_LIST] = "a list", [TREE_MAP] = "a mapping"};
    return names[kind];
}

const char *tree_kind_name(const struct tree_node *node)
{
    return kind_name(node->kind);
}

/* True for a mapping that --set created for `faults.0` when there was no list of faults. */
static bool is_numbered(const struct tree_node *node)
{
    const char *key = node->kind == TREE_MAP && node->count > 0 ? node->items[0].key : NULL;
    return key != NULL && *key != '\0' && strspn(key, "0123456789") == strlen(key);
}

struct tree_node *tree_want(struct diag *diag, const struct tree_node *map, const char *key,
                            enum tree_kind kind)
{
    struct tree_node *node = tree_get(map, key);
    if (node == NULL || node->kind == kind)
        return node;
    if (kind == TREE_LIST && is_numbered(node)) {
        tree_error(diag, node, "%s: there is no member %s: the list is empty, and %s[+] adds one",
                   key, node->items[0].key, key);
        return NULL;
    }
    tree_error(diag, node, "%s: expected %s, but this is %s", key, kind_name(kind),
               tree_kind_name(node));
    return NULL;
}

struct tree_node *tree_need(struct diag *diag, const struct tree_node *map, const char *key,
                            enum tree_kind kind, const char *what)
{
    struct tree_node *node = tree_want(diag, map, key, kind);
    if (node == NULL && tree_get(map, key) == NULL)
        tree_error(diag, map, "expected %s: %s", key, what);
    return node;
}

bool tree_version(struct diag *diag, const struct tree_node *root, const char *format)
{
    if (root->kind != TREE_MAP) {
        tree_error(diag, root, "expected a mapping that begins with %s: 1", format);
        return false;
    }
    const struct tree_node *version =
        tree_need(diag, root, format, TREE_SCALAR, "1, the version of the format");
    if (version != NULL && strcmp(version->text, "1") != 0)
        tree_error(diag, version, "this program reads version 1 of the format, not '%.32s'",
                   version->text);
    return version != NULL && strcmp(version->text, "1") == 0;
}
