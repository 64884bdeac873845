/* SPDX-License-Identifier: Apache-2.0
 * test_workload_goodput - kind nvme, and what of its data has come. */
#include "tests/unit/workload/acted_controller.h"

/* Of 4 under way all the time, the acted device says what has come. */
static void what_has_arrived_counts_where_it_can_be_seen(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.warm_up = 50 * PS_PER_US;
    play->site.stop = PS_PER_MS + 250 * PS_PER_US;
    device.seen = true;
    device.arrived = (struct nvme_transport_arrived){.in = 3 * 4096, .out = 99, .for_good = true};
    run(play, PS_PER_MS + 50 * PS_PER_US - 1);
    const time_ps from = PS_PER_MS + 50 * PS_PER_US;
    assert_int_equal(kind()->measure(play->workload, from - 1), from);
    assert_int_equal(kind()->measure(play->workload, from), play->site.stop);
    run(play, play->site.stop - 1);
    device.arrived.in = 10 * 4096;
    assert_int_equal(kind()->delivered(play->workload).read, 7 * 4096);
    assert_int_equal(kind()->delivered(play->workload).written, 0);
    device.arrived.for_good = false; /* what is under way may be lost again: 8 are complete */
    assert_int_equal(kind()->delivered(play->workload).read, 5 * 4096);
    assert_int_equal(kind()->measure(play->workload, play->site.stop), TIME_NEVER);
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 12);
    assert_int_equal(kind()->delivered(play->workload).read, 7 * 4096);
    end(play);
}

/* The controller is lost with all four under way, of which two had arrived; they are sent again. */
static void what_is_sent_again_after_a_loss_counts_once(void **state)
{
    (void)state;
    struct play *play = begin();
    play->site.stop = 5 * PS_PER_MS;
    device.seen = true;
    device.arrived = (struct nvme_transport_arrived){.in = 2 * 4096, .for_good = true};
    run(play, PS_PER_MS + 50 * PS_PER_US);
    assert_int_equal(kind()->measure(play->workload, PS_PER_MS), play->site.stop);
    struct nvme_host *host = (struct nvme_host *)(uintptr_t)kind()->controller(play->workload, 0);
    host->stats.losses++;
    host->site.user.on_change(host->site.user.self);
    device.arrived.in = 0;
    assert_int_equal(kind()->delivered(play->workload).read, 0);
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 4 * 40);
    assert_int_equal(kind()->delivered(play->workload).read, play->stats.bytes_read);
    end(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_arrived_counts_where_it_can_be_seen),
        cmocka_unit_test(what_is_sent_again_after_a_loss_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
