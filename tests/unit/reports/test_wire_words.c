/* SPDX-License-Identifier: Apache-2.0
 * test_wire_words - messages of the connection manager, each with and without NVMe. */
#include "reports/wire/wire_words_private.h"

#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A frame of which nothing is worth a word. */
static const struct wire_frame plain = {.pkey = 0xFFFF};

static void assert_words(struct wire_connection *connection, enum wire_side from,
                         const struct wire_frame *frame, const struct cm_mad *mad,
                         const char *wanted)
{
    char words[WIRE_WORDS_BYTES];
    wire_words_cm(connection, from, frame, mad, words);
    assert_string_equal(words, wanted);
    assert_int_equal(wire_words_end(words), mad->attribute == CM_DREQ || mad->attribute == CM_DREP);
}

static void messages_of_the_connection_manager(void **state)
{
    (void)state;
    for (int nvme = 0; nvme < 2; nvme++) {
        struct wire_connection connection = {.nvme = nvme == 1, .qpn = {11, 22}};
        struct cm_mad mad = {.attribute = CM_REJ, .reason = 28, .message_rejected = 1};
        wire_put16(mad.private_data + 2, 6);
        assert_words(&connection, WIRE_TARGET, &plain, &mad,
                     nvme == 1 ? "REJ reason 28 of 1 status 6" : "REJ reason 28 of 1");
        assert_false(connection.ended);
        mad = (struct cm_mad){.attribute = CM_RTU};
        assert_words(&connection, WIRE_HOST, &plain, &mad, "RTU");
        assert_false(connection.ended);
        mad = (struct cm_mad){.attribute = CM_DREP};
        assert_words(&connection, WIRE_TARGET, &plain, &mad, "DREP");
        assert_true(connection.ended);
        connection.ended = false;
        mad = (struct cm_mad){.attribute = CM_DREQ, .remote_qpn = 22};
        assert_words(&connection, WIRE_HOST, &plain, &mad, "DREQ");
        assert_true(connection.ended);
        mad.remote_qpn = 11;
        assert_words(&connection, WIRE_TARGET, &plain, &mad, "DREQ");
        assert_words(&connection, WIRE_HOST, &plain, &mad, "DREQ of another queue pair");
    }
}

/* Both begin PSNs: of the requests to the sender, and of the sender's answers. */
static void requests_and_replies_give_psns(void **state)
{
    (void)state;
    struct wire_connection connection = {.port = 4420};
    struct cm_mad mad = {.attribute = CM_REQ,
                         .starting_psn = 100,
                         .mtu = 3,
                         .retry_count = 7,
                         .rnr_retry = 6,
                         .ack_timeout = 14,
                         .responder_resources = 5,
                         .initiator_depth = 4,
                         .traffic_class = 3,
                         .service_level = 2,
                         .packet_rate = 9,
                         .hop_limit = 64,
                         .response_timeout = 20,
                         .peer_response_timeout = 21,
                         .max_retries = 15,
                         .p_key = 0xFFFF,
                         .flow_control = true,
                         .flow_label = 0x12};
    assert_words(
        &connection, WIRE_HOST, &plain, &mad,
        "REQ mtu 1024 retries 7 rnr-retries 6 timeout 14 reads 5 of 4 class 3 sl 2 rate 9 hops 64 "
        "delays 20 21 cm-retries 15 p_key ffff flow-control 1 flow-label 00012");
    assert_int_equal(connection.psn[WIRE_TARGET][WIRE_REQUESTS], 99);
    assert_int_equal(connection.psn[WIRE_HOST][WIRE_ANSWERS], 99);
    for (uint8_t mtu = 0; mtu < 8; mtu++) {
        char words[WIRE_WORDS_BYTES], wanted[32];
        mad.mtu = mtu;
        wire_words_cm(&connection, WIRE_HOST, &plain, &mad, words);
        snprintf(wanted, sizeof wanted, "REQ mtu %d ", mtu == 0 || mtu > 5 ? 0 : 128 << mtu);
        assert_memory_equal(words, wanted, strlen(wanted));
    }
    mad = (struct cm_mad){.attribute = CM_REP,
                          .starting_psn = 200,
                          .rnr_retry = 5,
                          .responder_resources = 3,
                          .initiator_depth = 2,
                          .ack_delay = 1};
    assert_words(&connection, WIRE_TARGET, &plain, &mad,
                 "REP rnr-retries 5 reads 3 of 2 ack-delay 1 flow-control 0");
    assert_int_equal(connection.psn[WIRE_HOST][WIRE_REQUESTS], 199);
    assert_int_equal(connection.psn[WIRE_TARGET][WIRE_ANSWERS], 199);
    connection.nvme = true;
    wire_put16(mad.private_data, 1);
    wire_put16(mad.private_data + 2, 128);
    assert_words(&connection, WIRE_TARGET, &plain, &mad,
                 "REP rnr-retries 5 reads 3 of 2 ack-delay 1 flow-control 0 format 1 crqsize 128");
}

static void unusual_headers_are_named(void **state)
{
    (void)state;
    struct wire_connection connection = {.index = 0};
    const struct cm_mad mad = {.attribute = CM_RTU};
    static const struct {
        struct wire_frame frame;
        const char *words;
    } rows[] = {
        {{.pkey = 0xFFFF, .tos = 1}, "RTU ect1"},
        {{.pkey = 0xFFFF, .tos = 2}, "RTU ect0"},
        {{.pkey = 0xFFFF, .tos = 3}, "RTU ce"},
        {{.pkey = 0xFFFF, .tos = 4}, "RTU dscp 1"},
        {{.pkey = 0xFFFF, .tos = 26 << 2 | 2}, "RTU dscp 26 ect0"},
        {{.pkey = 0xFFFF, .fecn = true}, "RTU fecn"},
        {{.pkey = 0xFFFF, .flags = WIRE_BECN}, "RTU becn"},
        {{.pkey = 0xFFFF, .migreq = true}, "RTU migreq"},
        {{.pkey = 0x7FFF}, "RTU p_key 7fff"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_words(&connection, WIRE_HOST, &rows[i].frame, &mad, rows[i].words);
}

/* What does not fit is cut off. */
static void words_end_with_their_room(void **state)
{
    (void)state;
    static char text[WIRE_WORDS_BYTES + 64];
    memset(text, 'g', sizeof text);
    struct words to = {.text = text};
    for (size_t i = 0; i < WIRE_WORDS_BYTES; i += 7)
        wire_say(&to, "%s", "1234567");
    wire_say(&to, "more");
    assert_int_equal(strlen(text), WIRE_WORDS_BYTES - 1);
    assert_int_equal(to.used, WIRE_WORDS_BYTES - 1);
    for (size_t i = WIRE_WORDS_BYTES; i < sizeof text; i++)
        assert_int_equal(text[i], 'g');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_the_connection_manager),
        cmocka_unit_test(requests_and_replies_give_psns),
        cmocka_unit_test(unusual_headers_are_named),
        cmocka_unit_test(words_end_with_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
