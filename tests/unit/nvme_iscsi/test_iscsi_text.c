/* SPDX-License-Identifier: Apache-2.0
 * Keys of iSCSI Logins: pairs, names, and what two sides agree on. */
#include "nvme/iscsi/text.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Defaults of open-iscsi and of LIO. */
static const struct iscsi_terms open_iscsi = {.immediate_data = true,
                                              .first_burst = 262144,
                                              .max_burst = 16776192,
                                              .max_r2t = 1,
                                              .connections = 1,
                                              .recv_data = 262144},
                                lio = {.header_digest = true,
                                       .data_digest = true,
                                       .initial_r2t = true,
                                       .immediate_data = true,
                                       .first_burst = 65536,
                                       .max_burst = 262144,
                                       .max_r2t = 1,
                                       .connections = 1,
                                       .recv_data = 8192};

static const struct iscsi_stage leading_first = {.leading = true, .first = true},
                                leading = {.leading = true};

/* A text with NUL for each '|'. */
static struct iscsi_text text_of(const char *words)
{
    struct iscsi_text text = {.length = (uint32_t)strlen(words)};
    memcpy(text.bytes, words, text.length);
    for (uint32_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '|')
            text.bytes[i] = '\0';
    return text;
}

static void assert_text(const struct iscsi_text *text, const char *words)
{
    char got[ISCSI_TEXT_MAX + 1];
    memcpy(got, text->bytes, text->length);
    for (uint32_t i = 0; i < text->length; i++)
        if (got[i] == '\0')
            got[i] = '|';
    got[text->length] = '\0';
    assert_string_equal(got, words);
}

#define FIXED_1                                                                                    \
    "DefaultTime2Wait=2|DefaultTime2Retain=0|IFMarker=No|OFMarker=No|ErrorRecoveryLevel=0|"
#define FIXED_2 "MaxConnections=1|DataPDUInOrder=Yes|DataSequenceInOrder=Yes|"

/* Immediate data of min(FirstBurst, the target's MaxRecvDataSegmentLength) = 8 KiB, and R2Ts from
 * then on: InitialR2T is an OR, FirstBurst and MaxBurst are minima. */
static void open_iscsi_and_lio_agree(void **state)
{
    struct iscsi_text offer = {.length = 0}, answer = {.length = 0};
    struct iscsi_terms target, host;
    struct iscsi_fault fault;
    (void)state;
    iscsi_terms_offer(&offer, &open_iscsi, true);
    fuzz_input("iscsi_text", offer.bytes, offer.length);
    assert_text(&offer, "HeaderDigest=None|DataDigest=None|" FIXED_1
                        "InitialR2T=No|ImmediateData=Yes|MaxBurstLength=16776192|"
                        "FirstBurstLength=262144|MaxOutstandingR2T=1|" FIXED_2
                        "MaxRecvDataSegmentLength=262144|");
    assert_true(iscsi_terms_answer(&offer, &lio, leading_first, &target, &answer, &fault));
    /* As a capture of Linux 6.1 has it, which also has TargetAlias. */
    assert_text(&answer, "HeaderDigest=None|DataDigest=None|MaxConnections=1|"
                         "TargetPortalGroupTag=1|InitialR2T=Yes|ImmediateData=Yes|"
                         "MaxRecvDataSegmentLength=8192|MaxBurstLength=262144|"
                         "FirstBurstLength=65536|DefaultTime2Wait=2|DefaultTime2Retain=0|"
                         "MaxOutstandingR2T=1|ErrorRecoveryLevel=0|IFMarker=No|OFMarker=No|");
    assert_true(iscsi_terms_take(&answer, &open_iscsi, true, &host, &fault));
    const struct iscsi_terms *sides[2] = {&target, &host};
    for (unsigned i = 0; i < 2; i++) {
        assert_false(sides[i]->header_digest || sides[i]->data_digest);
        assert_true(sides[i]->initial_r2t && sides[i]->immediate_data);
        assert_int_equal(sides[i]->first_burst, 65536);
        assert_int_equal(sides[i]->max_burst, 262144);
        assert_int_equal(sides[i]->max_r2t, 1);
    }
    assert_int_equal(target.send_data, 262144);
    assert_int_equal(target.recv_data, 8192);
    assert_int_equal(host.send_data, 8192);
    assert_int_equal(host.recv_data, 262144);
}

/* Each key of RFC 7143, 13, by its rule: one side's value, the other's, the result. */
static void each_key_has_its_rule(void **state)
{
    static const struct {
        const char *offer, *answer;
        struct iscsi_terms own; /* of the target */
        size_t at;              /* of a uint32_t or bool of the result */
        uint32_t result;
        bool is_flag;
    } cases[] = {
#define FLAG(name) offsetof(struct iscsi_terms, name)
        {"InitialR2T=No|", "InitialR2T=No|", {.initial_r2t = false}, FLAG(initial_r2t), 0, true},
        {"InitialR2T=No|", "InitialR2T=Yes|", {.initial_r2t = true}, FLAG(initial_r2t), 1, true},
        /* The offer decides; LIO does not answer. */
        {"InitialR2T=Yes|", "", {0}, FLAG(initial_r2t), 1, true},
        {"ImmediateData=Yes|", "ImmediateData=No|", {0}, FLAG(immediate_data), 0, true},
        {"ImmediateData=No|", "", {.immediate_data = true}, FLAG(immediate_data), 0, true},
        {"ImmediateData=Yes|",
         "ImmediateData=Yes|",
         {.immediate_data = true},
         FLAG(immediate_data),
         1,
         true},
        {"MaxOutstandingR2T=8|", "MaxOutstandingR2T=4|", {.max_r2t = 4}, FLAG(max_r2t), 4, false},
        {"MaxConnections=8|", "MaxConnections=4|", {.connections = 4}, FLAG(connections), 4, false},
        {"MaxConnections=2|", "MaxConnections=2|", {.connections = 4}, FLAG(connections), 2, false},
        {"MaxOutstandingR2T=2|", "MaxOutstandingR2T=2|", {.max_r2t = 4}, FLAG(max_r2t), 2, false},
        {"MaxBurstLength=0x1000|",
         "MaxBurstLength=4096|",
         {.max_burst = 8192},
         FLAG(max_burst),
         4096,
         false},
        {"MaxRecvDataSegmentLength=512|",
         "MaxRecvDataSegmentLength=1024|",
         {.recv_data = 1024},
         FLAG(send_data),
         512,
         false},
        {"HeaderDigest=CRC32C,None|",
         "HeaderDigest=CRC32C|",
         {.header_digest = true},
         FLAG(header_digest),
         1,
         true},
        {"HeaderDigest=CRC32C,None|", "HeaderDigest=None|", {0}, FLAG(header_digest), 0, true},
        {"DataDigest=None|", "DataDigest=None|", {.data_digest = true}, FLAG(data_digest), 0, true},
        {"X-org.example=1|", "X-org.example=NotUnderstood|", {0}, FLAG(send_data), 8192, false},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct iscsi_text offer = text_of(cases[i].offer);
        struct iscsi_text answer = {.length = 0};
        struct iscsi_fault fault;
        struct iscsi_terms got;
        fuzz_input("iscsi_text", offer.bytes, offer.length);
        assert_true(iscsi_terms_answer(&offer, &cases[i].own, leading, &got, &answer, &fault));
        assert_text(&answer, cases[i].answer);
        const char *field = (const char *)&got + cases[i].at;
        bool flag;
        uint32_t number;
        memcpy(&flag, field, sizeof flag);
        memcpy(&number, field, sizeof number);
        assert_int_equal(cases[i].is_flag ? (uint32_t)flag : number, cases[i].result);
    }
}

static void bad_texts_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"MaxBurstLength", "Login: no key=value at byte 0 of the text"},
        {"InitialR2T=No|=x|", "Login: no key=value at byte 14 of the text"},
        {"InitialR2T=No", "Login: no key=value at byte 0 of the text"},
        {"InitialR2T=Maybe|", "InitialR2T=Maybe: expected Yes or No"},
        {"MaxBurstLength=511|", "MaxBurstLength=511: expected a number from 512 to 16777215"},
        {"MaxBurstLength=16777216|",
         "MaxBurstLength=16777216: expected a number from 512 to 16777215"},
        {"FirstBurstLength=1k|", "FirstBurstLength=1k: expected a number from 512 to 16777215"},
        {"MaxOutstandingR2T=-1|", "MaxOutstandingR2T=-1: expected a number from 1 to 65535"},
        {"MaxConnections=0|", "MaxConnections=0: expected a number from 1 to 65535"},
        {"HeaderDigest=CRC64|", "HeaderDigest=CRC64: expected CRC32C or None"},
        {"a234567890123456789012345678901234567890123456789012345678901234=1|",
         "Login: key or value at byte 0 of the text is too long"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct iscsi_text text = text_of(cases[i].text);
        struct iscsi_text answer = {.length = 0};
        struct iscsi_fault fault = {0};
        struct iscsi_terms got;
        fuzz_input("iscsi_text", text.bytes, text.length);
        assert_false(iscsi_terms_answer(&text, &lio, leading, &got, &answer, &fault));
        assert_string_equal(fault.why, cases[i].why);
        assert_int_equal(fault.reason, ISCSI_REJECT_PROTOCOL);
    }
}

/* Unknown keys make longer answers: they end before the answer overflows. */
static void answers_have_a_limit(void **state)
{
    struct iscsi_text offer = {.length = 0}, answer = {.length = 0};
    struct iscsi_fault fault = {0};
    struct iscsi_terms got;
    (void)state;
    while (offer.length + 4 <= ISCSI_TEXT_MAX) {
        memcpy(offer.bytes + offer.length, "a=1", 4);
        offer.length += 4;
    }
    assert_false(iscsi_terms_answer(&offer, &lio, leading, &got, &answer, &fault));
    assert_string_equal(fault.why, "Login: the answers do not fit into 8192 B");
}

static void a_digest_that_is_not_agreed_to_ends_the_login(void **state)
{
    struct iscsi_terms own = open_iscsi, got;
    const struct iscsi_text answer = text_of("HeaderDigest=None|DataDigest=None|");
    struct iscsi_fault fault;
    (void)state;
    own.data_digest = true;
    assert_false(iscsi_terms_take(&answer, &own, true, &got, &fault));
    assert_string_equal(fault.why, "the target does not agree to the digests (DataDigest)");
    own.data_digest = false;
    assert_true(iscsi_terms_take(&answer, &own, true, &got, &fault));
}

/* RFC 7143, 13: LO keys belong to the leading connection; the others agree on their own keys. */
static void a_further_connection_has_only_its_own_keys(void **state)
{
    static const char *const of_session[] = {
        "InitialR2T=No|",        "ImmediateData=No|",       "MaxBurstLength=512|",
        "FirstBurstLength=512|", "MaxOutstandingR2T=1|",    "MaxConnections=1|",
        "DataPDUInOrder=Yes|",   "DataSequenceInOrder=No|", "ErrorRecoveryLevel=0|",
        "DefaultTime2Wait=2|",   "DefaultTime2Retain=0|",
    };
    const struct iscsi_stage further = {.first = true};
    struct iscsi_text offer = {.length = 0}, answer = {.length = 0}, none = {.length = 0};
    struct iscsi_names names = {"iqn.host", "iqn.target", true};
    struct iscsi_terms got;
    struct iscsi_fault fault;
    (void)state;
    iscsi_names_put(&offer, &names, false);
    assert_text(&offer, "InitiatorName=iqn.host|TargetName=iqn.target|");
    offer.length = 0;
    iscsi_terms_offer(&offer, &open_iscsi, false);
    assert_text(&offer, "HeaderDigest=None|DataDigest=None|IFMarker=No|OFMarker=No|"
                        "MaxRecvDataSegmentLength=262144|");
    assert_true(iscsi_terms_answer(&offer, &lio, further, &got, &answer, &fault));
    assert_text(&answer, "HeaderDigest=None|DataDigest=None|TargetPortalGroupTag=1|"
                         "MaxRecvDataSegmentLength=8192|IFMarker=No|OFMarker=No|");
    assert_int_equal(got.send_data, 262144);
    assert_int_equal(got.first_burst, lio.first_burst);
    for (unsigned i = 0; i < sizeof of_session / sizeof of_session[0]; i++) {
        const struct iscsi_text text = text_of(of_session[i]);
        assert_false(iscsi_terms_answer(&text, &lio, further, &got, &none, &fault));
        assert_non_null(strstr(fault.why, "expected only in the Login of the leading connection"));
    }
}

static void names_are_those_of_nvme(void **state)
{
    struct iscsi_names names = {.normal = true}, back;
    struct iscsi_text text = {.length = 0};
    struct iscsi_fault fault;
    char nqn[256], name[ISCSI_NAME_BYTES];
    (void)state;
    assert_true(iscsi_name_of_nqn(names.initiator, "nqn.2014-08.org.nvmexpress:uuid:1"));
    assert_true(iscsi_name_of_nqn(names.target, "nqn.2014-08.org.nvmexpress:stormglass"));
    iscsi_names_put(&text, &names, true);
    assert_text(&text, "InitiatorName=iqn.2014-08.org.nvmexpress:uuid:1|"
                       "TargetName=iqn.2014-08.org.nvmexpress:stormglass|"
                       "SessionType=Normal|");
    assert_true(iscsi_names_take(&text, &back, &fault));
    assert_string_equal(back.initiator, names.initiator);
    assert_true(back.normal);
    assert_true(iscsi_nqn_of_name(nqn, sizeof nqn, back.target));
    assert_string_equal(nqn, "nqn.2014-08.org.nvmexpress:stormglass");
    assert_false(iscsi_name_of_nqn(name, "stormglass"));
    assert_false(iscsi_nqn_of_name(nqn, 8, back.target));
    const struct iscsi_text chap = text_of("AuthMethod=CHAP|"),
                            both = text_of("AuthMethod=CHAP,None|");
    assert_false(iscsi_names_take(&chap, &back, &fault));
    assert_string_equal(fault.why, "AuthMethod=CHAP: expected None among them");
    assert_true(iscsi_names_take(&both, &back, &fault));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_iscsi_and_lio_agree),
        cmocka_unit_test(each_key_has_its_rule),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(answers_have_a_limit),
        cmocka_unit_test(a_digest_that_is_not_agreed_to_ends_the_login),
        cmocka_unit_test(a_further_connection_has_only_its_own_keys),
        cmocka_unit_test(names_are_those_of_nvme),
    };
    return cmocka_run_group_tests_name("iscsi_text", tests, NULL, NULL);
}
