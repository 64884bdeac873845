/* SPDX-License-Identifier: Apache-2.0
 * Frames go by mail with their event and all their bytes, and leave nothing behind; as many come
 * back. */
#include "net/frame/mail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SENT = 300 };

struct reader {
    struct node node;
    struct frame_pool frames;
    uint32_t received;
    uint64_t last_order;
};

static uint32_t blob_bytes(uint32_t number)
{
    static const uint32_t bytes[] = {0, 1, 64, 65, 256, 4096};
    return bytes[number % 6];
}

static uint32_t make_frame(struct frame_pool *pool, uint32_t number)
{
    const uint32_t handle = frame_take(pool), bytes = blob_bytes(number);
    struct frame *frame = frame_at(pool, handle);
    const bool send = number % 2 == 0;
    *frame = (struct frame){
        .opcode = send ? FRAME_RC_SEND_ONLY : FRAME_RC_READ_RESPONSE_ONLY,
        .payload = (uint16_t)(send ? 4096 : bytes),
        .length = bytes,
        .psn = number,
        .blob = POOL_NONE,
    };
    if (bytes > 0)
        memset(frame_blob_take(pool, frame, bytes), (int)number, bytes);
    return handle;
}

/* Each frame is as it was made; they come in the order in which they were sent. */
static void on_mail(struct node *node, const struct event *event)
{
    struct reader *reader = (struct reader *)(void *)node;
    const uint32_t handle = (uint32_t)event->argument;
    const struct frame *frame = frame_at(&reader->frames, handle);
    const uint32_t bytes = blob_bytes(frame->psn);
    assert_int_equal(frame->psn, reader->received);
    assert_int_equal(event->at, 1000 + frame->psn);
    assert_int_equal(event->port, 7);
    assert_int_equal(frame_blob_bytes(frame), frame->blob == POOL_NONE ? 0 : bytes);
    assert_true((frame->blob == POOL_NONE) == (bytes == 0));
    for (uint32_t i = 0; i < bytes; i++)
        assert_int_equal(frame_blob(&reader->frames, frame)[i], (unsigned char)frame->psn);
    assert_true(reader->received++ == 0 || event->order == reader->last_order + 1);
    reader->last_order = event->order;
    frame_give(&reader->frames, handle);
}

static void audit(const struct node *node)
{
    (void)node;
}

static const struct node_ops reader_ops = {.name = "reader", .on_event = on_mail, .audit = audit};

static void send(struct mail *mail, struct frame_pool *from, struct node *node, uint32_t number)
{
    const struct event event = {.at = 1000 + number,
                                .order = node->next_order++,
                                .kind = 1,
                                .port = 7,
                                .argument = make_frame(from, number)};
    mail_send(mail, from, &event);
}

static void check_empty(const struct frame_pool *pool)
{
    assert_int_equal(pool->frames.taken, 0);
    for (int i = 0; i < FRAME_BLOB_SIZES; i++)
        assert_int_equal(pool->blobs[i].taken, 0);
}

/* While one side is read the other is written: what is sent then comes in the next window. */
static void two_sides_take_turns(void **state)
{
    (void)state;
    struct engine engine;
    struct reader reader = {.received = 0};
    struct node sender = {0};
    struct frame_pool from, *pools[] = {&from, &reader.frames};
    struct mail mail, back;
    uint32_t side = 0, number = 0;
    engine_init(&engine, 1);
    engine_add(&engine, &reader.node, &reader_ops, "reader");
    engine_add(&engine, &sender, &reader_ops, "sender");
    engine_start(&engine);
    frame_pool_init_several(pools, 2);
    mail_init(&mail, &side);
    mail_init(&back, &side);
    for (uint32_t window = 0; window < 3; window++) {
        const uint32_t before = number;
        assert_int_equal(mail_earliest(&mail), TIME_NEVER);
        for (uint32_t i = 0; i < SENT / 3; i++)
            send(&mail, &from, &sender, number++);
        check_empty(&from);
        assert_int_equal(mail_earliest(&mail), 1000 + before);
        side ^= 1;
        assert_int_equal(mail_earliest(&mail), TIME_NEVER);
        send(&mail, &from, &sender, number++);
        mail_receive(&mail, &back, &reader.frames, &engine);
        engine_run(&engine, 1000 + number);
        assert_int_equal(reader.received, number - 1);
        side ^= 1;
        mail_receive(&back, &mail, &from, &engine);
        mail_receive(&mail, &back, &reader.frames, &engine);
        engine_run(&engine, 1000 + number);
        assert_int_equal(reader.received, number);
        check_empty(&reader.frames);
        side ^= 1;
        mail_receive(&back, &mail, &from, &engine);
        assert_int_equal(mail.owed, 0);
        assert_int_equal(back.owed, 0);
        assert_in_range(from.frames.used, 1,
                        SENT / 3 + 1); /* those that came back were sent anew */
    }
    mail_fini(&mail);
    mail_fini(&back);
    frame_pool_fini(&from);
    frame_pool_fini(&reader.frames);
    engine_fini(&engine);
}

/* What a blob keeps of a message: all of a short one, and of a longer one what it has room for. */
static void a_blob_keeps_what_it_has_room_for(void **state)
{
    (void)state;
    struct frame_pool pool;
    frame_pool_init(&pool);
    struct frame *frame = frame_at(&pool, frame_take(&pool));
    *frame = (struct frame){.opcode = FRAME_RC_SEND_ONLY, .length = 3, .blob = POOL_NONE};
    memset(frame_blob_take(&pool, frame, 3), 7, 3);
    assert_int_equal(frame_blob_bytes(frame), 3);
    assert_int_equal(frame_blob_kept(frame), 3);
    frame->length = FRAME_BLOB_MAX;
    assert_in_range(frame_blob_kept(frame), 3, FRAME_BLOB_MAX - 1);
    frame->length = (uint16_t)frame_blob_kept(frame);
    assert_int_equal(frame_blob_kept(frame), frame->length);
    frame_blob_give(&pool, frame->blob);
    frame_pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides_take_turns),
        cmocka_unit_test(a_blob_keeps_what_it_has_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
