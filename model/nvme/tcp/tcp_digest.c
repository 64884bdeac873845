/* SPDX-License-Identifier: Apache-2.0
 * tcp_digest - data digests.
 * Real streams compute the digests of bulk data, whose bytes exist only while they travel. */
#include "base/crc32c.h"
#include "nvme/tcp/tcp_private.h"

/* Bulk data has no bytes on the simulated TCP. A capture shows zeros in its place, so its digest is
 * the digest of zeros. */
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

static bool has_bytes(const struct nvme_buffer *data)
{
    return data != NULL && data->bytes != NULL;
}

uint32_t nvme_tcp_digest(struct nvme_tcp *tcp, const struct nvme_buffer *data, uint32_t at,
                         uint32_t length)
{
    const struct nvme_tcp_site *site = &tcp->site;
    if (has_bytes(data))
        return crc32c(0, data->bytes + at, length);
    return data != NULL && site->streams->bulk_crc != NULL
               ? site->streams->bulk_crc(site->device, data->content, at, length)
               : digest_of_zeros(tcp, length);
}

uint32_t nvme_tcp_digest_read(struct nvme_transport_conn *conn)
{
    const struct tcp_arriving *from = &conn->arriving;
    const struct stream_ops *streams = conn->tcp->site.streams;
    return has_bytes(from->data) || streams->read_crc == NULL
               ? nvme_tcp_digest(conn->tcp, from->data, from->at, from->pdu.length)
               : streams->read_crc(conn->stream);
}
