/* SPDX-License-Identifier: Apache-2.0
 * explain_words - writes the sentences. */
#include "replay/explain/explain_words.h"
#include "replay/explain/verdict.h"

#include "base/check.h"
#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 80, CAUSES_NAMED = 3 };

const char *explain_kind_name(unsigned kind)
{
    return verdicts[kind].name;
}

void explain_port_words(const struct explain_fabric *fabric, uint32_t port, char *text, size_t size)
{
    const uint32_t node = fabric->node_of[port];
    const char *name = fabric->port_names == NULL ? NULL : fabric->port_names[port];
    if (name != NULL)
        snprintf(text, size, "%s:%s", fabric->names[node], name);
    else
        snprintf(text, size, "%s:p%u", fabric->names[node], port - fabric->first_port[node]);
}

static const char *node_name(const struct explain_fabric *fabric, uint32_t port)
{
    return fabric->names[fabric->node_of[port]];
}

struct spread {
    uint32_t switches, hosts, ports;
};

/* Distinct nodes whose transmitters were stopped. A root's paths may contain a node several times
 * (ports, distances); scanning backwards is enough, because the list of one root is short. */
static struct spread spread_of(const struct explain *explain, uint32_t root)
{
    const struct explain_fabric *fabric = explain->fabric;
    struct spread spread = {0};
    uint32_t first = EXPLAIN_NONE;
    for (uint32_t i = 0; i < explain->path_count; i++) {
        if (explain->paths[i].root != root)
            continue;
        first = first == EXPLAIN_NONE ? i : first;
        const uint32_t node = fabric->node_of[explain->paths[i].port];
        uint32_t seen = first;
        while (seen < i && fabric->node_of[explain->paths[seen].port] != node)
            seen++;
        spread.ports++;
        spread.hosts += seen == i && fabric->is_host[node];
        spread.switches += seen == i && !fabric->is_host[node];
    }
    return spread;
}

static void spread_words(const struct explain *explain, uint32_t root, char *text, size_t size)
{
    const struct spread spread = spread_of(explain, root);
    text[0] = '\0';
    if (spread.ports <= 1)
        return;
    size_t used = (size_t)snprintf(text, size, "; the pauses spread to ");
    if (spread.switches > 0)
        used +=
            (size_t)snprintf(text + used, size - used, "%u switch%s%s", spread.switches,
                             plural(spread.switches, "", "es"), spread.hosts > 0 ? " and " : "");
    if (spread.hosts > 0)
        snprintf(text + used, size - used, "%u host%s", spread.hosts,
                 plural(spread.hosts, "", "s"));
}

/* Texts for a sentence about a root; buffers are the caller's. */
struct place_texts {
    char port[NAME_BYTES], peer[NAME_BYTES], spread[NAME_BYTES];
};

static struct explain_place place_of(const struct explain *explain, uint32_t index,
                                     struct place_texts *texts)
{
    CHECK(index < explain->root_count);
    const struct explain_fabric *fabric = explain->fabric;
    const struct explain_root *root = &explain->roots[index];
    const uint32_t peer = fabric->peer[root->port];
    explain_port_words(fabric, root->port, texts->port, sizeof texts->port);
    explain_port_words(fabric, peer, texts->peer, sizeof texts->peer);
    spread_words(explain, index, texts->spread, sizeof texts->spread);
    return (struct explain_place){
        .node = node_name(fabric, root->port),
        .port = texts->port,
        .peer_node = node_name(fabric, peer),
        .peer_port = texts->peer,
        .rate_bps = fabric->rate_bps[root->port],
        .direct_ps = root->direct_ps,
        .held_ps = root->held_ps,
        .spread = texts->spread,
    };
}

static void root_words(const struct explain *explain, uint32_t index, bool brief, char *text,
                       size_t size)
{
    struct place_texts texts;
    const struct explain_place place = place_of(explain, index, &texts);
    verdict_words(explain->roots[index].kind, &place, brief, text, size);
}

void explain_root_words(const struct explain *explain, uint32_t index, char *text, size_t size)
{
    root_words(explain, index, false, text, size);
}

static void append(char *text, size_t size, const char *before, const char *words, time_ps part,
                   time_ps all)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s, %s", before, words,
             words_percent((double)part, (double)all).text);
}

static void append_root(const struct explain *explain, uint32_t root, const char *before,
                        char *text, size_t size)
{
    char words[2 * NAME_BYTES];
    root_words(explain, root, true, words, sizeof words);
    append(text, size, before, words, explain->roots[root].held_ps, explain->verdict.all_ps);
}

void explain_cause_words(const struct explain *explain, char *text, size_t size)
{
    const struct explain_verdict *verdict = &explain->verdict;
    const size_t prefix = (size_t)snprintf(text, size, "%s", verdict->sure ? "" : "uncertain: ");
    explain_root_words(explain, 0, text + prefix, size - prefix);
    if (verdict->sure && verdict->causes == 1)
        return;
    append(text, size, "", "", verdict->first_ps, verdict->all_ps);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " of the total pause time");
    for (uint32_t i = 1; i < verdict->causes && i < CAUSES_NAMED; i++)
        append_root(explain, i, "; and ", text, size);
    used = strlen(text);
    if (verdict->causes > CAUSES_NAMED)
        snprintf(text + used, size - used, "; and %u more", verdict->causes - CAUSES_NAMED);
    if (!verdict->sure && verdict->rival != EXPLAIN_NONE)
        append_root(explain, verdict->rival, "; or ", text, size);
}

uint32_t explain_root_host(const struct explain *explain, uint32_t index)
{
    const struct explain_fabric *fabric = explain->fabric;
    const uint32_t port = explain->roots[index].port;
    const uint32_t node = fabric->node_of[port], peer = fabric->node_of[fabric->peer[port]];
    return fabric->is_host[node] ? node : fabric->is_host[peer] ? peer : EXPLAIN_NONE;
}
