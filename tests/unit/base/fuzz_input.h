/* SPDX-License-Identifier: Apache-2.0
 * fuzz_input - what a test gives to a reader of outside bytes: its fuzz target begins there too. */
#ifndef STORMGLASS_TESTS_FUZZ_INPUT_H
#define STORMGLASS_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* True when FUZZ_INPUTS names a folder: the test is played for its inputs. */
bool fuzz_inputs_wanted(void);

/* Keeps an input of fuzz_TARGET.c in tests/fuzz as FUZZ_INPUTS/TARGET/DIGEST, where that is set; it
 * is in the form that the target reads, which its first comment says. */
void fuzz_input(const char *target, const void *bytes, size_t size);

#endif
