/* SPDX-License-Identifier: Apache-2.0
 * headroom_proof - the search. */
#include "net/trial/headroom_proof.h"

#include "net/frame/frame.h"
#include "net/trial/headroom_play.h"

/* Phases 0 and 1 (ps) come before the evenly spread ones. */
enum { PHASES_BEFORE = 2 };

/* Limits of one run: frames, and bytes of headroom. */
enum { FRAMES_MAX = 1 << 22, HEADROOM_MAX = 1 << 28 };

struct search {
    struct headroom_play play;
    struct frame_pool pool;
    unsigned phases;
    unsigned worst; /* the phase that last lost frames */
    uint64_t plays;
};

static time_ps phase_ps(const struct search *search, unsigned phase)
{
    const struct headroom_link *link = search->play.link;
    const int64_t bytes = link->mtu + WIRE_ETHERNET_BYTES + WIRE_GAP_BYTES;
    const time_ps span = units_transfer_ps((uint64_t)bytes, (uint64_t)link->rate);
    if (phase < PHASES_BEFORE)
        return phase;
    return span / search->phases * (phase - PHASES_BEFORE + 1);
}

static uint64_t drops_at(struct search *search, int64_t headroom, unsigned phase)
{
    search->play.headroom = headroom;
    search->play.reverse = phase_ps(search, phase);
    search->plays++;
    headroom_play(&search->play);
    return search->play.drops;
}

/* Upper bound on the frames of that size that can follow, from the wire time alone. */
static int64_t frames_at_most(const struct headroom_link *link, int64_t frame)
{
    const time_ps loop = 2 * link->propagation + link->response + link->latency;
    const int64_t around = WIRE_ETHERNET_BYTES + 5 * WIRE_GAP_BYTES + WIRE_PFC_BYTES;
    const int64_t wire = (int64_t)units_bytes_in(loop, (uint64_t)link->rate) + link->mtu + around;
    return wire / (frame + WIRE_GAP_BYTES) + 4;
}

bool headroom_can_prove(const struct headroom_link *link, int64_t frame)
{
    const int64_t frames = frames_at_most(link, frame);
    return frames <= FRAMES_MAX && frames * headroom_charge(link, frame) <= HEADROOM_MAX;
}

/* The first run: without the reverse frame, and with memory for everything that the wire can
 * deliver. */
static void run_first_play(struct search *search)
{
    struct headroom_play *play = &search->play;
    int64_t smallest = play->frames[0], largest = play->frames[0];
    for (unsigned i = 1; i < play->frame_count; i++) {
        smallest = play->frames[i] < smallest ? play->frames[i] : smallest;
        largest = play->frames[i] > largest ? play->frames[i] : largest;
    }
    play->headroom = frames_at_most(play->link, smallest) * headroom_charge(play->link, largest);
    play->reverse = HEADROOM_NO_REVERSE;
    search->plays++;
    headroom_play(play);
    CHECK(play->decided > 0 && play->drops == 0);
}

/* The smallest number of cells that loses no frame at the worst phase so far, given that `low`
 * loses frames: increases in growing steps, then bisects. */
static int64_t find_at_worst(struct search *search, int64_t low, int64_t high)
{
    const int64_t cell = search->play.link->cell;
    for (int64_t step = 1; drops_at(search, high * cell, search->worst) > 0; step *= 2) {
        low = high;
        high += step;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (drops_at(search, middle * cell, search->worst) > 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Whether any phase loses frames; if so it becomes the worst so far. */
static bool any_phase_loses(struct search *search, int64_t headroom)
{
    for (unsigned i = 0; i < search->phases + PHASES_BEFORE; i++) {
        if (drops_at(search, headroom, i) == 0)
            continue;
        search->worst = i;
        return true;
    }
    return false;
}

/* Minimum headroom in bytes without losses at any phase. The search starts with the need of the
 * first run. */
static int64_t find_headroom(struct search *search)
{
    const struct headroom_link *link = search->play.link;
    const int64_t charge = headroom_charge(link, search->play.frames[0]);
    int64_t low = -1, high = (int64_t)search->play.frames_after * charge / link->cell;
    for (;;) {
        high = find_at_worst(search, low, high);
        if (!any_phase_loses(search, high * link->cell))
            return high * link->cell;
        low = high++;
    }
}

static void search_begin(struct search *search, const struct headroom_link *link,
                         const int64_t *frames, unsigned count, unsigned phases)
{
    *search = (struct search){
        .play = {.pool = &search->pool, .link = link, .frames = frames, .frame_count = count},
        .phases = phases,
    };
    CHECK(phases > 0 && count > 0);
    frame_pool_init(&search->pool);
    run_first_play(search);
}

static void count_losses_below(struct search *search, struct headroom_proof *proof)
{
    for (unsigned i = 0; i < proof->phases; i++) {
        const uint64_t drops = drops_at(search, proof->found - search->play.link->cell, i);
        proof->losing += drops > 0;
        if (drops <= proof->drops)
            continue;
        proof->drops = drops;
        proof->phase = phase_ps(search, i);
    }
}

void headroom_prove(const struct headroom_link *link, int64_t frame, unsigned phases,
                    struct headroom_proof *proof)
{
    struct search search;
    search_begin(&search, link, &frame, 1, phases);
    *proof = (struct headroom_proof){.frame = frame,
                                     .exact = headroom_exact(link, frame),
                                     .found = find_headroom(&search),
                                     .phases = phases + PHASES_BEFORE};
    if (proof->found > 0)
        count_losses_below(&search, proof);
    proof->plays = search.plays;
    proof->holds = proof->found == proof->exact && proof->drops > 0;
    frame_pool_fini(&search.pool);
}

uint64_t headroom_drops(const struct headroom_link *link, const int64_t *frames, unsigned count,
                        int64_t headroom, unsigned phases)
{
    struct search search;
    uint64_t drops = 0;
    search_begin(&search, link, frames, count, phases);
    for (unsigned i = 0; i < phases + PHASES_BEFORE; i++)
        drops += drops_at(&search, headroom, i);
    frame_pool_fini(&search.pool);
    return drops;
}

unsigned headroom_sizes(const struct headroom_link *link, int64_t sizes[HEADROOM_SIZES])
{
    const int64_t largest = headroom_largest(link);
    const int64_t smallest = link->smallest < largest ? link->smallest : largest;
    const int64_t wasteful = (smallest + link->cell - 1) / link->cell * link->cell + 1;
    const int64_t odd = link->cell > WIRE_GAP_BYTES ? wasteful : (smallest + largest) / 2 + 1;
    unsigned count = 0;
    sizes[count++] = largest;
    if (smallest < largest)
        sizes[count++] = smallest;
    if (odd > smallest && odd < largest)
        sizes[count++] = odd;
    return count;
}
