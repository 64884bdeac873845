/* SPDX-License-Identifier: Apache-2.0
 * discovery - the log page that lists where subsystems are.
 * A page has a header and records of 1024 bytes each.
 * Source: Fabrics 5.3 (log page 70h; record and header layouts, RDMA's transport-specific address
 * subtype in 7.5); include/linux/nvme.h (the subtype of the discovery subsystem itself, which
 * Fabrics 1.1 does not define). Texts end with NULs, as nvmet writes them. Errors: none; any bytes
 * decode, and an unterminated text is truncated. */
#ifndef STORMGLASS_NVME_WIRE_DISCOVERY_H
#define STORMGLASS_NVME_WIRE_DISCOVERY_H

#include "nvme/wire/spec.h"

#include <stdint.h>

#define NVME_DISCOVERY_NQN "nqn.2014-08.org.nvmexpress.discovery"

enum {
    NVME_DISCOVERY_BYTES = 1024, /* of the header and of each record */
    NVME_SERVICE_BYTES = 32,
    NVME_ADDRESS_BYTES = 256,
};

enum nvme_discovery_value {
    NVME_TRANSPORT_NONE = 0, /* reserved; of a transport that carries no NVMe */
    NVME_TRANSPORT_RDMA = 1,
    NVME_TRANSPORT_FC = 2,
    NVME_TRANSPORT_TCP = 3,
    NVME_ADDRESS_IPV4 = 1,
    NVME_SUBTYPE_REFERRAL = 1,
    NVME_SUBTYPE_NVM = 2,
    NVME_SUBTYPE_CURRENT = 3, /* the discovery subsystem that returns the record */
    NVME_SECURE_NOT_REQUIRED = 2,
    NVME_RDMA_CONNECTED = 1,
    NVME_RDMA_NO_PROVIDER = 1, /* RoCE, InfiniBand or iWARP: not specified */
    NVME_RDMA_CM = 1,
};

struct nvme_discovery_record {
    uint8_t transport, address_family, subtype, requirements;
    uint16_t port_id, cntlid;
    uint16_t admin_queue_size; /* maximum number of entries */
    char service[NVME_SERVICE_BYTES + 1];
    char subsystem_nqn[NVME_NQN_BYTES + 1];
    char address[NVME_ADDRESS_BYTES + 1];
    uint8_t rdma_qptype, rdma_provider, rdma_cms;
};

struct nvme_discovery_header {
    uint64_t generation; /* changes when the records change */
    uint64_t records;
};

void nvme_discovery_encode_header(const struct nvme_discovery_header *from,
                                  unsigned char bytes[NVME_DISCOVERY_BYTES]);
void nvme_discovery_decode_header(struct nvme_discovery_header *to,
                                  const unsigned char bytes[NVME_DISCOVERY_BYTES]);
void nvme_discovery_encode_record(const struct nvme_discovery_record *from,
                                  unsigned char bytes[NVME_DISCOVERY_BYTES]);
void nvme_discovery_decode_record(struct nvme_discovery_record *to,
                                  const unsigned char bytes[NVME_DISCOVERY_BYTES]);

#endif
