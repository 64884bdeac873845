/* SPDX-License-Identifier: Apache-2.0
 * litter - the list of temporary files that the signal handler walks. */
#include "replay/files/litter.h"

#include "base/check.h"

#include <stddef.h>
#include <unistd.h>

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};

enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* A signal handler has no context argument, so the list is static. */
static struct litter *volatile first;

/* The signal's default action follows when the handler returns. */
static void remove_all(int signal_number)
{
    for (const struct litter *at = first; at != NULL; at = at->next)
        unlink(at->path);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void replace_handlers(void (*former)(int), void (*handler)(int))
{
    const struct sigaction action = {.sa_handler = handler};
    for (int i = 0; i < DEADLY; i++) {
        struct sigaction now;
        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler == former)
            sigaction(deadly[i], &action, NULL);
    }
}

void litter_hold(sigset_t *former)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < DEADLY; i++)
        sigaddset(&held, deadly[i]);
    sigprocmask(SIG_BLOCK, &held, former);
}

void litter_let(const sigset_t *former)
{
    sigprocmask(SIG_SETMASK, former, NULL);
}

void litter_note(struct litter *litter, const char *path)
{
    sigset_t former;
    litter_hold(&former);
    *litter = (struct litter){path, first};
    first = litter;
    replace_handlers(SIG_DFL, remove_all);
    litter_let(&former);
}

void litter_forget(struct litter *litter)
{
    sigset_t former;
    litter_hold(&former);
    struct litter *before = first;
    if (before == litter) {
        first = litter->next;
    } else {
        while (before != NULL && before->next != litter)
            before = before->next;
        CHECK(before != NULL);
        before->next = litter->next;
    }
    if (first == NULL)
        replace_handlers(remove_all, SIG_DFL);
    litter_let(&former);
}
