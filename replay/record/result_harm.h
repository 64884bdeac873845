/* SPDX-License-Identifier: Apache-2.0
 * result_harm - harm and its causes as quantities. */
#ifndef STORMGLASS_REPLAY_RECORD_RESULT_HARM_H
#define STORMGLASS_REPLAY_RECORD_RESULT_HARM_H

#include "replay/record/result.h"

/* harm.* and causes[]: part of result_emit. */
void result_harm_emit(const struct result *result, result_emit_fn *emit, void *self);

#endif
