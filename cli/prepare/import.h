/* SPDX-License-Identifier: Apache-2.0
 * import - the kinds of files that `import` reads, and what they share: one line each in
 * import.def.  How such a file is read is scenarios/import's. */
#ifndef STORMGLASS_CLI_PREPARE_IMPORT_H
#define STORMGLASS_CLI_PREPARE_IMPORT_H

#include "cli/cli.h"
#include "scenarios/format/diag.h"

enum { IMPORT_OPTIONS = 4 };

struct import_kind {
    const char *name;  /* the word after `import` */
    const char *about; /* its line in --help: what is read, and what it becomes */
    int (*import)(const struct cli_args *args);
    const char *options[IMPORT_OPTIONS]; /* that it heeds, then NULL */
};

#define IMPORT(stem) extern const struct import_kind import_##stem;
#include "cli/prepare/import.def"
#undef IMPORT

/* Messages and notes to standard error, and what was made to where it should be; frees diag.
 * Gives the exit code. */
int import_give(const struct cli_args *args, bool fine, const char *text, const char *notes,
                struct diag *diag);

/* False and a message when there is not one file. */
bool import_one_file(const struct cli_args *args);

#endif
