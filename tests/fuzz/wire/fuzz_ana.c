/* SPDX-License-Identifier: Apache-2.0
 * fuzz_ana - any bytes as an ANA log page.
 * Groups are whole and inside the page, and have a state; there are no more than were counted.
 * Reads: model/nvme/wire/ana.c */
#include "base/check.h"
#include "nvme/wire/ana.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nvme_ana_page page;
    struct nvme_ana_group group;
    uint64_t seen = NVME_ANA_HEADER_BYTES;
    if (!nvme_ana_read(&page, data, size)) {
        CHECK(size < NVME_ANA_HEADER_BYTES);
        return 0;
    }
    while (nvme_ana_next(&page, &group)) {
        CHECK(nvme_ana_state_word(group.state) != NULL && group.id > 0);
        seen += NVME_ANA_GROUP_BYTES + (uint64_t)4 * group.namespaces;
        CHECK(seen <= size && page.at == seen);
    }
    return 0;
}
