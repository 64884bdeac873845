/* SPDX-License-Identifier: Apache-2.0
 * shell - the commands of a shell script, a history or a terminal session as words.
 * Words are separated by blanks; quotes, backslashes, continued lines, comments and the operators
 * that end a command are those of POSIX.  Variables that an assignment of the text sets are
 * replaced by their last value, also ${NAME:-word}; all else that a shell would replace stays as
 * it is written.  "# PROGRAM" or "# sudo" at the begin of a line is a prompt of root and no
 * comment, unless the text begins with #!.
 *   Limits:  SHELL_WORDS_MAX words of a command and SHELL_VARIABLES_MAX variables, more are left
 *            out; variables do not make a word longer than SHELL_VALUE_BYTES_MAX.
 * Source: POSIX.1-2017, 2.2 to 2.6 of Shell Command Language. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_SHELL_H
#define STORMGLASS_SCENARIOS_DEVICE_SHELL_H

#include "scenarios/device/device.h"

enum { SHELL_WORDS_MAX = 128, SHELL_VARIABLES_MAX = 256, SHELL_VALUE_BYTES_MAX = 4096 };

struct shell_word {
    const char *text;
    struct diag_place place;
    const char *line; /* where it begins */
};

struct shell_variable {
    const char *name, *value;
};

struct shell {
    struct device *device;
    const char *at; /* in the current line; NULL: it is read to its end */
    struct shell_word words[SHELL_WORDS_MAX];
    size_t count;
    struct shell_variable variables[SHELL_VARIABLES_MAX];
    size_t variable_count;
    const char *program; /* a prompt may be in front of it */
    /* Whether these words of a command call the program: $(..) is then part of a word. */
    bool (*calls)(const struct shell *shell);
    bool is_script;
};

/* Reads the next command with at least one word; false after the last one. */
bool shell_next(struct shell *shell);

/* True for a word that a shell would replace: $NAME, $(..), `..` or the placeholder <..>. */
bool shell_is_open(const char *word);

#endif
