/* SPDX-License-Identifier: Apache-2.0
 * identify - byte offsets of Identify data.
 * A single list of (field, offset, bytes) is used for both directions, so that they always
 * agree. */
#include "nvme/wire/identify.h"

#include "nvme/wire/wire.h"

#include <string.h>

#define CONTROLLER_FIELDS(X)                                                                       \
    X(vendor, 0, 2)                                                                                \
    X(subsystem_vendor, 2, 2)                                                                      \
    X(ieee, 73, 3)                                                                                 \
    X(rab, 72, 1)                                                                                  \
    X(cmic, 76, 1)                                                                                 \
    X(mdts, 77, 1)                                                                                 \
    X(cntlid, 78, 2)                                                                               \
    X(version, 80, 4)                                                                              \
    X(oaes, 92, 4)                                                                                 \
    X(ctratt, 96, 4)                                                                               \
    X(type, 111, 1)                                                                                \
    X(crdt1, 128, 2)                                                                               \
    X(crdt2, 130, 2)                                                                               \
    X(crdt3, 132, 2)                                                                               \
    X(acl, 258, 1)                                                                                 \
    X(aerl, 259, 1)                                                                                \
    X(frmw, 260, 1)                                                                                \
    X(lpa, 261, 1)                                                                                 \
    X(elpe, 262, 1)                                                                                \
    X(kas, 320, 2)                                                                                 \
    X(anatt, 342, 1)                                                                               \
    X(anacap, 343, 1)                                                                              \
    X(ana_groups, 344, 4)                                                                          \
    X(sqes, 512, 1)                                                                                \
    X(cqes, 513, 1)                                                                                \
    X(max_commands, 514, 2)                                                                        \
    X(namespaces, 516, 4)                                                                          \
    X(oncs, 520, 2)                                                                                \
    X(fuses, 522, 2)                                                                               \
    X(vwc, 525, 1)                                                                                 \
    X(nwpc, 531, 1)                                                                                \
    X(acwu, 532, 2)                                                                                \
    X(sgls, 536, 4)                                                                                \
    X(ioccsz, 1792, 4)                                                                             \
    X(iorcsz, 1796, 4)                                                                             \
    X(icdoff, 1800, 2)                                                                             \
    X(msdbd, 1803, 1)                                                                              \
    X(power_max, 2048, 2)                                                                          \
    X(power_entry, 2052, 4)                                                                        \
    X(power_exit, 2056, 4)

#define NAMESPACE_FIELDS(X)                                                                        \
    X(blocks, 0, 8)                                                                                \
    X(used, 16, 8)                                                                                 \
    X(nsfeat, 24, 1)                                                                               \
    X(flbas, 26, 1)                                                                                \
    X(mc, 27, 1)                                                                                   \
    X(dpc, 28, 1)                                                                                  \
    X(dps, 29, 1)                                                                                  \
    X(nmic, 30, 1)                                                                                 \
    X(dlfeat, 33, 1)                                                                               \
    X(ana_group, 92, 4)                                                                            \
    X(metadata, 128, 2)                                                                            \
    X(block_shift, 130, 1)

enum {
    SERIAL_AT = 4,
    MODEL_AT = 24,
    FIRMWARE_AT = 64,
    NANAGRPID_AT = 348,
    MNAN_AT = 540,
    SUBNQN_AT = 768,
    NCAP_AT = 8,
};

static void put_text(unsigned char *at, size_t bytes, const char *text, char filler)
{
    memset(at, filler, bytes);
    memcpy(at, text, strnlen(text, bytes));
}

static void get_text(char *text, size_t bytes, const unsigned char *at)
{
    memcpy(text, at, bytes);
    while (bytes > 0 && (text[bytes - 1] == ' ' || text[bytes - 1] == '\0'))
        bytes--;
    text[bytes] = '\0';
}

void nvme_identify_encode_controller(const struct nvme_identify_controller *controller,
                                     unsigned char bytes[NVME_IDENTIFY_BYTES])
{
    memset(bytes, 0, NVME_IDENTIFY_BYTES);
    put_text(bytes + SERIAL_AT, NVME_SERIAL_BYTES, controller->serial,
             controller->serial_of_nuls || controller->names_of_nuls ? '\0' : ' ');
    put_text(bytes + MODEL_AT, NVME_MODEL_BYTES, controller->model,
             controller->names_of_nuls ? '\0' : ' ');
    put_text(bytes + FIRMWARE_AT, NVME_FIRMWARE_BYTES, controller->firmware, ' ');
    memcpy(bytes + SUBNQN_AT, controller->subsystem_nqn,
           strnlen(controller->subsystem_nqn, NVME_NQN_BYTES - 1));
#define X(field, at, width) wire_put(bytes + (at), width, controller->field);
    CONTROLLER_FIELDS(X)
#undef X
    wire_put32(bytes + NANAGRPID_AT, controller->ana_groups);
    wire_put32(bytes + MNAN_AT, controller->namespaces);
}

void nvme_identify_decode_controller(struct nvme_identify_controller *controller,
                                     const unsigned char bytes[NVME_IDENTIFY_BYTES])
{
    *controller = (struct nvme_identify_controller){0};
    get_text(controller->serial, NVME_SERIAL_BYTES, bytes + SERIAL_AT);
    get_text(controller->model, NVME_MODEL_BYTES, bytes + MODEL_AT);
    get_text(controller->firmware, NVME_FIRMWARE_BYTES, bytes + FIRMWARE_AT);
    memcpy(controller->subsystem_nqn, bytes + SUBNQN_AT, NVME_NQN_BYTES);
    controller->subsystem_nqn[NVME_NQN_BYTES - 1] = '\0';
#define X(field, at, width)                                                                        \
    controller->field = (__typeof__(controller->field))wire_get(bytes + (at), width);
    CONTROLLER_FIELDS(X)
#undef X
}

void nvme_identify_encode_namespace(const struct nvme_identify_namespace *ns,
                                    unsigned char bytes[NVME_IDENTIFY_BYTES])
{
    memset(bytes, 0, NVME_IDENTIFY_BYTES);
#define X(field, at, width) wire_put(bytes + (at), width, ns->field);
    NAMESPACE_FIELDS(X)
#undef X
    wire_put64(bytes + NCAP_AT, ns->blocks);
}

void nvme_identify_decode_namespace(struct nvme_identify_namespace *ns,
                                    const unsigned char bytes[NVME_IDENTIFY_BYTES])
{
#define X(field, at, width) ns->field = (__typeof__(ns->field))wire_get(bytes + (at), width);
    NAMESPACE_FIELDS(X)
#undef X
}
