/* SPDX-License-Identifier: Apache-2.0
 * piece - a piece of a scenario that an importer wrote, in a scenario of two hosts. */
#ifndef STORMGLASS_TESTS_UNIT_PIECE_H
#define STORMGLASS_TESTS_UNIT_PIECE_H

/* CHECKs that it loads. */
void piece_loads(const char *yaml);

#endif
