/* SPDX-License-Identifier: Apache-2.0
 * tcp_digest - data digests. */
#include "nvme/tcp/crc32c.h"
#include "nvme/tcp/tcp_private.h"

/* Bulk data has no bytes in the model. A capture shows zeros in its place, so its digest is that of
 * zeros. */
static uint32_t digest_of_zeros(struct nvme_tcp *tcp, uint32_t length)
{
    static const unsigned char zeros[64];
    if (tcp->zeros == length)
        return tcp->zeros_digest;
    uint32_t crc = 0;
    for (uint32_t at = 0; at < length; at += sizeof zeros)
        crc = crc32c(crc, zeros, length - at < sizeof zeros ? length - at : sizeof zeros);
    tcp->zeros = length;
    return tcp->zeros_digest = crc;
}

uint32_t nvme_tcp_digest(struct nvme_tcp *tcp, const struct nvme_buffer *data, uint32_t at,
                         uint32_t length)
{
    return data != NULL && data->bytes != NULL ? crc32c(0, data->bytes + at, length)
                                               : digest_of_zeros(tcp, length);
}
