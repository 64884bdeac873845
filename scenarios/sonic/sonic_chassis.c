/* SPDX-License-Identifier: Apache-2.0
 * sonic_chassis - rows of a chassis with virtual output queues: each line card has rows for the
 * queues of all cards, with keys HOST|ASIC|PORT|NUMBER. Rows of its own host and ASIC apply to its
 * own ports.
 * Source: sonic-buildimage files/build_templates/qos_config.j2 and buffers_config.j2 (voq). */
#include "scenarios/sonic/sonic_private.h"

#include <string.h>
#include <strings.h>

/* "HOST|ASIC|PORT", possibly followed by "|3". */
struct parts {
    const char *host, *asic, *rest;
    size_t host_length, asic_length;
};

/* False for keys with at most one bar, such as "Ethernet0|3". */
static bool split(const char *key, struct parts *parts)
{
    const char *first = strchr(key, '|');
    const char *second = first == NULL ? NULL : strchr(first + 1, '|');
    if (second == NULL)
        return false;
    *parts = (struct parts){.host = key,
                            .asic = first + 1,
                            .rest = second + 1,
                            .host_length = (size_t)(first - key),
                            .asic_length = (size_t)(second - first - 1)};
    return true;
}

static bool is_word(const char *text, size_t length, const char *word, size_t word_length)
{
    return length == word_length && strncasecmp(text, word, length) == 0;
}

static bool of_host(const struct sonic_switch *node, const struct parts *parts)
{
    const char *name = node->hostname;
    return is_word(parts->host, parts->host_length, name, strlen(name)) ||
           is_word(parts->host, parts->host_length, name, strcspn(name, "."));
}

const char *sonic_own_key(const struct sonic_switch *node, const char *key)
{
    struct parts parts;
    if (!split(key, &parts))
        return key;
    const bool same = node->asic == NULL ||
                      is_word(parts.asic, parts.asic_length, node->asic, strlen(node->asic));
    return same && of_host(node, &parts) ? parts.rest : NULL;
}
