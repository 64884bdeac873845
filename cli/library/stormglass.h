/* SPDX-License-Identifier: Apache-2.0
 * stormglass - runs scenarios of NVMe over Fabrics from a program.  See stormglass(3).
 * Link with `pkg-config --cflags --libs stormglass`. The library neither prints nor ends the
 * process because of an input: each error is a text with FILE:LINE:COLUMN. A result does not depend
 * on earlier runs of the process; its digest is that of `stormglass run`.
 * A handle is for one thread at a time; only stormglass_stop may be called by another one. */
#ifndef STORMGLASS_CLI_LIBRARY_STORMGLASS_H
#define STORMGLASS_CLI_LIBRARY_STORMGLASS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STORMGLASS_API 1 /* a new function or value keeps it */

struct stormglass;

/* The first four are the exit codes of `stormglass run`. */
enum stormglass_end {
    STORMGLASS_MET = 0,     /* the run is complete; all expectations are met */
    STORMGLASS_UNMET = 1,   /* an expectation is not met */
    STORMGLASS_INVALID = 2, /* the scenario, an option or a value is wrong; nothing was run */
    STORMGLASS_FAILED = 3,  /* the run could not be carried out, such as a full disk */
    STORMGLASS_STOPPED = 5  /* the listener or stormglass_stop ended it; results so far exist */
};

/* Kinds of events, as bits. */
enum stormglass_kind {
    STORMGLASS_PACKET = 1 << 0,    /* a frame leaves a port; took_ps: its time on the wire */
    STORMGLASS_DROP = 1 << 1,      /* a frame is dropped */
    STORMGLASS_PAUSE = 1 << 2,     /* a port sends XOFF */
    STORMGLASS_RESUME = 1 << 3,    /* a port sends XON */
    STORMGLASS_PAUSED = 1 << 4,    /* a port stops sending a priority */
    STORMGLASS_CONTINUED = 1 << 5, /* it sends again; took_ps: the length of the pause */
    STORMGLASS_COMPLETED = 1 << 6, /* a command or message completes; took_ps: its latency */
    STORMGLASS_ERROR = 1 << 7,     /* a command or message ends with an error */
    STORMGLASS_STATE = 1 << 8,     /* an NVMe controller or queue changes state */
    STORMGLASS_NOTE = 1 << 9,      /* the model reports a loss or an error */
    STORMGLASS_PROGRESS = 1 << 10, /* some hundredths of a second of real time have passed */
    STORMGLASS_ALL = (1 << 11) - 1
};

/* Texts are valid during the call of the listener. */
struct stormglass_event {
    unsigned kind;        /* one bit */
    int priority;         /* -1: none */
    int64_t at_ps;        /* virtual time, picoseconds */
    int64_t took_ps;      /* -1: no duration */
    int64_t bytes;        /* of the frame or command; -1: none */
    const char *word;     /* the kind as a word: "drop" */
    const char *place;    /* "leaf0:p3", "host2"; "" if none */
    const char *workload; /* "" if of none */
    const char *text;     /* one sentence */
};

/* Returns 0 to go on, or another number to stop the run soon. It must not begin another run. */
typedef int stormglass_listener(void *self, const struct stormglass_event *event);

/* The version of the library, such as "0.2.0". */
const char *stormglass_library_version(void);

/* A handle for runs with the same options; NULL: no memory. */
struct stormglass *stormglass_new(void);
void stormglass_free(struct stormglass *run);

/* Sets an option of `stormglass run`: seed, until, threads, record, interval, confirm, waits or
 * output. NULL: the default. */
enum stormglass_end stormglass_option(struct stormglass *run, const char *name, const char *value);

/* Changes a value of the scenario, as --set PATH=VALUE. Path NULL: no more changes. */
enum stormglass_end stormglass_set(struct stormglass *run, const char *path, const char *value);

/* Calls a function for events of these kinds. NULL: none. */
void stormglass_listen(struct stormglass *run, unsigned kinds, stormglass_listener *listener,
                       void *self);

/* Runs a scenario: a file or a built-in case, or a text of `length` bytes whose errors have this
 * file name. */
enum stormglass_end stormglass_run_file(struct stormglass *run, const char *path);
enum stormglass_end stormglass_run_text(struct stormglass *run, const char *text, size_t length,
                                        const char *name);

/* Stops the run; for other threads and signal handlers. */
void stormglass_stop(struct stormglass *run);

/* Errors, warnings and notes of the last call, each with its place; "" if there are none. */
const char *stormglass_messages(const struct stormglass *run);

/* The results of the last run, until the next one: the JSON object of `run --json`, and the summary
 * that `run` prints; NULL without results. */
const char *stormglass_json(const struct stormglass *run);
const char *stormglass_summary(const struct stormglass *run);

/* A value by its key in that object, such as "digest" or "workloads[0].latency_ns.p99": as text,
 * NULL if there is none; as a number, `otherwise` if it is none. Not for the lists `queues` and
 * `timeline`. */
const char *stormglass_value(const struct stormglass *run, const char *key);
double stormglass_number(const struct stormglass *run, const char *key, double otherwise);

#ifdef __cplusplus
}
#endif

#endif
