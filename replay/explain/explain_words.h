/* SPDX-License-Identifier: Apache-2.0
 * explain_words - describes roots of pauses in sentences.
 * Call after explain_finish. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_WORDS_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_WORDS_H

#include "replay/explain/explain.h"

/* "leaf0:p3" */
void explain_port_words(const struct explain_fabric *fabric, uint32_t port, char *text,
                        size_t size);

/* One sentence: device, reason, duration, spread. */
void explain_root_words(const struct explain *explain, uint32_t root, char *text, size_t size);

/* Describes the cause: the first root's sentence and the additional causes. If the verdict is
 * unsure, also states that and the alternative. */
void explain_cause_words(const struct explain *explain, char *text, size_t size);

/* Name in databases and JSON: "slow-receiver". */
const char *explain_kind_name(unsigned kind);

/* The host whose traffic meets the root: the root itself, or the host behind the congested egress;
 * NONE if that leads to another switch. */
uint32_t explain_root_host(const struct explain *explain, uint32_t root);

#endif
