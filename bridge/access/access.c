/* SPDX-License-Identifier: Apache-2.0
 * access - the shared secret, and lists of addresses. */
#include "bridge/access/access.h"

#include "base/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ secret */

bool access_set_secret(struct access *access, const char *secret, size_t length,
                       char why[ACCESS_WHY_BYTES])
{
    struct sha256_ctx hash;
    while (length > 0 && (secret[length - 1] == '\n' || secret[length - 1] == '\r'))
        length--;
    if (length < ACCESS_SECRET_MIN || length > ACCESS_SECRET_MAX) {
        snprintf(why, ACCESS_WHY_BYTES, "the secret has %zu B: expected %d to %d", length,
                 ACCESS_SECRET_MIN, ACCESS_SECRET_MAX);
        return false;
    }
    sha256_init(&hash);
    sha256_update(&hash, length, (const uint8_t *)secret);
    sha256_digest(&hash, ACCESS_KEY_BYTES, access->key);
    access->secret = true;
    return true;
}

/* False: the file cannot be read, or other users can access it. */
static bool is_private(FILE *file, const char *path, char why[ACCESS_WHY_BYTES])
{
    struct stat stat;
    if (fstat(fileno(file), &stat) != 0 || !S_ISREG(stat.st_mode)) {
        snprintf(why, ACCESS_WHY_BYTES, "%.200s is not a file", path);
        return false;
    }
    if ((stat.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return true;
    snprintf(why, ACCESS_WHY_BYTES, "other users have access to %.200s: use chmod 600", path);
    return false;
}

bool access_read_secret(struct access *access, const char *path, char why[ACCESS_WHY_BYTES])
{
    char secret[ACCESS_SECRET_MAX + 3]; /* room for a newline and one excess byte */
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        snprintf(why, ACCESS_WHY_BYTES, "%.200s: %s", path, strerror(errno));
        return false;
    }
    bool read = is_private(file, path, why);
    if (read) {
        const size_t length = fread(secret, 1, sizeof secret, file);
        read = access_set_secret(access, secret, length, why);
    }
    explicit_bzero(secret, sizeof secret);
    fclose(file);
    return read;
}

/* ------------------------------------------------------------------ addresses */

bool access_read_net(const char *text, struct access_net *net)
{
    char address[INET_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    const size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
    unsigned long prefix = 32;
    struct in_addr in;
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (slash != NULL) {
        char *end;
        if (slash[1] < '0' || slash[1] > '9')
            return false;
        prefix = strtoul(slash + 1, &end, 10);
        if (*end != '\0' || prefix > 32)
            return false;
    }
    if (inet_pton(AF_INET, address, &in) != 1)
        return false;
    net->mask = prefix == 0 ? 0 : UINT32_MAX << (32 - prefix);
    net->ip = ntohl(in.s_addr) & net->mask;
    return true;
}

void access_add_own(struct access *access, uint32_t ip)
{
    if (access->own_count < ACCESS_OWN_MAX && !access_is_local(access, ip))
        access->own[access->own_count++] = ip;
}

void access_find_own(struct access *access)
{
    struct ifaddrs *list;
    if (getifaddrs(&list) != 0)
        return;
    for (const struct ifaddrs *at = list; at != NULL; at = at->ifa_next) {
        struct sockaddr_in in;
        if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET)
            continue;
        memcpy(&in, at->ifa_addr, sizeof in);
        access_add_own(access, ntohl(in.sin_addr.s_addr));
    }
    freeifaddrs(list);
}

bool access_is_local(const struct access *access, uint32_t ip)
{
    if (ip >> 24 == IN_LOOPBACKNET)
        return true;
    for (uint32_t i = 0; i < access->own_count; i++)
        if (access->own[i] == ip)
            return true;
    return false;
}

bool access_is_listed(const struct access *access, uint32_t ip)
{
    for (uint32_t i = 0; i < access->allowed_count; i++)
        if ((ip & access->allowed[i].mask) == access->allowed[i].ip)
            return true;
    return false;
}
