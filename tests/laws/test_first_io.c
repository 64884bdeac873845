/* SPDX-License-Identifier: Apache-2.0
 * The case first-io against a calculation by hand, link by link and header by header.
 *
 * 100 Gb/s: 80 ps a byte.  A frame of n bytes (Ethernet header to FCS) has arrived at the other
 * end of a link when 8 bytes of preamble and n bytes have been sent and 3 m of cable (5.05 ns/m)
 * lie behind them; the next frame may follow 12 bytes of gap later.  The switch stores each frame
 * and acts 300 ns after its last bit. */
#include "scenarios/world/world.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum {
    BYTE = 80,
    CABLE = 15150,
    SWITCH = 300000,
    RNIC = 300000 + 300000, /* doorbell to wire, wire to completion */
    CPU = 1000000,          /* submission, target's command, completion: 1 us each */
    MEDIUM = 10000000,
    HEADERS = 62, /* Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 */
    RETH = 16,
    IETH = 4,
    SQE = 64,
    CQE = 16,
    BLOCK = 4096,
    IO_MAX = 8,
};

struct seen {
    struct probe_target_io target[IO_MAX];
    struct probe_host_io host[IO_MAX];
    int targets, hosts;
};

/* One frame over two links and the switch between them. */
static time_ps alone(int bytes)
{
    return 2 * ((8 + bytes) * BYTE + CABLE) + SWITCH;
}

/* The second of two frames that are sent back to back: it waits in the switch for the first to
 * leave. */
static time_ps behind(int first, int second)
{
    const time_ps first_in_switch = (8 + first) * BYTE + CABLE + SWITCH;
    return first_in_switch + (8 + first + 12) * BYTE + (8 + second) * BYTE + CABLE;
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    struct seen *seen = self;
    if (io->qid > 0 && seen->targets < IO_MAX)
        seen->target[seen->targets++] = *io;
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    struct seen *seen = self;
    if (seen->hosts < IO_MAX)
        seen->host[seen->hosts++] = *io;
}

static void play(struct seen *seen)
{
    static struct diag diag;
    struct probe probe = probe_none;
    probe.self = seen;
    probe.target_io = on_target_io;
    probe.host_io = on_host_io;
    struct scenario *scenario = scenario_load_file("scenarios/cases/first-io.yaml", NULL, 0, &diag);
    assert_non_null(scenario);
    struct world *world = world_build(scenario, &probe, &diag);
    assert_non_null(world);
    while (world_run(world, world->engine.now + PS_PER_MS))
        ;
    world_audit(world);
    world_free(world);
    scenario_free(scenario);
}

/* The target's record of the I/O that the host's record is about: Connect has one too. */
static const struct probe_target_io *target_of(const struct seen *seen,
                                               const struct probe_host_io *io)
{
    for (int i = 0; i < seen->targets; i++)
        if (seen->target[i].controller == io->controller && seen->target[i].cid == io->cid &&
            seen->target[i].media_at > 0)
            return &seen->target[i];
    fail_msg("the target did not record command %u", io->cid);
    return NULL;
}

static void check(const struct seen *seen, const struct probe_host_io *io, time_ps request,
                  time_ps response)
{
    const struct probe_target_io *target = target_of(seen, io);
    assert_int_equal(io->posted_at - io->issued_at, CPU);
    assert_int_equal(target->capsule_at - io->posted_at, RNIC + request);
    assert_int_equal(target->media_at - target->capsule_at, CPU);
    assert_int_equal(target->media_done_at - target->media_at, MEDIUM);
    assert_int_equal(target->response_at - target->media_done_at, 0);
    assert_int_equal(io->response_at - target->response_at, RNIC + response);
    assert_int_equal(io->completed_at - io->response_at, CPU);
    assert_int_equal(io->completed_at - io->issued_at,
                     3 * CPU + MEDIUM + 2 * RNIC + request + response);
}

/* Read: a capsule there; the data as one RDMA WRITE and the response as SEND with invalidate back.
 * */
static void read_by_hand(void **state)
{
    const struct seen *seen = *state;
    assert_int_equal(seen->host[0].opcode, 2);
    check(seen, &seen->host[0], alone(HEADERS + SQE),
          behind(HEADERS + RETH + BLOCK, HEADERS + IETH + CQE));
}

/* Write: the capsule carries the data, 4160 bytes in two packets; a plain response, nothing was
 * registered. */
static void write_by_hand(void **state)
{
    const struct seen *seen = *state;
    assert_int_equal(seen->host[1].opcode, 1);
    check(seen, &seen->host[1], behind(HEADERS + 4096, HEADERS + SQE + BLOCK - 4096),
          alone(HEADERS + CQE));
}

int main(void)
{
    static struct seen seen;
    play(&seen);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(read_by_hand, &seen),
        cmocka_unit_test_prestate(write_by_hand, &seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
