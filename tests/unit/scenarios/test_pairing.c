/* SPDX-License-Identifier: Apache-2.0
 * Who talks to whom: the pairs of each kind by hand, and permutations against all that there
 * are. */
#include "scenarios/load/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5, DRAWS = 200 };

struct bench {
    struct arena arena;
    struct scenario_spot from_spots[MOST], to_spots[MOST];
    struct selection from, to;
    struct pairing_list list;
};

/* Digits are nodes. */
static void take(struct scenario_spot *spots, struct selection *selection, const char *digits)
{
    *selection = (struct selection){.spots = spots, .count = strlen(digits)};
    for (size_t i = 0; i < selection->count; i++)
        spots[i] = (struct scenario_spot){.node = (uint32_t)(digits[i] - '0')};
}

static const char *make_way(struct bench *bench, struct pairing_way way, const char *from,
                            const char *to, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "test", "pairing");
    *bench = (struct bench){0};
    take(bench->from_spots, &bench->from, from);
    take(bench->to_spots, &bench->to, to);
    return pairing_make(&bench->arena, &way, &bench->from, &bench->to, &rng, &bench->list);
}

static const char *make(struct bench *bench, enum pairing pairing, const char *from, const char *to,
                        uint64_t seed)
{
    return make_way(bench, (struct pairing_way){pairing, false}, from, to, seed);
}

static void pairs_by_hand(void **state)
{
    static const char alone[] = "a host is paired with itself, which needs loopback: true";
    static const char uneven[] = "one-to-one needs the same number of hosts in from and in to";
    static const struct {
        enum pairing pairing;
        const char *from, *to, *pairs, *error;
        bool loopback;
    } rows[] = {
        {PAIRING_ALL_TO_ALL, "12", "345", "13 14 15 23 24 25 ", NULL},
        {PAIRING_ALL_TO_ALL, "12", "123", "12 13 21 23 ", NULL},
        {PAIRING_ALL_TO_ALL, "1", "1", "", alone},
        {PAIRING_ONE_TO_ONE, "12", "34", "13 24 ", NULL},
        {PAIRING_ONE_TO_ONE, "12", "345", "", uneven},
        {PAIRING_ONE_TO_ONE, "12", "32", "13 ", alone},
        {PAIRING_ROUND_ROBIN, "12", "34567", "13 24 15 26 17 ", NULL},
        {PAIRING_ROUND_ROBIN, "34567", "12", "31 42 51 62 71 ", NULL},
        {PAIRING_ROUND_ROBIN, "1", "12", "12 ", NULL},
        {PAIRING_ROUND_ROBIN, "1", "1", "", alone},
        {PAIRING_PERMUTATION, "123", "45", "",
         "a permutation needs at least as many hosts in to as in from"},
        {PAIRING_PERMUTATION, "1", "1", "",
         "every permutation pairs a host with itself, which needs loopback: true"},
        {PAIRING_PERMUTATION, "12", "12", "12 21 ", NULL},
        {PAIRING_ALL_TO_ALL, "12", "123", "11 12 13 21 22 23 ", NULL, true},
        {PAIRING_ONE_TO_ONE, "12", "32", "13 22 ", NULL, true},
        {PAIRING_ROUND_ROBIN, "1", "12", "11 12 ", NULL, true},
        {PAIRING_PERMUTATION, "1", "1", "11 ", NULL, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench;
        char pairs[128] = "";
        const char *error =
            make_way(&bench, (struct pairing_way){rows[i].pairing, rows[i].loopback}, rows[i].from,
                     rows[i].to, 1);
        for (uint32_t k = 0; k < bench.list.count; k++) {
            const char pair[] = {(char)('0' + bench.list.pairs[k].from),
                                 (char)('0' + bench.list.pairs[k].to), ' ', '\0'};
            strcat(pairs, pair);
        }
        assert_string_equal(pairs, rows[i].pairs);
        assert_int_equal(error == NULL, rows[i].error == NULL);
        if (error != NULL)
            assert_string_equal(error, rows[i].error);
        arena_free(&bench.arena);
    }
}

static void too_many_pairs(void **state)
{
    (void)state;
    static struct scenario_spot spots[1001];
    const struct selection many = {spots, 1001}, fewer = {spots, 1000};
    struct rng rng = rng_stream(1, "test", "pairing");
    struct arena arena = {0};
    struct pairing_list list;
    const struct pairing_way way = {PAIRING_ALL_TO_ALL, false};
    for (uint32_t i = 0; i < 1001; i++)
        spots[i].node = i;
    assert_string_equal(pairing_make(&arena, &way, &many, &fewer, &rng, &list),
                        "more than a million pairs");
    assert_null(pairing_make(&arena, &way, &fewer, &fewer, &rng, &list));
    assert_int_equal(list.count, 1000 * 999);
    arena_free(&arena);
}

/* Is there a way to give everybody a partner of its own that is another? */
static bool exists(const char *from, const char *to)
{
    size_t place[MOST] = {0};
    const size_t count = strlen(from), others = strlen(to);
    for (;;) { /* all choices, as an odometer */
        bool good = true;
        unsigned taken = 0;
        for (size_t i = 0; i < count; i++) {
            good = good && from[i] != to[place[i]] && (taken >> place[i] & 1) == 0;
            taken |= 1u << place[i];
        }
        if (good)
            return true;
        size_t i = 0;
        while (i < count && ++place[i] == others)
            place[i++] = 0;
        if (i == count)
            return false;
    }
}

/* From a seed: everybody once, nobody with itself, nobody twice; and none only where there is
 * none. */
static void a_permutation_is_found_if_there_is_one(void **state)
{
    static const char *const rows[][2] = {
        {"12", "12"},   {"123", "123"},   {"1234", "1234"}, {"12345", "12345"}, {"12", "23"},
        {"12", "13"},   {"12", "123"},    {"123", "345"},   {"1", "12"},        {"1", "21"},
        {"123", "213"}, {"1234", "4321"}, {"12", "1"},      {"15", "51234"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *from = rows[i][0], *to = rows[i][1];
        const bool possible = strlen(from) <= strlen(to) && exists(from, to);
        unsigned first_partners = 0;
        for (uint64_t seed = 1; seed <= DRAWS; seed++) {
            struct bench bench;
            unsigned taken = 0;
            assert_int_equal(make(&bench, PAIRING_PERMUTATION, from, to, seed) == NULL, possible);
            assert_int_equal(bench.list.count, possible ? strlen(from) : 0);
            for (uint32_t k = 0; k < bench.list.count; k++) {
                const struct scenario_pair *pair = &bench.list.pairs[k];
                assert_int_equal(pair->from, from[k] - '0');
                assert_int_not_equal(pair->from, pair->to);
                assert_non_null(strchr(to, (int)('0' + pair->to)));
                assert_int_equal(taken >> pair->to & 1, 0);
                taken |= 1u << pair->to;
            }
            if (possible)
                first_partners |= 1u << bench.list.pairs[0].to;
            arena_free(&bench.arena);
        }
        if (strlen(to) > 3) /* drawn, not fixed: all that the first may have */
            for (const char *at = to; *at != '\0'; at++)
                assert_int_equal(first_partners >> (*at - '0') & 1, *at != from[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_by_hand),
        cmocka_unit_test(too_many_pairs),
        cmocka_unit_test(a_permutation_is_found_if_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
