/* SPDX-License-Identifier: Apache-2.0
 * A discovery log of more than one piece: all of it is read, in order, and again where it changes
 * in between (fabrics 1.1, 5.3: the generation counter). */
#include "tests/unit/nvme/nvme_pair.h"

#include "nvme/wire/capsule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { SUBSYSTEMS = NVME_TARGET_SUBSYSTEMS_MAX, PIECE = 4096 };

static struct nvme_pair pair;
static char names[SUBSYSTEMS][16];
static struct nvme_target_subsystem subsystems[SUBSYSTEMS];

static void make(uint32_t count)
{
    static const uint32_t first = 0;
    nvme_pair_init(&pair, "null");
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "nqn.s%u", (unsigned)i);
        subsystems[i] = (struct nvme_target_subsystem){
            .nqn = names[i], .namespaces = &first, .namespace_count = 1};
    }
    pair.subsystems = subsystems;
    pair.subsystem_count = count;
    pair.discovery = true;
}

struct part {
    uint32_t offset, bytes;
    bool retains;
};

/* Of each Get Log Page of the host. */
static uint32_t parts_read(struct part *parts, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pair.world.logged; i++) {
        const struct fake_message *message = &pair.world.log[i];
        struct nvme_command command;
        if (message->from_ip != PAIR_HOST_IP || message->opcode != IBV_WR_SEND)
            continue;
        nvme_capsule_decode_command(&command, message->head);
        if (command.opcode != NVME_ADMIN_GET_LOG || (command.cdw10 & 0xFF) != NVME_LOG_DISCOVERY)
            continue;
        assert_true(count < room);
        assert_int_equal(command.cdw13, 0);
        parts[count++] = (struct part){command.cdw12, (uint32_t)nvme_capsule_log_bytes(&command),
                                       (command.cdw10 >> 15 & 1) != 0};
    }
    return count;
}

static void all_records_in_pieces(void **state)
{
    (void)state;
    /* 1 KiB of header, of the discovery subsystem and of each other one */
    static const struct {
        uint32_t subsystems, reads;
        struct part parts[8];
    } rows[] = {
        {1, 2, {{0, 1024, true}, {0, 3072, false}}},
        {2, 2, {{0, 1024, true}, {0, 4096, false}}},
        {3, 4, {{0, 1024, true}, {0, 4096, true}, {4096, 1024, false}, {0, 1024, true}}},
        {16,
         7,
         {{0, 1024, true},
          {0, 4096, true},
          {4096, 4096, true},
          {8192, 4096, true},
          {12288, 4096, true},
          {16384, 2048, false},
          {0, 1024, true}}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct part parts[16];
        make(rows[i].subsystems);
        nvme_pair_start(&pair);
        assert_int_equal(pair.ready_status, NVME_STATUS_OK);
        assert_int_equal(nvme_host_records(pair.host), rows[i].subsystems);
        for (uint32_t k = 0; k < rows[i].subsystems; k++)
            assert_string_equal(nvme_host_record(pair.host, k)->subsystem_nqn, names[k]);
        assert_int_equal(parts_read(parts, 16), rows[i].reads);
        for (uint32_t k = 0; k < rows[i].reads; k++) {
            assert_int_equal(parts[k].offset, rows[i].parts[k].offset);
            assert_int_equal(parts[k].bytes, rows[i].parts[k].bytes);
            assert_int_equal(parts[k].retains, rows[i].parts[k].retains);
        }
        nvme_pair_fini(&pair);
    }
}

/* The log changes at any moment of the first reading: what is known in the end is one log. */
static void it_changes_meanwhile(void **state)
{
    (void)state;
    bool again = false;
    for (unsigned moment = 1; moment < 200; moment++) {
        make(SUBSYSTEMS);
        nvme_pair_make_target(&pair);
        nvme_pair_make_host(&pair);
        nvme_pair_run(&pair, moment * PS_PER_US);
        nvme_target_close_port(pair.target, 0, true);
        nvme_pair_run(&pair, 2 * PS_PER_US);
        nvme_target_close_port(pair.target, 0, false);
        struct part parts[64];
        while (!pair.ready)
            nvme_pair_run(&pair, PS_PER_US);
        again |= parts_read(parts, 64) > 7; /* before any event */
        nvme_pair_run(&pair, 20 * PS_PER_MS);
        if (!nvme_host_live(pair.host)) { /* it connected while nothing was there */
            assert_int_not_equal(pair.ready_status, NVME_STATUS_OK);
            nvme_pair_fini(&pair);
            continue;
        }
        assert_int_equal(nvme_host_records(pair.host), SUBSYSTEMS);
        for (uint32_t k = 0; k < SUBSYSTEMS; k++)
            assert_string_equal(nvme_host_record(pair.host, k)->subsystem_nqn, names[k]);
        nvme_pair_fini(&pair);
    }
    assert_true(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_records_in_pieces),
        cmocka_unit_test(it_changes_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
