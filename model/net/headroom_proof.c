/* SPDX-License-Identifier: Apache-2.0
 * headroom_proof - the search. */
#include "net/headroom_proof.h"

#include "net/frame.h"
#include "net/headroom_play.h"

/* Phase 0 and 1 come before those that are spread. */
enum { PHASES_BEFORE = 2 };

struct search {
    struct headroom_play play;
    unsigned phases;
    unsigned worst; /* the phase that lost frames last: it is tried first */
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

/* The first play: without the reverse frame, with room for all that the wire could bring. */
static void learn(struct search *search)
{
    struct headroom_play *play = &search->play;
    int64_t smallest = play->frames[0], largest = play->frames[0];
    for (unsigned i = 1; i < play->frame_count; i++) {
        smallest = play->frames[i] < smallest ? play->frames[i] : smallest;
        largest = play->frames[i] > largest ? play->frames[i] : largest;
    }
    const struct headroom_link *link = play->link;
    const time_ps loop = 2 * link->propagation + link->response + link->latency;
    const int64_t wire =
        (int64_t)units_bytes_in(loop, (uint64_t)link->rate) + link->mtu + 4 * largest;
    play->headroom = (wire / (smallest + WIRE_GAP_BYTES) + 4) * headroom_charge(link, largest);
    play->reverse = HEADROOM_NO_REVERSE;
    search->plays++;
    headroom_play(play);
    CHECK(play->decided > 0 && play->drops == 0);
}

/* Does any phase lose a frame? */
static bool loses(struct search *search, int64_t headroom)
{
    if (drops_at(search, headroom, search->worst) > 0)
        return true;
    for (unsigned i = 0; i < search->phases + PHASES_BEFORE; i++) {
        if (i == search->worst || drops_at(search, headroom, i) == 0)
            continue;
        search->worst = i;
        return true;
    }
    return false;
}

/* From what the first play needed: up in growing steps, then halves. */
static int64_t find(struct search *search)
{
    const int64_t cell = search->play.link->cell;
    int64_t low = -1, high = (int64_t)search->play.frames_after *
                             headroom_charge(search->play.link, search->play.frames[0]) / cell;
    int64_t step = 1;
    while (loses(search, high * cell)) {
        low = high;
        high += step;
        step *= 2;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (loses(search, middle * cell))
            low = middle;
        else
            high = middle;
    }
    return high * cell;
}

void headroom_prove(const struct headroom_link *link, int64_t frame, unsigned phases,
                    struct headroom_proof *proof)
{
    CHECK(phases > 0);
    struct search search = {.play = {.link = link, .frames = &frame, .frame_count = 1},
                            .phases = phases};
    *proof = (struct headroom_proof){
        .frame = frame, .exact = headroom_exact(link, frame), .phases = phases + PHASES_BEFORE};
    learn(&search);
    proof->found = find(&search);
    for (unsigned i = 0; i < proof->phases; i++)
        proof->drops_with += drops_at(&search, proof->found, i);
    for (unsigned i = 0; i < proof->phases && proof->found > 0; i++) {
        const uint64_t drops = drops_at(&search, proof->found - link->cell, i);
        proof->losing += drops > 0;
        if (drops <= proof->drops)
            continue;
        proof->drops = drops;
        proof->phase = phase_ps(&search, i);
    }
    proof->plays = search.plays;
    proof->holds = proof->found == proof->exact && proof->drops_with == 0 && proof->drops > 0;
}

uint64_t headroom_drops(const struct headroom_link *link, const int64_t *frames, unsigned count,
                        int64_t headroom, unsigned phases)
{
    struct search search = {.play = {.link = link, .frames = frames, .frame_count = count},
                            .phases = phases};
    uint64_t drops = 0;
    learn(&search);
    for (unsigned i = 0; i < phases + PHASES_BEFORE; i++)
        drops += drops_at(&search, headroom, i);
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
