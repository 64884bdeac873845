/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/names.h"

#include "scenarios/fabric/topology.h"

#include <search.h>
#include <stdbool.h>
#include <string.h>

enum { NAME_ROOM = 10 }; /* bytes for the suffix that makes a name unique */

struct name {
    const char *text;
    unsigned next; /* number for the next node with the same text */
};

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static char *lettered(struct arena *arena, const char *wanted)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool begins = strchr(letters, wanted[0]) != NULL && wanted[0] != '\0';
    char *name =
        arena_format(arena, "%s%.*s", begins ? "" : "n", TOPOLOGY_NAME_MAX - NAME_ROOM, wanted);
    for (size_t i = 0; name[i] != '\0'; i++) {
        const bool fine = strchr(letters, name[i]) != NULL || strchr("0123456789_-", name[i]) ||
                          (name[i] == '.' && i > 0 && name[i - 1] != '.');
        name[i] = fine ? name[i] : '-';
    }
    return name;
}

static struct name *find_name(const struct names *names, const char *text)
{
    const struct name wanted = {.text = text};
    struct name *const *found = tfind(&wanted, &names->taken, by_text);
    return found == NULL ? NULL : *found;
}

const char *names_pick(struct names *names, const char *wanted)
{
    const char *text = lettered(names->arena, wanted);
    struct name *base = find_name(names, text);
    for (const char *stem = text; base != NULL && find_name(names, text) != NULL;)
        text = arena_format(names->arena, "%s-%u", stem, base->next++);
    struct name *name = arena_take(names->arena, sizeof *name);
    *name = (struct name){.text = text, .next = 2};
    tsearch(name, &names->taken, by_text);
    return text;
}

void names_free(struct names *names)
{
    while (names->taken != NULL) /* the first member of a tsearch node is the pointer to its key */
        tdelete(*(struct name *const *)names->taken, &names->taken, by_text);
}
