/* SPDX-License-Identifier: Apache-2.0
 * A host and the R2Ts of a controller: as many for one command as MAXR2T allows are answered in
 * their order, each with its own transfer tag; one more ends the connection with an H2CTermReq. */
#include "nvme/tcp/pdu.h"
#include "nvme/tcp/tcp.h"
#include "nvme/wire/wire.h"
#include "tests/unit/workload/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 65536, TAG = 3, ENTRIES = 8, SENT_MAX = 1 << 17 };

/* A stream that takes bytes as far as `room` goes, and keeps them. */
struct stream_conn {
    struct stream_user user;
    unsigned char in[512], sent[SENT_MAX];
    uint32_t in_bytes, in_taken, sent_bytes, room;
    bool closed;
};

static struct stream_conn stream;
static struct stage stage;
static struct nvme_transport *transport;
static struct nvme_transport_conn *conn;
static char why[256];

static struct stream_conn *do_connect(struct stream_device *device, const struct stream_peer *peer,
                                      const struct stream_user *user)
{
    (void)device, (void)peer;
    stream.user = *user;
    return &stream;
}

static uint32_t do_send(struct stream_conn *to, const struct stream_piece *piece)
{
    const uint32_t left = to->room - to->sent_bytes;
    const uint32_t taken = piece->length < left ? piece->length : left;
    if (piece->bytes != NULL)
        memcpy(to->sent + to->sent_bytes, piece->bytes, taken);
    to->sent_bytes += taken;
    return taken;
}

static uint32_t do_read(struct stream_conn *from, unsigned char *bytes, uint32_t most)
{
    const uint32_t left = from->in_bytes - from->in_taken;
    const uint32_t taken = most < left ? most : left;
    memcpy(bytes, from->in + from->in_taken, taken);
    from->in_taken += taken;
    return taken;
}

static bool has_ended(const struct stream_conn *from)
{
    (void)from;
    return false;
}

static void do_close(struct stream_conn *from)
{
    from->closed = true;
}

static void get_info(const struct stream_conn *from, struct stream_info *info)
{
    (void)from;
    *info = (struct stream_info){0};
}

static const struct stream_ops streams = {.name = "test",
                                          .connect = do_connect,
                                          .send = do_send,
                                          .read = do_read,
                                          .ended = has_ended,
                                          .close = do_close,
                                          .reset = do_close,
                                          .destroy = do_close,
                                          .info = get_info};

static void on_nothing(void *self)
{
    (void)self;
}

static void on_failed(void *self, const char *reason)
{
    (void)self;
    snprintf(why, sizeof why, "%s", reason);
}

static void deliver(const struct nvme_pdu *pdu)
{
    static const struct nvme_pdu_format plain;
    unsigned char bytes[NVME_PDU_BEFORE_MAX];
    stream.in_bytes = nvme_pdu_encode(pdu, &plain, bytes);
    stream.in_taken = 0;
    memcpy(stream.in, bytes, stream.in_bytes);
    stream.user.on_readable(stream.user.self, &stream);
}

/* A write of 64 KiB has left, its data have no room in the stream. */
static void begin(int64_t max_r2t, struct nvme_buffer *data)
{
    const struct nvme_tcp_params params = {.host = {.alignment = 4, .max_r2t = max_r2t}};
    const struct nvme_transport_connect how = {
        .ip = 1,
        .qid = 1,
        .entries = ENTRIES,
        .in_capsule = 4096,
        .user = {.on_established = on_nothing, .on_failed = on_failed, .on_closed = on_nothing}};
    struct nvme_command write = {.opcode = NVME_WRITE, .cid = TAG, .nsid = 1};
    why[0] = '\0';
    stage_init(&stage, 1);
    stream = (struct stream_conn){.room = NVME_PDU_IC_BYTES + NVME_PDU_COMMAND_BYTES};
    transport = nvme_tcp_create(&(struct nvme_tcp_site){&stage.env, &streams, NULL}, &params);
    conn = transport->ops->connect(transport, &how);
    stream.user.on_connected(stream.user.self, &stream);
    assert_int_equal(wire_get32(stream.sent + 12), max_r2t - 1); /* MAXR2T of ICReq */
    deliver(&(struct nvme_pdu){.type = NVME_PDU_ICRESP, .limit = NVME_PDU_H2C_DATA_MIN});
    assert_true(transport->ops->map(transport, data, BYTES, NVME_MEMORY_BYTES, 0));
    assert_true(transport->ops->send_command(conn, TAG, &write, data, BYTES));
    assert_int_equal(stream.sent_bytes, stream.room);
}

static void end(struct nvme_buffer *data)
{
    transport->ops->close(conn);
    nvme_transport_unmap(transport, data);
    transport->ops->destroy(transport);
}

static void request(uint32_t number, uint32_t length)
{
    deliver(&(struct nvme_pdu){.type = NVME_PDU_R2T,
                               .cid = TAG,
                               .ttag = (uint16_t)(40 + number),
                               .at = number * length,
                               .length = length});
}

/* Each R2T of 8 KiB has two H2CData of 4 KiB, whose last one says so. */
static void test_as_many_as_allowed(void **state)
{
    struct nvme_buffer data = {0};
    (void)state;
    begin(3, &data);
    for (uint32_t i = 0; i < 3; i++)
        request(i, 8192);
    assert_string_equal(why, "");
    const unsigned char *at = stream.sent + stream.sent_bytes;
    stream.room = SENT_MAX;
    stream.user.on_writable(stream.user.self, &stream);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(at[0], NVME_PDU_H2C_DATA);
        assert_int_equal(at[1] & NVME_PDU_LAST, i % 2 == 1 ? NVME_PDU_LAST : 0);
        assert_int_equal(wire_get16(at + 8), TAG);
        assert_int_equal(wire_get16(at + 10), 40 + i / 2);
        assert_int_equal(wire_get32(at + 12), i * 4096);
        assert_int_equal(wire_get32(at + 16), 4096);
        at += NVME_PDU_SHORT_BYTES + 4096;
    }
    assert_ptr_equal(at, stream.sent + stream.sent_bytes);
    for (uint32_t i = 3; i < 8; i++) /* the data of all earlier ones has left */
        request(i, 8192);
    assert_string_equal(why, "");
    end(&data);
}

static void test_one_too_many(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 3; most++) {
        struct nvme_buffer data = {0};
        begin(most, &data);
        for (uint32_t i = 0; i <= most; i++) {
            assert_string_equal(why, "");
            request(i, 4096);
        }
        assert_non_null(strstr(why, "R2T Limit Exceeded: R2T: "));
        assert_non_null(strstr(why, "whose data has not left (MAXR2T "));
        end(&data);
    }
}

/* Nothing waits in front of the H2CTermReq if no data of the last R2T is in the stream. */
static void test_the_termination(void **state)
{
    struct nvme_buffer data = {0};
    (void)state;
    begin(1, &data);
    const unsigned char *at = stream.sent + stream.sent_bytes;
    request(0, 4096);
    stream.room = stream.sent_bytes + NVME_PDU_SHORT_BYTES + 4096 - 4;
    stream.user.on_writable(stream.user.self, &stream); /* all but its last four bytes */
    request(1, 4096);
    stream.room = SENT_MAX;
    stream.user.on_writable(stream.user.self, &stream);
    at += NVME_PDU_SHORT_BYTES + 4096;
    assert_int_equal(at[0], NVME_PDU_H2C_TERM);
    assert_int_equal(wire_get16(at + 8), NVME_FES_LIMIT);
    assert_int_equal(at[NVME_PDU_SHORT_BYTES], NVME_PDU_R2T); /* the header in error */
    end(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_many_as_allowed),
        cmocka_unit_test(test_one_too_many),
        cmocka_unit_test(test_the_termination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
