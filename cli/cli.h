/* SPDX-License-Identifier: Apache-2.0
 * cli - commands, their options, and what they share.
 * A command is a row: name, operands, sentence, options and a function.  --help is made from the
 * row.  Options are matched exactly: an abbreviation that works today would break scripts when an
 * option is added. Results go to stdout, messages to stderr. */
#ifndef STORMGLASS_CLI_CLI_H
#define STORMGLASS_CLI_CLI_H

#include "replay/files/output.h"
#include "scenarios/format/diag.h"
#include "scenarios/load/scenario.h"

#include <stdbool.h>

struct json;

enum cli_exit {
    CLI_DONE = 0,      /* and all expectations held */
    CLI_BROKEN = 1,    /* an expectation failed, a difference or an error was found */
    CLI_USAGE = 2,     /* the command line or an input file is wrong; nothing was written */
    CLI_FAILED = 3,    /* it could not be carried out: disk, device, memory */
    CLI_UNDECIDED = 4, /* nothing was wrong, and the answer is not known */
    CLI_SIGNAL = 128   /* and the signal's number: a run was stopped; its database is usable */
};

struct cli_option {
    const char *name;     /* long, without dashes; NULL ends a table */
    char letter;          /* 0: none */
    const char *argument; /* its word in --help; NULL: takes none */
    const char *about;
};

enum { CLI_OPTIONS_MAX = 24 };

/* Rows that several commands have; cli_run acts on them. */
#define CLI_OPTION_COLOR                                                                           \
    {                                                                                              \
        "color", 0, "WHEN", "color the text: auto (default: on a terminal), always or never"       \
    }
#define CLI_OPTION_QUIET                                                                           \
    {                                                                                              \
        "quiet", 'q', NULL, "print only errors: the exit code is the answer"                       \
    }

/* What a command line gave.  Options are found by name. */
struct cli_args {
    const struct cli_option *options;
    const char **values[CLI_OPTIONS_MAX]; /* by option, in their order */
    uint32_t counts[CLI_OPTIONS_MAX];     /* how often it was given */
    char **operands;
    int operand_count;
};

/* A command line that runs as it stands (tests/golden/examples.sh does), and what it is for. */
struct cli_example {
    const char *about; /* NULL ends a table */
    const char *line;
};

struct cli_exit_code {
    int code;
    const char *means; /* NULL ends a table */
};

struct cli_command {
    const char *program; /* that it is of; NULL: stormglass */
    const char *name;
    const char *operands; /* "SCENARIO.yaml..." */
    const char *about;    /* one sentence */
    const char *details;  /* below the options in --help; may be NULL */
    void (*more)(void);   /* prints what follows them there; may be NULL */
    const struct cli_example *examples;
    const struct cli_exit_code *exit_codes;
    const struct cli_option *options;
    int operands_min, operands_max;   /* max -1: any number */
    const char *const *operand_words; /* what an operand may be besides a file; NULL ends them */
    bool passes; /* all arguments, options too, are its operands as they stand */
    int (*run)(const struct cli_args *args);
};

/* Runs a command with its own argv (argv[0] is the command's name). */
int cli_run(const struct cli_command *command, int argc, char **argv);

/* The last value of an option, or NULL; whether and how often it was given. */
const char *cli_value(const struct cli_args *args, const char *option);
bool cli_given(const struct cli_args *args, const char *option);
const char **cli_values(const struct cli_args *args, const char *option, uint32_t *count);

/* Gives an option one value; both outlive `args`, a copy of what the command line gave. */
void cli_replace(struct cli_args *args, const char *option, const char *value[1]);

/* "stormglass: sentence" on stderr. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of what is no error: -q keeps it back. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Why an output could not be written, `why` being its errno, and the exit code for it: one that
 * would destroy what is read is the command line's fault.  `path` NULL: standard output. */
int cli_output_failed(const char *path, const struct output_inputs *inputs, int why);

/* Writes to the file of -o, or standard output; the operands from `first` on are what is read. */
int cli_output_write(const struct cli_args *args, int first,
                     void (*write)(FILE *out, const void *what), const void *what);

/* The name of an output is of no input, else a message; for commands that work long before they
 * write. */
bool cli_output_allowed(const char *path, const struct output_inputs *inputs);

/* Loads a scenario file, or, when there is none of that path, the case of that name that the
 * program carries. Prints what is wrong with it; NULL when that is too much. */
struct scenario *cli_load(const char *name, const char *const *sets, uint32_t set_count);

/* The first operand, with the changes of --set and --seed, which the command has. */
/* --seed as one more --set, which is the text; false after a message. */
enum { CLI_SEED_BYTES = 64 };
bool cli_seed(const struct cli_args *args, char set[CLI_SEED_BYTES]);

struct scenario *cli_load_changed(const struct cli_args *args);
/* The scenario of that name, with the changes of --set and --seed. */
struct scenario *cli_load_changed_as(const struct cli_args *args, const char *name);

/* A list on standard output: lines, or members of a JSON object. */
struct cli_list {
    const char *name;  /* its key there */
    struct json *json; /* NULL: lines */
    size_t count;
};

/* A row of a list, and one for each scenario of a folder of embedded files, "cases/". */
void cli_list_row(struct cli_list *list, const char *name, const char *about);
void cli_list_files(struct cli_list *list, const char *folder);

/* The value of --threads, 1 to 1024 or RUN_THREADS_AUTO; false: it is none, and that was said.  Not
 * given, it stays. */
bool cli_threads(const struct cli_args *args, uint32_t *threads);

/* The value of --jobs, 1 to JOBS_AT_ONCE_MAX; 0: as many as there are processors.  False: the value
 * is wrong, and an error was printed. */
bool cli_jobs(const struct cli_args *args, uint32_t *at_once);

/* Whether a file begins as databases do.  What cannot be read is none; who opens it says why. */
bool cli_is_database(const char *path);

#endif
