/* SPDX-License-Identifier: Apache-2.0
 * stop - the only data that the signal handler touches, and its only action. */
#include "replay/run/stop.h"

#include <stddef.h>

static atomic_int asked; /* the signal, or 0; global, because a handler has no context argument */

static void handle_signal(int signal_number)
{
    asked = signal_number;
}

static void catch_signal(int signal_number, int flags, struct sigaction *former)
{
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, former);
}

void stop_catch(struct stop *former)
{
    stop_forget();
    catch_signal(SIGINT, (int)SA_RESETHAND, &former->interrupt);
    catch_signal(SIGTERM, (int)SA_RESETHAND, &former->terminate);
}

void stop_catch_interrupts(struct stop *former)
{
    stop_forget();
    catch_signal(SIGINT, SA_RESTART, &former->interrupt);
    sigaction(SIGTERM, NULL, &former->terminate);
}

void stop_release(const struct stop *former)
{
    sigaction(SIGINT, &former->interrupt, NULL);
    sigaction(SIGTERM, &former->terminate, NULL);
}

int stop_asked(void)
{
    return asked;
}

const atomic_int *stop_place(void)
{
    return &asked;
}

void stop_forget(void)
{
    asked = 0;
}
