/* SPDX-License-Identifier: Apache-2.0
 * Lists of addresses, secrets and tags. */
#include "bridge/access/access.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_nets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t in, out;
    } good[] = {
        {"10.0.0.7", 0x0A000007, 0x0A000006},    {"10.0.0.0/24", 0x0A0000FF, 0x0A000100},
        {"10.0.0.9/31", 0x0A000008, 0x0A00000A}, {"255.255.255.255/32", 0xFFFFFFFF, 0xFFFFFFFE},
        {"128.0.0.0/1", 0x80000000, 0x7FFFFFFF},
    };
    static const char *const bad[] = {"",
                                      "10.0.0",
                                      "10.0.0.256",
                                      "10.0.0.1/",
                                      "10.0.0.1/33",
                                      "10.0.0.1/-1",
                                      "10.0.0.1/1x",
                                      "10.0.0.1 ",
                                      "fe80::1",
                                      "10.0.0.1/ 8",
                                      "host1"};
    struct access_net net;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct access access = {.allowed_count = 1};
        fuzz_input("access", good[i].text, strlen(good[i].text));
        assert_true(access_read_net(good[i].text, &access.allowed[0]));
        assert_true(access_is_listed(&access, good[i].in));
        assert_false(access_is_listed(&access, good[i].out));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(access_read_net(bad[i], &net));
    assert_true(access_read_net("1.2.3.4/0", &net));
    assert_true(net.ip == 0 && net.mask == 0);
}

static void test_local(void **state)
{
    (void)state;
    struct access access = {0};
    assert_true(access_is_local(&access, 0x7F000001));
    assert_true(access_is_local(&access, 0x7F123456));
    assert_false(access_is_local(&access, 0x0A000001));
    access_add_own(&access, 0x0A000001);
    assert_true(access_is_local(&access, 0x0A000001));
    assert_false(access_is_local(&access, 0x0A000002));
    for (uint32_t ip = 0; ip < 2 * ACCESS_OWN_MAX; ip++)
        access_add_own(&access, 0x0B000000 + ip);
    assert_int_equal(access.own_count, ACCESS_OWN_MAX);
}

static bool reads(const char *content, mode_t mode, struct access *access, char *why)
{
    char path[] = "/tmp/stormglass-secret-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
    const bool read = access_read_secret(access, path, why);
    unlink(path);
    return read;
}

static void test_secrets(void **state)
{
    (void)state;
    char why[ACCESS_WHY_BYTES], much[ACCESS_SECRET_MAX + 2];
    struct access a = {0}, b = {0};
    assert_true(reads("sixteen letters!", 0600, &a, why));
    assert_true(reads("sixteen letters!\n", 0400, &b, why));
    assert_true(a.secret && b.secret);
    assert_memory_equal(a.key, b.key, ACCESS_KEY_BYTES);
    b = (struct access){0};
    assert_false(reads("sixteen letters!", 0640, &b, why));
    assert_non_null(strstr(why, "chmod 600"));
    assert_false(reads("fifteen letters\n", 0600, &b, why));
    assert_non_null(strstr(why, "has 15 B"));
    memset(much, 'x', sizeof much);
    much[ACCESS_SECRET_MAX + 1] = '\0';
    assert_false(reads(much, 0600, &b, why));
    much[ACCESS_SECRET_MAX] = '\0';
    assert_false(b.secret);
    assert_true(reads(much, 0600, &b, why));
    assert_false(access_read_secret(&b, "/nowhere/at/all", why));
    assert_false(access_read_secret(&b, "/dev/null", why));
}

/* The hash is nettle's; what is ours is what goes into it. */
static void test_tags(void **state)
{
    (void)state;
    unsigned char key[ACCESS_KEY_BYTES] = {7}, other[ACCESS_KEY_BYTES] = {8};
    unsigned char tag[ACCESS_TAG_BYTES], again[ACCESS_TAG_BYTES];
    const struct access_part whole = {"abcdef", 6};
    const struct access_part parts[] = {{"abc", 3}, {"def", 3}};
    access_tag(key, "test", &whole, 1, tag);
    access_tag(key, "test", parts, 2, again);
    assert_true(access_same_tag(tag, again));
    again[ACCESS_TAG_BYTES - 1] ^= 1;
    assert_false(access_same_tag(tag, again));
    access_tag(other, "test", &whole, 1, again);
    assert_false(access_same_tag(tag, again));
    access_tag(key, "tests", &whole, 1, again);
    assert_false(access_same_tag(tag, again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nets),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
