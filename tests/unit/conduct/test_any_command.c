/* SPDX-License-Identifier: Apache-2.0
 * Commands drawn at random, most of them wrong, on both queues of a target of each identity: each
 * is answered once or held, the audits hold, and the target serves a new host afterwards. */
#include "tests/unit/conduct/conduct.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { COMMANDS = 3000 };

static uint32_t draw(struct rng *rng, uint32_t below)
{
    return (uint32_t)rng_below(rng, below);
}

static uint32_t word(struct rng *rng)
{
    static const uint32_t odd[] = {0,     1,      2,      3,       7,          0xFF,
                                   0x100, 0x8000, 0xFFFF, 0x10000, 0xFFFFFFFE, 0xFFFFFFFF};
    return draw(rng, 4) == 0 ? draw(rng, UINT32_MAX) : odd[draw(rng, sizeof odd / sizeof odd[0])];
}

/* Log pages, features, pages of Identify and properties that there are, and their neighbors. */
static uint32_t first_word(struct rng *rng)
{
    return draw(rng, 3) == 0 ? word(rng) : draw(rng, 0x20) | draw(rng, 2) * numd(512);
}

static struct nvme_command any_command(struct rng *rng)
{
    static const uint8_t opcodes[] = {0x00, 0x01, 0x02, 0x02, 0x05, 0x06, 0x06, 0x08, 0x09, 0x09,
                                      0x0A, 0x0A, 0x0C, 0x0D, 0x18, 0x7F, 0x7F, 0x7F, 0xFF};
    static const uint32_t lengths[] = {0, 4, 16, 64, 512, 1024, 4096, 8208};
    static const uint8_t types[] = {0x40, 0x40, 0x40, 0x4F, 0x01, 0x00, 0x41, 0x20};
    const uint8_t opcode = opcodes[draw(rng, sizeof opcodes)];
    const bool capsule = draw(rng, 8) == 0;
    return (struct nvme_command){
        .opcode = opcode,
        .flags = draw(rng, 16) == 0 ? (uint8_t)draw(rng, 256) : NVME_FLAGS_SGL,
        .cid = (uint16_t)draw(rng, 64),
        .nsid = draw(rng, 4) == 0 ? word(rng) : draw(rng, 6),
        .sgl = {capsule ? word(rng) : raw.buffer->addr, lengths[draw(rng, 8)], raw.buffer->rkey,
                capsule ? NVME_SGL_IN_CAPSULE : types[draw(rng, sizeof types)]},
        .cdw10 = first_word(rng),
        .cdw11 = opcode == NVME_FABRICS ? draw(rng, 10) * 4 : word(rng),
        .cdw12 = draw(rng, 2) == 0 ? (uint32_t)ENABLE : word(rng),
        .cdw13 = word(rng),
    };
}

static void any_commands(void **state)
{
    (void)state;
    for (int identity = 0; identity < IDENTITIES; identity++) {
        struct rng rng = rng_stream(1, "any command", "draws");
        conduct_start(identity);
        raw_bring_up(&raw);
        for (unsigned i = 0; i < COMMANDS; i++) {
            if (raw.queues[0].down) { /* the transport was broken, or it was ended */
                raw_fini(&raw);
                conduct_start(identity);
                raw_bring_up(&raw);
            }
            const unsigned queue = raw.queues[1].down ? 0 : draw(&rng, 2);
            const uint32_t answered = raw.queues[queue].answered;
            const struct nvme_command command = any_command(&rng);
            (void)raw_send(&raw, queue, &command, draw(&rng, 4) == 0 ? 4096 : 0);
            assert_true(raw.queues[queue].answered - answered <= 6); /* event requests too */
        }
        raw_connect_as(&raw, 2, 0, 32);
        assert_true(raw.queues[2].up);
        raw_fini(&raw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_commands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
