/* SPDX-License-Identifier: Apache-2.0
 * What every line of buffer.def owes, whatever it is: its word, its rows, and that what it says of
 * itself is so. */
#include "base/drop.h"
#include "net/switch/buffer_kinds.h"
#include "tests/unit/net/star.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

enum { PORTS = 3, GROUPS = PORTS * PRIORITIES, POOL = 1000000, ALPHAS = 4 };

static const int64_t alphas[ALPHAS] = {62500, 125000, PPM, 8 * PPM};

/* A memory of one pool and cells of one byte, without a switch. */
struct memory {
    struct switch_params params;
    struct buffer buffer;
    struct port ports[PORTS];
    _Alignas(64) struct buffer_group groups[GROUPS];
    _Alignas(8) unsigned char state[1 << 16];
};

static void memory_init(struct memory *memory, int policy)
{
    memset(memory, 0, sizeof *memory);
    switch_presets(&memory->params);
    struct buffer *buffer = &memory->buffer;
    buffer_set_cell(buffer, 1);
    buffer->groups = memory->groups;
    buffer->group_count = GROUPS;
    buffer->pools[BUFFER_POOL_LOSSLESS].size = POOL;
    buffer->ports = memory->ports;
    buffer->policy = buffer_policies[policy];
    buffer->params = memory->params.policy_params[policy];
    if (buffer->policy->state_bytes != NULL) {
        assert_true(buffer->policy->state_bytes(GROUPS) <= sizeof memory->state);
        buffer->state = memory->state;
    }
    for (uint16_t i = 0; i < GROUPS; i++) {
        struct buffer_group *group = &memory->groups[i];
        memory->ports[i / PRIORITIES].rate = wire_rate(100000000000);
        group->pool = &buffer->pools[BUFFER_POOL_LOSSLESS];
        group->place = (struct buffer_place){.port = i / PRIORITIES, .priority = i % PRIORITIES};
    }
    buffer_reckon_ample(buffer);
}

static int64_t threshold(const struct memory *memory, uint32_t group, int64_t alpha, int64_t idle)
{
    const struct buffer *buffer = &memory->buffer;
    return buffer->policy->threshold(buffer, memory->groups[group].place, alpha, idle);
}

/* ---- words and rows ---- */

/* Wherever it is in the list. */
static void a_word_is_the_policy_of_its_file(void **state)
{
    (void)state;
    const struct opt *row = opt_find(switch_opts, "policy");
    struct switch_params params;
    for (int i = 0; i < BUFFER_POLICIES; i++) {
        int64_t value;
        char why[OPT_WHY_BYTES], text[64];
        assert_true(opt_parse(row, buffer_policy_names[i], &value, why));
        assert_int_equal(value, i);
        opt_format(row, value, text, sizeof text);
        assert_string_equal(text, buffer_policy_names[i]);
    }
    switch_presets(&params);
    assert_ptr_equal(buffer_policies[params.policy], &buffer_dynamic);
    (void)switch_choose_policy(&params, "static");
    assert_ptr_equal(buffer_policies[params.policy], &buffer_static);
}

/* Rows of all policies are written side by side.  xoff is older than that. */
static void own_rows_begin_with_the_word(void **state)
{
    (void)state;
    for (int i = 0; i < BUFFER_POLICIES; i++) {
        const size_t length = strlen(buffer_policy_names[i]);
        assert_true(buffer_policies[i]->params_bytes <= BUFFER_PARAMS_MAX);
        for (const struct opt *row = buffer_policies[i]->opts; row && row->name; row++)
            if (strcmp(row->name, "xoff") != 0 &&
                (strncmp(row->name, buffer_policy_names[i], length) != 0 ||
                 row->name[length] != '-'))
                fail_msg("%s: its row is %s", buffer_policy_names[i], row->name);
    }
}

static void a_policy_says_what_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < BUFFER_POLICIES; i++) {
        assert_non_null(buffer_policies[i]->about);
        assert_non_null(buffer_policies[i]->source);
        assert_non_null(buffer_policies[i]->threshold);
        assert_non_null(buffer_policies[i]->settled);
        assert_true(buffer_policies[i]->by_idle || buffer_policies[i]->most != NULL);
    }
}

/* ---- thresholds ---- */

/* Fills groups at random, through the memory's own functions. */
static void fill(struct memory *memory, struct rng *rng)
{
    for (time_ps now = 0; now < 200 * PS_PER_US; now += 100 * PS_PER_NS) {
        struct buffer_group *group = &memory->groups[rng_below(rng, GROUPS)];
        const uint32_t cells = 1 + (uint32_t)rng_below(rng, 9000);
        if (rng_below(rng, 3) > 0 || group->used < cells)
            (void)buffer_admit(&memory->buffer, group, cells, now);
        else
            (void)buffer_release(&memory->buffer, group, cells, now);
        buffer_audit(&memory->buffer);
    }
}

/* By idle alone: whatever groups hold, and never higher when less is free.  Others say what the
 * most is. */
static void thresholds_are_as_declared(void **state)
{
    (void)state;
    struct rng rng = rng_stream(7, "test", "policies");
    for (int i = 0; i < BUFFER_POLICIES; i++) {
        static struct memory empty, full;
        const struct buffer_policy *policy = buffer_policies[i];
        memory_init(&empty, i);
        memory_init(&full, i);
        full.buffer.total = full.buffer.egress.size = POOL;
        full.buffer.alpha[0] = PPM;
        fill(&full, &rng);
        for (int n = 0; n < 2000; n++) {
            const int64_t alpha = alphas[rng_below(&rng, ALPHAS)];
            const int64_t idle = (int64_t)rng_below(&rng, POOL), more = idle + 1000;
            const uint32_t group = (uint32_t)rng_below(&rng, GROUPS);
            const int64_t at_idle = threshold(&full, group, alpha, idle);
            const int64_t at_more = threshold(&full, group, alpha, more);
            assert_true(at_idle >= 0);
            if (policy->by_idle)
                assert_true(at_idle <= at_more && at_idle == threshold(&empty, group, alpha, idle));
            else
                assert_true(at_idle <=
                            policy->most(&full.buffer, full.groups[group].place, alpha, idle));
            if (policy->fixed)
                assert_int_equal(at_idle, at_more);
        }
    }
}

/* n groups that hold what they settle at have just the threshold that this leaves, where nothing
 * else counts. */
static void groups_settle_at_the_threshold(void **state)
{
    (void)state;
    for (int i = 0; i < BUFFER_POLICIES; i++) {
        for (int n = 1; n <= PORTS && buffer_policies[i]->by_idle; n++) {
            for (int a = 0; a < ALPHAS; a++) {
                static struct memory memory;
                memory_init(&memory, i);
                struct buffer *buffer = &memory.buffer;
                const int64_t share = buffer->policy->settled(buffer->params, alphas[a], POOL, n);
                buffer->alpha[0] = BUFFER_UNLIMITED;
                for (int g = 0; g < n; g++)
                    (void)buffer_admit(buffer, &memory.groups[g * PRIORITIES], (uint32_t)share, 0);
                const int64_t settled = threshold(&memory, 0, alphas[a], POOL - n * share);
                assert_in_range(settled - share + 2 * PORTS * 8, 0, 4 * PORTS * 8);
            }
        }
    }
}

/* The fast path is no other physics: without it a run is the same, event by event. */
static struct digest incast_digest(bool by_idle, bool lossy)
{
    struct star star;
    star_presets(&star);
    star.params.buffer = 2 << 20;
    star.params.ports = PUMPS;
    star_init(&star);
    struct buffer_policy careful = buffer_dynamic;
    careful.by_idle = by_idle;
    star.swtch.buffer.policy = &careful;
    buffer_reckon_ample(&star.swtch.buffer);
    for (int i = 1; i <= 4; i++) {
        star.pumps[i].to_send = 1000;
        star_send(&star, i, i == 4 ? 1 : 0, lossy && i > 1 ? LOSSY : LOSSLESS);
    }
    engine_run(&star.engine, 10 * PS_PER_MS);
    assert_true(star.pumps[1].received == 1000);
    assert_true(lossy ? star.swtch.counters.dropped[PROBE_DROP_EGRESS] > 0
                      : star.swtch.ports[2].pauses[LOSSLESS].tx_xoff > 0);
    const struct digest digest = engine_digest(&star.engine);
    star_fini(&star);
    return digest;
}

static void the_fast_path_changes_nothing(void **state)
{
    (void)state;
    for (int lossy = 0; lossy < 2; lossy++) {
        const struct digest fast = incast_digest(true, lossy), slow = incast_digest(false, lossy);
        assert_memory_equal(&fast, &slow, sizeof fast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_the_policy_of_its_file),
        cmocka_unit_test(own_rows_begin_with_the_word),
        cmocka_unit_test(a_policy_says_what_it_is),
        cmocka_unit_test(thresholds_are_as_declared),
        cmocka_unit_test(groups_settle_at_the_threshold),
        cmocka_unit_test(the_fast_path_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
