/* SPDX-License-Identifier: Apache-2.0
 * headroom - how many frames can still arrive, and how much memory they take.
 *   peer   |8| frame 0 |12|8| frame 1 |12| ...                         |8| frame n
 *                     '-propagation, latency-> T                       ^ begins by A
 *   here      |8| own frame |12|8| pause |
 *              ^ begins by T              '-propagation, response-----> A
 * At T frame 0 reaches the memory and the pause is decided. In the worst case an own frame has
 * begun at that moment, and the pause waits for its mtu + 18 + 20 bytes. No frame begins after A.
 * With B the time of a byte:
 *   A - T = B * (own + 20 + 8 + 64) + propagation + response
 *   T     = begin of frame 0 + B * (8 + frame 0) + propagation + latency
 * Frame n begins B * sum(frame 0 .. n-1, 20 more each) after frame 0. It still arrives when
 *   sum(frame 1 .. n-1, 20 more each) <= own + 20 + 72 - 12 + loop / B
 *   loop = 2 propagation + response + latency
 * whatever the size of frame 0. The right side, Y, is the number of bytes on the wire; frame n
 * itself may have any size. */
#include "net/headroom/headroom.h"

#include "base/numbers.h"
#include "net/frame/frame.h"

enum { PAUSE_BYTES = WIRE_PREAMBLE_BYTES + WIRE_PFC_BYTES };
enum { GAP_AFTER = WIRE_GAP_BYTES - WIRE_PREAMBLE_BYTES };

/* 8e12: converts bits per second times picoseconds to bytes: rate * time / BYTE_WORK. */
static const __int128 byte_work = (__int128)8 * 1000000000000;

int64_t headroom_largest(const struct headroom_link *link)
{
    const int64_t mtu = min_i64(link->mtu, link->peer_mtu);
    return min_i64(link->largest, mtu + WIRE_ETHERNET_BYTES);
}

void headroom_add(struct headroom_sum *sum, const char *name, int64_t bytes)
{
    CHECK(sum->count < HEADROOM_TERMS_MAX);
    sum->terms[sum->count++] = (struct headroom_term){name, bytes};
    sum->bytes += bytes;
}

static int64_t cells(const struct headroom_link *link, int64_t frame)
{
    return (frame + link->cell - 1) / link->cell;
}

int64_t headroom_charge(const struct headroom_link *link, int64_t frame)
{
    return cells(link, frame) * link->cell;
}

/* ------------------------------------------------------------------ bytes on the wire */

static int64_t own_frame(const struct headroom_link *link)
{
    return link->mtu + WIRE_ETHERNET_BYTES + WIRE_GAP_BYTES;
}

static time_ps loop_time(const struct headroom_link *link)
{
    return 2 * link->propagation + link->response + link->latency;
}

/* Y times byte_work. */
static __int128 wire_work(const struct headroom_link *link)
{
    return (own_frame(link) + PAUSE_BYTES - GAP_AFTER) * byte_work +
           (__int128)loop_time(link) * link->rate;
}

/* At other rates frames begin at the next whole picosecond, which one more byte covers. */
static bool is_whole(const struct headroom_link *link)
{
    return byte_work % link->rate == 0;
}

/* The parts of the loop in whole bytes, rounded so that their sum is the loop's. */
static void add_loop(const struct headroom_link *link, struct headroom_sum *sum)
{
    const struct {
        const char *name;
        time_ps span;
    } parts[] = {{"cable, both directions", 2 * link->propagation},
                 {"time until the peer stops", link->response},
                 {"ingress latency of this port", link->latency}};
    time_ps until = 0;
    int64_t before = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        until += parts[i].span;
        const int64_t bytes = (int64_t)((__int128)until * link->rate / byte_work);
        headroom_add(sum, parts[i].name, bytes - before);
        before = bytes;
    }
    if (!is_whole(link))
        headroom_add(sum, "rounding up to a whole byte", 1);
}

/* ------------------------------------------------------------------ any mix of frames */

/* Frames occupy cells and wire time; the worst frame has the most cells per byte on the wire. Among
 * the frames of n cells it is the smallest: the smallest of the class, or one byte more than n-1
 * cells. For the latter the cells per byte, n / ((n-1) * cell + 21), are monotonic in n. */
static int64_t worst_frame(const struct headroom_link *link, int64_t largest)
{
    const int64_t first = cells(link, link->smallest) * link->cell + 1;
    const int64_t last = (largest - 1) / link->cell * link->cell + 1;
    const int64_t candidates[] = {first, last};
    int64_t worst = min_i64(link->smallest, largest);
    for (unsigned i = 0; i < 2; i++) {
        const int64_t frame = candidates[i];
        if (frame > worst && frame <= largest &&
            cells(link, frame) * (worst + WIRE_GAP_BYTES) >
                cells(link, worst) * (frame + WIRE_GAP_BYTES))
            worst = frame;
    }
    return worst;
}

struct headroom_sum headroom_auto_terms(const struct headroom_link *link)
{
    struct headroom_sum sum = {.known = true};
    headroom_add(&sum, "frame that this port has just begun to send, with gap", own_frame(link));
    headroom_add(&sum, "PFC frame, up to its last bit", PAUSE_BYTES);
    headroom_add(&sum, "less the gap before the next frame", -GAP_AFTER);
    add_loop(link, &sum);
    const int64_t largest = headroom_largest(link);
    const int64_t worst = worst_frame(link, largest);
    const int64_t filled =
        (int64_t)((__int128)sum.bytes * cells(link, worst) / (worst + WIRE_GAP_BYTES));
    headroom_add(&sum,
                 link->cell > 1 ? "partly filled buffer cells, less preambles and gaps"
                                : "less preambles and gaps (not stored in the buffer)",
                 filled * link->cell - sum.bytes);
    headroom_add(&sum, "frame that the peer begins just before it stops",
                 headroom_charge(link, largest));
    if (link->dynamic)
        headroom_add(&sum, "frame that arrives after the dynamic threshold fell",
                     headroom_charge(link, largest));
    return sum;
}

int64_t headroom_auto(const struct headroom_link *link)
{
    return headroom_auto_terms(link).bytes;
}

/* ------------------------------------------------------------------ equal frames */

/* Number of frames after the one that triggers the pause. A frame that would begin in the same
 * picosecond as the silence still begins. */
static int64_t frames_after(const struct headroom_link *link, int64_t frame)
{
    const __int128 one = (frame + WIRE_GAP_BYTES) * byte_work;
    return (int64_t)(wire_work(link) / one) + 1;
}

int64_t headroom_exact(const struct headroom_link *link, int64_t frame)
{
    const int64_t frames = frames_after(link, frame) + (link->dynamic ? 1 : 0);
    return frames * headroom_charge(link, frame);
}

/* ------------------------------------------------------------------ frames actually sent */

/* The mix that fills the most memory: a number of frames of the given size, and as many small ones
 * as the remaining wire time allows. */
static int64_t fill_memory(const struct headroom_link *link, const struct headroom_frames *frames,
                           int64_t size, int64_t wire)
{
    const int64_t each = size + WIRE_GAP_BYTES, small = frames->small + WIRE_GAP_BYTES;
    int64_t most = 0;
    for (int64_t count = 0; count * each <= wire; count++) {
        const int64_t smalls = min_i64((wire - count * each) / small, frames->smalls);
        const int64_t filled =
            count * headroom_charge(link, size) + smalls * headroom_charge(link, frames->small);
        most = filled > most ? filled : most;
    }
    return most;
}

/* The last frame begins just in time and may also be of the given size, and another one may find
 * the threshold lowered. */
int64_t headroom_for(const struct headroom_link *link, const struct headroom_frames *frames)
{
    const int64_t wire = (int64_t)(wire_work(link) / byte_work) + (is_whole(link) ? 0 : 1);
    const int64_t tail = link->dynamic ? 2 : 1;
    if (frames->count == 0)
        return (min_i64(wire / (frames->small + WIRE_GAP_BYTES) + tail, frames->smalls)) *
               headroom_charge(link, frames->small);
    int64_t most = 0;
    for (unsigned i = 0; i < frames->count; i++) {
        const int64_t size = frames->sizes[i];
        const int64_t need =
            fill_memory(link, frames, size, wire) + tail * headroom_charge(link, size);
        most = need > most ? need : most;
    }
    return most;
}
