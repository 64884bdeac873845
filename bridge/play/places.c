/* SPDX-License-Identifier: Apache-2.0
 * places - lists separated by commas. */
#include "bridge/play/places.h"

#include "base/memory.h"
#include "scenarios/load/select.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct scenario *scenario;
    struct places *places;
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

static bool is_new(const struct places_nics *nics, uint32_t ip)
{
    for (uint32_t i = 0; i < nics->count; i++)
        if (nics->ip[i] == ip)
            return false;
    return true;
}

bool places_read_nics(const char *text, struct places_nics *nics)
{
    char copy[PLACES_NICS_BYTES], *rest = copy;
    *nics = (struct places_nics){0};
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

void places_write_nics(const struct places_nics *nics, char text[PLACES_NICS_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < nics->count; i++) {
        const uint32_t ip = nics->ip[i];
        used +=
            (size_t)snprintf(text + used, PLACES_NICS_BYTES - used, "%s%u.%u.%u.%u",
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
    struct places_nics nics;
    if (!places_read_nics(equals == NULL ? text : equals + 1, &nics))
        return report_error(reader, text,
                            "ADDRESS or HOST=ADDRESS with an IPv4 address, or several with '+'");
    if (equals == NULL) {
        reader->places->peer = nics;
        return true;
    }
    *equals = '\0';
    if (!select_hosts(reader, text, &hosts))
        return false;
    for (size_t i = 0; i < hosts.count; i++)
        reader->places->nics[hosts.spots[i].node] = nics;
    return true;
}

static bool read_as(const struct reader *reader, char *text)
{
    struct selection hosts;
    if (!select_hosts(reader, text, &hosts))
        return false;
    for (size_t i = 0; i < hosts.count; i++)
        reader->places->here[hosts.spots[i].node] = true;
    return true;
}

static bool read_list(const struct reader *reader, const char *list,
                      bool (*read)(const struct reader *, char *))
{
    char text[PLACES_TEXT_BYTES], *rest = text;
    if (strlen(list) >= sizeof text)
        return report_error(reader, list, "a shorter list");
    memcpy(text, list, strlen(list) + 1);
    while (rest != NULL)
        if (!read(reader, strsep(&rest, ",")))
            return false;
    return true;
}

bool places_read(const struct places_texts *texts, struct scenario *scenario, struct places *places,
                 struct diag *diag)
{
    struct reader reader = {scenario, places, diag, "--peer"};
    bool well = true;
    *places = (struct places){.nics = memory_zeroed(scenario->node_count, sizeof *places->nics)};
    for (uint32_t i = 0; well && i < texts->peer_count; i++)
        well = read_list(&reader, texts->peers[i], read_peer);
    reader.option = "--as";
    if (texts->as_count > 0)
        places->here = memory_zeroed(scenario->node_count, sizeof *places->here);
    for (uint32_t i = 0; well && i < texts->as_count; i++)
        well = read_list(&reader, texts->as[i], read_as);
    return well;
}

void places_free(struct places *places)
{
    free(places->nics);
    free(places->here);
    *places = (struct places){0};
}
