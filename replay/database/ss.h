/* SPDX-License-Identifier: Apache-2.0
 * ss - TCP connections as `ss -tin` prints them.
 * Source: iproute2, misc/ss.c: tcp_show_info, tcp_stats_print, sprint_bw, inet_stats_print. */
#ifndef STORMGLASS_REPLAY_DATABASE_SS_H
#define STORMGLASS_REPLAY_DATABASE_SS_H

#include "replay/database/store.h"
#include "tcp/stream.h"

#include <stdio.h>

/* " cubic wscale:7,7 rto:201 ...": what ss prints of these figures, in its order. Figures of Linux
 * that the model does not have are left out. */
void ss_print_info(const struct stream_info *info, FILE *out);

/* The connections that a port of the run had at its end, with the heading of ss. */
void ss_print_port(struct store *store, const char *port, FILE *out);

#endif
