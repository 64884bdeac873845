/* SPDX-License-Identifier: Apache-2.0
 * sonic_cabling - reads cables from files in addition to the configuration.
 * A cable makes its two ports neighbors, as DEVICE_NEIGHBOR does. It takes precedence over that
 * table, which contains the planned cabling. The format of a file is recognized by its first
 * words. */
#include "scenarios/sonic/sonic_private.h"

#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- formats ---- */

bool sonic_is_cabling(const struct tree_file *file)
{
    const char first = file->text[strspn(file->text, " \t\r\n")];
    return sonic_is_lldpctl(file) || (first > ' ' && first <= '~' && first != '{' && first != '[');
}

/* Skips blanks and comments of DOT. */
static const char *first_word(const char *text)
{
    for (;;) {
        const char *at = text + strspn(text, " \t\r\n"), *end;
        if (strncmp(at, "/*", 2) == 0)
            end = strstr(at + 2, "*/");
        else
            end = at[0] == '#' || strncmp(at, "//", 2) == 0 ? strchr(at, '\n') : at;
        if (end == NULL || end == at)
            return at;
        text = end + (*end == '*' ? 2 : 1);
    }
}

static bool is_graph(const char *text)
{
    static const char *const words[] = {"graph", "digraph", "strict", NULL};
    const char *word = first_word(text);
    for (int i = 0; words[i] != NULL; i++) {
        const size_t length = strlen(words[i]);
        if (strncasecmp(word, words[i], length) == 0 && !isalnum((unsigned char)word[length]))
            return strpbrk(word, "{") != NULL;
    }
    return false;
}

void sonic_cabling(struct sonic_import *import, const struct tree_file *file)
{
    if (is_graph(file->text))
        sonic_graph(import, file);
    else if (sonic_is_lldpctl(file))
        sonic_lldpctl(import, file);
    else if (strstr(file->text, "LocalPort") != NULL)
        sonic_lldp(import, file);
    else
        sonic_list(import, file);
}

void sonic_cable_error(struct sonic_import *import, const struct tree_file *file,
                       struct diag_place place, const char *text)
{
    diag_add(import->diag, DIAG_ERROR, place, tree_line(file, place.line), "%s", text);
}

/* ---- ends of a cable ---- */

struct sonic_switch *sonic_switch_called(const struct sonic_import *import, const char *name)
{
    for (uint32_t i = 0; i < import->switch_count; i++)
        if (strcmp(import->switches[i].hostname, name) == 0)
            return &import->switches[i];
    const size_t length = strcspn(name, "."); /* without its domain */
    for (uint32_t i = 0; i < import->switch_count && name[length] == '.'; i++) {
        const char *own = import->switches[i].hostname;
        if (strlen(own) == length && memcmp(own, name, length) == 0)
            return &import->switches[i];
    }
    return NULL;
}

/* Not shortened like a displayed name, because names in files may be arbitrary. */
static const char *hint_text(struct sonic_import *import, const struct nearest *nearest)
{
    char text[sizeof nearest_hint(nearest).text];
    snprintf(text, sizeof text, "%s", nearest_hint(nearest).text);
    for (char *at = text; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    return arena_text(&import->arena, text, strlen(text));
}

const char *sonic_switch_hint(struct sonic_import *import, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < import->switch_count; i++)
        nearest_offer(&nearest, import->switches[i].hostname);
    return hint_text(import, &nearest);
}

static void no_switch(struct sonic_import *import, const struct tree_file *file,
                      const struct sonic_cable *cable)
{
    const struct sonic_plug *end = &cable->ends[0];
    if (cable->of_fabric) {
        sonic_note(import, end->place, "cables between nodes without a config_db.json: left out");
        return;
    }
    sonic_cable_error(
        import, file, end->place,
        arena_format(&import->arena, "neither '%s' nor '%s' is a switch of these files%s",
                     sonic_clean(import, end->node), sonic_clean(import, cable->ends[1].node),
                     sonic_switch_hint(import, end->node)));
}

static void no_port(struct sonic_import *import, const struct tree_file *file,
                    const struct sonic_cable *cable, const struct sonic_switch *node, int end)
{
    const struct sonic_plug *plug = &cable->ends[end];
    struct nearest nearest = nearest_to(plug->port == NULL ? "" : plug->port);
    for (uint32_t i = 0; i < node->port_count; i++)
        nearest_offer(&nearest, node->ports[i].name);
    const char *text =
        plug->port == NULL
            ? arena_format(&import->arena, "expected the port of %s", node->name)
            : arena_format(&import->arena, "%s has no port '%s'%s", node->name,
                           sonic_clean(import, plug->port), hint_text(import, &nearest));
    if (cable->heard)
        sonic_note(import, plug->place, "%s: left out", text);
    else
        sonic_cable_error(import, file, plug->place, text);
}

/* Another port with the alias by which this one was found, or NULL. */
static const struct sonic_port *find_twin(const struct sonic_switch *node,
                                          const struct sonic_port *port, const char *word)
{
    if (word == NULL || port->alias == NULL || strcmp(port->name, word) == 0 ||
        strcmp(port->alias, word) != 0)
        return NULL;
    for (uint32_t i = 0; i < node->port_count; i++)
        if (&node->ports[i] != port && node->ports[i].alias != NULL &&
            strcmp(node->ports[i].alias, word) == 0)
            return &node->ports[i];
    return NULL;
}

/* The switch's port at an end; NULL, with a message, if there is none or several. */
static struct sonic_port *port_at(struct sonic_import *import, const struct tree_file *file,
                                  const struct sonic_cable *cable, const struct sonic_switch *node,
                                  int end)
{
    const struct sonic_plug *plug = &cable->ends[end];
    struct sonic_port *port =
        sonic_far_port(node, &(struct sonic_neighbor){.name = "", .port = plug->port});
    if (port == NULL) {
        no_port(import, file, cable, node, end);
        return NULL;
    }
    const struct sonic_port *other = find_twin(node, port, plug->port);
    if (other == NULL)
        return port;
    sonic_cable_error(
        import, file, plug->place,
        arena_format(&import->arena, "'%s' is the alias of %s %s and of %s: expected a port's name",
                     sonic_clean(import, plug->port), node->name, sonic_clean(import, port->name),
                     sonic_clean(import, other->name)));
    return NULL;
}

/* ---- neighbor of a port ---- */

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* True if both name the same port: of a host, or of a switch by name or alias. */
static bool is_same_neighbor(const struct sonic_import *import, const struct sonic_neighbor *a,
                             const struct sonic_neighbor *b)
{
    const struct sonic_switch *node = sonic_switch_called(import, a->name);
    if (node == NULL)
        return strcmp(a->name, b->name) == 0 && same_text(a->port, b->port);
    return sonic_switch_called(import, b->name) == node &&
           sonic_far_port(node, a) == sonic_far_port(node, b);
}

static void set_neighbor(struct sonic_import *import, const struct tree_file *file,
                         const struct sonic_switch *node, struct sonic_port *port,
                         const struct sonic_neighbor *now)
{
    const struct sonic_neighbor *before = &port->neighbor;
    const bool agree = before->name != NULL && is_same_neighbor(import, before, now);
    if (before->name != NULL && before->cabled && !agree) {
        const char *text =
            arena_format(&import->arena, "%s %s has a cable already, to %s%s%s in %s:%d",
                         node->name, sonic_clean(import, port->name),
                         sonic_clean(import, before->name), before->port == NULL ? "" : " ",
                         before->port == NULL ? "" : sonic_clean(import, before->port),
                         sonic_clean(import, before->place.file), before->place.line);
        if (now->heard || before->heard)
            sonic_note(import, now->place, "%s: that one is used", text);
        else
            sonic_cable_error(import, file, now->place, text);
        return;
    }
    if (before->name != NULL && !before->cabled && !agree)
        sonic_port_note(import, node, port, now->place,
                        "DEVICE_NEIGHBOR has another neighbor: this cable is used");
    if (!agree || !before->cabled)
        port->neighbor = *now;
}

void sonic_cable(struct sonic_import *import, const struct tree_file *file,
                 const struct sonic_cable *cable)
{
    struct sonic_switch *nodes[2];
    struct sonic_port *ports[2] = {NULL, NULL};
    for (int end = 0; end < 2; end++)
        nodes[end] = sonic_switch_called(import, cable->ends[end].node);
    if (nodes[0] == NULL && nodes[1] == NULL) {
        no_switch(import, file, cable);
        return;
    }
    const int ends = cable->heard ? 1 : 2; /* the other end may report the same cable by LLDP */
    for (int end = 0; end < ends; end++) {
        if (nodes[end] == NULL)
            continue;
        ports[end] = port_at(import, file, cable, nodes[end], end);
        if (ports[end] == NULL)
            return;
    }
    for (int end = 0; end < ends; end++) {
        const struct sonic_plug *far = &cable->ends[!end];
        if (nodes[end] != NULL)
            set_neighbor(import, file, nodes[end], ports[end],
                         &(struct sonic_neighbor){.name = far->node,
                                                  .port = far->port,
                                                  .other_port = far->other_port,
                                                  .type = far->type,
                                                  .place = cable->ends[end].place,
                                                  .cabled = true,
                                                  .heard = cable->heard});
    }
}
