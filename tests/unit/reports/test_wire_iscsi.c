/* SPDX-License-Identifier: Apache-2.0
 * test_wire_iscsi - PDUs of iSCSI in a TCP stream, and the words that are compared. */
#include "nvme/iscsi/bhs.h"
#include "reports/wire/wire_tcp.h"
#include "reports/wire/wire_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ALL_MAX = 1024, PDUS_MAX = 8 };

struct session {
    struct wire_stream streams[2];
    struct wire_connection connection;
    struct wire_commands commands;
    char words[PDUS_MAX][WIRE_WORDS_BYTES];
    enum wire_kind kinds[PDUS_MAX];
    unsigned count;
    uint32_t seq[2];
};

static void on_iscsi(void *self, const struct iscsi_pdu *pdu, const struct iscsi_text *text,
                     const char *fault)
{
    struct session *session = self;
    assert_true(session->count < PDUS_MAX);
    char *words = session->words[session->count];
    if (pdu == NULL)
        snprintf(words, WIRE_WORDS_BYTES, "no PDU: %s", fault);
    else
        session->kinds[session->count] =
            wire_words_iscsi(&session->connection, &session->commands, pdu, text, words);
    session->count++;
}

/* Sends the PDU with `length` bytes of data, in segments of at most `cut` bytes. */
static void say(struct session *session, bool host, const struct iscsi_pdu *pdu, const char *text,
                uint32_t cut)
{
    struct wire_stream *stream = &session->streams[host];
    const struct wire_pdu_reader reader = {NULL, on_iscsi, session};
    unsigned char bytes[ALL_MAX] = {0};
    struct iscsi_pdu mine = *pdu;
    uint32_t all = ISCSI_BHS_BYTES;
    if (text != NULL)
        while (text[mine.length] != '\0')
            mine.length++;
    iscsi_pdu_encode(&mine, bytes);
    all += stream->header_digest ? 4 : 0;
    for (uint32_t i = 0; text != NULL && i < mine.length; i++)
        bytes[all + i] = text[i] == '|' ? 0 : (unsigned char)text[i];
    all += mine.length + iscsi_pad(mine.length);
    all += stream->data_digest && mine.length > 0 ? 4 : 0;
    for (uint32_t at = 0; at < all; at += cut) {
        const uint32_t length = all - at < cut ? all - at : cut;
        const struct wire_segment segment = {
            .seq = session->seq[host], .length = length, .bytes = bytes + at, .count = length};
        wire_stream_take(stream, &segment, &reader);
        session->seq[host] += length;
    }
}

static void begin(struct session *session)
{
    *session = (struct session){.seq = {1, 1}};
    for (int host = 0; host < 2; host++)
        wire_stream_begin(&session->streams[host], 0, host != 0, true);
}

static void end(struct session *session)
{
    for (int host = 0; host < 2; host++)
        wire_stream_fini(&session->streams[host]);
    wire_commands_fini(&session->commands);
}

/* What differs between two machines stands behind the mark. */
static void assert_words(const struct session *session, unsigned at, const char *expected)
{
    char words[WIRE_WORDS_BYTES];
    snprintf(words, sizeof words, "%s", session->words[at]);
    words[strcspn(words, "~")] = '\0';
    assert_string_equal(words, expected);
}

static void login(struct session *session, uint32_t cut)
{
    say(session, true,
        &(struct iscsi_pdu){.opcode = ISCSI_LOGIN,
                            .immediate = true,
                            .flags = 0x87,
                            .lun = UINT64_C(0x00023D0000010000),
                            .itt = 7},
        "InitiatorName=iqn.a|SessionType=Normal|HeaderDigest=None|", cut);
    say(session, false,
        &(struct iscsi_pdu){.opcode = ISCSI_LOGIN_RESPONSE, .flags = 0x87, .itt = 7, .sn = 5000},
        "HeaderDigest=None|TargetAlias=LIO Target|", cut);
}

/* A write with an R2T, whatever the tags and the first StatSN are. */
static void test_words(void **state)
{
    static const uint32_t cuts[] = {1, 47, 48, 100, ALL_MAX};
    (void)state;
    for (unsigned i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        struct session session;
        begin(&session);
        login(&session, cuts[i]);
        say(&session, true,
            &(struct iscsi_pdu){.opcode = ISCSI_COMMAND,
                                .flags = 0xA1,
                                .itt = 0xABCD,
                                .tag = 8192,
                                .sn = 0,
                                .expected = 5001,
                                .cdb = {0x2A}},
            "abcde", cuts[i]);
        say(&session, false,
            &(struct iscsi_pdu){.opcode = ISCSI_R2T,
                                .flags = 0x80,
                                .itt = 0xABCD,
                                .tag = 99,
                                .sn = 5001,
                                .expected = 1,
                                .max = 63,
                                .offset = 5,
                                .count = 8187},
            NULL, cuts[i]);
        say(&session, true,
            &(struct iscsi_pdu){.opcode = ISCSI_DATA_OUT,
                                .flags = 0x80,
                                .itt = 0xABCD,
                                .tag = 99,
                                .expected = 5001,
                                .offset = 5},
            "xyz", cuts[i]);
        say(&session, false,
            &(struct iscsi_pdu){.opcode = ISCSI_RESPONSE,
                                .flags = 0x80,
                                .itt = 0xABCD,
                                .sn = 5001,
                                .expected = 1,
                                .max = 64},
            NULL, cuts[i]);
        assert_int_equal(session.count, 6);
        assert_words(&session, 0,
                     "Login-Request immediate final in operational to full versions 0 0 cid 0 "
                     "cmdsn 0 SessionType=Normal HeaderDigest=None ");
        assert_words(&session, 1,
                     "Login-Response final in operational to full versions 0 0 status 0000 "
                     "expcmdsn 0 maxcmdsn 0 HeaderDigest=None ");
        assert_words(&session, 2,
                     "SCSI-Command final #1 write attribute 1 of 8192 B with 5 B lun 0 cdb "
                     "2a000000000000000000000000000000 cmdsn 0 expstatsn 1 ");
        assert_words(&session, 3,
                     "R2T final 0 for 8187 B at 5 for #1 lun 0 statsn 1 expcmdsn 1 maxcmdsn 63 ");
        assert_words(&session, 4,
                     "Data-Out final 3 B at 5 datasn 0 for #1 of R2T 0 lun 0 expstatsn 1");
        assert_words(&session, 5,
                     "SCSI-Response final for #1 response 00 status 00 with 0 B expdatasn 0 statsn "
                     "1 expcmdsn 1 maxcmdsn 64");
        assert_int_equal(session.kinds[0], WIRE_CM);
        assert_int_equal(session.kinds[2], WIRE_REQUESTS);
        assert_int_equal(session.kinds[4], WIRE_ANSWERS);
        end(&session);
    }
}

/* Digests are skipped where the Login agreed on them. */
static void test_digests(void **state)
{
    struct session session;
    (void)state;
    begin(&session);
    login(&session, 64);
    for (int host = 0; host < 2; host++)
        session.streams[host].header_digest = session.streams[host].data_digest = true;
    for (unsigned i = 0; i < 2; i++)
        say(&session, false,
            &(struct iscsi_pdu){.opcode = ISCSI_DATA_IN,
                                .flags = 0x81,
                                .itt = 1,
                                .tag = ISCSI_TAG_NONE,
                                .sn = 5001 + i},
            "data of seventeen", 50);
    assert_int_equal(session.count, 4);
    assert_words(&session, 3,
                 "Data-In final 17 B at 0 datasn 0 for no command status 00 ttt FFFFFFFF lun 0 "
                 "statsn 2 expcmdsn 0 maxcmdsn 0");
    end(&session);
}

/* A capture must not control the terminal, and its text must not hide what follows it. */
static void test_control_characters(void **state)
{
    struct session session;
    (void)state;
    begin(&session);
    say(&session, true, &(struct iscsi_pdu){.opcode = ISCSI_LOGIN, .flags = 0x87},
        "X\033[1m=a~b\tc|HeaderDigest=None|", ALL_MAX);
    assert_words(
        &session, 0,
        "Login-Request final in operational to full versions 0 0 cid 0 cmdsn 0 X?[1m=a?b?c "
        "HeaderDigest=None ");
    end(&session);
}

static void test_fault(void **state)
{
    struct session session;
    (void)state;
    begin(&session);
    say(&session, false, &(struct iscsi_pdu){.opcode = 0x3E, .flags = 0x80}, NULL, ALL_MAX);
    assert_int_equal(session.count, 1);
    assert_string_equal(session.words[0],
                        "no PDU: opcode 3Eh (byte 0): expected a PDU of a target");
    assert_string_equal(session.streams[0].lost, "a PDU breaks the protocol");
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_fault),
    };
    return cmocka_run_group_tests_name("wire_iscsi", tests, NULL, NULL);
}
