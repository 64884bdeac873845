/* SPDX-License-Identifier: Apache-2.0
 * cli - commands, their options, and common functions.
 * A command is a row: name, operands, description, options and a function. --help is generated from
 * the row. Options must match exactly, because an abbreviation that works today would break scripts
 * when an option is added. Results go to stdout, messages to stderr. */
#ifndef STORMGLASS_CLI_CLI_H
#define STORMGLASS_CLI_CLI_H

#include "replay/files/output.h"
#include "scenarios/data/scenario.h"
#include "scenarios/format/diag.h"

#include <limits.h>
#include <stdbool.h>

struct csv;
struct json;

enum cli_exit {
    CLI_DONE = 0,      /* success, and all expectations were met */
    CLI_BROKEN = 1,    /* an expectation failed, or a difference or an error was found */
    CLI_USAGE = 2,     /* the command line or an input file is wrong; nothing was written */
    CLI_FAILED = 3,    /* the command could not be carried out: disk, device, memory */
    CLI_UNDECIDED = 4, /* no error, but the answer is unknown */
    CLI_SIGNAL = 128   /* plus the signal's number: a run was stopped; its database is usable */
};

struct cli_option {
    const char *name;     /* long name, without dashes; a table ends with NULL */
    char letter;          /* 0: none */
    const char *argument; /* name of its value in --help; NULL: no value */
    const char *about;
};

enum { CLI_OPTIONS_MAX = 24 };

/* Options shared by several commands, handled by cli_run. */
#define CLI_OPTION_COLOR                                                                           \
    {                                                                                              \
        "color", 0, "WHEN", "color the text: auto (default: on a terminal), always or never"       \
    }
#define CLI_OPTION_QUIET                                                                           \
    {                                                                                              \
        "quiet", 'q', NULL, "print only errors; the exit code is the result"                       \
    }

/* Options and operands of a command line. Options are found by name. */
struct cli_args {
    const struct cli_option *options;
    const char **values[CLI_OPTIONS_MAX]; /* by option, in the given order */
    uint32_t counts[CLI_OPTIONS_MAX];     /* by option: number of occurrences */
    char **operands;
    int operand_count;
};

/* A command line that runs as shown (tests/golden/examples.sh runs it), and its purpose. */
struct cli_example {
    const char *about; /* a table ends with NULL */
    const char *line;
};

struct cli_exit_code {
    int code;
    const char *means; /* a table ends with NULL */
};

struct cli_command {
    const char *program; /* program of the command; NULL: stormglass */
    const char *name;
    const char *operands; /* "SCENARIO.yaml..." */
    const char *about;    /* one sentence */
    const char *details;  /* printed below the options in --help; may be NULL */
    void (*more)(void);   /* prints further text below the details; may be NULL */
    const struct cli_example *examples;
    const struct cli_exit_code *exit_codes;
    const struct cli_option *options;
    int operands_min, operands_max;   /* max -1: no limit */
    const char *const *operand_words; /* operands that are not files; terminated by NULL */
    bool passes; /* all arguments, including options, are passed on as operands */
    int (*run)(const struct cli_args *args);
};

/* Runs a command with its own argv (argv[0] is the command's name). */
int cli_run(const struct cli_command *command, int argc, char **argv);

/* The last value of an option, or NULL; whether it was given; how often. */
const char *cli_value(const struct cli_args *args, const char *option);
bool cli_given(const struct cli_args *args, const char *option);
const char **cli_values(const struct cli_args *args, const char *option, uint32_t *count);

/* Replaces the values of an option by one; `args` is a copy, and both must outlive it. */
void cli_replace(struct cli_args *args, const char *option, const char *value[1]);

/* Prints "stormglass: sentence" on stderr. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a note, which -q suppresses. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports that a run that tests a cause ended by an internal error; returns the exit code. */
int cli_crashed(void);

/* Reports why an output could not be written, where `why` is its errno. Returns the exit code: an
 * output that would overwrite an input is an error of the command line. `path` NULL: standard
 * output. */
int cli_output_failed(const char *path, const struct output_inputs *inputs, int why);

/* Writes to the file of -o, or to standard output; the operands from `first` on are the inputs. */
int cli_output_write(const struct cli_args *args, int first,
                     void (*write)(FILE *out, const void *what), const void *what);

/* True if an output is not one of the inputs; otherwise prints a message. For commands that work
 * for a long time before they write. */
bool cli_output_allowed(const char *path, const struct output_inputs *inputs);

/* Loads a scenario file, or the embedded case of that name if there is no such file. Prints errors
 * and notes; NULL on errors. */
struct scenario *cli_load(const char *name, const char *const *sets, uint32_t set_count);

/* Loads the first operand with the changes of the command's options --set and --seed. */
/* Converts --seed to a --set; false after a message. */
enum { CLI_SEED_BYTES = 64 };
bool cli_seed(const struct cli_args *args, char set[CLI_SEED_BYTES]);

struct scenario *cli_load_changed(const struct cli_args *args);
/* Loads the scenario of that name with the changes of --set and --seed. */
struct scenario *cli_load_changed_as(const struct cli_args *args, const char *name);

/* A list on standard output: lines, members of a JSON object, or rows of a table. */
struct cli_list {
    const char *name;  /* its key in the JSON object */
    struct json *json; /* NULL, as `csv`: lines */
    struct csv *csv;
    size_t count;
};

/* Adds a row to a list, or one row for each scenario of a directory of embedded files, such as
 * "cases/". */
void cli_list_row(struct cli_list *list, const char *name, const char *about);
void cli_list_files(struct cli_list *list, const char *folder);

/* Reads --threads, 1 to 1024 or RUN_THREADS_AUTO; false, after a message, if it is invalid.
 * Unchanged if not given. */
bool cli_threads(const struct cli_args *args, uint32_t *threads);

/* Reads --jobs, 1 to JOBS_AT_ONCE_MAX; 0: the number of processors. False, after a message, if it
 * is invalid. */
bool cli_jobs(const struct cli_args *args, uint32_t *at_once);

/* True if a file begins like a database. False for an unreadable file; opening it will report the
 * reason. */
bool cli_is_database(const char *path);

/* The path of a file whose name is relative to this program's directory; false: the directory is
 * unknown. */
bool cli_beside(const char *name, char path[PATH_MAX]);

#endif
