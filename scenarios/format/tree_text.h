/* SPDX-License-Identifier: Apache-2.0
 * tree_text - is it a text at all?
 * UTF-8 (RFC 3629) without control characters other than tab and line ends, found before a parser
 * sees it. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_TREE_TEXT_H
#define STORMGLASS_SCENARIOS_FORMAT_TREE_TEXT_H

#include "scenarios/format/diag.h"

#include <stddef.h>

/* NULL, or what is wrong; then line and column of `place` say where, counted on from what they
 * hold. */
const char *tree_text_fault(const char *text, size_t size, struct diag_place *place);

#endif
