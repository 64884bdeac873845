/* SPDX-License-Identifier: Apache-2.0
 * tcp_sink - the passive end of the kind tcp-stream: reads messages and answers them.
 * Responses leave in order; what does not fit into the send buffer is owed. A connection whose
 * header is malformed is reset. */
#include "scenarios/workload/tcp/wl_tcp.h"

#include "base/memory.h"
#include "base/probe.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct tcp_sink {
    const struct env *env;
    const struct stream_ops *streams;
    struct stream_device *device;
    struct sink_stream *first;
};

struct sink_stream {
    struct tcp_sink *sink;
    struct sink_stream *next;
    struct stream_conn *conn;
    unsigned char header[WL_TCP_HEADER];
    uint32_t header_bytes; /* received of the header */
    uint32_t left;         /* bytes of the message that are still to come */
    uint32_t response;     /* bytes that answer it */
    uint64_t owed;         /* bytes of responses that are not sent yet */
    uint32_t content;      /* tag of the responses */
    bool closed;
};

void wl_tcp_encode(const struct wl_tcp_header *header, unsigned char bytes[WL_TCP_HEADER])
{
    const uint32_t words[4] = {htobe32(WL_TCP_VERSION), htobe32(header->message),
                               htobe32(header->response), 0};
    memcpy(bytes, words, sizeof words);
}

bool wl_tcp_decode(const unsigned char bytes[WL_TCP_HEADER], struct wl_tcp_header *header)
{
    uint32_t words[4];
    memcpy(words, bytes, sizeof words);
    *header = (struct wl_tcp_header){be32toh(words[1]), be32toh(words[2])};
    return be32toh(words[0]) == WL_TCP_VERSION && header->message >= WL_TCP_HEADER &&
           header->message <= WL_TCP_MESSAGE_MAX && header->response > 0 &&
           header->response <= WL_TCP_MESSAGE_MAX;
}

static void send_owed(struct sink_stream *stream)
{
    while (stream->owed > 0) {
        const struct stream_piece piece = {
            .length =
                stream->owed < WL_TCP_MESSAGE_MAX ? (uint32_t)stream->owed : WL_TCP_MESSAGE_MAX,
            .content = stream->content,
        };
        const uint32_t taken = stream->sink->streams->send(stream->conn, &piece);
        stream->owed -= taken;
        if (taken < piece.length)
            return;
    }
}

/* Reads a header. False: more of it has to come, or it is malformed. */
static bool read_header(struct sink_stream *stream)
{
    const struct stream_ops *streams = stream->sink->streams;
    struct wl_tcp_header header;
    stream->header_bytes += streams->read(stream->conn, stream->header + stream->header_bytes,
                                          WL_TCP_HEADER - stream->header_bytes);
    if (stream->header_bytes < WL_TCP_HEADER)
        return false;
    if (!wl_tcp_decode(stream->header, &header)) {
        const struct env *env = stream->sink->env;
        env->probe->note(env->probe->self, env_now(env), env->owner,
                         "tcp sink: malformed message header, connection reset");
        stream->closed = true;
        streams->reset(stream->conn);
        return false;
    }
    stream->left = header.message - WL_TCP_HEADER;
    stream->response = header.response;
    return true;
}

/* Reads as much as there is of a message. True: the message is complete. */
static bool read_message(struct sink_stream *stream)
{
    if (stream->header_bytes < WL_TCP_HEADER && !read_header(stream))
        return false;
    if (stream->left > 0)
        stream->left -=
            stream->sink->streams->read_bulk(stream->conn, stream->left, 0, &stream->content);
    return stream->left == 0;
}

static void on_readable(void *self, struct stream_conn *conn)
{
    struct sink_stream *stream = self;
    (void)conn;
    while (!stream->closed && read_message(stream)) {
        stream->header_bytes = 0;
        stream->owed += stream->response;
    }
    if (!stream->closed)
        send_owed(stream);
}

static void on_writable(void *self, struct stream_conn *conn)
{
    struct sink_stream *stream = self;
    (void)conn;
    if (!stream->closed)
        send_owed(stream);
}

static void on_closed(void *self, struct stream_conn *conn, int error)
{
    struct sink_stream *stream = self;
    (void)conn;
    (void)error;
    stream->closed = true;
}

static bool on_accept(void *self, struct stream_conn *conn, uint32_t peer_ip,
                      struct stream_user *user)
{
    struct tcp_sink *sink = self;
    struct sink_stream *stream = memory_new(sizeof *stream);
    (void)peer_ip;
    *stream = (struct sink_stream){.sink = sink, .next = sink->first, .conn = conn};
    sink->first = stream;
    *user = (struct stream_user){.self = stream,
                                 .on_readable = on_readable,
                                 .on_writable = on_writable,
                                 .on_closed = on_closed};
    return true;
}

struct tcp_sink *tcp_sink_create(const struct env *env, const struct stream_ops *streams,
                                 struct stream_device *device)
{
    struct tcp_sink *sink = memory_new(sizeof *sink);
    *sink = (struct tcp_sink){.env = env, .streams = streams, .device = device};
    const struct stream_listener listener = {.self = sink, .on_accept = on_accept};
    CHECK(streams->listen(device, WL_TCP_PORT, &listener));
    return sink;
}

/* Connections end with their TCP: at the end of a run, nothing sends an RST. */
void tcp_sink_destroy(struct tcp_sink *sink)
{
    while (sink->first != NULL) {
        struct sink_stream *stream = sink->first;
        sink->first = stream->next;
        free(stream);
    }
    free(sink);
}
