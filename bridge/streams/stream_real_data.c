/* SPDX-License-Identifier: Apache-2.0
 * stream_real_data - bytes of a connection, out and in. */
#include "bridge/streams/stream_real_private.h"

#include "base/crc32c.h"
#include "base/numbers.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* ---- observers ---- */

/* By the sender, which is this side if `out`. */
static void show(const struct stream_conn *conn, bool out, const unsigned char *bytes,
                 uint32_t length)
{
    const struct stream_real_site *site = &conn->device->site;
    const int here = out ? 0 : 1;
    struct stream_real_seen seen = {.bytes = bytes, .length = length, .accepted = conn->accepted};
    if (site->on_seen == NULL)
        return;
    seen.ip[here] = site->ip;
    seen.ip[!here] = conn->peer_ip;
    seen.port[here] = conn->local_port;
    seen.port[!here] = conn->peer_port;
    seen.sent[here] = conn->sent;
    seen.sent[!here] = conn->gotten;
    site->on_seen(site->self, &seen);
}

void stream_real_show_begin(struct stream_conn *conn)
{
    show(conn, !conn->accepted, NULL, 0);
}

/* ---- out ---- */

/* Number of bytes that the kernel took. */
static uint32_t send_bytes(struct stream_conn *conn, const unsigned char *bytes, uint32_t length,
                           bool more)
{
    const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0);
    ssize_t sent;
    do {
        sent = send(conn->fd, bytes, length, flags);
        conn->device->counters.sends++;
    } while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS)
        stream_real_conn_fail(conn, errno);
    if (sent <= 0)
        return 0;
    conn->device->counters.bytes_out += (uint64_t)sent;
    show(conn, true, bytes, (uint32_t)sent);
    conn->sent += (uint64_t)sent;
    return (uint32_t)sent;
}

static uint32_t send_bulk(struct stream_conn *conn, const struct stream_piece *piece)
{
    unsigned char *chunk = conn->device->chunk;
    uint32_t done = 0;
    while (done < piece->length) {
        const uint32_t size = min_u32(piece->length - done, REAL_CHUNK_BYTES);
        content_fill_part(chunk, size, piece->content, (uint64_t)piece->offset + done);
        const uint32_t sent =
            send_bytes(conn, chunk, size, piece->more || done + size < piece->length);
        done += sent;
        if (sent < size)
            break;
    }
    return done;
}

uint32_t stream_real_send(struct stream_conn *conn, const struct stream_piece *piece)
{
    if (conn->state != STREAM_OPEN || conn->closed || conn->error != 0 || piece->length == 0)
        return 0;
    const uint32_t sent = piece->bytes != NULL
                              ? send_bytes(conn, piece->bytes, piece->length, piece->more)
                              : send_bulk(conn, piece);
    if (sent < piece->length && conn->error == 0) {
        conn->wants_room = true;
        stream_real_conn_watch(conn);
    }
    return sent;
}

/* ---- in ---- */

void stream_real_receive(struct stream_conn *conn)
{
    if (conn->first > 0)
        memmove(conn->buffer, conn->buffer + conn->first, conn->count);
    conn->first = 0;
    ssize_t got;
    do {
        got = recv(conn->fd, conn->buffer + conn->count, REAL_BUFFER_BYTES - conn->count,
                   MSG_DONTWAIT);
        conn->device->counters.receives++;
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
        show(conn, false, conn->buffer + conn->count, (uint32_t)got);
        conn->gotten += (uint64_t)got;
        conn->count += (uint32_t)got;
        conn->device->counters.bytes_in += (uint64_t)got;
    } else if (got == 0) {
        conn->peer_ended = true;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        stream_real_conn_fail(conn, errno);
    }
}

static void take_out(struct stream_conn *conn, uint32_t bytes)
{
    conn->first += bytes;
    conn->count -= bytes;
    if (conn->count == 0)
        conn->first = 0;
    if (bytes > 0 && conn->paused) {
        conn->paused = false;
        stream_real_conn_watch(conn);
    }
}

uint32_t stream_real_read(struct stream_conn *conn, unsigned char *bytes, uint32_t most)
{
    const uint32_t taken = min_u32(conn->count, most);
    memcpy(bytes, conn->buffer + conn->first, taken);
    take_out(conn, taken);
    return taken;
}

/* Whole sectors, unless the rest of the data is there, or no more will come. */
static uint32_t readable_bulk(const struct stream_conn *conn, uint32_t most, uint32_t offset)
{
    const uint32_t there = min_u32(conn->count, most);
    const uint64_t end = (uint64_t)offset + there;
    const uint64_t whole = end / CONTENT_SECTOR_BYTES * CONTENT_SECTOR_BYTES;
    if (there == most || conn->peer_ended)
        return there;
    return whole > offset ? (uint32_t)(whole - offset) : 0;
}

uint32_t stream_real_read_bulk(struct stream_conn *conn, uint32_t most, uint32_t offset,
                               uint32_t *content)
{
    const uint32_t taken = readable_bulk(conn, most, offset);
    const unsigned char *bytes = conn->buffer + conn->first;
    bool sound = true;
    if (taken == 0)
        return 0;
    *content =
        content_read_part(&conn->reader, bytes, taken, offset, conn->device->site.depth, &sound);
    conn->device->counters.unsound += !sound;
    if (conn->counts_crc)
        conn->crc = crc32c(conn->crc, bytes, taken);
    take_out(conn, taken);
    return taken;
}

/* ---- digests ---- */

uint32_t stream_real_bulk_crc(struct stream_device *device, uint32_t content, uint32_t offset,
                              uint32_t length)
{
    uint32_t crc = 0;
    for (uint32_t done = 0; done < length;) {
        const uint32_t size = min_u32(length - done, REAL_CHUNK_BYTES);
        content_fill_part(device->chunk, size, content, (uint64_t)offset + done);
        crc = crc32c(crc, device->chunk, size);
        done += size;
    }
    return crc;
}

uint32_t stream_real_read_crc(struct stream_conn *conn)
{
    const uint32_t crc = conn->crc;
    conn->counts_crc = true;
    conn->crc = 0;
    return crc;
}
