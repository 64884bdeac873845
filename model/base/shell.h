/* SPDX-License-Identifier: Apache-2.0
 * shell - text as a word of a POSIX shell. */
#ifndef STORMGLASS_BASE_SHELL_H
#define STORMGLASS_BASE_SHELL_H

#include <stdio.h>

/* One word of a command line: in single quotes if a shell would interpret a character of it. */
void shell_print_word(FILE *out, const char *text);

/* The inside of single quotes; a character of `escaped` gets a backslash, for text that is parsed
 * once more. */
void shell_print_inside(FILE *out, const char *text, const char *escaped);

#endif
