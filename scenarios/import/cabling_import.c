/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/cabling_import.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/plural.h"
#include "net/port/port.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/import/flows.h"
#include "scenarios/import/import_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_IN_LINE = 10, LINES_MAX = 20, PATH_MTU_LEAST = 256, PATH_MTU_MOST = 4096 };

/* ---- reasons for the roles of nodes ---- */

static void put_names_because(const struct cabling *cabling, FILE *out,
                              const struct cabling_node *like)
{
    size_t count = 0;
    fprintf(out, "#   %s, because %s:", like->role == CABLING_HOST ? "hosts" : "switches",
            like->why);
    for (size_t i = like->index; i < cabling->node_count; i++) {
        const struct cabling_node *node = cabling->nodes[i];
        if (node->called == NULL || node->role != like->role || strcmp(node->why, like->why) != 0)
            continue;
        if (count == (size_t)LINES_MAX * NAMES_IN_LINE) {
            fputs(" and more", out);
            break;
        }
        fprintf(out, "%s%s", count > 0 && count % NAMES_IN_LINE == 0 ? "\n#     " : " ",
                node->called);
        count++;
    }
    fputc('\n', out);
}

/* True if an earlier node has the same role for the same reason. */
static bool is_reported(const struct cabling *cabling, const struct cabling_node *node)
{
    for (size_t i = 0; i < node->index; i++) {
        const struct cabling_node *other = cabling->nodes[i];
        if (other->called != NULL && other->role == node->role &&
            strcmp(other->why, node->why) == 0)
            return true;
    }
    return false;
}

static void put_roles(const struct cabling *cabling, FILE *out)
{
    int lines = 0;
    for (size_t i = 0; i < cabling->node_count && lines < LINES_MAX; i++) {
        const struct cabling_node *node = cabling->nodes[i];
        if (node->called == NULL || is_reported(cabling, node))
            continue;
        put_names_because(cabling, out, node);
        lines++;
    }
}

/* ---- the scenario ---- */

static void put_head(const struct cabling *cabling, const struct cabling_input *input, FILE *out)
{
    fprintf(out, "# Made by stormglass import %s from %s\n", input->kind,
            notes_clean(cabling->arena, input->name));
    fprintf(out, "# %s.  Hosts:\n",
            cabling->packet_bytes > 0 || cabling->flow_count > 0
                ? "Settings that are not in the files are defaults"
                : "The file has cables only: all other settings are defaults");
    put_roles(cabling, out);
    if (cabling->notes.count > 0)
        fputs("# Not imported, or imported differently:\n", out);
    notes_print(&cabling->notes, "#   ", out);
    fprintf(out,
            "stormglass: 1\nname: %s\nabout: %zu %s and %zu %s, from their cables.\nseed: "
            "1\nduration: %s\n",
            input->kind, cabling->switch_count, plural(cabling->switch_count, "switch", "switches"),
            cabling->host_count, plural(cabling->host_count, "host", "hosts"),
            cabling->flow_count == 0 ? "10ms"
                                     : flows_time(cabling->arena, flows_duration(cabling)));
}

/* True if the port's name is the one that a scenario gives it. */
static bool is_number(const struct cabling_end *end)
{
    return end->port[0] == 'p' && strtol(end->port + 1, NULL, 10) == (long)end->number &&
           strspn(end->port + 1, "0123456789") == strlen(end->port + 1);
}

static void put_link(const struct cabling *cabling, FILE *out, const struct cabling_link *link)
{
    bool fits[2];
    for (int i = 0; i < 2; i++) {
        const struct cabling_end *end = &link->ends[i];
        fits[i] = end->port != NULL && topology_port_name(end->port);
        if (end->port != NULL && !fits[i] && !is_number(end))
            fprintf(out, "      # %s:p%u is called '%s'\n", end->called, end->number,
                    notes_clean(cabling->arena, end->port));
    }
    fprintf(out, "      - {ends: [\"%s:p%u\", \"%s:p%u\"]", link->ends[0].called,
            link->ends[0].number, link->ends[1].called, link->ends[1].number);
    if (fits[0] || fits[1])
        fprintf(out, ", names: [%s, %s]", fits[0] ? link->ends[0].port : "\"\"",
                fits[1] ? link->ends[1].port : "\"\"");
    for (size_t i = 0; i < link->value_count; i++)
        fprintf(out, ", %s: %s", link->values[i].name, link->values[i].text);
    fputs("}\n", out);
}

static void put_rates(const struct cabling_input *input, FILE *out)
{
    if (input->host_rate != NULL)
        fprintf(out, "  host-links: {rate: %s} # --host-rate\n", input->host_rate);
    if (input->other_rate != NULL)
        fprintf(out, "  fabric-links: {rate: %s} # --fabric-rate\n", input->other_rate);
}

static void put_switch(const struct cabling *cabling, FILE *out)
{
    if (cabling->switch_latency == NULL && cabling->buffer_mib == 0)
        return;
    fputs("  switch: {", out);
    if (cabling->switch_latency != NULL)
        fprintf(out, "latency: %s", cabling->switch_latency);
    if (cabling->buffer_mib > 0)
        fprintf(out, "%sbuffer: %" PRId64 "MiB", cabling->switch_latency != NULL ? ", " : "",
                cabling->buffer_mib);
    fputs("}\n", out);
}

static void put_fabric(const struct cabling *cabling, const struct cabling_input *input, FILE *out)
{
    fputs("fabric:\n  topology:\n    kind: explicit\n    hosts: ", out);
    import_names(out, cabling->hosts, cabling->host_count);
    fputs("\n    switches: ", out);
    import_names(out, cabling->switches, cabling->switch_count);
    if (cabling->nics > 1)
        fprintf(out,
                "\n    nics: %u # each cable of a host is a NIC with an address; none are bonded",
                cabling->nics);
    fputs("\n    links:\n", out);
    for (size_t i = 0; i < cabling->link_count; i++)
        put_link(cabling, out, &cabling->links[i]);
    put_rates(input, out);
    put_switch(cabling, out);
}

/* The smallest MTU of the links that set one, or INT64_MAX. */
static int64_t least_mtu(const struct cabling *cabling)
{
    const struct opt *mtu = opt_find(port_opts, "mtu");
    char why[OPT_WHY_BYTES];
    int64_t least = INT64_MAX, value;
    for (size_t i = 0; i < cabling->link_count; i++)
        for (size_t k = 0; k < cabling->links[i].value_count; k++) {
            const struct cabling_value *written = &cabling->links[i].values[k];
            if (strcmp(written->name, "mtu") != 0)
                continue;
            CHECK(opt_parse(mtu, written->text, &value, why));
            least = value < least ? value : least;
        }
    return least;
}

/* ---- links without delay ---- */

static void take_value(struct port_params *port, const char *name, const char *text)
{
    const struct opt *row = opt_find(port_opts, name);
    char why[OPT_WHY_BYTES];
    CHECK(opt_parse(row, text, opt_field(row, port), why));
}

/* Parameters that the link will have in the scenario: its own values, then those of its class, then
 * defaults. */
static struct port_params port_of(const struct cabling_link *link,
                                  const struct cabling_input *input)
{
    struct port_params port;
    const bool to_host =
        link->ends[0].node->role == CABLING_HOST || link->ends[1].node->role == CABLING_HOST;
    const char *rate = to_host ? input->host_rate : input->other_rate;
    opt_presets(port_opts, &port);
    if (rate != NULL)
        take_value(&port, "rate", rate);
    for (size_t i = 0; i < link->value_count; i++)
        take_value(&port, link->values[i].name, link->values[i].text);
    return port;
}

/* Values that are legal on their own may add up to a link without delay, such as a cable of 0 m. */
static bool links_take_time(struct cabling *cabling, const struct cabling_input *input)
{
    for (size_t i = 0; i < cabling->link_count && cabling->diag->count < DIAG_MAX; i++) {
        const struct cabling_link *link = &cabling->links[i];
        const struct port_params port = port_of(link, input);
        if (port_propagation(&port) == 0)
            diag_add(cabling->diag, DIAG_ERROR, link->place,
                     tree_line(cabling->file, link->place.line),
                     "link %s-%s has no delay: give it a length or a delay", link->ends[0].called,
                     link->ends[1].called);
    }
    return !diag_failed(cabling->diag);
}

/* A port of the first switch without a cable. */
static const char *free_port(const struct cabling *cabling)
{
    const char *name = cabling->switches[0];
    uint32_t number = 0;
    for (size_t i = 0; i < cabling->link_count; i++)
        for (int end = 0; end < 2; end++) {
            const struct cabling_end *at = &cabling->links[i].ends[end];
            if (strcmp(at->called, name) == 0 && at->number >= number)
                number = at->number + 1;
        }
    return arena_format(cabling->arena, "%s:p%u", name, number);
}

/* A fabric without hosts can be displayed but not simulated. */
static void note_few_hosts(struct cabling *cabling)
{
    if (cabling->host_count < 2)
        notes_add(&cabling->notes,
                  (struct diag_place){.file = cabling->file->name, .line = 1, .column = 1},
                  "%s: check and run need two hosts and a workload; the end of the scenario lists "
                  "the parts to add, and --hosts PATTERN declares nodes as hosts",
                  cabling->host_count == 0 ? "the fabric has no hosts" : "the fabric has one host");
}

/* MTU of the packets that the tool sends, else the largest that all links allow. */
static int64_t path_mtu(const struct cabling *cabling)
{
    int64_t mtu = PATH_MTU_LEAST;
    if (cabling->packet_bytes == 0)
        return import_path_mtu(least_mtu(cabling));
    while (mtu < cabling->packet_bytes && mtu < PATH_MTU_MOST)
        mtu *= 2;
    return mtu;
}

static void write_values(const struct cabling *cabling, const struct cabling_input *input,
                         FILE *out)
{
    put_head(cabling, input, out);
    put_fabric(cabling, input, out);
    fprintf(out, "hosts:\n  defaults: {rnic: {path-mtu: %lldB", (long long)path_mtu(cabling));
    if (cabling->congestion_control != NULL)
        fprintf(out, ", congestion-control: %s", cabling->congestion_control);
    fputs("}}\n", out);
    if (cabling->flow_count > 0)
        flows_write(cabling, out);
    else
        import_workload(out, cabling->hosts, cabling->targets, cabling->host_count,
                        cabling->switch_count == 0 ? NULL : free_port(cabling));
}

/* ---- main function ---- */

static const struct tree_file *open_file(struct arena *arena, const char *name, const char *text,
                                         size_t length, struct diag *diag)
{
    const struct tree_file *file =
        text == NULL ? tree_read(arena, name, diag)
                     : tree_hold(arena, name, arena_text(arena, text, length), length);
    if (file == NULL || file->length <= CABLING_BYTES_MAX)
        return file;
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name}, NULL,
             "the file is larger than %d MiB", CABLING_BYTES_MAX / 1024 / 1024);
    return NULL;
}

/* False, with messages, if one of them cannot be read. */
static bool open_others(struct cabling *cabling, const struct cabling_input *input)
{
    cabling->files = arena_array(cabling->arena, input->other_count + 1, sizeof *cabling->files);
    cabling->files[cabling->file_count++] = cabling->file;
    for (size_t i = 0; i < input->other_count; i++) {
        const char *text = input->other_texts == NULL ? NULL : input->other_texts[i];
        const struct tree_file *file = open_file(cabling->arena, input->others[i], text,
                                                 text == NULL ? 0 : strlen(text), cabling->diag);
        if (file == NULL)
            return false;
        cabling->files[cabling->file_count++] = file;
    }
    return true;
}

static void make_result(const struct cabling *cabling, const struct cabling_input *input,
                        struct cabling_result *result)
{
    size_t scenario_size, notes_size;
    FILE *scenario = memory_stream(&result->scenario, &scenario_size);
    FILE *notes = memory_stream(&result->notes, &notes_size);
    write_values(cabling, input, scenario);
    notes_print(&cabling->notes, "", notes);
    memory_stream_end(scenario);
    memory_stream_end(notes);
}

bool cabling_import(const struct cabling_input *input, struct cabling_result *result,
                    struct diag *diag)
{
    struct arena arena = {0};
    *result = (struct cabling_result){0};
    const struct tree_file *file = open_file(&arena, input->name, input->text, input->length, diag);
    if (file != NULL) {
        struct cabling cabling;
        cabling_begin(&cabling, &arena, file, diag);
        cabling.host_pattern = input->host_pattern;
        if (open_others(&cabling, input) && input->read(&cabling) && cabling_settle(&cabling) &&
            links_take_time(&cabling, input)) {
            note_few_hosts(&cabling);
            make_result(&cabling, input, result);
        }
        cabling_end(&cabling);
    }
    arena_free(&arena);
    return !diag_failed(diag);
}

void cabling_import_free(struct cabling_result *result)
{
    free(result->scenario);
    free(result->notes);
    *result = (struct cabling_result){0};
}
