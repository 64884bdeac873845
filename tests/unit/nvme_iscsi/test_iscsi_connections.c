/* SPDX-License-Identifier: Apache-2.0
 * Sessions with several connections (RFC 7143): their Login (6.3.1), the order of commands
 * (4.2.2.1), the allegiance of a command to its connection (4.2.2), and their common end at
 * ErrorRecoveryLevel 0 (7.1.5). The peer of the target is a script of PDUs. */
#include "nvme/iscsi/bhs.h"
#include "nvme/iscsi/iscsi.h"
#include "nvme/iscsi/text.h"
#include "nvme/wire/identify.h"
#include "tests/fuzz/stream_stub.h"
#include "tests/unit/workload/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SLOTS = 16, COUNT = 3, TSIH = 1, BURST = 8192 };

/* A connection, and what the target has sent on it since the last look. */
struct line {
    struct stream_conn conn; /* first member */
    unsigned char got[4096];
    uint32_t got_bytes;
};

static struct stage stage;
static struct nvme_stall stall;
static struct nvme_transport *transport;
static struct line lines[COUNT];
static struct nvme_transport_conn *queues[2];
static struct nvme_transfer transfers[2][SLOTS];
static struct nvme_command commands[2][SLOTS];
static struct nvme_buffer buffers[2][SLOTS];
static uint32_t queue_count, begun[2], failures;

static uint32_t send_bytes(struct stream_conn *conn, const struct stream_piece *piece)
{
    struct line *line = (struct line *)(void *)conn;
    assert_true(line->got_bytes + piece->length <= sizeof line->got);
    if (piece->bytes != NULL)
        memcpy(line->got + line->got_bytes, piece->bytes, piece->length);
    line->got_bytes += piece->length;
    return stream_send(conn, piece);
}

/* ---- the core ---- */

static void nothing(void *self)
{
    (void)self;
}

static void on_failed(void *self, const char *why)
{
    (void)self;
    assert_true(why[0] != '\0');
    failures++;
    for (uint32_t i = 0; i < queue_count; i++)
        transport->ops->disconnect(queues[i]);
}

static void respond(uint32_t index, uint32_t slot, bool with_data)
{
    struct nvme_response response = {.cid = commands[index][slot].cid, .result = TSIH};
    if (commands[index][slot].opcode == NVME_FABRICS &&
        nvme_capsule_fctype(&commands[index][slot]) == NVME_FCTYPE_GET)
        response.result = SLOTS - 1; /* CAP: MQES */
    assert_true(
        transport->ops->respond(queues[index], &transfers[index][slot], &response, with_data));
}

/* Commands of the Login are answered at once, I/O commands when the test says so. */
static void on_capsule(void *self, struct nvme_capsule *capsule)
{
    const uint32_t index = self == &queues[0] ? 0 : 1, slot = begun[index]++;
    struct nvme_command *command = &commands[index][slot];
    struct nvme_transfer *transfer = &transfers[index][slot];
    assert_true(slot < SLOTS);
    nvme_capsule_decode_command(command, capsule->sqe);
    *transfer =
        (struct nvme_transfer){.slot = (uint16_t)slot, .capsule = capsule, .sgl = &command->sgl};
    if (command->sgl.type == NVME_SGL_TRANSPORT && command->sgl.length > 0) {
        transfer->length = command->sgl.length;
        assert_true(transport->ops->map(transport, &buffers[index][slot], transfer->length,
                                        index == 0 ? NVME_MEMORY_BYTES : NVME_MEMORY_BULK, 0));
        transfer->data = &buffers[index][slot];
    }
    assert_true(transport->ops->reserve(queues[index], transfer));
    if (index == 0 || command->opcode == NVME_FABRICS)
        respond(index, slot, transfer->data != NULL);
    else if (command->opcode == NVME_WRITE && transfer->data != NULL)
        assert_true(transport->ops->fetch(queues[index], transfer));
}

static void on_transfer(void *self, struct nvme_transfer *transfer)
{
    (void)self, (void)transfer;
}

static void on_request(void *self, struct nvme_transport_conn *conn,
                       const struct nvme_transport_request *request)
{
    (void)self, (void)request;
    queues[queue_count] = conn;
    const struct nvme_transport_accept how = {.entries = SLOTS / 2,
                                              .max_transfer = 65536,
                                              .memory = NVME_MEMORY_BULK,
                                              .user = {.self = &queues[queue_count],
                                                       .on_established = nothing,
                                                       .on_capsule = on_capsule,
                                                       .on_fetched = on_transfer,
                                                       .on_responded = on_transfer,
                                                       .on_failed = on_failed,
                                                       .on_closed = nothing}};
    queue_count++;
    transport->ops->accept(conn, &how);
}

/* ---- the script ---- */

static void run_stage(void)
{
    for (unsigned i = 0; i < 16; i++)
        stage_run(&stage, stage.now + 1);
}

/* One PDU with zeros or text as its data. */
static void give(unsigned number, const struct iscsi_pdu *pdu, const struct iscsi_text *text)
{
    static unsigned char bytes[ISCSI_BHS_BYTES + ISCSI_TEXT_MAX + 4];
    struct stream_conn *conn = &lines[number].conn;
    struct iscsi_pdu with = *pdu;
    memset(bytes, 0, sizeof bytes);
    with.length = text != NULL ? text->length : pdu->length;
    iscsi_pdu_encode(&with, bytes);
    if (text != NULL)
        memcpy(bytes + ISCSI_BHS_BYTES, text->bytes, text->length);
    lines[number].got_bytes = 0;
    conn->bytes = bytes;
    conn->ready = ISCSI_BHS_BYTES + with.length + iscsi_pad(with.length);
    conn->left = conn->ready + 1;
    conn->user.on_readable(conn->user.self, conn);
    run_stage();
}

/* The last PDU that came back on the connection. */
static struct iscsi_pdu answer_of(unsigned number)
{
    struct iscsi_pdu pdu = {0};
    struct iscsi_fault fault;
    assert_true(lines[number].got_bytes >= ISCSI_BHS_BYTES);
    assert_true(iscsi_pdu_decode(&pdu, lines[number].got, false, ISCSI_LENGTH_MAX, &fault));
    return pdu;
}

static unsigned login(unsigned number, uint16_t cid, uint16_t tsih)
{
    static struct iscsi_text text;
    const struct iscsi_names names = {"iqn.host", "iqn.target", true};
    text.length = 0;
    iscsi_names_put(&text, &names, tsih == 0);
    if (tsih == 0)
        iscsi_text_put(&text, "MaxConnections", "%u", 2);
    lines[number] = (struct line){.got_bytes = 0};
    assert_true(streams_listener.on_accept(streams_listener.self, &lines[number].conn, IP,
                                           &lines[number].conn.user));
    give(number,
         &(struct iscsi_pdu){.opcode = ISCSI_LOGIN,
                             .immediate = true,
                             .flags = 0x87,
                             .lun = UINT64_C(0x80) << 56 | tsih,
                             .tag = (uint32_t)cid << 16,
                             .sn = 10},
         &text);
    return answer_of(number).data_sn >> 16; /* status */
}

static const struct stream_ops streams = {.name = "script",
                                          .listen = stream_listen,
                                          .unlisten = stream_unlisten,
                                          .connect = stream_connect,
                                          .send = send_bytes,
                                          .read = stream_read,
                                          .read_bulk = stream_read_bulk,
                                          .ended = stream_ended,
                                          .close = stream_close,
                                          .reset = stream_close,
                                          .destroy = stream_close,
                                          .info = stream_info,
                                          .local_ip = stream_ip};

static int open_session(void **state)
{
    static const struct iscsi_params params = {.target = {.keys = {.immediate_data = 1,
                                                                   .first_burst = BURST,
                                                                   .max_burst = BURST,
                                                                   .recv_data = BURST,
                                                                   .max_r2t = 1,
                                                                   .connections = 2},
                                                          .window = 4}};
    (void)state;
    memset(queues, 0, sizeof queues);
    memset(begun, 0, sizeof begun);
    memset(buffers, 0, sizeof buffers);
    queue_count = failures = 0;
    stage_init(&stage, 1);
    const struct iscsi_site site = {&stage.env, &streams, NULL};
    const struct nvme_transport_listener listener = {.on_request = on_request, .stall = &stall};
    transport = iscsi_create(&site, &params);
    assert_true(transport->ops->listen(transport, &listener));
    assert_int_equal(login(0, 0, 0), 0);
    assert_int_equal(queue_count, 2);
    assert_int_equal(begun[1], 1); /* its Connect */
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < queue_count; i++)
        transport->ops->close(queues[i]);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned slot = 0; slot < SLOTS; slot++)
            nvme_transport_unmap(transport, &buffers[i][slot]);
    transport->ops->destroy(transport);
    return 0;
}

/* READ(10) of one block, or WRITE(10) of BURST bytes with `immediate` bytes of them. */
static struct iscsi_pdu command_of(uint32_t sn, bool write, uint32_t immediate)
{
    struct iscsi_pdu pdu = {
        .opcode = ISCSI_COMMAND,
        .flags = (uint8_t)(ISCSI_FINAL | (write ? ISCSI_COMMAND_WRITE : ISCSI_COMMAND_READ)),
        .length = immediate,
        .itt = sn,
        .tag = write ? BURST : 512,
        .sn = sn};
    pdu.cdb[0] = write ? 0x2A : 0x28;
    pdu.cdb[8] = write ? BURST / 512 : 1;
    return pdu;
}

static void give_command(unsigned number, uint32_t sn)
{
    const struct iscsi_pdu pdu = command_of(sn, false, 0);
    give(number, &pdu, NULL);
}

/* ---- tests ---- */

static void a_login_with_a_tsih_adds_a_connection(void **state)
{
    (void)state;
    assert_int_equal(answer_of(0).lun & 0xFFFF, TSIH);
    assert_int_equal(login(1, 0, TSIH), 0x0200); /* its CID is in use */
    assert_int_equal(login(1, 1, TSIH + 1), 0x020A);
    assert_int_equal(login(1, 1, TSIH), 0);
    assert_int_equal(answer_of(1).lun, UINT64_C(0x80) << 56 | TSIH);
    assert_int_equal(answer_of(1).sn, 0);        /* StatSN is the connection's */
    assert_int_equal(answer_of(1).expected, 10); /* CmdSN is the session's */
    assert_int_equal(answer_of(1).max, 13);
    assert_int_equal(login(2, 2, TSIH), 0x0206); /* MaxConnections is 2 */
    assert_int_equal(queue_count, 2);
    assert_int_equal(failures, 0);
}

static void commands_begin_in_the_order_of_cmdsn(void **state)
{
    (void)state;
    assert_int_equal(login(1, 1, TSIH), 0);
    give_command(1, 12);
    give_command(1, 13);
    assert_int_equal(begun[1], 1);
    give_command(0, 10);
    assert_int_equal(begun[1], 2);
    give_command(0, 11);
    assert_int_equal(begun[1], 5);
    for (uint32_t i = 1; i < 5; i++)
        assert_int_equal(commands[1][i].cid, 9 + i);
    assert_int_equal(failures, 0);
}

/* 4.2.2.1: commands outside the window and repeated ones have no effect and no answer. */
static void repeated_commands_and_those_outside_the_window_are_ignored(void **state)
{
    (void)state;
    struct iscsi_pdu write = command_of(10, true, 512);
    struct iscsi_pdu data = {.opcode = ISCSI_DATA_OUT,
                             .flags = ISCSI_FINAL,
                             .length = BURST - 512,
                             .itt = 10,
                             .tag = ISCSI_TAG_NONE,
                             .offset = 512};
    const struct iscsi_pdu nop = {
        .opcode = ISCSI_NOP_OUT, .flags = ISCSI_FINAL, .itt = 7, .tag = ISCSI_TAG_NONE, .sn = 10};
    write.flags = ISCSI_COMMAND_WRITE; /* unsolicited data follows: F 0 */
    give(0, &write, NULL);
    give(0, &write, NULL); /* below ExpCmdSN, with immediate data, while the first collects */
    give(0, &data, NULL);
    assert_int_equal(begun[1], 2);
    give(0, &data, NULL); /* of the second */
    give(0, &nop, NULL);
    give_command(0, 14); /* above MaxCmdSN */
    assert_int_equal(lines[0].got_bytes, 0);
    assert_int_equal(begun[1], 2);
    respond(1, 1, false); /* what follows is not disturbed */
    give_command(0, 11);
    assert_int_equal(begun[1], 3);
    assert_int_equal(login(1, 1, TSIH), 0);
    give_command(1, 13);
    give_command(0, 13); /* within the window, and waiting for 12 */
    give_command(1, 12);
    assert_int_equal(begun[1], 5);
    assert_int_equal(commands[1][4].cid, 13);
    data.tag = 1; /* data of no R2T stays an error */
    give(0, &data, NULL);
    assert_int_equal(answer_of(0).opcode, ISCSI_REJECT);
    assert_int_equal(failures, 1);
}

/* A write whose data is still to come keeps its turn. */
static void a_command_waits_for_the_data_of_an_earlier_one(void **state)
{
    (void)state;
    assert_int_equal(login(1, 1, TSIH), 0);
    struct iscsi_pdu write = command_of(10, true, 512);
    write.flags = ISCSI_COMMAND_WRITE; /* unsolicited data follows: F 0 */
    give(0, &write, NULL);
    give_command(1, 11);
    assert_int_equal(begun[1], 1);
    give(0,
         &(struct iscsi_pdu){.opcode = ISCSI_DATA_OUT,
                             .flags = ISCSI_FINAL,
                             .length = BURST - 512,
                             .itt = 10,
                             .tag = ISCSI_TAG_NONE,
                             .offset = 512},
         NULL);
    assert_int_equal(begun[1], 3);
    assert_int_equal(commands[1][1].cid, 10);
    assert_int_equal(commands[1][2].cid, 11);
}

static void status_and_r2t_travel_with_their_command(void **state)
{
    (void)state;
    assert_int_equal(login(1, 1, TSIH), 0);
    give_command(1, 10);
    const struct iscsi_pdu write = command_of(11, true, 0);
    give(1, &write, NULL);
    assert_int_equal(answer_of(1).opcode, ISCSI_R2T);
    assert_int_equal(answer_of(1).sn, 1); /* the next StatSN of this connection */
    lines[0].got_bytes = lines[1].got_bytes = 0;
    respond(1, 1, true);
    run_stage();
    assert_int_equal(lines[0].got_bytes, 0);
    assert_int_equal(answer_of(1).opcode, ISCSI_DATA_IN);
    assert_int_equal(answer_of(1).sn, 1);
    /* Data on another connection than the command's belongs to no R2T. */
    give(0,
         &(struct iscsi_pdu){
             .opcode = ISCSI_DATA_OUT, .flags = ISCSI_FINAL, .length = BURST, .itt = 11, .tag = 2},
         NULL);
    assert_int_equal(answer_of(0).opcode, ISCSI_REJECT);
    assert_int_equal(failures, 1);
}

static void a_lost_connection_ends_the_session(void **state)
{
    (void)state;
    assert_int_equal(login(1, 1, TSIH), 0);
    lines[1].conn.user.on_closed(lines[1].conn.user.self, &lines[1].conn, 104);
    run_stage();
    assert_int_equal(failures, 1);
    assert_true(lines[0].conn.closed);
    assert_int_equal(login(2, 1, TSIH), 0x020A); /* it does not exist any more */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)
    const struct CMUnitTest tests[] = {
        TEST(a_login_with_a_tsih_adds_a_connection),
        TEST(commands_begin_in_the_order_of_cmdsn),
        TEST(repeated_commands_and_those_outside_the_window_are_ignored),
        TEST(a_command_waits_for_the_data_of_an_earlier_one),
        TEST(status_and_r2t_travel_with_their_command),
        TEST(a_lost_connection_ends_the_session),
    };
    return cmocka_run_group_tests_name("iscsi_connections", tests, NULL, NULL);
}
