/* SPDX-License-Identifier: Apache-2.0
 * completion - prints completion scripts from the tables of commands and options.
 * Completion of a value or an operand is described by tokens: a word, @KIND for the first column of
 * `stormglass list KIND`, *.END for files with that extension and directories. */
#include "cli/completion.h"

#include "base/nearest.h"
#include "base/shell.h"

#include <stdio.h>
#include <string.h>

struct shell {
    const char *name;
    void (*print)(const struct cli_command *const *commands, int count);
};

/* Tokens for options shared by many commands, by option and by the name of its value; the first
 * match counts. */
static const struct {
    const char *option, *argument, *tokens;
} value_rows[] = {
    {"set", NULL, "@paths"},
    {"record", NULL, "summary counters ios packets"},
    {"color", NULL, "auto always never"},
    {"threads", NULL, "auto"},
    {"what", NULL, "fabric pauses waits io states"},
    {"as", NULL, "ethtool sonic json openmetrics"},
    {"script", NULL, "*.step"},
    {"profile", NULL, "@profiles"},
    {"base", NULL, "@profiles"},
    {"policy", NULL, "@buffer-policies"},
    {"cable", NULL, "fiber twinax"},
    {"fec", NULL, "none rs-528 rs-544 auto"},
    {NULL, "RUN.db", "*.db"},
    {NULL, "PLAN.db", "*.db"},
    {NULL, "MEASURED.db", "*.db"},
    {NULL, "OTHER.yaml", "*.yaml *.yml"},
    {NULL, "OUT.html", "*.html"},
    {NULL, "OUT.pcapng", "*.pcapng"},
    {NULL, "FILE", "*"},
    {NULL, "PREDICTIONS", "*.json"},
    {NULL, "DIR", "*/"},
    {NULL, "DIRECTORY", "*/"},
};

/* Empty: arbitrary text, such as a number. */
static const char *value_tokens(const struct cli_option *option)
{
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        const char *name = value_rows[i].option, *argument = value_rows[i].argument;
        if (name != NULL ? strcmp(name, option->name) == 0
                         : strcmp(argument, option->argument) == 0)
            return value_rows[i].tokens;
    }
    return "";
}

/* Tokens by a word in a command's operands, as in its usage line; all matching rows count. */
static const struct {
    const char *word, *tokens;
} operand_rows[] = {
    {"SCENARIO", "@cases @lessons *.yaml *.yml"},
    {"[LESSON]", "@lessons"},
    {"[ID...]", "@claims *.yaml *.yml"},
    {"PLAN.yaml", "*.yaml *.yml"},
    {"GRID.yaml", "*.yaml *.yml"},
    {".db", "*.db"},
    {".json", "*.json"},
    {"CAPTURE", "*.pcap *.pcapng"},
    {"WORK", "@works @cases *.yaml *.yml"},
    {"FILE", "*"},
    {"NAME", "@parameters"},
    {"[KIND]", "@"},
};

static void print_operand_tokens(const struct cli_command *command)
{
    for (size_t i = 0; i < sizeof operand_rows / sizeof operand_rows[0]; i++)
        if (strstr(command->operands, operand_rows[i].word) != NULL)
            printf("%s ", operand_rows[i].tokens);
    for (const char *const *word = command->operand_words; word != NULL && *word != NULL; word++)
        printf("%s ", *word);
}

/* A command that passes its arguments on has no table here. */
static const struct cli_option *options_of(const struct cli_command *command)
{
    static const struct cli_option none[] = {{0}};
    return command->options != NULL ? command->options : none;
}

/* ---- bash ---- */

static void print_bash_values(const struct cli_command *command)
{
    for (const struct cli_option *option = options_of(command); option->name != NULL; option++) {
        if (option->argument == NULL)
            continue;
        printf("    '%s --%s'", command->name, option->name);
        if (option->letter != 0)
            printf(" | '%s -%c'", command->name, option->letter);
        printf(") tokens='%s' is_value=1 ;;\n", value_tokens(option));
    }
}

static void print_bash_functions(void)
{
    puts("# completion of stormglass for bash, printed by stormglass completion bash\n\n"
         "_stormglass_complete() { # PROGRAM CURRENT TOKEN...\n"
         "    local program=$1 current=$2 token\n"
         "    shift 2\n"
         "    for token in \"$@\"; do\n"
         "        case $token in\n"
         "        @*) compgen -W \"$(\"$program\" list ${token#@} 2>/dev/null | sed 's/ "
         ".*//')\" "
         "-- \"$current\" ;;\n"
         "        '*/') compgen -d -- \"$current\" ;;\n"
         "        '*') compgen -f -- \"$current\" ;;\n"
         "        '*'*) compgen -f -X \"!$token\" -- \"$current\"; compgen -d -- \"$current\" ;;\n"
         "        *) compgen -W \"$token\" -- \"$current\" ;;\n"
         "        esac\n"
         "    done | sort -u\n"
         "}\n\n"
         "_stormglass() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} tokens= is_value= "
         "IFS=$' \\t\\n' commands");
}

static void print_bash(const struct cli_command *const *commands, int count)
{
    print_bash_functions();
    fputs("    commands='", stdout);
    for (int i = 0; i < count; i++)
        printf("%s ", commands[i]->name);
    puts("completion help version'\n"
         "    local -a words\n"
         "    COMPREPLY=()\n"
         "    # bash splits --color=auto into three words\n"
         "    if [ \"$current\" = = ]; then current=; "
         "elif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
         "    case \"$command $previous\" in");
    for (int i = 0; i < count; i++)
        print_bash_values(commands[i]);
    puts("    esac\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "        tokens=\"$commands --help --version\"\n"
         "    elif [ -n \"$is_value\" ]; then\n"
         "        :\n"
         "    elif [[ $current == -* ]]; then\n"
         "        case $command in");
    for (int i = 0; i < count; i++) {
        if (commands[i]->passes) {
            printf("        %s) tokens=$(\"$program\" %s --help 2>/dev/null | "
                   "grep -o -e '--[a-z][a-z-]*' | xargs) ;;\n",
                   commands[i]->name, commands[i]->name);
            continue;
        }
        printf("        %s) tokens='", commands[i]->name);
        for (const struct cli_option *option = options_of(commands[i]); option->name != NULL;
             option++)
            printf("--%s ", option->name);
        puts("--help' ;;");
    }
    puts("        esac\n"
         "    else\n"
         "        case $command in\n"
         "        help) tokens=$commands ;;\n"
         "        completion) tokens='bash zsh fish' ;;");
    for (int i = 0; i < count; i++) {
        printf("        %s) tokens='", commands[i]->name);
        print_operand_tokens(commands[i]);
        puts("' ;;");
    }
    puts("        esac\n"
         "    fi\n"
         "    read -ra words <<<\"$tokens\"\n"
         "    mapfile -t COMPREPLY < <(_stormglass_complete \"$program\" \"$current\" "
         "${words[@]+\"${words[@]}\"})\n"
         "    if [ \"$tokens\" = @paths ]; then\n"
         "        COMPREPLY=(${COMPREPLY[@]/%/=})\n"
         "        compopt -o nospace 2>/dev/null\n"
         "    fi\n"
         "}\n"
         "complete -o filenames -F _stormglass stormglass");
}

/* ---- zsh ---- */

/* "[about]:ARGUMENT: how to complete it" */
static void print_zsh_rest(const struct cli_option *option)
{
    putchar('[');
    shell_print_inside(stdout, option->about, "[]:\\");
    putchar(']');
    if (option->argument != NULL) {
        putchar(':');
        shell_print_inside(stdout, option->argument, ":\\");
        printf(": _stormglass_complete \"%s\"", value_tokens(option));
    }
    puts("' \\");
}

static void print_zsh_option(const struct cli_option *option)
{
    printf("            '*--%s%s", option->name, option->argument != NULL ? "=" : "");
    print_zsh_rest(option);
    if (option->letter == 0)
        return;
    printf("            '*-%c%s", option->letter, option->argument != NULL ? "+" : "");
    print_zsh_rest(option);
}

static void print_zsh(const struct cli_command *const *commands, int count)
{
    puts("#compdef stormglass\n"
         "# completion of stormglass for zsh, printed by stormglass completion zsh\n\n"
         "_stormglass_complete() { # TOKENS\n"
         "    local token\n"
         "    local -a found\n"
         "    for token in ${=1}; do\n"
         "        if [[ $token == @* ]]; then\n"
         "            found=(${(f)\"$(stormglass list ${token#@} 2>/dev/null | "
         "sed 's/ .*//')\"})\n"
         "        fi\n"
         "        case $token in\n"
         "        @paths) compadd -S = -a found ;;\n"
         "        @*) compadd -a found ;;\n"
         "        '*/') _files -/ ;;\n"
         "        '*'*) _files -g \"$token\" ;;\n"
         "        *) compadd -- $token ;;\n"
         "        esac\n"
         "    done\n"
         "}\n\n"
         "_stormglass() {\n"
         "    local -a commands\n"
         "    commands=(");
    for (int i = 0; i < count; i++) {
        printf("        '%s:", commands[i]->name);
        shell_print_inside(stdout, commands[i]->about, ":\\");
        puts("'");
    }
    puts("        'completion:prints a completion script for a shell'\n"
         "        'help:prints the commands, or the help of one'\n"
         "        'version:prints the version'\n"
         "    )\n"
         "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in\n"
         "    help) _describe command commands ;;\n"
         "    completion) compadd bash zsh fish ;;");
    for (int i = 0; i < count; i++) {
        printf("    %s)\n        _arguments -s \\\n", commands[i]->name);
        for (const struct cli_option *option = options_of(commands[i]); option->name != NULL;
             option++)
            print_zsh_option(option);
        fputs("            '--help[this text]' \\\n            "
              "'*:operand: _stormglass_complete \"",
              stdout);
        print_operand_tokens(commands[i]);
        puts("\"'\n        ;;");
    }
    puts("    esac\n"
         "}\n\n"
         "compdef _stormglass stormglass");
}

/* ---- fish ---- */

/* In double quotes, with inner single quotes that prevent the shell from expanding *.db. */
static void print_fish_tokens(const char *tokens)
{
    if (tokens[0] != '\0')
        printf(" -a \"(__stormglass_complete (string split ' ' -- '%s'))\"", tokens);
}

static void print_fish_option(const struct cli_command *command, const struct cli_option *option)
{
    printf("complete -c stormglass -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->letter != 0)
        printf(" -s %c", option->letter);
    if (option->argument != NULL) {
        fputs(" -x", stdout);
        print_fish_tokens(value_tokens(option));
    }
    fputs(" -d '", stdout);
    shell_print_inside(stdout, option->about, "\\");
    puts("'");
}

static void print_fish(const struct cli_command *const *commands, int count)
{
    puts("# completion of stormglass for fish, printed by stormglass completion fish\n\n"
         "function __stormglass_complete\n"
         "    for token in $argv\n"
         "        switch $token\n"
         "            case '@*'\n"
         "                stormglass list (string sub -s 2 -- $token) 2>/dev/null | "
         "string replace -r ' .*' ''\n"
         "            case '\\*/'\n"
         "                __fish_complete_directories (commandline -ct)\n"
         "            case '\\*'\n"
         "                __fish_complete_path (commandline -ct)\n"
         "            case '\\**'\n"
         "                __fish_complete_suffix (string sub -s 2 -- $token)\n"
         "            case '*'\n"
         "                echo $token\n"
         "        end\n"
         "    end\n"
         "end\n\n"
         "complete -c stormglass -f");
    for (int i = 0; i < count; i++) {
        printf("complete -c stormglass -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        shell_print_inside(stdout, commands[i]->about, "\\");
        puts("'");
    }
    puts("complete -c stormglass -n __fish_use_subcommand -a 'completion help version'\n"
         "complete -c stormglass -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'");
    fputs("complete -c stormglass -n '__fish_seen_subcommand_from help' -a '", stdout);
    for (int i = 0; i < count; i++)
        printf("%s%s", commands[i]->name, i == count - 1 ? "'\n" : " ");
    for (int i = 0; i < count; i++) {
        for (const struct cli_option *option = options_of(commands[i]); option->name != NULL;
             option++)
            print_fish_option(commands[i], option);
        printf("complete -c stormglass -n '__fish_seen_subcommand_from %s' "
               "-a \"(__stormglass_complete (string split -n ' ' -- '",
               commands[i]->name);
        print_operand_tokens(commands[i]);
        puts("'))\"");
    }
}

/* ---- list of shells ---- */

static const struct shell shells[] = {
    {"bash", print_bash},
    {"zsh", print_zsh},
    {"fish", print_fish},
};

enum { SHELLS = sizeof shells / sizeof shells[0] };

int completion_print(const char *shell, const struct cli_command *const *commands, int count)
{
    struct nearest nearest = nearest_to(shell);
    for (int i = 0; i < SHELLS; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(commands, count);
            return CLI_DONE;
        }
        nearest_offer(&nearest, shells[i].name);
    }
    cli_error("completion %s: unknown shell%s", shell, nearest_hint(&nearest).text);
    return CLI_USAGE;
}
