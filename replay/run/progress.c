/* SPDX-License-Identifier: Apache-2.0
 * progress - a progress bar, and progress lines for a log. */
#include "replay/run/progress.h"

#include "replay/database/words.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static const double bar_interval_s = 0.1, line_interval_s = 60;

double progress_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool disabled;

void progress_disable(void)
{
    disabled = true;
}

void progress_begin(struct progress *progress, bool wanted)
{
    const double now = progress_clock_s();
    *progress = (struct progress){.on = wanted && !disabled,
                                  .bar = isatty(STDERR_FILENO) == 1,
                                  .begun_s = now,
                                  .shown_s = now};
}

bool progress_is_due(struct progress *progress)
{
    if (!progress->on)
        return false;
    const double clock_s = progress_clock_s();
    if (clock_s - progress->shown_s < (progress->bar ? bar_interval_s : line_interval_s))
        return false;
    progress->shown_s = clock_s;
    return true;
}

static void show_bar(const struct progress *progress, time_ps now, time_ps end, double done)
{
    const double passed_s = progress->shown_s - progress->begun_s;
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
}

static void show_line(const struct progress *progress, time_ps now, time_ps end, double done)
{
    const double passed_s = progress->shown_s - progress->begun_s;
    if (now > end)
        fprintf(stderr, "stormglass: %.0f s: draining, %s after the end\n", passed_s,
                words_time(now - end).text);
    else
        fprintf(stderr, "stormglass: %.0f s: simulated %s of %s (%.0f%%), about %.0f s left\n",
                passed_s, words_time(now).text, words_time(end).text, done * 100,
                done <= 0 ? 0.0 : passed_s / done - passed_s);
}

void progress_show(struct progress *progress, time_ps now, time_ps end)
{
    if (!progress_is_due(progress))
        return;
    const double done = end <= 0 || now >= end ? 1.0 : (double)now / (double)end;
    (progress->bar ? show_bar : show_line)(progress, now, end, done);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->on && progress->bar) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->on = false;
}
