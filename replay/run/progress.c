/* SPDX-License-Identifier: Apache-2.0
 * progress - the bar. */
#include "replay/run/progress.h"

#include "replay/database/words.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static const double interval_s = 0.1;

double progress_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(struct progress *progress, bool wanted)
{
    const double now = progress_clock_s();
    *progress =
        (struct progress){.on = wanted && isatty(STDERR_FILENO), .begun_s = now, .shown_s = now};
}

void progress_show(struct progress *progress, time_ps now, time_ps end)
{
    if (!progress->on)
        return;
    const double clock_s = progress_clock_s();
    if (clock_s - progress->shown_s < interval_s)
        return;
    progress->shown_s = clock_s;
    const double done = end <= 0 || now >= end ? 1.0 : (double)now / (double)end;
    const double passed_s = clock_s - progress->begun_s;
    char bar[BAR_WIDTH + 1];
    const int filled = (int)(done * BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '.', (size_t)(BAR_WIDTH - filled));
    bar[BAR_WIDTH] = '\0';
    if (now > end)
        fprintf(stderr, "\r  [%s] draining: %s after the end \033[K", bar,
                words_time(now - end).text);
    else
        fprintf(stderr, "\r  [%s] %3.0f%%  %s of %s, %.0f s left \033[K", bar, done * 100,
                words_time(now).text, words_time(end).text,
                done <= 0 ? 0.0 : passed_s / done - passed_s);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (!progress->on)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->on = false;
}
