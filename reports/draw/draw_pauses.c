/* SPDX-License-Identifier: Apache-2.0
 * draw_pauses - the tree of each root: transmitters that it stopped, those that they stopped, and
 * the affected workloads.
 * A box is a transmitter that was stopped. The line to it comes from the node that paused it and is
 * thicker for a longer time. */
#include "base/plural.h"
#include "replay/database/flow_words.h"
#include "replay/database/words.h"
#include "replay/explain/account.h"
#include "reports/draw/draw.h"
#include "reports/draw/picture.h"
#include "reports/draw/picture_style.h"

#include <inttypes.h>
#include <string.h>

enum { ROOTS_MAX = 4, PATHS_MAX = 160, NAME_BYTES = 96, TEXT_BYTES = 400 };

/* A transmitter that was stopped because of the root, at its smallest distance: in a cycle, pauses
 * return to where they started. */
struct path {
    int64_t hops, node, port, held_ps, reported_by;
    char name[NAME_BYTES], teller[NAME_BYTES];
};

struct tree {
    struct store *store;
    struct picture *picture;
    int64_t span_ps, root;
    int64_t causes;  /* number of leading roots that are causes */
    int64_t most_ps; /* ps; time of the root itself */
    struct path paths[PATHS_MAX];
    int count, left_out;
};

static bool is_cause(const struct tree *tree)
{
    return tree->root < tree->causes;
}

static double part(const struct tree *tree, int64_t held_ps)
{
    return tree->span_ps <= 0 ? 0 : (double)held_ps / (double)tree->span_ps;
}

static double line_width(const struct tree *tree, int64_t held_ps)
{
    const double share = tree->most_ps <= 0 ? 0 : (double)held_ps / (double)tree->most_ps;
    return 0.8 + 5 * (share > 1 ? 1 : share);
}

static void root_name(const struct tree *tree, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "root %" PRId64, tree->root);
}

static void path_name(const struct tree *tree, const struct path *path, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "root %" PRId64 " hop %" PRId64 " at %" PRId64 ":%" PRId64,
             tree->root, path->hops, path->node, path->port);
}

/* Omits paths with less than a thousandth of the root's time, to keep the drawing readable. */
static void read_paths(struct tree *tree)
{
    struct store_statement *rows = store_prepare(
        tree->store,
        "SELECT hops, h.node, h.port, held_ps, p.peer_node, p.name, q.name AS paused_by FROM "
        "(SELECT"
        " min(hops) AS hops, node, port, sum(held_ps) AS held_ps FROM pause_path WHERE root=?1"
        " GROUP BY node, port) h JOIN port p ON p.node=h.node AND p.port=h.port"
        " JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port"
        " ORDER BY hops, held_ps DESC, h.node, h.port");
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(tree->root));
    tree->count = tree->left_out = 0;
    while (store_step(rows)) {
        if (tree->count == PATHS_MAX || store_int(rows, "held_ps") < tree->most_ps / 1000) {
            tree->left_out++;
            continue;
        }
        struct path *path = &tree->paths[tree->count++];
        *path = (struct path){store_int(rows, "hops"),
                              store_int(rows, "node"),
                              store_int(rows, "port"),
                              store_int(rows, "held_ps"),
                              store_int(rows, "peer_node"),
                              "",
                              ""};
        snprintf(path->name, sizeof path->name, "%s", store_text(rows, "name"));
        snprintf(path->teller, sizeof path->teller, "%s", store_text(rows, "paused_by"));
    }
    store_finish(rows);
}

/* Breaks sentences into lines of a box's width. */
static void wrap(const char *text, char *lines, size_t size)
{
    enum { WIDTH = 34 };
    size_t column = 0, at = 0;
    while (*text != '\0' && at + 2 < size) {
        const size_t word = strcspn(text, " ");
        if (column > 0 && column + word > WIDTH) {
            lines[at - 1] = '\n';
            column = 0;
        }
        for (size_t i = 0; i < word && at + 2 < size; i++)
            lines[at++] = text[i];
        text += word;
        column += word + 1;
        if (*text == ' ') {
            lines[at++] = ' ';
            text++;
        }
    }
    lines[at] = '\0';
}

static void draw_root(const struct tree *tree, const char *kind, const char *text)
{
    char name[NAME_BYTES], lines[TEXT_BYTES], label[TEXT_BYTES + 64];
    root_name(tree, name);
    wrap(text, lines, sizeof lines);
    snprintf(label, sizeof label, "%s\n%s", kind, lines);
    picture_node(tree->picture, &(struct picture_node){.name = name,
                                                       .label = label,
                                                       .hint = text,
                                                       .style = is_cause(tree) ? "root" : "host",
                                                       .left = true,
                                                       .bold = is_cause(tree),
                                                       .font = 11});
}

static void draw_stopped(const struct tree *tree, const struct path *path)
{
    char name[NAME_BYTES], label[2 * NAME_BYTES], hint[TEXT_BYTES];
    const struct words time = words_time(path->held_ps);
    path_name(tree, path, name);
    snprintf(label, sizeof label, "%s\n%s", path->name, time.text);
    snprintf(hint, sizeof hint, "%s paused for %s in total by %s", path->name, time.text,
             path->teller);
    picture_node(tree->picture,
                 &(struct picture_node){.name = name,
                                        .label = label,
                                        .hint = hint,
                                        .style = picture_heat(part(tree, path->held_ps))});
}

static void draw_edge(const struct tree *tree, const char *from, const char *to, int64_t held)
{
    picture_edge(tree->picture, &(struct picture_edge){.from = from,
                                                       .to = to,
                                                       .style = picture_heat(part(tree, held)),
                                                       .width = line_width(tree, held),
                                                       .arrow = true});
}

/* The distance of the transmitters at the node that paused this one, for the closest of them; -1 if
 * there is none. */
static int64_t hops_before(const struct tree *tree, const struct path *path)
{
    int64_t most = -1;
    for (int i = 0; i < tree->count; i++) {
        const struct path *before = &tree->paths[i];
        if (before->node == path->reported_by && before->hops < path->hops && before->hops > most)
            most = before->hops;
    }
    return most;
}

static void draw_cause(const struct tree *tree, const struct path *path)
{
    char name[NAME_BYTES], from[NAME_BYTES];
    const int64_t hops = hops_before(tree, path);
    path_name(tree, path, name);
    root_name(tree, from);
    if (hops < 0)
        draw_edge(tree, from, name, path->held_ps);
    for (int i = 0; hops >= 0 && i < tree->count; i++) {
        if (tree->paths[i].hops != hops || tree->paths[i].node != path->reported_by)
            continue;
        path_name(tree, &tree->paths[i], from);
        draw_edge(tree, from, name, path->held_ps);
    }
}

static void draw_victims(const struct tree *tree)
{
    struct store_statement *rows = store_prepare(
        tree->store,
        "SELECT w.name, min(class) AS nearest, max(held_ps) AS held FROM victim JOIN workload w"
        " USING(workload) WHERE root=?1 GROUP BY workload"
        " ORDER BY held DESC, workload LIMIT 12");
    char root[NAME_BYTES], name[NAME_BYTES], label[TEXT_BYTES];
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(tree->root));
    root_name(tree, root);
    while (store_step(rows)) {
        snprintf(name, sizeof name, "root %" PRId64 " victim %s", tree->root,
                 store_text(rows, "name"));
        snprintf(label, sizeof label, "workload %s\n%s victim, %s", store_text(rows, "name"),
                 store_text(rows, "nearest"), words_time(store_int(rows, "held")).text);
        picture_node(tree->picture,
                     &(struct picture_node){.name = name, .label = label, .style = "victim"});
        picture_edge(tree->picture,
                     &(struct picture_edge){
                         .from = root, .to = name, .style = "victim", .width = 1, .arrow = true});
    }
    store_finish(rows);
}

static void draw_tree(struct tree *tree, struct store_statement *root)
{
    char heading[2 * NAME_BYTES];
    tree->root = store_int(root, "position");
    tree->most_ps = store_int(root, "held_ps");
    read_paths(tree);
    const int used =
        snprintf(heading, sizeof heading, "%s: %s of pauses",
                 is_cause(tree) ? "Root cause" : "Also", words_time(tree->most_ps).text);
    if (tree->left_out > 0)
        snprintf(heading + used, sizeof heading - (size_t)used, "; %d short %s not shown",
                 tree->left_out, plural(tree->left_out, "pause", "pauses"));
    picture_frame(tree->picture, heading);
    draw_root(tree, store_text(root, "kind"), store_text(root, "text"));
    for (int i = 0; i < tree->count; i++)
        draw_stopped(tree, &tree->paths[i]);
    for (int i = 0; i < tree->count; i++)
        draw_cause(tree, &tree->paths[i]);
    draw_victims(tree);
}

static bool draw(struct store *store, const char *format, FILE *out, char why[DRAW_WHY_BYTES])
{
    static struct tree tree;
    tree = (struct tree){.store = store, .causes = account_causes(store)};
    struct store_statement *roots = store_prepare(
        store, "SELECT * FROM (SELECT position, kind, held_ps, text FROM pause_root"
               " WHERE position<?2 OR held_ps*50>=(SELECT sum(held_ps) FROM pause_root)"
               " ORDER BY position LIMIT ?1) ORDER BY position DESC");
    if (roots != NULL) {
        store_bind(roots, 1, STORE_I(ROOTS_MAX));
        store_bind(roots, 2, STORE_I(tree.causes));
    }
    tree.span_ps = store_ask_int(store, "SELECT simulated_ps+coalesce(drain_ps, 0) FROM meta", 0);
    tree.picture = picture_begin(PICTURE_LEFT, NULL);
    unsigned count = 0;
    for (; store_step(roots); count++)
        draw_tree(&tree, roots);
    store_finish(roots);
    picture_frame(tree.picture, NULL);
    if (count == 0)
        snprintf(why, DRAW_WHY_BYTES, "%s in this run: no pause tree", flow_words(store)->none);
    if (store_error(store) != NULL)
        snprintf(why, DRAW_WHY_BYTES, "%.200s", store_error(store));
    const bool well = why[0] == '\0' && picture_write(tree.picture, format, out);
    picture_free(tree.picture);
    return well;
}

const struct draw_view draw_pauses = {
    .name = "pauses",
    .draw = draw,
};
