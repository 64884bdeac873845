/* SPDX-License-Identifier: Apache-2.0
 * The packet memory by itself: cells, thresholds, headroom, XON, lossy queues, the carving.  Random
 * sequences are played against the plain rules, which keep the three places of a group apart. */
#include "net/switch/buffer_kinds.h"
#include "net/switch/buffer_static.h"
#include "net/switch/switch_carve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPS = 8, LOSSLESS = 5, FRAMES = 4000 }; /* groups 0..4 are lossless */

struct memory {
    struct buffer buffer;
    struct buffer_static_params fixed;
    _Alignas(64) struct buffer_group groups[GROUPS];
};

struct setup {
    int64_t cell;
    bool fixed; /* the static policy; else the dynamic one */
    int64_t alpha, alpha_lossy, static_cells, xon, xon_offset;
    uint32_t size, lossy_size; /* of the pools; lossy 0: one pool */
    uint32_t reserved[2], headroom, headroom_size;
};

static void memory_init(struct memory *memory, const struct setup *setup)
{
    memset(memory, 0, sizeof *memory);
    struct buffer *buffer = &memory->buffer;
    buffer_set_cell(buffer, setup->cell);
    buffer->groups = memory->groups;
    buffer->group_count = GROUPS;
    memory->fixed.xoff = setup->static_cells * setup->cell;
    buffer->policy = setup->fixed ? &buffer_static : &buffer_dynamic;
    buffer->params = &memory->fixed;
    buffer->alpha[0] = setup->alpha_lossy;
    buffer->alpha[1] = setup->alpha;
    buffer->xon = setup->xon;
    buffer->xon_offset = setup->xon_offset;
    buffer->pools[BUFFER_POOL_LOSSLESS].size = setup->size;
    buffer->pools[BUFFER_POOL_LOSSY].size = setup->lossy_size;
    buffer->headroom_size = setup->headroom_size;
    buffer->total = UINT32_MAX;
    buffer->egress.size = UINT32_MAX >> 1;
    buffer->egress.alpha = BUFFER_UNLIMITED;
    for (int i = 0; i < GROUPS; i++) {
        struct buffer_group *group = &memory->groups[i];
        group->place.priority = (uint8_t)i;
        group->lossless = i < LOSSLESS;
        group->headroom = group->lossless ? setup->headroom : 0;
        group->reserved = setup->reserved[group->lossless];
        group->pool = &buffer->pools[!group->lossless && setup->lossy_size > 0];
    }
    buffer_reckon_ample(buffer);
}

/* ---- cells ---- */

static void frames_take_whole_cells(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 80, 96, 144, 208, 254, 256, 4093, 16384, 65535};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct buffer buffer = {0};
        buffer_set_cell(&buffer, sizes[i]);
        for (uint32_t bytes = 0; bytes <= UINT16_MAX; bytes++)
            if (buffer_cells(&buffer, bytes) != (bytes + sizes[i] - 1) / sizes[i])
                fail_msg("%u bytes in cells of %u: %u", bytes, sizes[i],
                         buffer_cells(&buffer, bytes));
    }
}

/* ---- the rules, plainly ---- */

struct plain_group {
    int64_t reserved, shared, headroom;
    bool xoff;
};

struct plain {
    const struct setup *setup;
    struct plain_group groups[GROUPS];
};

static bool same_pool(const struct plain *plain, int a, int b)
{
    return plain->setup->lossy_size == 0 || (a < LOSSLESS) == (b < LOSSLESS);
}

static int64_t pool_idle(const struct plain *plain, int of)
{
    int64_t used = 0;
    for (int i = 0; i < GROUPS; i++)
        used += same_pool(plain, of, i) ? plain->groups[i].shared : 0;
    const bool own = plain->setup->lossy_size > 0 && of >= LOSSLESS;
    return (own ? plain->setup->lossy_size : plain->setup->size) - used;
}

static int64_t plain_threshold(const struct plain *plain, int of)
{
    const int64_t alpha = of < LOSSLESS ? plain->setup->alpha : plain->setup->alpha_lossy;
    if (alpha == BUFFER_UNLIMITED)
        return INT64_MAX / 2;
    return plain->setup->fixed ? plain->setup->static_cells : pool_idle(plain, of) * alpha / PPM;
}

static enum buffer_verdict plain_admit(struct plain *plain, int of, int64_t cells)
{
    struct plain_group *group = &plain->groups[of];
    const int64_t threshold = plain_threshold(plain, of);
    const int64_t left = plain->setup->reserved[of < LOSSLESS] - group->reserved;
    const int64_t reserved = left < cells ? left : cells, shared = cells - reserved;
    int64_t headroom = 0;
    for (int i = 0; i < GROUPS; i++)
        headroom += plain->groups[i].headroom;
    if (group->headroom == 0 &&
        (shared == 0 || (group->shared < threshold && shared <= pool_idle(plain, of)))) {
        group->reserved += reserved;
        group->shared += shared;
    } else if (of < LOSSLESS && group->headroom + cells <= plain->setup->headroom &&
               headroom + cells <= plain->setup->headroom_size) {
        group->headroom += cells;
    } else {
        return BUFFER_REFUSE;
    }
    const bool full = group->headroom > 0 || (shared > 0 && group->shared >= threshold);
    if (of >= LOSSLESS || !full || group->xoff)
        return BUFFER_ADMIT;
    group->xoff = true;
    return BUFFER_ADMIT_XOFF;
}

static bool plain_release(struct plain *plain, int of, int64_t cells)
{
    struct plain_group *group = &plain->groups[of];
    int64_t *const places[] = {&group->headroom, &group->shared, &group->reserved};
    for (int i = 0; i < 3; i++) {
        const int64_t part = *places[i] < cells ? *places[i] : cells;
        *places[i] -= part;
        cells -= part;
    }
    const int64_t below = plain_threshold(plain, of) - plain->setup->xon_offset;
    const int64_t resume = below > plain->setup->xon ? below : plain->setup->xon;
    const bool go_on = group->xoff && group->headroom == 0 && group->shared <= resume;
    group->xoff = group->xoff && !go_on;
    return go_on;
}

/* ---- random sequences ---- */

struct queued {
    int group;
    uint32_t cells;
};

static void assert_same(const struct memory *memory, const struct plain *plain)
{
    buffer_audit(&memory->buffer);
    for (int i = 0; i < GROUPS; i++) {
        const struct buffer_group *group = &memory->groups[i];
        assert_int_equal(group->used, plain->groups[i].reserved + plain->groups[i].shared);
        assert_int_equal(buffer_group_share(group), plain->groups[i].shared);
        assert_int_equal(group->headroom_used, plain->groups[i].headroom);
        assert_int_equal(group->xoff, plain->groups[i].xoff);
    }
}

static struct setup random_setup(struct rng *rng)
{
    static const int64_t alphas[] = {62500, 125000, 1000000, 8000000};
    struct setup setup = {
        .cell = 64 + (int64_t)rng_below(rng, 300),
        .fixed = rng_below(rng, 2) == 1,
        .alpha = alphas[rng_below(rng, 4)],
        .alpha_lossy = rng_below(rng, 3) == 0 ? BUFFER_UNLIMITED : alphas[rng_below(rng, 4)],
        .static_cells = (int64_t)rng_below(rng, 400),
        .xon = (int64_t)rng_below(rng, 60),
        .xon_offset = (int64_t)rng_below(rng, 60),
        .size = 100 + (uint32_t)rng_below(rng, 4000),
        .lossy_size = rng_below(rng, 2) == 0 ? 0 : 50 + (uint32_t)rng_below(rng, 1000),
        .headroom = (uint32_t)rng_below(rng, 200),
    };
    setup.reserved[0] = (uint32_t)rng_below(rng, 3) * (uint32_t)rng_below(rng, 20);
    setup.reserved[1] = (uint32_t)rng_below(rng, 3) * (uint32_t)rng_below(rng, 40);
    setup.headroom_size = LOSSLESS * setup.headroom / (1 + (uint32_t)rng_below(rng, 3));
    return setup;
}

/* What happened in all sequences: a law that nothing happened under says nothing. */
static struct {
    uint64_t xoff, xon, refused, refused_lossless, passed;
} lived;

static bool play_arrival(struct memory *memory, struct plain *plain, int of, uint32_t cells,
                         struct rng *rng)
{
    struct buffer *buffer = &memory->buffer;
    struct buffer_group *group = &memory->groups[of];
    const bool was_xoff = group->xoff;
    /* A frame that may pass would have been admitted, and given back, without a trace. */
    if (rng_below(rng, 2) == 0 && buffer_pass(buffer, group, cells)) {
        assert_int_equal(plain_admit(plain, of, cells), BUFFER_ADMIT);
        assert_false(plain_release(plain, of, cells));
        lived.passed++;
        return false;
    }
    const enum buffer_verdict verdict = buffer_admit(buffer, group, cells, 0);
    assert_int_equal(verdict, plain_admit(plain, of, cells));
    assert_false(verdict == BUFFER_ADMIT_XOFF && was_xoff);
    lived.xoff += verdict == BUFFER_ADMIT_XOFF;
    lived.refused += verdict == BUFFER_REFUSE;
    lived.refused_lossless += verdict == BUFFER_REFUSE && of < LOSSLESS;
    return verdict != BUFFER_REFUSE;
}

static void play(const struct setup *setup, struct rng *rng)
{
    static struct queued queue[FRAMES];
    static struct memory memory;
    struct plain plain = {.setup = setup};
    size_t queued = 0;
    memory_init(&memory, setup);
    const uint64_t busy =
        1 + rng_below(rng, 3); /* arrivals for each departure, in the first half */
    for (int step = 0; step < 4 * FRAMES; step++) {
        const bool filling = rng_below(rng, 4) < (step < 2 * FRAMES ? busy : 4 - busy);
        if (filling && queued < FRAMES) {
            const int of = (int)rng_below(rng, rng_below(rng, 2) == 0 ? 2 : GROUPS);
            const uint32_t cells = 1 + (uint32_t)rng_below(rng, 40);
            if (play_arrival(&memory, &plain, of, cells, rng))
                queue[queued++] = (struct queued){of, cells};
        } else if (queued > 0) {
            const size_t which = rng_below(rng, queued);
            const struct queued gone = queue[which];
            queue[which] = queue[--queued];
            const bool was_xoff = memory.groups[gone.group].xoff;
            const bool go_on =
                buffer_release(&memory.buffer, &memory.groups[gone.group], gone.cells, 0);
            assert_int_equal(go_on, plain_release(&plain, gone.group, gone.cells));
            assert_false(go_on && !was_xoff);
            lived.xon += go_on;
        }
        assert_same(&memory, &plain);
    }
}

/* Cells are conserved, XOFF and XON alternate, and the quick ways do what the rules say. */
static void random_sequences_follow_the_rules(void **state)
{
    (void)state;
    struct rng rng = rng_stream(11, "test", "buffer");
    for (int i = 0; i < 120; i++) {
        const struct setup setup = random_setup(&rng);
        play(&setup, &rng);
    }
    assert_true(lived.xoff > 1000 && lived.xon > 500 && lived.passed > 10000);
    assert_true(lived.refused > lived.refused_lossless && lived.refused_lossless > 100);
}

/* ---- thresholds ---- */

/* Choudhury and Hahne 1998: n busy groups settle at alpha*B / (1 + n*alpha) each. */
static void dynamic_threshold_settles(void **state)
{
    (void)state;
    static const int64_t alphas[] = {125000, 500000, 1000000, 8000000};
    for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++) {
        for (int n = 1; n <= LOSSLESS; n++) {
            struct memory memory;
            const struct setup setup = {.cell = 256, .alpha = alphas[a], .size = 100000};
            memory_init(&memory, &setup);
            for (int i = 0; i < 100000; i++)
                (void)buffer_admit(&memory.buffer, &memory.groups[i % n], 1, 0);
            const double alpha = (double)alphas[a] / (double)PPM;
            const double settled = alpha * 100000 / (1 + n * alpha);
            for (int i = 0; i < n; i++)
                assert_float_equal((float)memory.groups[i].used, (float)settled, 2);
        }
    }
}

/* SAI: XON when the share is at most max(xon, threshold - xon_offset). */
static void xon_follows_sai(void **state)
{
    (void)state;
    static const struct {
        int64_t xon, offset;
        uint32_t at;
    } rows[] = {{0, 30, 70}, {80, 30, 80}, {0, 0, 100}, {20, 100, 20}, {0, 200, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct memory memory;
        struct buffer_group *group = &memory.groups[0];
        const struct setup setup = {.cell = 256,
                                    .fixed = true,
                                    .static_cells = 100,
                                    .size = 1000,
                                    .xon = rows[i].xon,
                                    .xon_offset = rows[i].offset,
                                    .headroom = 50,
                                    .headroom_size = 50 * LOSSLESS};
        memory_init(&memory, &setup);
        for (int cell = 0; cell < 99; cell++)
            assert_int_equal(buffer_admit(&memory.buffer, group, 1, 0), BUFFER_ADMIT);
        assert_int_equal(buffer_admit(&memory.buffer, group, 1, 0), BUFFER_ADMIT_XOFF);
        assert_int_equal(buffer_admit(&memory.buffer, group, 5, 0), BUFFER_ADMIT);
        assert_int_equal(group->headroom_used, 5);
        while (!buffer_release(&memory.buffer, group, 1, 0))
            assert_true(group->used > 0);
        assert_int_equal(group->used, rows[i].at);
        assert_int_equal(group->headroom_used, 0);
    }
}

/* Groups may use more headroom together than there would be for each: until the pool is full. */
static void headroom_pool_is_shared_until_full(void **state)
{
    (void)state;
    struct memory memory;
    const struct setup setup = {.cell = 256,
                                .fixed = true,
                                .static_cells = 10,
                                .size = 1000,
                                .headroom = 100,
                                .headroom_size = 150};
    memory_init(&memory, &setup);
    for (int i = 0; i < 3; i++)
        assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[i], 10, 0), BUFFER_ADMIT_XOFF);
    for (int cell = 0; cell < 100; cell++)
        assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[0], 1, 0), BUFFER_ADMIT);
    assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[0], 1, 0), BUFFER_REFUSE);
    for (int cell = 0; cell < 50; cell++)
        assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[1 + cell % 2], 1, 0),
                         BUFFER_ADMIT);
    assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[1], 1, 0), BUFFER_REFUSE);
    assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[2], 1, 0), BUFFER_REFUSE);
    assert_int_equal(memory.buffer.headroom_used_peak, 150);
    assert_int_equal(memory.buffer.headroom_peak, 100);
    assert_int_equal(memory.groups[1].dropped, 1);
    (void)buffer_release(&memory.buffer, &memory.groups[0], 1, 0);
    assert_int_equal(buffer_admit(&memory.buffer, &memory.groups[2], 1, 0), BUFFER_ADMIT);
    buffer_audit(&memory.buffer);
}

/* A lossy queue has its reserved room whatever the others hold, and alpha times what is free. */
static void lossy_queues_share_the_egress_pool(void **state)
{
    (void)state;
    struct memory memory;
    const struct setup setup = {.cell = 256, .alpha_lossy = BUFFER_UNLIMITED, .size = 10000};
    memory_init(&memory, &setup);
    struct buffer *buffer = &memory.buffer;
    buffer->egress = (struct buffer_egress){.size = 900, .reserved = 7, .alpha = PPM};
    buffer_reckon_ample(buffer);
    const struct buffer_place queue = {.egress = true};
    uint32_t queues[3] = {0};
    for (int i = 0; i < 3000; i++) {
        uint32_t *queued = &queues[i % 2];
        if (!buffer_queue_admits(buffer, queue, *queued, 1))
            continue;
        buffer_queue_grown(buffer, queue, *queued, 1, 0);
        ++*queued;
    }
    assert_in_range(queues[0], 307, 308); /* 900 / 3, and the reserved room */
    assert_in_range(queues[1], 307, 308);
    buffer->egress.alpha = 8 * PPM;
    while (buffer_queue_admits(buffer, queue, queues[0], 1))
        buffer_queue_grown(buffer, queue, queues[0]++, 1, 0);
    buffer->egress.alpha = BUFFER_UNLIMITED;
    while (buffer_queue_admits(buffer, queue, queues[0], 1))
        buffer_queue_grown(buffer, queue, queues[0]++, 1, 0);
    assert_int_equal(buffer->egress.used, 900);
    assert_false(buffer_pass(buffer, &memory.groups[LOSSLESS], 1)); /* must be asked for */
    assert_true(buffer_queue_admits(buffer, queue, queues[2], 7));
    assert_false(buffer_queue_admits(buffer, queue, queues[2], 8));
    for (; queues[0] > 0; queues[0]--)
        buffer_queue_shrunk(buffer, queue, queues[0] - 1, 1, 0);
    for (; queues[1] > 0; queues[1]--)
        buffer_queue_shrunk(buffer, queue, queues[1] - 1, 1, 0);
    assert_int_equal(buffer->egress.used, 0);
    assert_true(buffer_pass(buffer, &memory.groups[LOSSLESS], 1));
}

/* ---- the carving ---- */

static const struct headroom_link link_40g = {.rate = 40000000000,
                                              .propagation = 505000,
                                              .response = 500000,
                                              .mtu = 1500,
                                              .peer_mtu = 1500,
                                              .cell = 256,
                                              .smallest = 64,
                                              .largest = 1518};

static void paper_switch(struct switch_params *params)
{
    switch_presets(params);
    params->buffer = 12000000;
    params->ports = 32;
    params->cell = 1;
    params->pfc_priorities = 0xFF;
    params->headroom = 22400;
    params->alpha = PPM; /* beta / 8 */
}

/* V08: DCQCN section 4 with B 12 MB, n 32, t_flight 22.4 KB, beta 8. */
static void dcqcn_thresholds(void **state)
{
    (void)state;
    enum { N = 32 };
    struct switch_params params;
    struct switch_plan plan;
    char why[128];
    paper_switch(&params);
    switch_plan_begin(&plan, &params);
    for (int i = 0; i < 3; i++)
        assert_int_equal(switch_plan_link(&plan, &link_40g), 22400);
    assert_true(switch_plan_end(&plan, 3, why, sizeof why));
    /* Static: if all 8 n groups reach t_PFC, the shared memory is full. */
    assert_int_equal(plan.lossless_pool / (8 * N), 24475);
    /* Dynamic: n queues of t_ECN fed by one group, and all 8 n such queues in memory: no pause as
     * long as n t_ECN is below the threshold. */
    const struct buffer_place any = {0};
    for (int64_t t_ecn = 21000; t_ecn < 22500; t_ecn++) {
        const int64_t t_pfc =
            buffer_dynamic.threshold(NULL, any, params.alpha, plan.lossless_pool - 8 * N * t_ecn);
        assert_int_equal(N * t_ecn < t_pfc, t_ecn <= 21755);
    }
}

/* Ports without a link have the largest headroom: one more changes nothing. */
static void carving_is_for_the_profile_s_ports(void **state)
{
    (void)state;
    struct switch_params params;
    struct switch_plan few, many;
    char why[128];
    switch_presets(&params);
    params.reserved = 1000;      /* 4 cells of 256 */
    params.reserved_queue = 256; /* 1 */
    params.lossy_pool = PPM / 4;
    switch_plan_begin(&few, &params);
    const int64_t headroom = switch_plan_link(&few, &link_40g);
    assert_true(switch_plan_end(&few, 1, why, sizeof why));
    switch_plan_begin(&many, &params);
    for (int i = 0; i < 20; i++)
        (void)switch_plan_link(&many, &link_40g);
    assert_true(switch_plan_end(&many, 32, why, sizeof why));
    assert_int_equal(few.headroom, 32 * headroom);
    assert_int_equal(few.reserved, 32 * (4 + 7));
    assert_int_equal(few.headroom, many.headroom);
    assert_int_equal(few.lossless_pool, many.lossless_pool);
    assert_int_equal(few.lossless_pool + few.lossy_pool + few.headroom + few.reserved, few.total);
    params.headroom_pool = SWITCH_HEADROOM_POOL_AUTO;
    params.headroom_ratio = 4;
    assert_true(switch_plan_end(&few, 1, why, sizeof why));
    assert_int_equal(few.headroom, 8 * headroom);
    params.headroom_pool = 2560;
    assert_true(switch_plan_end(&few, 1, why, sizeof why));
    assert_int_equal(few.headroom, 10);
    params.buffer = INT64_C(1) << 32;
    params.cell = 1;
    switch_plan_begin(&few, &params);
    assert_false(switch_plan_end(&few, 1, why, sizeof why));
    assert_non_null(strstr(why, "can be counted"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_take_whole_cells),
        cmocka_unit_test(random_sequences_follow_the_rules),
        cmocka_unit_test(dynamic_threshold_settles),
        cmocka_unit_test(xon_follows_sai),
        cmocka_unit_test(headroom_pool_is_shared_until_full),
        cmocka_unit_test(lossy_queues_share_the_egress_pool),
        cmocka_unit_test(dcqcn_thresholds),
        cmocka_unit_test(carving_is_for_the_profile_s_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
