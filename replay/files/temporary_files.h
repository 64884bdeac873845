/* SPDX-License-Identifier: Apache-2.0
 * temporary_files - files that must not outlive the program.
 * While such a file exists, SIGINT, SIGTERM and SIGHUP remove it before they end the program.
 * Signals that are ignored or handled by other code stay unchanged; such a handler must remove its
 * files itself.
 * Owner: temporary_files_remove, when the file is removed or has its final name. Single-threaded.
 * */
#ifndef STORMGLASS_REPLAY_FILES_TEMPORARY_FILES_H
#define STORMGLASS_REPLAY_FILES_TEMPORARY_FILES_H

#include <signal.h>

struct temporary_file {
    const char *path; /* owned by the caller */
    struct temporary_file *next;
};

/* Block and unblock these signals, so that a file created in between is registered before one
 * arrives. */
void temporary_files_block_signals(sigset_t *former);
void temporary_files_restore_signals(const sigset_t *former);

void temporary_files_add(struct temporary_file *temporary, const char *path);
void temporary_files_remove(struct temporary_file *temporary);

#endif
