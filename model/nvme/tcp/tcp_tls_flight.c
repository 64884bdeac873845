/* SPDX-License-Identifier: Apache-2.0
 * tcp_tls_flight - the messages of a TLS 1.3 handshake as bytes.
 * Random values, keys and what is encrypted are zeros: the model needs their sizes only.
 * Source: RFC 8446 4.1, 4.2, B.3; identity of the key: NVMe/TCP 1.0, 3.6.1.3. */
#include "nvme/tcp/tcp_private.h"

#include "base/big_endian.h"

#include <string.h>

enum {
    FINISHED = 36 + NVME_TLS_TAG, /* SHA-256 */
    EXTENSIONS = 6 + NVME_TLS_TAG,
};

static void add_bytes(struct tls_flight *flight, const unsigned char *bytes, uint32_t length)
{
    CHECK(flight->length + length <= NVME_TLS_FLIGHT_MAX);
    memcpy(flight->bytes + flight->length, bytes, length);
    flight->length += length;
}

/* Random values, keys, and what is encrypted. */
static void add_zeros(struct tls_flight *flight, uint32_t length)
{
    CHECK(flight->length + length <= NVME_TLS_FLIGHT_MAX);
    memset(flight->bytes + flight->length, 0, length);
    flight->length += length;
}

#define ADD(flight, ...)                                                                           \
    do {                                                                                           \
        static const unsigned char added[] = {__VA_ARGS__};                                        \
        add_bytes(flight, added, sizeof added);                                                    \
    } while (0)

static void add_sealed(struct tls_flight *flight, uint32_t length)
{
    unsigned char head[] = {NVME_TLS_DATA, 3, 3, 0, 0};
    big_put(head + 3, 2, length);
    add_bytes(flight, head, sizeof head);
    add_zeros(flight, length);
}

static void add_change_cipher_spec(struct tls_flight *flight)
{
    ADD(flight, NVME_TLS_CHANGE_CIPHER_SPEC, 3, 3, 0, 1, 1);
}

/* Version, random, and a session ID of 32 bytes: middlebox compatibility, RFC 8446 D.4. */
static void begin_hello(struct tls_flight *flight, unsigned char kind)
{
    const unsigned char front[] = {NVME_TLS_HANDSHAKE, 3, 3, 0, 0, kind, 0, 0, 0, 3, 3};
    add_bytes(flight, front, sizeof front);
    add_zeros(flight, 32);
    ADD(flight, 32);
    add_zeros(flight, 32);
}

static void end_hello(struct tls_flight *flight, uint32_t extensions)
{
    big_put(flight->bytes + extensions, 2, flight->length - extensions - 2);
    big_put(flight->bytes + 3, 2, flight->length - NVME_TLS_HEAD);
    big_put(flight->bytes + 7, 2, flight->length - NVME_TLS_HEAD - 4);
}

/* NQNs of the usual length name the key. */
#define UUID_NQN     "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000000"
#define PSK_IDENTITY "NVMe0R01 " UUID_NQN " " UUID_NQN

static void add_psk(struct tls_flight *flight)
{
    static const unsigned char identity[] = PSK_IDENTITY;
    const uint32_t length = sizeof identity - 1;
    unsigned char front[] = {0, 41, 0, 0, 0, 0, 0, 0};
    big_put(front + 2, 2, length + 43);
    big_put(front + 4, 2, length + 6);
    big_put(front + 6, 2, length);
    add_bytes(flight, front, sizeof front);
    add_bytes(flight, identity, length);
    add_zeros(flight, 4); /* age of the ticket */
    ADD(flight, 0, 33, 32);
    add_zeros(flight, 32);
}

static void add_client_hello(struct tls_flight *flight)
{
    begin_hello(flight, 1);
    ADD(flight, 0, 4, 0x13, 0x01, 0x13, 0x02, 1, 0); /* AES-128-GCM, AES-256-GCM */
    const uint32_t extensions = flight->length;
    ADD(flight, 0, 0);
    ADD(flight, 0, 43, 0, 3, 2, 3, 4);              /* supported_versions */
    ADD(flight, 0, 45, 0, 2, 1, 1);                 /* psk_key_exchange_modes: psk_dhe_ke */
    ADD(flight, 0, 10, 0, 4, 0, 2, 0, 29);          /* supported_groups: x25519 */
    ADD(flight, 0, 51, 0, 38, 0, 36, 0, 29, 0, 32); /* key_share */
    add_zeros(flight, 32);
    add_psk(flight);
    end_hello(flight, extensions);
}

static void add_server_hello(struct tls_flight *flight)
{
    begin_hello(flight, 2);
    ADD(flight, 0x13, 0x01, 0);
    const uint32_t extensions = flight->length;
    ADD(flight, 0, 0);
    ADD(flight, 0, 43, 0, 2, 3, 4);
    ADD(flight, 0, 51, 0, 36, 0, 29, 0, 32);
    add_zeros(flight, 32);
    ADD(flight, 0, 41, 0, 2, 0, 0);
    end_hello(flight, extensions);
}

void nvme_tls_flight(struct tls_flight *flight, enum tls_flight_kind kind)
{
    flight->length = 0;
    if (kind == TLS_CLIENT_HELLO) {
        add_client_hello(flight);
        return;
    }
    if (kind == TLS_SERVER_ANSWER)
        add_server_hello(flight);
    add_change_cipher_spec(flight);
    if (kind == TLS_SERVER_ANSWER)
        add_sealed(flight, EXTENSIONS);
    add_sealed(flight, FINISHED);
}
