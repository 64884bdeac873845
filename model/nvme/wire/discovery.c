/* SPDX-License-Identifier: Apache-2.0
 * discovery - byte offsets of log page 70h.
 * A single list of (field, offset, bytes) is used for both directions, so that they always
 * agree. */
#include "nvme/wire/discovery.h"

#include "nvme/wire/wire.h"

#include <string.h>

#define HEADER_FIELDS(X)                                                                           \
    X(generation, 0, 8)                                                                            \
    X(records, 8, 8)

#define RECORD_FIELDS(X)                                                                           \
    X(transport, 0, 1)                                                                             \
    X(address_family, 1, 1)                                                                        \
    X(subtype, 2, 1)                                                                               \
    X(requirements, 3, 1)                                                                          \
    X(port_id, 4, 2)                                                                               \
    X(cntlid, 6, 2)                                                                                \
    X(admin_queue_size, 8, 2)                                                                      \
    X(rdma_qptype, 768, 1)                                                                         \
    X(rdma_provider, 769, 1)                                                                       \
    X(rdma_cms, 770, 1)

#define RECORD_TEXTS(X)                                                                            \
    X(service, 32, NVME_SERVICE_BYTES)                                                             \
    X(subsystem_nqn, 256, NVME_NQN_BYTES)                                                          \
    X(address, 512, NVME_ADDRESS_BYTES)

#define PUT(field, at, width)      wire_put(bytes + (at), width, from->field);
#define GET(field, at, width)      to->field = (__typeof__(to->field))wire_get(bytes + (at), width);
#define PUT_TEXT(field, at, width) memcpy(bytes + (at), from->field, strnlen(from->field, width));
#define GET_TEXT(field, at, width)                                                                 \
    memcpy(to->field, bytes + (at), width);                                                        \
    to->field[width] = '\0';

void nvme_discovery_encode_header(const struct nvme_discovery_header *from,
                                  unsigned char bytes[NVME_DISCOVERY_BYTES])
{
    memset(bytes, 0, NVME_DISCOVERY_BYTES);
    HEADER_FIELDS(PUT) /* RECFMT stays 0 */
}

void nvme_discovery_decode_header(struct nvme_discovery_header *to,
                                  const unsigned char bytes[NVME_DISCOVERY_BYTES])
{
    HEADER_FIELDS(GET)
}

void nvme_discovery_encode_record(const struct nvme_discovery_record *from,
                                  unsigned char bytes[NVME_DISCOVERY_BYTES])
{
    memset(bytes, 0, NVME_DISCOVERY_BYTES);
    RECORD_FIELDS(PUT)
    RECORD_TEXTS(PUT_TEXT)
}

void nvme_discovery_decode_record(struct nvme_discovery_record *to,
                                  const unsigned char bytes[NVME_DISCOVERY_BYTES])
{
    RECORD_FIELDS(GET)
    RECORD_TEXTS(GET_TEXT)
}
