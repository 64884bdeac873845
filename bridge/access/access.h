/* SPDX-License-Identifier: Apache-2.0
 * access - which hosts may connect to the ports of the bridge.
 *   NVMe        all hosts; with a list of allowed addresses, only these and this machine
 *   agreement   hosts that prove that they have the shared secret; without a secret, this machine
 *   raw RDMA    this machine, hosts that have agreed, and without agreement the listed addresses
 * Addresses are those reported by the RDMA connection manager or by TCP. A sender with a forged
 * address gets no answer and therefore cannot complete a connection. The secret itself is never
 * sent: both ends send tags, HMAC with SHA-256 (RFC 2104, FIPS 198-1) truncated to 16 bytes, as RFC
 * 2104 section 5 allows.
 * Units: IPv4 addresses in host byte order. Errors: false, with a sentence in `why` if the function
 * has one. */
#ifndef STORMGLASS_BRIDGE_ACCESS_ACCESS_H
#define STORMGLASS_BRIDGE_ACCESS_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ACCESS_KEY_BYTES = 32,
    ACCESS_TAG_BYTES = 16,
    ACCESS_SECRET_MIN = 16, /* bytes; shorter secrets can be guessed */
    ACCESS_SECRET_MAX = 4096,
    ACCESS_NETS_MAX = 64,
    ACCESS_OWN_MAX = 64,
    ACCESS_WHY_BYTES = 320
};

struct access_net {
    uint32_t ip, mask;
};

struct access {
    unsigned char key[ACCESS_KEY_BYTES]; /* derived from the secret */
    bool secret;                         /* a secret is set */
    struct access_net allowed[ACCESS_NETS_MAX];
    uint32_t own[ACCESS_OWN_MAX]; /* addresses of this machine other than 127.0.0.0/8 */
    uint32_t allowed_count, own_count;
};

/* Parses "A" or "A/PREFIX": an IPv4 address and its prefix length. */
bool access_read_net(const char *text, struct access_net *net);

/* A newline at the end is ignored. */
bool access_set_secret(struct access *access, const char *secret, size_t length,
                       char why[ACCESS_WHY_BYTES]);
/* The file must be readable only by its owner. */
bool access_read_secret(struct access *access, const char *path, char why[ACCESS_WHY_BYTES]);

void access_add_own(struct access *access, uint32_t ip);
void access_find_own(struct access *access); /* adds the addresses of all interfaces */

bool access_is_local(const struct access *access, uint32_t ip);
bool access_is_listed(const struct access *access, uint32_t ip);

/* ------------------------------------------------------------------ proofs */

struct access_part {
    const void *bytes;
    size_t length;
};

/* Computes a tag over the purpose and the parts. The purpose determines the lengths of the
 * parts. */
void access_tag(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                const struct access_part *parts, unsigned count,
                unsigned char tag[ACCESS_TAG_BYTES]);
/* Derives a key for one purpose in the same way. */
void access_derive(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                   const struct access_part *parts, unsigned count,
                   unsigned char derived[ACCESS_KEY_BYTES]);
/* Compares in constant time. */
bool access_same_tag(const unsigned char *a, const unsigned char *b);
/* Random bytes from the kernel; ends the process if the kernel has none. */
void access_random(void *bytes, size_t length);

#endif
