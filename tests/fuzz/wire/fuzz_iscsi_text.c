/* SPDX-License-Identifier: Apache-2.0
 * fuzz_iscsi_text - any bytes as the text of a Login PDU, at a target and at a host.
 * What a target agrees to, a host that reads the answer agrees to as well, within both offers.
 * Reads: model/nvme/iscsi/text.c */
#include "base/check.h"
#include "nvme/iscsi/text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct iscsi_terms own = {.header_digest = true,
                                       .immediate_data = true,
                                       .first_burst = 65536,
                                       .max_burst = 262144,
                                       .max_r2t = 4,
                                       .connections = 4,
                                       .recv_data = 8192};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct iscsi_text text, answer;
    struct iscsi_terms target, host;
    struct iscsi_names names;
    struct iscsi_fault fault = {0};
    if (size > sizeof text.bytes)
        return 0;
    memcpy(text.bytes, data, size);
    text.length = (uint32_t)size;
    answer.length = 0;
    if (iscsi_names_take(&text, &names, &fault))
        CHECK(strlen(names.initiator) < ISCSI_NAME_BYTES && fault.reason == ISCSI_REJECT_NONE);
    const struct iscsi_stage further = {.first = true}, leading = {.leading = true, .first = true};
    if (iscsi_terms_answer(&text, &own, further, &target, &answer, &fault))
        CHECK(target.max_burst == own.max_burst && target.connections == own.connections);
    answer.length = 0;
    if (!iscsi_terms_answer(&text, &own, leading, &target, &answer, &fault)) {
        CHECK(fault.reason == ISCSI_REJECT_PROTOCOL && fault.why[0] != '\0');
        return 0;
    }
    CHECK(answer.length <= sizeof answer.bytes);
    CHECK(target.first_burst <= target.max_burst && target.max_burst <= own.max_burst);
    CHECK(target.max_r2t >= 1 && target.max_r2t <= own.max_r2t);
    CHECK(target.connections >= 1 && target.connections <= own.connections);
    CHECK(target.send_data >= 512 && target.send_data <= ISCSI_LENGTH_MAX);
    if (iscsi_terms_take(&answer, &target, true, &host, &fault))
        CHECK(host.first_burst == target.first_burst && host.max_burst == target.max_burst);
    return 0;
}
