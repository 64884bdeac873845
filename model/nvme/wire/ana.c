/* SPDX-License-Identifier: Apache-2.0
 * ana - byte offsets of the ANA log page. */
#include "nvme/wire/ana.h"

#include "nvme/wire/wire.h"

#include <string.h>

enum { GROUPS_AT = 8, COUNT_AT = 4, CHANGES_AT = 8, STATE_AT = 16, NSID_BYTES = 4 };

const char *nvme_ana_state_word(unsigned state)
{
    switch (state) {
#define X(name, value, word)                                                                       \
    case NVME_ANA_##name:                                                                          \
        return word;
        NVME_ANA_STATES(X)
#undef X
    default:
        return NULL;
    }
}

/* nvmet_check_ana_state */
uint16_t nvme_ana_status(enum nvme_ana_state state)
{
    switch (state) {
    case NVME_ANA_INACCESSIBLE:
        return NVME_STATUS_ANA_INACCESSIBLE;
    case NVME_ANA_PERSISTENT_LOSS:
        return NVME_STATUS_ANA_PERSISTENT_LOSS;
    case NVME_ANA_CHANGE:
        return NVME_STATUS_ANA_TRANSITION;
    default:
        return NVME_STATUS_OK;
    }
}

void nvme_ana_put_header(uint64_t changes, uint16_t groups,
                         unsigned char bytes[NVME_ANA_HEADER_BYTES])
{
    memset(bytes, 0, NVME_ANA_HEADER_BYTES);
    wire_put64(bytes, changes);
    wire_put16(bytes + GROUPS_AT, groups);
}

void nvme_ana_put_group(const struct nvme_ana_group *group,
                        unsigned char bytes[NVME_ANA_GROUP_BYTES])
{
    memset(bytes, 0, NVME_ANA_GROUP_BYTES);
    wire_put32(bytes, group->id);
    wire_put32(bytes + COUNT_AT, group->namespaces);
    wire_put64(bytes + CHANGES_AT, group->changes);
    bytes[STATE_AT] = group->state;
}

bool nvme_ana_read(struct nvme_ana_page *page, const unsigned char *bytes, size_t length)
{
    if (length < NVME_ANA_HEADER_BYTES)
        return false;
    *page = (struct nvme_ana_page){
        .bytes = bytes,
        .length = length,
        .at = NVME_ANA_HEADER_BYTES,
        .groups_left = wire_get16(bytes + GROUPS_AT),
        .changes = wire_get64(bytes),
    };
    return true;
}

bool nvme_ana_next(struct nvme_ana_page *page, struct nvme_ana_group *group)
{
    const size_t left = page->length - page->at;
    if (page->groups_left == 0 || left < NVME_ANA_GROUP_BYTES)
        return false;
    const unsigned char *bytes = page->bytes + page->at;
    *group = (struct nvme_ana_group){
        .id = wire_get32(bytes),
        .namespaces = wire_get32(bytes + COUNT_AT),
        .changes = wire_get64(bytes + CHANGES_AT),
        .state = bytes[STATE_AT] & 0xF,
    };
    const uint64_t listed = (uint64_t)group->namespaces * NSID_BYTES;
    if (group->id == 0 || nvme_ana_state_word(group->state) == NULL ||
        listed > left - NVME_ANA_GROUP_BYTES)
        return false;
    page->at += NVME_ANA_GROUP_BYTES + (size_t)listed;
    page->groups_left--;
    return true;
}
