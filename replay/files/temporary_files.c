/* SPDX-License-Identifier: Apache-2.0
 * temporary_files - the list of temporary files that the signal handler walks. */
#include "replay/files/temporary_files.h"

#include "base/check.h"

#include <stddef.h>
#include <unistd.h>

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};

enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* A signal handler has no context argument, so the list is static. */
static struct temporary_file *volatile first;

/* The signal's default action follows when the handler returns. */
static void remove_all(int signal_number)
{
    for (const struct temporary_file *at = first; at != NULL; at = at->next)
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

void temporary_files_block_signals(sigset_t *former)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < DEADLY; i++)
        sigaddset(&held, deadly[i]);
    sigprocmask(SIG_BLOCK, &held, former);
}

void temporary_files_restore_signals(const sigset_t *former)
{
    sigprocmask(SIG_SETMASK, former, NULL);
}

void temporary_files_add(struct temporary_file *temporary, const char *path)
{
    sigset_t former;
    temporary_files_block_signals(&former);
    *temporary = (struct temporary_file){path, first};
    first = temporary;
    replace_handlers(SIG_DFL, remove_all);
    temporary_files_restore_signals(&former);
}

void temporary_files_remove(struct temporary_file *temporary)
{
    sigset_t former;
    temporary_files_block_signals(&former);
    struct temporary_file *before = first;
    if (before == temporary) {
        first = temporary->next;
    } else {
        while (before != NULL && before->next != temporary)
            before = before->next;
        CHECK(before != NULL);
        before->next = temporary->next;
    }
    if (first == NULL)
        replace_handlers(remove_all, SIG_DFL);
    temporary_files_restore_signals(&former);
}
