/* SPDX-License-Identifier: Apache-2.0
 * import - kinds of files that `import` reads, one line each in import.def, and their common
 * functions.
 * scenarios/import reads the files. */
#ifndef STORMGLASS_CLI_PREPARE_IMPORT_H
#define STORMGLASS_CLI_PREPARE_IMPORT_H

#include "cli/cli.h"
#include "scenarios/format/diag.h"

enum { IMPORT_OPTIONS = 4 };

struct import_kind {
    const char *name;  /* the word after `import` */
    const char *about; /* shown in --help: what is read, and the result */
    int (*import)(const struct cli_args *args);
    const char *options[IMPORT_OPTIONS]; /* accepted options, terminated by NULL */
};

#define IMPORT(stem) extern const struct import_kind import_##stem;
#include "cli/prepare/import.def"
#undef IMPORT

/* Prints messages and notes to standard error, writes the result to its destination, and frees
 * diag. Returns the exit code. */
int import_give(const struct cli_args *args, bool fine, const char *text, const char *notes,
                struct diag *diag);

/* False, with a message, unless there is exactly one file. */
bool import_one_file(const struct cli_args *args);

#endif
