/* SPDX-License-Identifier: Apache-2.0
 * wire_words_private - shared by the files of wire_words.
 *   wire_words.c      RoCE frames, and capsules of all transports
 *   wire_words_pdu.c  PDUs of NVMe/TCP
 *   wire_words_iscsi.c  PDUs of iSCSI */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_WORDS_PRIVATE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_WORDS_PRIVATE_H

#include "reports/wire/wire_words.h"

struct words {
    char *text;
    size_t used;
};

__attribute__((format(printf, 2, 3))) void wire_say(struct words *to, const char *format, ...);

/* By its identifier, tag or key, as the map has it; NULL: none. */
struct wire_command *wire_find_command(struct wire_commands *commands, const struct wire_map *map,
                                       const struct wire_connection *connection, uint32_t name);
/* A new command of the connection, with the next number. */
struct wire_command *wire_add_command(struct wire_commands *commands,
                                      struct wire_connection *connection);
/* The command's number, or that there is none. */
void wire_say_number(const struct wire_command *command, struct words *to);
/* A submission queue entry, which becomes a command of the connection. */
void wire_say_command(struct wire_commands *commands, struct wire_connection *connection,
                      const unsigned char *bytes, struct words *to);
/* A completion queue entry. */
void wire_say_response(struct wire_commands *commands, const struct wire_connection *connection,
                       const unsigned char *bytes, struct words *to);

#endif
