/* SPDX-License-Identifier: Apache-2.0
 * litter - files that must not outlive the program.
 * While such a file is there, SIGINT, SIGTERM and SIGHUP remove it before they end the program.  A
 * signal that is ignored, or that somebody else handles, stays with them: whoever handles it goes
 * on to remove his files himself.
 * Owner: litter_forget, when the file is gone or has become what it was made for.  One thread. */
#ifndef STORMGLASS_REPLAY_FILES_LITTER_H
#define STORMGLASS_REPLAY_FILES_LITTER_H

#include <signal.h>

struct litter {
    const char *path; /* the caller's */
    struct litter *next;
};

/* Between both these signals wait: what is made there is noted before they come. */
void litter_hold(sigset_t *former);
void litter_let(const sigset_t *former);

void litter_note(struct litter *litter, const char *path);
void litter_forget(struct litter *litter);

#endif
