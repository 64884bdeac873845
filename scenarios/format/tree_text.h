/* SPDX-License-Identifier: Apache-2.0
 * tree_text - checks that a file is text.
 * Text is UTF-8 (RFC 3629) without control characters other than tab and line ends. The check runs
 * before any parser sees the file. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_TREE_TEXT_H
#define STORMGLASS_SCENARIOS_FORMAT_TREE_TEXT_H

#include "scenarios/format/diag.h"

#include <stddef.h>

/* NULL, or a description of the fault; then line and column of `place` are advanced from their
 * initial values to the fault. */
const char *tree_text_fault(const char *text, size_t size, struct diag_place *place);

#endif
