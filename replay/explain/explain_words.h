/* SPDX-License-Identifier: Apache-2.0
 * explain_words - roots of pauses as sentences.
 * After explain_finish. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_WORDS_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_WORDS_H

#include "replay/explain/explain.h"

/* "leaf0:p3" */
void explain_port_words(const struct explain_fabric *fabric, uint32_t port, char *text,
                        size_t size);

/* One sentence: who, why, how long, how far it spread. */
void explain_root_words(const struct explain *explain, uint32_t root, char *text, size_t size);

/* The statement of the cause: the first root's sentence, and the causes beside it; when the verdict
 * is unsure, it says so, and what else may be the cause. */
void explain_cause_words(const struct explain *explain, char *text, size_t size);

/* As databases and JSON have it: "slow-receiver". */
const char *explain_kind_name(unsigned kind);

/* The host whose traffic meets the root: the root itself, or the host behind the congested egress;
 * NONE when that leads to another switch. */
uint32_t explain_root_host(const struct explain *explain, uint32_t root);

#endif
