/* SPDX-License-Identifier: Apache-2.0
 * cli - parses command lines and prints help. */
#include "cli/cli.h"
#include "cli/library/settings.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "replay/run/jobs.h"
#include "replay/run/progress.h"
#include "replay/run/run.h"
#include "replay/run/stop.h"
#include "reports/text/paint.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELP_COLUMN = 22 };

void cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printable_say_list("stormglass", format, arguments);
    va_end(arguments);
}

static bool quiet;

void cli_note(const char *format, ...)
{
    va_list arguments;
    if (quiet)
        return;
    va_start(arguments, format);
    printable_say_list("stormglass", format, arguments);
    va_end(arguments);
}

int cli_crashed(void)
{
    cli_error("a run that tests a cause ended by an internal error, so no cause was tested; please "
              "report the scenario");
    return CLI_FAILED;
}

static const char *program_of(const struct cli_command *command)
{
    return command->program == NULL ? "stormglass" : command->program;
}

/* Prints "stormglass: run: sentence". */
static void __attribute__((format(printf, 2, 3)))
complain(const struct cli_command *command, const char *format, ...)
{
    char before[64];
    va_list arguments;
    snprintf(before, sizeof before, "%s: %s", program_of(command), command->name);
    va_start(arguments, format);
    printable_say_list(before, format, arguments);
    va_end(arguments);
}

static int option_index(const struct cli_option *options, const char *name)
{
    for (int i = 0; options[i].name != NULL; i++)
        if (strcmp(options[i].name, name) == 0)
            return i;
    return -1;
}

static int known_index(const struct cli_args *args, const char *option)
{
    const int index = option_index(args->options, option);
    CHECK(index >= 0);
    return index;
}

const char *cli_value(const struct cli_args *args, const char *option)
{
    const int index = known_index(args, option);
    return args->counts[index] == 0 ? NULL : args->values[index][args->counts[index] - 1];
}

bool cli_given(const struct cli_args *args, const char *option)
{
    return args->counts[known_index(args, option)] > 0;
}

bool cli_threads(const struct cli_args *args, uint32_t *threads)
{
    const char *text = cli_value(args, "threads");
    char why[SETTINGS_WHY_BYTES];
    const bool well = text == NULL || settings_threads(text, threads, why);
    if (!well)
        cli_error("--threads %s: %s", text, why);
    return well;
}

bool cli_jobs(const struct cli_args *args, uint32_t *at_once)
{
    const char *text = cli_value(args, "jobs");
    char why[QUANTITY_WHY_BYTES];
    int64_t value = 0;
    if (text != NULL && (!quantity_parse(QUANTITY_INT, text, &value, why) || value < 1 ||
                         value > JOBS_AT_ONCE_MAX)) {
        cli_error("--jobs %s: expected a number from 1 to %d", text, JOBS_AT_ONCE_MAX);
        return false;
    }
    *at_once = (uint32_t)value;
    return true;
}

void cli_replace(struct cli_args *args, const char *option, const char *value[1])
{
    const int index = known_index(args, option);
    args->values[index] = value;
    args->counts[index] = 1;
}

const char **cli_values(const struct cli_args *args, const char *option, uint32_t *count)
{
    const int index = known_index(args, option);
    *count = args->counts[index];
    return args->values[index];
}

static void print_option(const struct cli_option *option)
{
    char left[64];
    snprintf(left, sizeof left, "%s%.1s%s--%s%s%s", option->letter != 0 ? "-" : "", &option->letter,
             option->letter != 0 ? ", " : "    ", option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    printf("  %-*s  %s\n", HELP_COLUMN, left, option->about);
}

static void print_examples(const struct cli_command *command)
{
    if (command->examples == NULL)
        return;
    puts("\nExamples:");
    for (const struct cli_example *example = command->examples; example->about != NULL; example++)
        printf("  # %s\n    %s\n", example->about, example->line);
}

static void print_exit_codes(const struct cli_command *command)
{
    if (command->exit_codes == NULL)
        return;
    puts("\nExit codes:");
    for (const struct cli_exit_code *row = command->exit_codes; row->means != NULL; row++)
        printf("  %-3d  %s\n", row->code, row->means);
}

static int print_help(const struct cli_command *command)
{
    static const struct cli_option help = {"help", 'h', NULL, "this text"};
    printf("usage: %s %s [OPTIONS] %s\n%s\n\n", program_of(command), command->name,
           command->operands, command->about);
    for (const struct cli_option *option = command->options; option->name != NULL; option++)
        print_option(option);
    print_option(&help);
    if (command->details != NULL)
        printf("\n%s\n", command->details);
    if (command->more != NULL)
        command->more();
    print_examples(command);
    print_exit_codes(command);
    return CLI_DONE;
}

static int usage_error(const struct cli_command *command)
{
    const char *program = program_of(command);
    fprintf(stderr, "usage: %s %s [OPTIONS]%s%s\nSee %s %s --help.\n", program, command->name,
            command->operands[0] == '\0' ? "" : " ", command->operands, program, command->name);
    return CLI_USAGE;
}

/* getopt accepts any unambiguous prefix of a long name, so the text that it accepted is checked
 * again. */
static bool is_exact(const char *taken, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(taken, "--", 2) == 0 && strncmp(taken + 2, name, length) == 0 &&
           (taken[2 + length] == '\0' || taken[2 + length] == '=');
}

static int unknown_option(const struct cli_command *command, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    struct nearest nearest = nearest_to(name + strspn(name, "-"));
    for (const struct cli_option *option = command->options; option->name != NULL; option++)
        nearest_offer(&nearest, option->name);
    if (nearest.best[0] != '\0' && name[0] == '-' && name[1] != '\0' && name[2] != '\0')
        complain(command, "unknown option %s; did you mean --%s?", name, nearest.best);
    else
        complain(command, "unknown option %s", name);
    return usage_error(command);
}

static void add_value(struct cli_args *args, int option, const char *value)
{
    const uint32_t count = ++args->counts[option];
    const char **values = memory_resized(args->values[option], count, sizeof *values);
    values[count - 1] = value;
    args->values[option] = values;
}

/* getopt's own tables: codes of long options are LONG_FIRST + index, above all letters. */
enum { LONG_FIRST = 256, LONG_HELP = LONG_FIRST + CLI_OPTIONS_MAX };

struct getopt_tables {
    struct option longs[CLI_OPTIONS_MAX + 2];
    char shorts[2 * CLI_OPTIONS_MAX + 4];
};

static void make_tables(const struct cli_option *options, struct getopt_tables *tables)
{
    size_t used = 0;
    int i = 0;
    *tables = (struct getopt_tables){0};
    tables->shorts[used++] = ':'; /* distinguishes a missing argument */
    for (; options[i].name != NULL; i++) {
        CHECK(i < CLI_OPTIONS_MAX);
        const int takes = options[i].argument != NULL ? required_argument : no_argument;
        tables->longs[i] = (struct option){options[i].name, takes, NULL, LONG_FIRST + i};
        if (options[i].letter == 0)
            continue;
        tables->shorts[used++] = options[i].letter;
        if (takes == required_argument)
            tables->shorts[used++] = ':';
    }
    tables->longs[i] = (struct option){"help", no_argument, NULL, LONG_HELP};
    tables->shorts[used++] = 'h';
}

static int index_of_letter(const struct cli_option *options, int letter)
{
    int i = 0;
    while (options[i].letter != letter)
        i++;
    return i;
}

enum parsed { PARSED_RUN, PARSED_HELP, PARSED_WRONG };

/* The full name of a long option. */
static const char *long_name(const struct cli_command *command, int code)
{
    return code == LONG_HELP ? "help" : command->options[code - LONG_FIRST].name;
}

/* getopt takes the rest of a word as the value of a letter: -json would be --jobs with the value
 * "son". */
static bool is_long_with_one_dash(const struct cli_command *command, const char *taken)
{
    for (const struct cli_option *option = command->options; option->name != NULL; option++)
        if (taken[0] == '-' && strcmp(taken + 1, option->name) == 0)
            return true;
    return false;
}

/* Checks the option that getopt has just taken from `taken`; false: it is correct. `next` is the
 * next argument for getopt, possibly NULL; it may still point to remaining letters of -json. */
static bool is_wrong(const struct cli_command *command, int code, const char *taken,
                     const char *next)
{
    /* -json is a misspelled --json, not the option -j with the value son. */
    if (taken[0] == '-' && taken[1] != '-' && strlen(taken) > 2 &&
        option_index(command->options, taken + 1) >= 0) {
        unknown_option(command, taken);
        return true;
    }
    if (code == ':') {
        complain(command, "%s needs a value", taken);
        usage_error(command);
        return true;
    }
    if (code == '?' && optopt >= LONG_FIRST) {
        complain(command, "%.*s takes no value", (int)strcspn(taken, "="), taken);
        usage_error(command);
        return true;
    }
    const char letter[3] = {'-', (char)optopt, '\0'};
    const bool is_letter = code == '?' && optopt > 0;
    if (code != '?' && (code < LONG_FIRST ? !is_long_with_one_dash(command, taken)
                                          : is_exact(taken, long_name(command, code))))
        return false;
    const bool is_word = is_letter && next != NULL && strncmp(next, letter, 2) == 0;
    unknown_option(command, is_word ? next : is_letter ? letter : taken);
    return true;
}

static enum parsed parse(const struct cli_command *command, int argc, char **argv,
                         struct cli_args *args)
{
    struct getopt_tables tables;
    make_tables(command->options, &tables);
    opterr = 0;
    optind = 1;
    int code;
    while ((code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        const bool apart = optarg != NULL && optarg == argv[optind - 1];
        if (is_wrong(command, code, argv[optind - (apart ? 2 : 1)], argv[optind]))
            return PARSED_WRONG;
        if (code == 'h' || code == LONG_HELP)
            return PARSED_HELP;
        add_value(args,
                  code >= LONG_FIRST ? code - LONG_FIRST : index_of_letter(command->options, code),
                  optarg);
    }
    args->operands = argv + optind;
    args->operand_count = argc - optind;
    return PARSED_RUN;
}

static bool is_given(const struct cli_args *args, const char *option)
{
    const int index = option_index(args->options, option);
    return index >= 0 && args->counts[index] > 0;
}

static bool apply_color(const struct cli_args *args)
{
    static const char *const words[] = {
        [PAINT_AUTO] = "auto", [PAINT_ALWAYS] = "always", [PAINT_NEVER] = "never"};
    const char *text = is_given(args, "color") ? cli_value(args, "color") : "auto";
    for (int i = 0; i < PAINT_MODES; i++)
        if (strcmp(words[i], text) == 0) {
            paint_set((enum paint_mode)i);
            return true;
        }
    cli_error("--color %s: expected auto, always or never", text);
    return false;
}

/* Options that select the form of the result. */
static const char *const forms[] = {"json", "csv", "markdown", "table", "tabs"};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* Redirects standard output, so that no command prints there, however it prints. */
static bool apply_quiet(const struct cli_args *args)
{
    if (!is_given(args, "quiet"))
        return true;
    for (size_t i = 0; i < FORMS; i++)
        if (is_given(args, forms[i])) {
            cli_error("--quiet and --%s exclude each other: --quiet prints no results", forms[i]);
            return false;
        }
    quiet = true;
    diag_only_errors();
    progress_disable();
    if (freopen("/dev/null", "w", stdout) != NULL)
        return true;
    cli_error("/dev/null: %s", strerror(errno));
    return false;
}

static bool is_one_form(const struct cli_args *args)
{
    const char *first = NULL;
    for (size_t i = 0; i < FORMS; i++) {
        if (!is_given(args, forms[i]))
            continue;
        if (first != NULL) {
            cli_error("--%s and --%s: expected one of them", first, forms[i]);
            return false;
        }
        first = forms[i];
    }
    return true;
}

/* A result that cannot be written counts as an error. */
static int flush_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    cli_error("standard output: %s", errno != 0 ? strerror(errno) : "it could not be written");
    return CLI_FAILED;
}

/* Exit code: a stopped run has no valid result for a script, whatever the command returned. */
static int exit_code_of_stop(int code)
{
    return stop_asked() == 0 ? code : CLI_SIGNAL + stop_asked();
}

int cli_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args = {.options = command->options};
    int code = CLI_USAGE;
    if (command->passes) {
        args.operands = argv + 1;
        args.operand_count = argc - 1;
        return command->run(&args);
    }
    const enum parsed parsed = parse(command, argc, argv, &args);
    if (parsed == PARSED_HELP) {
        code = print_help(command);
    } else if (parsed == PARSED_RUN) {
        const bool enough = args.operand_count >= command->operands_min;
        const bool fit = command->operands_max < 0 || args.operand_count <= command->operands_max;
        if (enough && fit) {
            const bool may = apply_color(&args) && apply_quiet(&args) && is_one_form(&args);
            code = may ? command->run(&args) : CLI_USAGE;
        } else {
            complain(command, "%s", enough ? "too many arguments" : "missing argument");
            usage_error(command);
        }
    }
    for (int i = 0; i < CLI_OPTIONS_MAX; i++)
        free(args.values[i]);
    return flush_output(exit_code_of_stop(code));
}

bool cli_beside(const char *name, char path[PATH_MAX])
{
    const size_t size = strlen(name) + 1;
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash + 1 - path) + size > PATH_MAX)
        return false;
    memcpy(slash + 1, name, size);
    return true;
}
