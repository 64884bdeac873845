/* SPDX-License-Identifier: Apache-2.0
 * dot - reads nodes, edges and attributes of a graph. The only file that uses libcgraph.
 * libcgraph does not report the places of edges; they come from dot_scan: the n-th edge created is
 * the n-th edge of the file. */
#include "scenarios/import/dot.h"

#include "base/plural.h"
#include "net/port/port.h"
#include "scenarios/import/dot_scan.h"

#include <graphviz/cgraph.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reading {
    struct cabling *cabling;
    Agraph_t *graph;
    struct dot_places places;
};

/* ---- messages of libcgraph ---- */

enum { WORDS_BYTES = 1024 };

static char words[WORDS_BYTES]; /* message of libcgraph; its callback has no context argument */

static int keep_words(char *text)
{
    const size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s", text);
    return 0;
}

/* Reports "Error: syntax error in line 2 near '->'" at the line and column of the token. */
static void report_syntax_error(struct cabling *cabling)
{
    struct diag_place place = {.file = cabling->file->name, .line = 1, .column = 1, .width = 1};
    const char *line = strstr(words, " in line "), *near = strstr(words, " near '");
    const int number = line == NULL ? 1 : atoi(line + strlen(" in line "));
    const char *text = tree_line(cabling->file, number);
    char token[WORDS_BYTES] = "";
    if (text != NULL)
        place.line = number;
    if (near != NULL)
        snprintf(token, sizeof token, "%s", near + strlen(" near '"));
    token[strcspn(token, "'\n")] = '\0';
    const char *found = text == NULL || token[0] == '\0' ? NULL : strstr(text, token);
    if (found != NULL && found - text < (ptrdiff_t)strcspn(text, "\n"))
        place.column = (int)(found - text) + 1;
    diag_add(cabling->diag, DIAG_ERROR, place, text,
             "expected DOT, but there is a syntax error%s%s%s", token[0] == '\0' ? "" : " at '",
             notes_clean(cabling->arena, token), token[0] == '\0' ? "" : "'");
}

static Agraph_t *parse(struct cabling *cabling)
{
    words[0] = '\0';
    const agusererrf before = agseterrf(keep_words);
    agreadline(1);
    Agraph_t *graph = agmemread(cabling->file->text);
    agseterrf(before);
    if (graph != NULL && words[0] == '\0')
        return graph;
    report_syntax_error(cabling);
    if (graph != NULL)
        agclose(graph);
    return NULL;
}

/* ---- attributes without a counterpart ---- */

/* Adds one note per attribute with the number of nodes or edges that have it. */
static void note_attribute(struct reading *reading, const char *of, const char *name, size_t count,
                           struct diag_place place)
{
    struct cabling *cabling = reading->cabling;
    if (count > 0)
        notes_add(&cabling->notes, place, "the attribute %s of %zu %s%s has no counterpart",
                  notes_clean(cabling->arena, name), count, of, plural(count, "", "s"));
}

static bool has_text(void *object, Agsym_t *attribute)
{
    const char *text = agxget(object, attribute);
    return text != NULL && text[0] != '\0';
}

static struct diag_place top_place(const struct cabling *cabling)
{
    return (struct diag_place){.file = cabling->file->name, .line = 1, .column = 1, .width = 1};
}

static struct diag_place attribute_place(const struct reading *reading, const Agsym_t *attribute)
{
    return dot_attribute_place(&reading->places, reading->cabling->file, attribute->name);
}

static void note_graph(struct reading *reading)
{
    for (Agsym_t *a = NULL; (a = agnxtattr(reading->graph, AGRAPH, a)) != NULL;)
        note_attribute(reading, "graph", a->name, has_text(reading->graph, a),
                       attribute_place(reading, a));
}

/* ---- nodes ---- */

static bool is_role(const char *name)
{
    return strcmp(name, "function") == 0 || strcmp(name, "role") == 0;
}

static bool is_host_word(const char *word)
{
    static const char *const hosts[] = {"host", "server", "client", "storage", "target", NULL};
    bool found = false;
    for (size_t i = 0; hosts[i] != NULL; i++)
        found |= strcasecmp(word, hosts[i]) == 0;
    return found;
}

static void take_role(struct reading *reading, Agnode_t *from, struct cabling_node *node)
{
    static const char *const names[] = {"function", "role"};
    struct arena *arena = reading->cabling->arena;
    for (int i = 0; i < 2 && node->role == CABLING_UNKNOWN; i++) {
        Agsym_t *attribute = agattr(reading->graph, AGNODE, (char *)names[i], NULL);
        if (attribute == NULL || !has_text(from, attribute))
            continue;
        const char *word = agxget(from, attribute);
        node->role = is_host_word(word) ? CABLING_HOST : CABLING_SWITCH;
        node->is_management = cabling_is_management(word);
        node->is_target = strcasecmp(word, "storage") == 0 || strcasecmp(word, "target") == 0;
        node->why = arena_format(arena, "its %s is %s", names[i], notes_clean(arena, word));
    }
}

static const char *copy(const struct reading *reading, const char *text)
{
    return arena_text(reading->cabling->arena, text, strlen(text));
}

static bool take_nodes(struct reading *reading)
{
    struct cabling *cabling = reading->cabling;
    for (Agnode_t *n = agfstnode(reading->graph); n != NULL; n = agnxtnode(reading->graph, n)) {
        struct cabling_node *node =
            cabling_node(cabling, copy(reading, agnameof(n)), top_place(cabling));
        if (node == NULL)
            return false;
        take_role(reading, n, node);
    }
    for (Agsym_t *a = NULL; (a = agnxtattr(reading->graph, AGNODE, a)) != NULL;) {
        size_t count = 0;
        Agnode_t *n = is_role(a->name) ? NULL : agfstnode(reading->graph);
        for (; n != NULL; n = agnxtnode(reading->graph, n))
            count += has_text(n, a);
        note_attribute(reading, "node", a->name, count, attribute_place(reading, a));
    }
    return true;
}

/* ---- edges ---- */

static int by_number(const void *a, const void *b)
{
    const Agedge_t *x = *(Agedge_t *const *)a, *y = *(Agedge_t *const *)b;
    return AGSEQ(x) < AGSEQ(y) ? -1 : AGSEQ(x) > AGSEQ(y);
}

static Agedge_t **sorted_edges(struct reading *reading, size_t *count)
{
    Agraph_t *graph = reading->graph;
    const size_t most = (size_t)agnedges(graph);
    Agedge_t **edges = arena_array(reading->cabling->arena, most + 1, sizeof(Agedge_t *));
    *count = 0;
    for (Agnode_t *n = agfstnode(graph); n != NULL; n = agnxtnode(graph, n))
        for (Agedge_t *e = agfstout(graph, n); e != NULL && *count < most; e = agnxtout(graph, e))
            edges[(*count)++] = e;
    qsort(edges, *count, sizeof(Agedge_t *), by_number);
    return edges;
}

/* An edge with the `key` of another one is merged by libcgraph. Then the counts differ, and the
 * place is the top of the file. */
static struct diag_place place_of(const struct reading *reading, size_t index, size_t count)
{
    return count == reading->places.count ? reading->places.edges[index]
                                          : top_place(reading->cabling);
}

static void take_end(const struct reading *reading, struct cabling_end *end, Agnode_t *node,
                     const char *port, struct diag_place place)
{
    end->node = cabling_find(reading->cabling, agnameof(node));
    end->port = port == NULL || port[0] == '\0' ? NULL : copy(reading, port);
    if (end->node->place.line == 1)
        end->node->place = place;
}

static bool is_port(const char *name)
{
    return strcmp(name, TAILPORT_ID) == 0 || strcmp(name, HEADPORT_ID) == 0;
}

static bool take_edge(struct reading *reading, Agedge_t *edge, struct diag_place place)
{
    struct cabling *cabling = reading->cabling;
    struct cabling_link *link = cabling_link(cabling, place);
    if (link == NULL)
        return false;
    take_end(reading, &link->ends[0], agtail(edge), agget(edge, TAILPORT_ID), place);
    take_end(reading, &link->ends[1], aghead(edge), agget(edge, HEADPORT_ID), place);
    for (Agsym_t *a = NULL; (a = agnxtattr(reading->graph, AGEDGE, a)) != NULL;) {
        if (!has_text(edge, a) || is_port(a->name) || opt_find(port_opts, a->name) == NULL)
            continue;
        const struct cabling_value value = {copy(reading, a->name), copy(reading, agxget(edge, a)),
                                            place};
        if (!cabling_set(cabling, link, value))
            return false;
    }
    return true;
}

static bool take_edges(struct reading *reading)
{
    size_t count;
    Agedge_t **edges = sorted_edges(reading, &count);
    for (size_t i = 0; i < count; i++)
        if (!take_edge(reading, edges[i], place_of(reading, i, count)))
            return false;
    for (Agsym_t *a = NULL; (a = agnxtattr(reading->graph, AGEDGE, a)) != NULL;) {
        size_t having = 0, first = 0;
        if (is_port(a->name) || opt_find(port_opts, a->name) != NULL)
            continue;
        for (size_t i = count; i-- > 0;)
            if (has_text(edges[i], a)) {
                having++;
                first = i;
            }
        note_attribute(reading, "edge", a->name, having,
                       having == 0 ? top_place(reading->cabling) : place_of(reading, first, count));
    }
    return true;
}

bool dot_read(struct cabling *cabling)
{
    struct reading reading = {.cabling = cabling};
    if (!dot_scan(cabling->arena, cabling->file, &reading.places, cabling->diag))
        return false;
    reading.graph = parse(cabling);
    if (reading.graph == NULL)
        return false;
    note_graph(&reading);
    const bool fine = take_nodes(&reading) && take_edges(&reading);
    agclose(reading.graph);
    return fine;
}
