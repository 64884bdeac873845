/* SPDX-License-Identifier: Apache-2.0
 * prices - parts by kind, and the parts that a scenario needs. */
#include "scenarios/vary/prices.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "nvme/target/target.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/format/block.h"
#include "scenarios/workload/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_words[] = {
#define X(name, word) word,
    PRICES_KINDS(X)
#undef X
};

enum { ANY_PORTS = 65535, ANY_LENGTH = 1000000000 /* 1000 km, in mm */ }; /* defaults */

#define FIELD(name) offsetof(struct prices_part, name)

const struct opt prices_opts[] = {
    {"part", OPT_CHOICE, FIELD(part), "nic", NULL, NULL, OPT_WORDS(PRICES_KINDS), "What it is.",
     "own", OPT_INERT},
    {"rate", OPT_RATE, FIELD(rate), "any", "1Mbps", "10000Gbps", "any",
     "Rate of the port, or of the fastest port.", "own", OPT_INERT},
    {"ports", OPT_INT, FIELD(ports), "65535", "1", "65535", NULL, "Ports of a switch.", "own",
     OPT_INERT},
    {"up-to", OPT_LENGTH, FIELD(up_to), "1000km", "0m", "1000km", NULL,
     "Maximum length of the link.", "own", OPT_INERT},
    {"price", OPT_DECIMAL, FIELD(price), "0", "0", "1000000000", NULL, "Price per piece.", "own",
     OPT_INERT},
    {"power", OPT_DECIMAL, FIELD(power), "0", "0", "1000000", NULL, "Power per piece, in watts.",
     "own", OPT_INERT},
    {"rack-units", OPT_INT, FIELD(rack_units), "0", "0", "1000", NULL, "Rack units per piece.",
     "own", OPT_INERT},
    {"capacity", OPT_SIZE, FIELD(capacity), "0B", "0B", "10PB", NULL, "Capacity of a drive.", "own",
     OPT_INERT},
    {"endurance", OPT_SIZE, FIELD(endurance), "0B", "0B", "1000PB", NULL,
     "Bytes that may be written to a drive in its life; 0B: unknown.", "own", OPT_INERT},
    {0}};

const char *prices_kind_word(enum prices_kind kind)
{
    return kind_words[kind];
}

/* Only Fibre Channel has these rates. */
static bool is_fc(int64_t rate)
{
    return quantity_fc_rate(rate) != NULL;
}

static void format_rate(int64_t rate, char *text, size_t size)
{
    if (is_fc(rate))
        snprintf(text, size, "%s", quantity_fc_rate(rate));
    else
        quantity_format(QUANTITY_RATE, rate, text, size);
}

void prices_part_text(const struct prices_part *part, char *text, size_t size)
{
    char rate[QUANTITY_TEXT_BYTES] = "", length[QUANTITY_TEXT_BYTES] = "";
    if (part->rate > 0)
        format_rate(part->rate, rate, sizeof rate);
    quantity_format(QUANTITY_LENGTH, part->up_to, length, sizeof length);
    const char *word = kind_words[part->part];
    const char *gap = part->rate > 0 ? " " : "";
    if (part->part == PRICES_CABLE && part->up_to < ANY_LENGTH)
        snprintf(text, size, "%s%s%s up to %s", word, gap, rate, length);
    else if (part->part == PRICES_SWITCH && part->ports < ANY_PORTS)
        snprintf(text, size, "%s%s%s, %" PRId64 " %s", word, gap, rate, part->ports,
                 plural(part->ports, "port", "ports"));
    else if (part->media != NULL)
        snprintf(text, size, "%s %s", word, part->media);
    else if (part->transport != NULL)
        snprintf(text, size, "%s%s%s for %s", word, gap, rate, part->transport);
    else
        snprintf(text, size, "%s%s%s", word, gap, rate);
}

/* ------------------------------------------------------------------ reading */

static bool is_same_word(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same(const struct prices_part *a, const struct prices_part *b)
{
    return a->part == b->part && a->rate == b->rate && a->ports == b->ports &&
           a->up_to == b->up_to && is_same_word(a->media, b->media) &&
           is_same_word(a->transport, b->transport);
}

/* False, with a message, if the transport is unknown or the part is not a NIC. */
static bool read_transport(const struct tree_node *node, struct prices_part *part,
                           struct diag *diag)
{
    if (node == NULL)
        return true;
    if (part->part != PRICES_NIC) {
        tree_error(diag, node, "only a part nic has a transport");
        return false;
    }
    part->transport = node->text;
    while (part->carrier < NVME_CARRIERS &&
           strcmp(nvme_carrier_name(part->carrier), node->text) != 0)
        part->carrier++;
    if (part->carrier == NVME_CARRIERS)
        tree_error(diag, node, "transport '%.40s': expected one of %s", node->text,
                   &nvme_carrier_words[1]);
    return part->carrier < NVME_CARRIERS;
}

static void read_part(struct arena *arena, const struct tree_node *node, struct prices *prices,
                      struct diag *diag)
{
    static const char *const also[] = {"media", "transport", NULL};
    struct block *block = block_new(arena, "parts", prices_opts, sizeof(struct prices_part));
    const struct block_load load = {.arena = arena, .diag = diag, .map = node, .also = also};
    if (node->kind != TREE_MAP || tree_get(node, "part") == NULL) {
        tree_error(diag, node, "expected a part such as {part: nic, rate: 100Gbps, price: 700}");
        return;
    }
    const struct tree_node *media = tree_want(diag, node, "media", TREE_SCALAR);
    if (!block_load(block, &load))
        return;
    struct prices_part part = *(const struct prices_part *)block->params;
    part.rate = part.rate < 0 ? 0 : part.rate;
    part.media = media == NULL ? NULL : media->text;
    if (!read_transport(tree_want(diag, node, "transport", TREE_SCALAR), &part, diag))
        return;
    part.place = node->place;
    for (size_t i = 0; i < prices->count; i++)
        if (is_same(&prices->parts[i], &part)) {
            tree_error(diag, node, "the same part has a price in line %d already",
                       prices->parts[i].place.line);
            return;
        }
    prices->parts[prices->count++] = part;
}

static const char *word_of(const struct tree_node *map, const char *key, const char *otherwise,
                           struct diag *diag)
{
    const struct tree_node *node = tree_want(diag, map, key, TREE_SCALAR);
    return node == NULL ? otherwise : node->text;
}

bool prices_read(struct arena *arena, const struct tree_node *map, struct prices *prices,
                 struct diag *diag)
{
    static const char *const keys[] = {
        "stormglass-prices", "currency", "date", "source", "parts", NULL};
    *prices = (struct prices){.written = map};
    if (map->kind != TREE_MAP) {
        tree_error(diag, map, "expected prices: a mapping with parts");
        return false;
    }
    if (!block_only(map, keys, NULL, diag))
        return false;
    prices->currency = word_of(map, "currency", "", diag);
    prices->date = word_of(map, "date", "", diag);
    prices->source = word_of(map, "source", "", diag);
    const int errors = diag->errors;
    const struct tree_node *parts = tree_want(diag, map, "parts", TREE_LIST);
    if (parts == NULL && diag->errors == errors)
        tree_error(diag, map, "expected parts: a list of parts and their prices");
    else if (parts != NULL && (parts->count == 0 || parts->count > PRICES_PARTS_MAX))
        tree_error(diag, parts, "expected 1 to %d parts", PRICES_PARTS_MAX);
    if (diag_failed(diag))
        return false;
    prices->parts = arena_array(arena, parts->count, sizeof *prices->parts);
    for (size_t i = 0; i < parts->count; i++)
        read_part(arena, parts->items[i].value, prices, diag);
    return !diag_failed(diag);
}

/* ------------------------------------------------------------------ bill of materials */

struct need {
    enum prices_kind kind;
    int64_t rate, ports, length;
    const char *media;
    uint32_t transports; /* of a host's workloads: a bit mask by index in nvme_carriers */
};

static bool is_plain_tcp(unsigned carrier)
{
    return nvme_carriers[carrier]->by_tcp && nvme_carriers[carrier]->verbs == NULL;
}

/* Every Ethernet NIC carries plain TCP. */
static bool carries(const struct prices_part *part, uint32_t transports)
{
    for (unsigned i = 0; i < NVME_CARRIERS && part->transport != NULL; i++)
        if ((transports >> i & 1) != 0 && i != part->carrier &&
            (!is_plain_tcp(i) || nvme_carriers[part->carrier]->by_fc))
            return false;
    return true;
}

static unsigned transport_of(const struct scenario_workload *workload)
{
    if (workload->ops->needs_nvme_target || workload->own_verbs)
        return workload->transport;
    return workload->by_tcp ? NVME_CARRIER_tcp : NVME_CARRIER_rdma;
}

static bool concerns(const struct scenario_workload *workload, uint32_t node)
{
    for (uint32_t p = 0; p < workload->pair_count; p++)
        if (workload->pairs[p].from == node || workload->pairs[p].to == node)
            return true;
    return false;
}

/* A host without a workload may get any of those of the others. */
static uint32_t transports_of(const struct scenario *scenario, uint32_t node)
{
    uint32_t own = 0, all = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const uint32_t bit = 1u << transport_of(&scenario->workloads[i]);
        own |= concerns(&scenario->workloads[i], node) ? bit : 0;
        all |= bit;
    }
    return own != 0 ? own : all;
}

static bool fits_need(const struct prices_part *part, const struct need *need)
{
    if (part->part != (int64_t)need->kind)
        return false;
    switch (need->kind) {
    case PRICES_NIC:
        return (part->rate == 0 || part->rate == need->rate) && carries(part, need->transports);
    case PRICES_SWITCH:
        return (part->rate == 0 ||
                (part->rate >= need->rate && is_fc(part->rate) == is_fc(need->rate))) &&
               part->ports >= need->ports;
    case PRICES_CABLE:
        return (part->rate == 0 || part->rate == need->rate) && part->up_to >= need->length;
    case PRICES_DRIVE:
        return part->media == NULL || strcmp(part->media, need->media) == 0;
    default:
        return true;
    }
}

static void say_need(const struct need *need, char why[DIAG_TEXT_BYTES])
{
    char rate[QUANTITY_TEXT_BYTES] = "", length[QUANTITY_TEXT_BYTES] = "";
    format_rate(need->rate, rate, sizeof rate);
    quantity_format(QUANTITY_LENGTH, need->length, length, sizeof length);
    if (need->kind == PRICES_CABLE)
        snprintf(why, DIAG_TEXT_BYTES, "prices: no cable of %s for %s", rate, length);
    else if (need->kind == PRICES_SWITCH)
        snprintf(why, DIAG_TEXT_BYTES, "prices: no switch of %" PRId64 " %s of %s", need->ports,
                 plural(need->ports, "port", "ports"), rate);
    else if (need->kind == PRICES_DRIVE)
        snprintf(why, DIAG_TEXT_BYTES, "prices: no drive %.64s", need->media);
    else
        snprintf(why, DIAG_TEXT_BYTES, "prices: no %s of %s", kind_words[need->kind], rate);
}

bool prices_have(const struct prices *prices, enum prices_kind kind)
{
    for (size_t i = 0; i < prices->count; i++)
        if (prices->parts[i].part == (int64_t)kind)
            return true;
    return false;
}

static bool add_part(const struct prices *prices, const struct need *need, uint32_t count,
                     struct prices_bill *bill, char why[DIAG_TEXT_BYTES])
{
    const struct prices_part *best = NULL;
    for (size_t i = 0; i < prices->count; i++)
        if (fits_need(&prices->parts[i], need) &&
            (best == NULL || prices->parts[i].price < best->price))
            best = &prices->parts[i];
    if (best == NULL && prices_have(prices, need->kind)) {
        say_need(need, why);
        return false;
    }
    if (best == NULL)
        return true;
    bill->counts[best - prices->parts] += count;
    bill->price += best->price * count;
    bill->power += best->power * count;
    bill->rack_units += best->rack_units * count;
    return true;
}

static void say_transports(uint32_t transports, char why[DIAG_TEXT_BYTES])
{
    const char *between = " for ";
    for (unsigned i = 0; i < NVME_CARRIERS; i++)
        if ((transports >> i & 1) != 0) {
            const size_t used = strlen(why);
            snprintf(why + used, DIAG_TEXT_BYTES - used, "%s%s", between, nvme_carrier_name(i));
            between = " and ";
        }
}

static bool has_transport(const struct prices *prices)
{
    for (size_t i = 0; i < prices->count; i++)
        if (prices->parts[i].transport != NULL)
            return true;
    return false;
}

static bool add_node(const struct prices *prices, const struct scenario *scenario, uint32_t index,
                     struct prices_bill *bill, char why[DIAG_TEXT_BYTES])
{
    const struct scenario_node *node = &scenario->nodes[index];
    struct need need = {.kind = PRICES_SWITCH, .ports = node->port_count};
    for (uint16_t port = 0; port < node->port_count; port++)
        if (node->ports[port].params->rate > need.rate)
            need.rate = node->ports[port].params->rate;
    if (node->kind == SCENARIO_SWITCH)
        return add_part(prices, &need, 1, bill, why);
    need.kind = PRICES_NIC;
    need.transports = has_transport(prices) ? transports_of(scenario, index) : 0;
    for (uint16_t port = 0; port < node->outer_ports; port++) {
        need.rate = node->ports[port].params->rate;
        if (!add_part(prices, &need, 1, bill, why)) {
            say_transports(need.transports, why);
            return false;
        }
    }
    for (uint32_t i = 0; i < node->host->namespace_count; i++) {
        const struct scenario_namespace *drives = &node->host->namespaces[i];
        need = (struct need){.kind = PRICES_DRIVE, .media = drives->profile};
        const uint32_t count = drives->count * (uint32_t)drives->params->array.drives;
        if (!add_part(prices, &need, count, bill, why))
            return false;
    }
    need.kind = node->host->namespace_count > 0 ? PRICES_TARGET : PRICES_HOST;
    return add_part(prices, &need, 1, bill, why);
}

bool prices_of(const struct prices *prices, const struct scenario *scenario,
               struct prices_bill *bill, char why[DIAG_TEXT_BYTES])
{
    *bill = (struct prices_bill){0};
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (!add_node(prices, scenario, i, bill, why))
            return false;
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        const struct port_params *port = scenario->nodes[link->node[0]].ports[link->port[0]].params;
        const struct need need = {.kind = PRICES_CABLE, .rate = port->rate, .length = port->length};
        if (!add_part(prices, &need, 1, bill, why))
            return false;
    }
    return true;
}

void prices_add_cores(const struct prices *prices, uint32_t count, struct prices_bill *bill)
{
    const struct need need = {.kind = PRICES_CORE};
    char why[DIAG_TEXT_BYTES];
    add_part(prices, &need, count, bill, why);
}
