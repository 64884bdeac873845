/* SPDX-License-Identifier: Apache-2.0
 * plain - operations of transports whose memory needs no registration and whose connections have no
 * numbers: TCP, iSCSI, Fibre Channel. Their names are those of nvme_transport_ops. */
#ifndef STORMGLASS_NVME_TRANSPORT_PLAIN_H
#define STORMGLASS_NVME_TRANSPORT_PLAIN_H

#include "nvme/transport/transport.h"

/* Allocates a buffer and counts it in *mapped. False: no memory. */
bool nvme_plain_map(struct nvme_buffer *buffer, uint32_t length, enum nvme_memory memory,
                    uint32_t *mapped);
void nvme_plain_unmap(struct nvme_buffer *buffer, uint32_t *mapped);

/* fill, look: the tag is all the content there is, and it travels with the data. */
void nvme_plain_keep(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length);

/* judge_sgl: data is described without a key. */
uint16_t nvme_plain_judge_sgl(const struct nvme_sgl *sgl);

/* number: none. */
uint32_t nvme_plain_number(const struct nvme_transport_conn *conn);

#endif
