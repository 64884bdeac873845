/* SPDX-License-Identifier: Apache-2.0
 * A READ that is answered from another place than was asked for brings no content that could be
 * taken for the right one. */
#include "nvme/wire/spec.h"
#include "rnic/qp/completer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct frame response(uint64_t address, uint32_t content)
{
    return (struct frame){.address = address, .content = content, .payload = 1024};
}

static void each_response_is_of_its_place(void **state)
{
    (void)state;
    struct qp_wqe wqe = {.remote_address = 0x1000};
    for (uint32_t offset = 0; offset < 4096; offset += 1024) {
        const struct frame frame = response(0x1000 + offset, 7);
        completer_look(&wqe, &frame, offset);
    }
    assert_int_equal(wqe.content, 7);
}

/* As when it is asked for again, from its beginning instead of what is missing. */
static void a_response_from_elsewhere_spoils_all(void **state)
{
    (void)state;
    struct qp_wqe wqe = {.remote_address = 0x1000};
    const struct frame frames[] = {response(0x1000, 7), response(0x1000, 7), response(0x1800, 7)};
    for (uint32_t i = 0; i < 3; i++)
        completer_look(&wqe, &frames[i], i * 1024);
    assert_int_equal(wqe.content, VERBS_CONTENT_MIXED);
    assert_int_equal(VERBS_CONTENT_MIXED, NVME_CONTENT_MIXED);
    struct qp_wqe empty = {.remote_address = 0x1000};
    const struct frame nothing = {.address = 0, .content = 7};
    completer_look(&empty, &nothing, 0);
    assert_int_equal(empty.content, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_response_is_of_its_place),
        cmocka_unit_test(a_response_from_elsewhere_spoils_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
