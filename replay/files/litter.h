/* SPDX-License-Identifier: Apache-2.0
 * litter - files that must not outlive the program.
 * While such a file exists, SIGINT, SIGTERM and SIGHUP remove it before they end the program.
 * Signals that are ignored or handled by other code stay unchanged; such a handler must remove its
 * files itself.
 * Owner: litter_forget, when the file is removed or has its final name. Single-threaded. */
#ifndef STORMGLASS_REPLAY_FILES_LITTER_H
#define STORMGLASS_REPLAY_FILES_LITTER_H

#include <signal.h>

struct litter {
    const char *path; /* owned by the caller */
    struct litter *next;
};

/* Block and unblock these signals, so that a file created in between is registered before one
 * arrives. */
void litter_hold(sigset_t *former);
void litter_let(const sigset_t *former);

void litter_note(struct litter *litter, const char *path);
void litter_forget(struct litter *litter);

#endif
