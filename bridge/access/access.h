/* SPDX-License-Identifier: Apache-2.0
 * access - who may connect to the ports of the bridge.
 *
 *   NVMe        everybody; with a list of allowed addresses these and this machine
 *   agreement   hosts that prove that they have the shared secret; without a secret, this machine
 *   raw RDMA    this machine, hosts that have agreed, and where no host is asked to agree those on
 *               the list
 *
 * Addresses are those that the connection manager of RDMA reports; a sender that forges its address
 * gets no answer and so completes no connection.  The secret itself is never sent: both ends send
 * tags, HMAC with SHA-256 (RFC 2104, FIPS 198-1) cut to 16 bytes, which RFC 2104
 * section 5 allows.
 * Units: IPv4 addresses in host byte order.  Errors: false, with a sentence where there is room. */
#ifndef STORMGLASS_BRIDGE_ACCESS_ACCESS_H
#define STORMGLASS_BRIDGE_ACCESS_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ACCESS_KEY_BYTES = 32,
    ACCESS_TAG_BYTES = 16,
    ACCESS_SECRET_MIN = 16, /* bytes of a secret: what fewer letters say can be guessed */
    ACCESS_SECRET_MAX = 4096,
    ACCESS_NETS_MAX = 64,
    ACCESS_OWN_MAX = 64,
    ACCESS_WHY_BYTES = 320
};

struct access_net {
    uint32_t ip, mask;
};

struct access {
    unsigned char key[ACCESS_KEY_BYTES]; /* of the secret */
    bool secret;                         /* there is one */
    struct access_net allowed[ACCESS_NETS_MAX];
    uint32_t own[ACCESS_OWN_MAX]; /* addresses of this machine beside 127.0.0.0/8 */
    uint32_t allowed_count, own_count;
};

/* "A" or "A/PREFIX", an IPv4 address and how many of its leading bits count. */
bool access_read_net(const char *text, struct access_net *net);

/* A newline at the end does not count. */
bool access_set_secret(struct access *access, const char *secret, size_t length,
                       char why[ACCESS_WHY_BYTES]);
/* The file must be readable by its owner only. */
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

/* Over the purpose and the parts, whose lengths follow from the purpose. */
void access_tag(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                const struct access_part *parts, unsigned count,
                unsigned char tag[ACCESS_TAG_BYTES]);
/* A key for one use, from the same. */
void access_derive(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                   const struct access_part *parts, unsigned count,
                   unsigned char derived[ACCESS_KEY_BYTES]);
/* Takes the same time wherever they differ. */
bool access_same_tag(const unsigned char *a, const unsigned char *b);
/* From the kernel; ends the process where it has none. */
void access_random(void *bytes, size_t length);

#endif
