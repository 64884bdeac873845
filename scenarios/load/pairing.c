/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/pairing.h"

#include "base/check.h"

#include <string.h>

static void add_pair(struct pairing_list *list, const struct scenario_spot *from,
                     const struct scenario_spot *to, bool loopback)
{
    if (loopback || from->node != to->node)
        list->pairs[list->count++] = (struct scenario_pair){from->node, to->node};
}

static void all_to_all(const struct selection *from, const struct selection *to, bool loopback,
                       struct pairing_list *list)
{
    for (size_t i = 0; i < from->count; i++)
        for (size_t j = 0; j < to->count; j++)
            add_pair(list, &from->spots[i], &to->spots[j], loopback);
}

static void round_robin(const struct selection *from, const struct selection *to, bool loopback,
                        struct pairing_list *list)
{
    const size_t count = from->count > to->count ? from->count : to->count;
    for (size_t i = 0; i < count; i++)
        add_pair(list, &from->spots[i % from->count], &to->spots[i % to->count], loopback);
}

static void swap(struct scenario_spot *a, struct scenario_spot *b)
{
    const struct scenario_spot kept = *a;
    *a = *b;
    *b = kept;
}

/* Swaps the partner of i with another one so that neither host is paired with itself. */
static bool swap_partner(struct scenario_spot *partners, size_t count, const struct selection *from,
                         size_t i)
{
    for (size_t step = 1; step < count; step++) {
        const size_t j = (i + step) % count;
        const bool other_fine = j >= from->count || from->spots[j].node != partners[i].node;
        if (!other_fine || partners[j].node == from->spots[i].node)
            continue;
        swap(&partners[i], &partners[j]);
        return true;
    }
    return false;
}

static bool permutation(struct arena *arena, const struct selection *from,
                        const struct selection *to, bool loopback, struct rng *rng,
                        struct pairing_list *list)
{
    struct scenario_spot *partners = arena_array(arena, to->count, sizeof *partners);
    memcpy(partners, to->spots, to->count * sizeof *partners);
    for (size_t i = to->count - 1; i > 0; i--)
        swap(&partners[i], &partners[rng_below(rng, i + 1)]);
    for (size_t i = 0; !loopback && i < from->count; i++)
        if (from->spots[i].node == partners[i].node && !swap_partner(partners, to->count, from, i))
            return false;
    for (size_t i = 0; i < from->count; i++)
        add_pair(list, &from->spots[i], &partners[i], loopback);
    return true;
}

const char *pairing_make(struct arena *arena, const struct pairing_way *way,
                         const struct selection *from, const struct selection *to, struct rng *rng,
                         struct pairing_list *list)
{
    static const char itself[] = "a host is paired with itself, which needs loopback: true";
    const enum pairing pairing = way->pairing;
    CHECK(from->count > 0 && to->count > 0);
    const bool all = pairing == PAIRING_ALL_TO_ALL;
    const size_t longer = from->count > to->count ? from->count : to->count;
    *list = (struct pairing_list){0};
    if (longer > PAIRING_MAX || (all && from->count > PAIRING_MAX / to->count))
        return "more than a million pairs";
    if (pairing == PAIRING_ONE_TO_ONE && from->count != to->count)
        return "one-to-one needs the same number of hosts in from and in to";
    if (pairing == PAIRING_PERMUTATION && from->count > to->count)
        return "a permutation needs at least as many hosts in to as in from";
    list->pairs = arena_array(arena, all ? from->count * to->count : longer, sizeof *list->pairs);
    if (all)
        all_to_all(from, to, way->loopback, list);
    else if (pairing != PAIRING_PERMUTATION)
        round_robin(from, to, way->loopback, list);
    else if (!permutation(arena, from, to, way->loopback, rng, list))
        return "every permutation pairs a host with itself, which needs loopback: true";
    if (pairing == PAIRING_ONE_TO_ONE && list->count < longer)
        return itself;
    return list->count == 0 ? itself : NULL;
}
