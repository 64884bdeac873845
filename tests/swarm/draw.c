/* SPDX-License-Identifier: Apache-2.0 */
#include "draw.h"

#include "draw_bents.h"
#include "draw_layer.h"
#include "draw_paths.h"
#include "draw_pen.h"
#include "draw_value.h"

#include "nvme/media/media.h"
#include "rnic/cc/cc.h"
#include "scenarios/embedded.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/load/load.h"
#include "scenarios/workload/workload.h"
#include "scenarios/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 200, FILE_BYTES = 65536 };

/* ------------------------------------------------------------------ loading */

/* Files that a drawn scenario may name; they lie beside those that were found. */
static const char *const companions[] = {"swarm.fio", "swarm.iolog", "swarm.dot"};

enum { COMPANIONS = sizeof companions / sizeof companions[0] };

#define SCENARIO_FILE "swarm.yaml"

static const struct scenario_source *files(void)
{
    static struct scenario_source sources[COMPANIONS];
    for (int i = 0; i < COMPANIONS && sources[i].name == NULL; i++) {
        static char texts[COMPANIONS][FILE_BYTES];
        char path[128];
        snprintf(path, sizeof path, "tests/swarm/found/%s", companions[i]);
        FILE *file = fopen(path, "r");
        CHECK(file != NULL); /* run from the top of the tree */
        const size_t length = fread(texts[i], 1, FILE_BYTES - 1, file);
        fclose(file);
        sources[i] = (struct scenario_source){companions[i], texts[i], length};
    }
    return sources;
}

struct scenario *draw_load(const char *text, const char *const *sets, uint32_t set_count,
                           struct diag *diag)
{
    const struct scenario_input input = {
        .name = SCENARIO_FILE,
        .text = text,
        .length = strlen(text),
        .files = files(),
        .file_count = COMPANIONS,
        .sets = sets,
        .set_count = set_count,
    };
    return scenario_load(&input, diag);
}

/* ------------------------------------------------------------------ sections */

/* Kinds that rows exist for: the part of `where` between "TABLE{kind: " and "}". */
static const char *drawn_kind(struct pen *pen, const char *table)
{
    const struct draw_rows *rows = draw_rows();
    static char kind[48];
    unsigned seen = 0;
    const char *last = "";
    for (unsigned i = 0; i < rows->count; i++) {
        const char *where = rows->list[i].where;
        const size_t length = strlen(table);
        if (strncmp(where, table, length) != 0 || strncmp(where + length, "{kind: ", 7) != 0 ||
            strcmp(where, last) == 0 || strstr(where, "{kind: explicit}") != NULL)
            continue;
        last = where;
        if (rng_below(&pen->rng, ++seen) == 0)
            snprintf(kind, sizeof kind, "%.*s", (int)strcspn(where + length + 7, "}"),
                     where + length + 7);
    }
    return kind;
}

/* Most hosts have one NIC.  Which groups of switches there are for `dual` is not looked at. */
static void nics(struct pen *pen)
{
    static const char *const homings[] = {"same", "same", "dual", "fabrics", "fabrics"};
    const unsigned count = rng_below(&pen->rng, 3) > 0 ? 1 : draw_between(&pen->rng, 2, 3);
    pen->nics = count;
    pen_put(pen, "nics", "%u", count);
    pen_put(pen, "homing", "%s", count == 1 ? "same" : homings[rng_below(&pen->rng, 5)]);
}

static void topology(struct pen *pen)
{
    pen_open(pen, 2, "topology:");
    if (rng_below(&pen->rng, 24) == 0) {
        pen_put(pen, "kind", "dot");
        pen_put(pen, "file", "swarm.dot");
        pen_put(pen, "hosts", "\"host*\"");
        return;
    }
    char where[80];
    const char *kind = drawn_kind(pen, "fabric.topology");
    pen_put(pen, "kind", "%s", kind);
    nics(pen);
    snprintf(where, sizeof where, "fabric.topology{kind: %s}", kind);
    pen_rows(pen, where, 100);
}

static void profile_of(struct pen *pen, const char *kind)
{
    char names[32][64];
    unsigned count = 0;
    char line[32];
    snprintf(line, sizeof line, "\nkind: %s\n", kind);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (strncmp(file->name, "profiles/", 9) == 0 && count < 32 &&
            strstr((const char *)file->bytes, line) != NULL)
            snprintf(names[count++], sizeof names[0], "%.*s", (int)strcspn(file->name + 9, "."),
                     file->name + 9);
    if (count > 0)
        pen_put(pen, "profile", "%s", names[rng_below(&pen->rng, count)]);
}

static void control(struct pen *pen)
{
    const struct cc_preset *preset = layer_control(pen);
    char where[80];
    snprintf(where, sizeof where, "hosts.defaults.rnic.congestion-control{kind: %s}",
             preset->settings == NULL ? preset->name : "dcqcn");
    if (rng_below(&pen->rng, 3) > 0) {
        pen_put(pen, "congestion-control", "\"%s\"", preset->name);
        return;
    }
    struct pen inner = pen_inner(pen, "congestion-control:");
    pen_put(&inner, "kind", "\"%s\"", preset->name);
    pen_rows(&inner, where, 20);
}

/* Tables with few rows drawn are what a combination goes deep in. */
static unsigned share(struct pen *pen)
{
    static const unsigned shares[] = {0, 0, 3, 6, 12, 25};
    return shares[rng_below(&pen->rng, pen->calm ? 3 : 6)];
}

static void link_layer(struct pen *pen, unsigned indent)
{
    pen_open(pen, indent, "host-links:");
    bents_link(pen);
    pen_rows(pen, "fabric.host-links", share(pen));
    if (rng_below(&pen->rng, 2) > 0) {
        pen_open(pen, indent, "fabric-links:");
        bents_link(pen);
        pen_rows(pen, "fabric.host-links", share(pen));
    }
    pen_open(pen, indent, "switch:");
    bents_switch(pen);
    if (rng_below(&pen->rng, 6) == 0)
        profile_of(pen, "switch");
    pen_rows(pen, "fabric.switch", share(pen));
}

static void fabric(struct pen *pen)
{
    link_layer(pen, 2);
    for (unsigned i = 1; i < pen->island_count; i++) {
        layer_open(pen, i);
        link_layer(pen, 4);
        layer_enter(pen, 0);
    }
    if (rng_below(&pen->rng, 3) == 0) {
        pen_open(pen, 2, "routing:");
        pen_rows(pen, "fabric.routing", 60);
    }
    bents_overrides(pen);
    bents_routes(pen);
}

static void medium(struct pen *pen)
{
    unsigned count = 0;
    while (media_kinds[count] != NULL)
        count++;
    const struct media_ops *media = media_kinds[rng_below(&pen->rng, count)];
    struct pen inner = pen_inner(pen, "- media:");
    inner.indent += 2;
    pen_put(&inner, "kind", "\"%s\"", media->name);
    char where[80];
    snprintf(where, sizeof where, "hosts.targets.namespaces.media{kind: %s}", media->name);
    pen_rows(&inner, where, 15);
    struct pen entry = *pen;
    entry.rng = inner.rng;
    entry.indent += 2;
    entry.used_count = 0;
    if (rng_below(&entry.rng, 4) == 0)
        bents_array(&entry);
    pen_rows(&entry, "hosts.targets.namespaces", 12);
    pen->rng = entry.rng;
}

static void hosts(struct pen *pen)
{
    static const char *const lags[] = {
#define X(name, word) word,
        RNIC_LAGS(X)
#undef X
    };
    script_add(pen->script, 0, "hosts:");
    script_add(pen->script, 2, "defaults:");
    pen_open(pen, 4, "rnic:");
    if (pen->nics > 1 && rng_below(&pen->rng, 2) == 0)
        pen_put(pen, "lag", "%s", lags[rng_below(&pen->rng, sizeof lags / sizeof lags[0])]);
    layer_rnic(pen);
    bents_rnic(pen);
    if (rng_below(&pen->rng, 10) == 0)
        profile_of(pen, "rnic");
    control(pen);
    pen_rows(pen, "hosts.defaults.rnic", share(pen) / 2);
    pen_open(pen, 4, "tcp:");
    bents_tcp(pen);
    pen_rows(pen, "hosts.defaults.tcp", share(pen));
    pen_open(pen, 4, "nvme:");
    bents_nvme(pen);
    pen_rows(pen, "hosts.defaults.nvme", share(pen));
    pen_open(pen, 4, "target:");
    pen_put(pen, "max-queues", "8");
    pen_put(pen, "iscsi-max-connections", "4");
    if (rng_below(&pen->rng, 10) == 0)
        profile_of(pen, "target");
    pen_rows(pen, "hosts.defaults.target", share(pen));
    pen_open(pen, 2, "targets:");
    layer_targets(pen);
    script_add(pen->script, 4, "namespaces:");
    for (unsigned n = draw_between(&pen->rng, 1, 2); n > 0; n--)
        medium(pen);
    if (rng_below(&pen->rng, 8) == 0)
        bents_subsystem(pen);
    if (!pen->calm && rng_below(&pen->rng, 16) == 0 && pen->places->host_count > 3) {
        pen_open(pen, 2, "computer:");
        pen_put(pen, "where", "[%s, %s]", pen->places->hosts[1], pen->places->hosts[3]);
        pen_put(pen, "machine", "one");
        struct pen inner = pen_inner(pen, "rnic:");
        pen_put(&inner, "profile", "softroce");
        pen_put(&inner, "roce-version", "2"); /* the only one that it has */
    }
}

/* In place of what swarm.fio says. */
static void job_options(struct pen *pen)
{
    if (rng_below(&pen->rng, 3) == 0)
        pen_put(pen, "options", "{iodepth: %u}", 1 + (unsigned)rng_below(&pen->rng, 16));
    if (rng_below(&pen->rng, 3) == 0)
        pen_put(pen, "jobs", "{mixed: {bs: %uk, numjobs: %u}}", 4u << rng_below(&pen->rng, 5),
                1 + (unsigned)rng_below(&pen->rng, 4));
}

static void workload(struct pen *pen, unsigned number)
{
    unsigned count = 0;
    while (workload_kinds[count] != NULL)
        count++;
    layer_turn(pen, number);
    const uint64_t drawn = rng_below(&pen->rng, 2 * count + 1);
    const struct workload_ops *ops =
        layer_workload(pen, bents_workload(pen, number, workload_kinds[drawn % count]));
    const bool fio = drawn == 2 * count && ops->needs_nvme_target;
    const char *kind = fio ? "fio" : ops->name;
    script_add(pen->script, 2, "- name: w%u", number);
    struct pen inner = *pen;
    inner.indent = 4;
    inner.used_count = 0;
    pen_put(&inner, "kind", "%s", kind);
    if (fio || ops->read_file != NULL)
        pen_put(&inner, "file", "swarm.%s", fio ? "fio" : "iolog");
    if (fio)
        job_options(&inner);
    if (!fio && ops->read_file != NULL && rng_below(&inner.rng, 8) > 0)
        pen_put(&inner, "beyond", "fold");
    const char *transport = layer_transport(&inner, ops);
    if (transport != NULL)
        pen_put(&inner, "transport", "%s", transport);
    bents_pair(&inner, ops->needs_nvme_target);
    char where[80];
    snprintf(where, sizeof where, "workloads{kind: %s}", ops->name);
    if (!fio) {
        bents_load(&inner, ops);
        pen_rows(&inner, where, 25);
    }
    pen_rows(&inner, "workloads", 8);
    pen->rng = inner.rng;
}

static void fault(struct pen *pen)
{
    const struct fault_ops *ops = bents_fault(pen);
    script_add(pen->script, 2, "- kind: %s", ops->name);
    struct pen inner = *pen;
    inner.indent = 4;
    inner.used_count = 0;
    char where[80];
    bents_fault_keys(&inner, ops);
    snprintf(where, sizeof where, "faults{kind: %s}", ops->name);
    pen_rows(&inner, where, 70);
    pen->rng = inner.rng;
}

/* ------------------------------------------------------------------ what the loader says */

/* The line that it names first, or UINT32_MAX. */
static unsigned blamed(const struct diag *diag, const struct script *script)
{
    for (int i = 0; i < diag->count; i++) {
        const struct diag_message *message = &diag->messages[i];
        if (message->level == DIAG_ERROR && message->place.line > 0 &&
            strcmp(message->file, SCENARIO_FILE) == 0 &&
            (unsigned)message->place.line <= script->count)
            return (unsigned)message->place.line - 1;
    }
    return UINT32_MAX;
}

/* A scenario has something to do: until that is drawn, anything. */
static struct scenario *load(const struct pen *pen, struct diag *diag)
{
    static char text[SCRIPT_BYTES + 128];
    memset(diag, 0, sizeof *diag);
    script_text(pen->script, text);
    if (strstr(text, "\nworkloads:") == NULL)
        strcat(text, layer_any_workload(pen));
    return draw_load(text, NULL, 0, diag);
}

static bool is_loaded(const struct pen *pen, unsigned *blame)
{
    static struct diag diag;
    struct scenario *scenario = load(pen, &diag);
    *blame = scenario == NULL ? blamed(&diag, pen->script) : UINT32_MAX;
    if (scenario == NULL && getenv("SWARM_SHOW") != NULL)
        diag_print(&diag, stderr);
    scenario_free(scenario);
    return scenario != NULL;
}

/* Names a place anew where the loader wants another kind of it, and leaves out what it refuses. */
static bool correct(struct pen *pen, struct draw_count *count)
{
    unsigned blame, cut = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        if (is_loaded(pen, &blame)) {
            count->repaired += cut > 0;
            return true;
        }
        if (blame == UINT32_MAX)
            return false;
        if (i < TRIES / 2 && pen_redraw(pen, blame))
            continue;
        if (blame < pen->fixed)
            blame = script_last_override(pen->script);
        else
            blame = script_pairing_of(pen->script, blame);
        if (blame == UINT32_MAX || pen->script->lines[blame][0] != ' ') {
            return false;
        }
        script_cut(pen->script, blame);
        count->lines++;
        cut++;
    }
    return false;
}

/* A line of the switches' settings: it is their memory that is too small for what it is to hold. */
static unsigned some_of_switch(struct pen *pen)
{
    const struct script *script = pen->script;
    unsigned chosen = script_last_override(script), seen = chosen != UINT32_MAX;
    bool inside = false;
    for (unsigned i = pen->fixed; i < script->count; i++) {
        if (script->lines[i][2] != ' ')
            inside = strcmp(script->lines[i], "  switch:") == 0;
        else if (inside && rng_below(&pen->rng, ++seen) == 0)
            chosen = i;
    }
    return chosen;
}

static bool is_built(const struct pen *pen)
{
    static struct diag diag;
    struct scenario *scenario = load(pen, &diag);
    struct world *world = scenario == NULL ? NULL : world_build(scenario, &probe_none, &diag);
    world_free(world);
    scenario_free(scenario);
    return world != NULL;
}

/* The loader takes it, and a world can be made of it. */
static bool repair_all(struct pen *pen, struct draw_count *count)
{
    if (!correct(pen, count))
        return false;
    for (unsigned i = 0; i < TRIES; i++) {
        if (is_built(pen))
            return true;
        const unsigned line = some_of_switch(pen);
        if (line == UINT32_MAX)
            return false;
        script_cut(pen->script, line);
        count->lines++;
        if (!correct(pen, count))
            return false;
    }
    return false;
}

static bool find_places(struct pen *pen, struct draw_count *count)
{
    static struct diag diag;
    if (!correct(pen, count))
        return false;
    struct scenario *scenario = load(pen, &diag);
    CHECK(scenario != NULL);
    pen_learn(pen, scenario);
    pen->fixed = pen->script->count;
    scenario_free(scenario);
    return pen->places->host_count >= 2;
}

static bool is_taken(struct pen *pen, struct draw_count *count)
{
    const bool fine = repair_all(pen, count);
    count->refused += !fine;
    return fine;
}

bool draw_scenario(uint64_t seed, enum bent only, struct script *script, struct draw_count *count)
{
    static struct places places;
    struct pen pen = {
        .rng = rng_stream(seed, "swarm", "scenario"), .script = script, .places = &places};
    script->count = 0;
    count->drawn++;
    bents_choose(&pen, only);
    layer_choose(&pen, seed);
    script_add(script, 0, "stormglass: 1");
    script_add(script, 0, "name: swarm-%llu", (unsigned long long)seed);
    script_add(script, 0, "seed: %u", draw_between(&pen.rng, 0, 1000000));
    if (pen.bent == BENT_PATHS) {
        paths_draw(&pen);
        return is_taken(&pen, count);
    }
    bents_span(&pen);
    script_add(script, 0, "fabric:");
    layer_fabric(&pen);
    if (!layer_topology(&pen) && !bents_topology(&pen))
        topology(&pen);
    if (!find_places(&pen, count)) {
        count->refused++;
        return false;
    }
    fabric(&pen);
    hosts(&pen);
    script_add(script, 0, "workloads:");
    for (unsigned i = 0, n = bents_workloads(&pen); i < n; i++)
        workload(&pen, i);
    const unsigned faults = bents_faults(&pen);
    if (faults > 0)
        script_add(script, 0, "faults:");
    for (unsigned i = 0; i < faults; i++) {
        layer_turn(&pen, i);
        fault(&pen);
    }
    return is_taken(&pen, count);
}

void draw_audit(void)
{
    draw_value_audit();
}
