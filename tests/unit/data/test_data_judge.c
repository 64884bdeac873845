/* SPDX-License-Identifier: Apache-2.0
 * Which reads no order of the writes allows: by hand, and against every order. */
#include "base/check.h"
#include "base/rng.h"
#include "replay/data/data_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS_MAX = 8, MIXED = -2, FAILED = 255 };

/* w: write, r: read; times in their order, content, and what is said of it: s, l, t, or nothing. */
struct step {
    char what;
    int from, to, content;
    int status;
    char verdict;
    uint32_t bytes; /* 0: 4096 */
    uint64_t lba;
};

static void play(const char *name, const struct step *steps)
{
    struct data_judge judge;
    data_judge_init(&judge);
    for (unsigned i = 0; i < STEPS_MAX && steps[i].what != 0; i++) {
        const struct data_judge before = judge;
        const struct probe_host_io io = {
            .store = 9,
            .opcode = steps[i].what == 'w' ? 1 : 2,
            .status = (uint16_t)steps[i].status,
            .lba = steps[i].lba,
            .bytes = steps[i].bytes == 0 ? 4096 : steps[i].bytes,
            .block_bytes = 512,
            .content = (uint32_t)steps[i].content,
            .issued_at = steps[i].from,
            .completed_at = steps[i].to,
        };
        data_judge_io(&judge, &io);
        const char verdict = judge.stale > before.stale ? 's'
                             : judge.lost > before.lost ? 'l'
                             : judge.torn > before.torn ? 't'
                                                        : 0;
        if (verdict != steps[i].verdict)
            fail_msg("%s: step %u: '%c' instead of '%c'", name, i, verdict, steps[i].verdict);
        assert_true(data_judge_wrong(&judge) == 0 || judge.first.completed_at > 0);
    }
    data_judge_fini(&judge);
}

static void by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct step steps[STEPS_MAX];
    } cases[] = {
        {"the last write is read", {{'w', 1, 2, 7}, {'w', 3, 4, 8}, {'r', 5, 6, 8}}},
        {"overwritten before", {{'w', 1, 2, 7}, {'w', 3, 4, 8}, {'r', 5, 6, 7, 0, 's'}}},
        {"the read began before the second write had ended",
         {{'w', 1, 2, 7}, {'w', 3, 5, 8}, {'r', 4, 6, 7}}},
        {"the writes overlap: either may be last",
         {{'w', 1, 4, 7}, {'w', 3, 5, 8}, {'r', 6, 7, 7}}},
        {"one begins when the other ends: either may be last",
         {{'w', 1, 3, 7}, {'w', 3, 5, 8}, {'r', 6, 7, 7}}},
        {"both may be read, one after the other",
         {{'w', 1, 4, 7}, {'w', 3, 5, 8}, {'r', 6, 7, 8}, {'r', 8, 9, 7}}},
        {"a write that failed may come late",
         {{'w', 1, 2, 7, FAILED}, {'w', 3, 4, 8}, {'r', 5, 6, 7}, {'r', 7, 8, 8}, {'r', 8, 9, 7}}},
        {"and supersedes nothing", {{'w', 1, 2, 7}, {'w', 3, 4, 8, FAILED}, {'r', 5, 6, 7}}},
        {"nothing is there", {{'w', 1, 2, 7}, {'r', 3, 4, 0, 0, 'l'}}},
        {"nothing is there yet", {{'w', 1, 4, 7}, {'r', 3, 5, 0}}},
        {"a mixture", {{'w', 1, 2, 7}, {'r', 3, 4, MIXED, 0, 't'}}},
        {"a mixture of parts", {{'w', 1, 2, 7, 0, 0, 512}, {'r', 3, 4, MIXED}}},
        {"of one unit of two",
         {{'w', 1, 2, 7, 0, 0, 8192},
          {'w', 3, 4, 8, 0, 0, 4096, 8},
          {'r', 5, 6, MIXED, 0, 0, 8192},
          {'r', 5, 6, 7, 0, 's', 8192},
          {'r', 7, 8, 7}}},
        {"a read that failed says nothing", {{'w', 1, 2, 7}, {'r', 3, 4, 0, FAILED}}},
        {"a late copy of an older write",
         {{'w', 1, 2, 7}, {'w', 3, 4, 8}, {'r', 5, 6, 8}, {'r', 7, 8, 7, 0, 's'}}},
        {"who wrote it is not known", {{'w', 1, 2, 7}, {'r', 3, 4, 99}}},
        {"at the same moment nobody was first", {{'w', 1, 2, 7}, {'w', 2, 4, 8}, {'r', 4, 6, 7}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        play(cases[i].name, cases[i].steps);
}

static void stores_are_apart_and_paths_are_not(void **state)
{
    (void)state;
    struct data_judge judge;
    data_judge_init(&judge);
    struct probe_host_io io = {.target_ip = 1,
                               .nsid = 1,
                               .store = UINT64_C(1) << 32,
                               .opcode = 1,
                               .bytes = 4096,
                               .block_bytes = 4096,
                               .content = 5,
                               .issued_at = 1,
                               .completed_at = 2};
    data_judge_io(&judge, &io);
    io.opcode = 2, io.content = 0, io.issued_at = 3, io.completed_at = 4;
    io.store = 1;
    data_judge_io(&judge, &io);
    io.store = UINT64_C(2) << 32;
    data_judge_io(&judge, &io);
    io.store = (UINT64_C(1) << 32) + 1;
    data_judge_io(&judge, &io);
    assert_int_equal(data_judge_wrong(&judge), 0);
    io.store = UINT64_C(1) << 32;
    io.target_ip = 2, io.nsid = 3;
    data_judge_io(&judge, &io);
    assert_int_equal(judge.lost, 1);
    data_judge_fini(&judge);
}

/* A block that a command empties reads as nothing, also before it is known to have ended; a part of
 * one makes the rest a mixture. */
static void what_is_emptied_is_not_lost(void **state)
{
    (void)state;
    struct data_judge judge;
    data_judge_init(&judge);
    struct probe_host_io io = {.opcode = 1,
                               .bytes = 4096,
                               .block_bytes = 4096,
                               .content = 5,
                               .issued_at = 1,
                               .completed_at = 2};
    data_judge_io(&judge, &io);
    io.opcode = 2, io.content = 0, io.issued_at = 4, io.completed_at = 5;
    data_judge_io(&judge, &io);
    assert_int_equal(judge.lost, 1);
    io.opcode = 8, io.issued_at = 3, io.completed_at = 6;
    data_judge_io(&judge, &io);
    assert_int_equal(data_judge_wrong(&judge), 0);
    assert_int_equal(judge.first.completed_at, 0);
    io.opcode = 2, io.issued_at = 7, io.completed_at = 8;
    data_judge_io(&judge, &io);
    assert_int_equal(data_judge_wrong(&judge), 0);
    io.content = (uint32_t)MIXED, io.issued_at = 9, io.completed_at = 10;
    data_judge_io(&judge, &io);
    assert_int_equal(data_judge_wrong(&judge), 0);
    data_judge_fini(&judge);
    data_judge_init(&judge);
    io.opcode = 1, io.content = 5, io.issued_at = 1, io.completed_at = 2;
    data_judge_io(&judge, &io);
    io.opcode = 2, io.content = (uint32_t)MIXED, io.issued_at = 4, io.completed_at = 5;
    data_judge_io(&judge, &io);
    assert_int_equal(judge.torn, 1);
    io.opcode = 8, io.issued_at = 3, io.completed_at = 6;
    data_judge_io(&judge, &io);
    assert_int_equal(data_judge_wrong(&judge), 0);
    data_judge_fini(&judge);
}

/* A register with delays: each operation takes effect at some moment while it is under way.  None
 * of its reads is wrong, whatever the times; made to return an older write, some are. */
static void a_real_register_is_never_wrong(void **state)
{
    (void)state;
    enum { OPS = 4000, UNITS = 3 };
    static struct probe_host_io ops[OPS];
    uint64_t caught = 0;
    for (unsigned naive = 0; naive < 2; naive++) {
        struct rng rng = rng_stream(naive, "test", "register");
        struct data_judge judge;
        uint32_t now[UNITS] = {0}, before[UNITS] = {0};
        data_judge_init(&judge);
        for (uint32_t i = 0; i < OPS; i++) { /* in the order of their effects */
            const time_ps effect = 100 + (time_ps)i * 10;
            const uint32_t unit = (uint32_t)rng_below(&rng, UNITS);
            ops[i] = (struct probe_host_io){
                .opcode = rng_below(&rng, 2) == 0 ? 1 : 2,
                .lba = unit,
                .bytes = 4096,
                .block_bytes = 4096,
                .issued_at = effect - (time_ps)rng_below(&rng, 60),
                .completed_at = effect + (time_ps)rng_below(&rng, 60),
            };
            if (ops[i].opcode == 1) {
                before[unit] = now[unit];
                now[unit] = i + 1;
            }
            const bool old = naive && rng_below(&rng, 20) == 0;
            ops[i].content = ops[i].opcode == 1 ? i + 1 : old ? before[unit] : now[unit];
        }
        for (time_ps at = 0; at < 100 + OPS * 10 + 60; at++) /* told in the order of their ends */
            for (uint32_t i = at > 170 ? (uint32_t)(at - 170) / 10 : 0;
                 i < OPS && 100 + (time_ps)i * 10 <= at; i++)
                if (ops[i].completed_at == at)
                    data_judge_io(&judge, &ops[i]);
        if (naive == 0)
            assert_int_equal(data_judge_wrong(&judge), 0);
        caught = data_judge_wrong(&judge);
        assert_true(judge.reads > OPS / 4);
        data_judge_fini(&judge);
    }
    assert_true(caught > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(stores_are_apart_and_paths_are_not),
        cmocka_unit_test(what_is_emptied_is_not_lost),
        cmocka_unit_test(a_real_register_is_never_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
