/* SPDX-License-Identifier: Apache-2.0
 * host_addresses - lists separated by commas. */
#include "bridge/run/host_addresses.h"

#include "base/memory.h"
#include "scenarios/load/select.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct scenario *scenario;
    struct host_addresses *addresses;
    struct diag *diag;
    const char *option; /* used as the file name in messages */
};

static bool read_address(const char *text, uint32_t *ip)
{
    struct in_addr address;
    if (inet_pton(AF_INET, text, &address) != 1 || address.s_addr == htonl(INADDR_ANY))
        return false;
    *ip = ntohl(address.s_addr);
    return true;
}

static bool is_new(const struct nic_addresses *nics, uint32_t ip)
{
    for (uint32_t i = 0; i < nics->count; i++)
        if (nics->ip[i] == ip)
            return false;
    return true;
}

bool nic_addresses_read(const char *text, struct nic_addresses *nics)
{
    char copy[NIC_ADDRESSES_BYTES], *rest = copy;
    *nics = (struct nic_addresses){0};
    if (strlen(text) >= sizeof copy)
        return false;
    memcpy(copy, text, strlen(text) + 1);
    while (rest != NULL) {
        uint32_t ip;
        if (nics->count == NICS_MAX || !read_address(strsep(&rest, "+"), &ip) || !is_new(nics, ip))
            return false;
        nics->ip[nics->count++] = ip;
    }
    return true;
}

void nic_addresses_write(const struct nic_addresses *nics, char text[NIC_ADDRESSES_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < nics->count; i++) {
        const uint32_t ip = nics->ip[i];
        used +=
            (size_t)snprintf(text + used, NIC_ADDRESSES_BYTES - used, "%s%u.%u.%u.%u",
                             i > 0 ? "+" : "", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
    }
}

static bool report_error(const struct reader *reader, const char *text, const char *expected)
{
    const struct diag_place place = {.file = reader->option};
    diag_add(reader->diag, DIAG_ERROR, place, NULL, "'%.64s': expected %s", text, expected);
    return false;
}

static bool select_hosts(const struct reader *reader, const char *name, struct selection *hosts)
{
    const struct tree_file file = {.name = reader->option, .text = name, .length = strlen(name)};
    const struct tree_node where = {
        .kind = TREE_SCALAR, .place = {.file = reader->option}, .file = &file, .text = name};
    *hosts = (struct selection){0};
    return select_from(reader->scenario, &where, SELECT_HOSTS, hosts, reader->diag);
}

/* Reads HOST=ADDRESS, or ADDRESS. */
static bool read_peer(const struct reader *reader, char *text)
{
    char *equals = strchr(text, '=');
    struct selection hosts;
    struct nic_addresses nics;
    if (!nic_addresses_read(equals == NULL ? text : equals + 1, &nics))
        return report_error(reader, text,
                            "ADDRESS or HOST=ADDRESS with an IPv4 address, or several with '+'");
    if (equals == NULL) {
        reader->addresses->peer = nics;
        return true;
    }
    *equals = '\0';
    if (!select_hosts(reader, text, &hosts))
        return false;
    for (size_t i = 0; i < hosts.count; i++)
        reader->addresses->nics[hosts.spots[i].node] = nics;
    return true;
}

static bool read_as(const struct reader *reader, char *text)
{
    struct selection hosts;
    if (!select_hosts(reader, text, &hosts))
        return false;
    for (size_t i = 0; i < hosts.count; i++)
        reader->addresses->here[hosts.spots[i].node] = true;
    return true;
}

static bool read_list(const struct reader *reader, const char *list,
                      bool (*read)(const struct reader *, char *))
{
    char text[HOST_ADDRESSES_TEXT_BYTES], *rest = text;
    if (strlen(list) >= sizeof text)
        return report_error(reader, list, "a shorter list");
    memcpy(text, list, strlen(list) + 1);
    while (rest != NULL)
        if (!read(reader, strsep(&rest, ",")))
            return false;
    return true;
}

bool host_addresses_read(const struct host_addresses_texts *texts, struct scenario *scenario,
                         struct host_addresses *addresses, struct diag *diag)
{
    struct reader reader = {scenario, addresses, diag, "--peer"};
    bool well = true;
    *addresses = (struct host_addresses){
        .nics = memory_zeroed(scenario->node_count, sizeof *addresses->nics)};
    for (uint32_t i = 0; well && i < texts->peer_count; i++)
        well = read_list(&reader, texts->peers[i], read_peer);
    reader.option = "--as";
    if (texts->as_count > 0)
        addresses->here = memory_zeroed(scenario->node_count, sizeof *addresses->here);
    for (uint32_t i = 0; well && i < texts->as_count; i++)
        well = read_list(&reader, texts->as[i], read_as);
    return well;
}

void host_addresses_free(struct host_addresses *addresses)
{
    free(addresses->nics);
    free(addresses->here);
    *addresses = (struct host_addresses){0};
}
