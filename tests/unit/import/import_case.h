/* SPDX-License-Identifier: Apache-2.0
 * import_case - what an importer makes of a text, told by what a change of the text changes.
 * The answer to a text is all lines that come of it: the scenario and the notes, or the messages,
 * each with its place and width.  Files of tests/unit/import/imports say what is expected:
 *     === given      a text; a line "=== file" within begins the next of several files
 *     === gives      the whole answer to it
 *     --- FROM       a change of its last file: FROM stands there once, with \n, \t, \r and \s
 *     +++ TO         what is there instead; below it the difference of the two answers, "- LINE"
 *                    for each that goes and "+ LINE" for each that comes, or the whole answer,
 *                    where the text is refused
 * Any number of changes follow a given text, and any number of given texts each other.
 * With ACCEPT in the environment the file is written anew with the answers of today. */
#ifndef STORMGLASS_TESTS_IMPORT_CASE_H
#define STORMGLASS_TESTS_IMPORT_CASE_H

#include "scenarios/format/diag.h"

/* Files are separated by form feeds; to be freed. */
typedef char *import_answer(const char *text);

/* The lines of an import; `made` and `notes` are NULL when it failed. */
char *import_lines(const char *made, const char *notes, const struct diag *diag);

/* Copies the next file of a text; `at` moves behind it. */
char *import_file(const char **at);

void import_check(import_answer *answer, const char *file);

#endif
