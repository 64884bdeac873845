/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/device/nvme_connect.h"

#include "nvme/host/host.h"
#include "nvme/tcp/tcp.h"
#include "scenarios/device/shell.h"
#include "tcp/tcp.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum kind { ADDRESS_OPTION, NUMBER_OPTION, SWITCH_OPTION, VALUE_OPTION, FLAG_OPTION };
enum { GIVEN_MAX = 256, DSCP_SHIFT = 2, TOS_MAX = 255, ROW_BYTES = 64 };

struct option {
    const char *name;
    char letter;
    enum kind kind;
    size_t member;         /* ADDRESS: of struct connect_command */
    const char *row, *add; /* the parameter, and its unit or its value */
    const char *why;
};

static const struct option options[] = {
#define ADDRESS(name, letter, member)                                                              \
    {name, letter, ADDRESS_OPTION, offsetof(struct connect_command, member), NULL, NULL, NULL},
#define NUMBER(name, letter, row, unit)  {name, letter, NUMBER_OPTION, 0, row, unit, NULL},
#define SWITCH(name, letter, row, value) {name, letter, SWITCH_OPTION, 0, row, #value, NULL},
#define VALUE(name, letter, why)         {name, letter, VALUE_OPTION, 0, NULL, NULL, why},
#define FLAG(name, letter, why)          {name, letter, FLAG_OPTION, 0, NULL, NULL, why},
#include "scenarios/device/nvme_connect.def"
#undef ADDRESS
#undef NUMBER
#undef SWITCH
#undef VALUE
#undef FLAG
};

enum { OPTIONS = sizeof options / sizeof options[0] };
_Static_assert((int)OPTIONS <= (int)CONNECT_OPTIONS_MAX, "each option has a setting");

/* An option as it is given, before the transport of its command is known. */
struct given {
    const struct option *option;
    const char *value; /* NULL: a flag */
    const char *spelled;
    struct diag_place place;
    const char *line;
};

struct reader {
    struct nvme_connect *connect;
    struct given given[GIVEN_MAX];
    size_t given_count;
};

static struct arena *arena_of(const struct reader *reader)
{
    return &reader->connect->device->arena;
}

static bool has_value(const struct option *option)
{
    return option->kind == ADDRESS_OPTION || option->kind == NUMBER_OPTION ||
           option->kind == VALUE_OPTION;
}

/* ---- options ---- */

/* '_' is '-'. */
static bool begins_with(const char *name, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] == '\0' || (name[i] != text[i] && !(name[i] == '-' && text[i] == '_')))
            return false;
    return true;
}

/* The option of that name, or the only one that begins with it, as getopt_long finds it. */
static const struct option *find_name(const char *text, size_t length)
{
    const struct option *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (length == 0 || !begins_with(options[i].name, text, length))
            continue;
        if (options[i].name[length] == '\0')
            return &options[i];
        found = &options[i];
        count++;
    }
    return count == 1 ? found : NULL;
}

static const struct option *find_letter(char letter)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (letter != '\0' && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static void add_given(struct reader *reader, const struct option *option, const char *value,
                      const char *spelled, const struct shell_word *word)
{
    if (reader->given_count < GIVEN_MAX)
        reader->given[reader->given_count++] =
            (struct given){option, value, spelled, word->place, word->line};
}

static void note_word(struct reader *reader, const struct shell_word *word, const char *text)
{
    notes_add(&reader->connect->device->notes, word->place, "%s: %s",
              notes_clean(arena_of(reader), word->text), text);
}

/* The value in the next word; NULL, with a message where the value matters, if there is none. */
static const char *next_value(struct reader *reader, const struct shell *shell, size_t *i,
                              const struct option *option)
{
    const struct shell_word *word = &shell->words[*i];
    const struct shell_word *next = *i + 1 < shell->count ? word + 1 : NULL;
    const bool is_option = next != NULL && next->text[0] == '-' && next->text[1] != '\0' &&
                           strchr("0123456789", next->text[1]) == NULL;
    if (next != NULL && !is_option) {
        ++*i;
        return next->text;
    }
    if (option->kind != VALUE_OPTION)
        diag_add(reader->connect->device->diag, DIAG_ERROR, word->place, word->line,
                 "expected a value after %s", notes_clean(arena_of(reader), word->text));
    return NULL;
}

static void take_long(struct reader *reader, const struct shell *shell, size_t *i)
{
    const struct shell_word *word = &shell->words[*i];
    const char *name = word->text + 2, *equals = strchr(name, '=');
    const size_t length = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const struct option *option = find_name(name, length);
    if (option == NULL) {
        note_word(reader, word, "unknown option, left out");
        if (equals == NULL && *i + 1 < shell->count && word[1].text[0] != '-')
            ++*i;
        return;
    }
    const char *spelled = arena_format(arena_of(reader), "--%s", option->name);
    if (!has_value(option)) {
        add_given(reader, option, NULL, spelled, word);
        return;
    }
    const char *value = equals != NULL ? equals + 1 : next_value(reader, shell, i, option);
    if (value != NULL)
        add_given(reader, option, value, spelled, &shell->words[*i]);
}

/* "-t tcp", "-ttcp", "-gG". */
static void take_short(struct reader *reader, const struct shell *shell, size_t *i)
{
    const struct shell_word *word = &shell->words[*i];
    for (const char *at = word->text + 1; *at != '\0'; at++) {
        const struct option *option = find_letter(*at);
        if (option == NULL) {
            note_word(reader, word, "unknown option, left out");
            return;
        }
        const char *spelled = arena_format(arena_of(reader), "-%c", *at);
        if (has_value(option)) {
            const char *rest = at[1] == '=' ? at + 2 : at + 1;
            const char *value = *rest != '\0' ? rest : next_value(reader, shell, i, option);
            if (value != NULL)
                add_given(reader, option, value, spelled, &shell->words[*i]);
            return;
        }
        add_given(reader, option, NULL, spelled, word);
    }
}

/* ---- settings ---- */

static void store(struct reader *reader, struct connect_setting *setting, const char *value,
                  const struct given *given)
{
    if (setting->value == NULL)
        *setting =
            (struct connect_setting){given->option->row, value, given->spelled, given->place};
    else if (strcmp(setting->value, value) != 0)
        notes_add(&reader->connect->device->notes, given->place,
                  "%s differs from line %d, whose value counts for all paths", given->spelled,
                  setting->place.line);
}

static const struct opt *row_named(const char *name)
{
    const struct opt *row = opt_find(nvme_host_opts, name);
    return row == NULL ? opt_find(nvme_tcp_host_opts, name) : row;
}

/* A value as a decimal number, or NULL. nvme-cli accepts hexadecimal and octal numbers, too. */
static const char *number_of(struct reader *reader, const struct given *given)
{
    char *end;
    if (shell_is_open(given->value)) {
        notes_add(&reader->connect->device->notes, given->place,
                  "%s %s is set by a variable: left out", given->spelled,
                  notes_clean(arena_of(reader), given->value));
        return NULL;
    }
    errno = 0;
    const unsigned long long number = strtoull(given->value, &end, 0);
    if (isdigit((unsigned char)given->value[0]) && *end == '\0' && errno == 0)
        return arena_format(arena_of(reader), "%llu", number);
    diag_add(reader->connect->device->diag, DIAG_ERROR, given->place, given->line,
             "found %s '%s', expected a number", given->spelled,
             notes_clean(arena_of(reader), given->value));
    return NULL;
}

static void set_number(struct reader *reader, const struct given *given)
{
    const struct option *option = given->option;
    const struct opt *row = row_named(option->row);
    struct connect_setting *setting = &reader->connect->settings[option - options];
    const bool may_be_never = row->choices != NULL && strcmp(row->choices, "never") == 0;
    if (may_be_never && strcmp(given->value, "-1") == 0) {
        store(reader, setting, "never", given);
        return;
    }
    const char *number = number_of(reader, given);
    if (number == NULL)
        return;
    store(reader, setting,
          device_bounded(reader->connect->device, row, number, option->add, given->place,
                         given->spelled),
          given);
}

static void set_option(struct reader *reader, struct connect_command *command,
                       const struct given *given)
{
    const struct option *option = given->option;
    if (option->kind == ADDRESS_OPTION)
        *(const char **)(void *)((char *)command + option->member) = given->value;
    else if (option->kind == NUMBER_OPTION)
        set_number(reader, given);
    else if (option->kind == SWITCH_OPTION)
        store(reader, &reader->connect->settings[option - options], option->add, given);
    else if (option->why != NULL)
        notes_add(&reader->connect->device->notes, given->place, "%s has no counterpart: %s",
                  given->spelled, option->why);
}

/* The type of service of IP has the DSCP in its upper six bits. */
static void set_tos(struct reader *reader, const struct connect_command *command)
{
    for (size_t i = 0; command->tos != NULL && i < reader->given_count; i++) {
        const struct given *given = &reader->given[i];
        const char *number =
            strcmp(given->option->name, "tos") == 0 ? number_of(reader, given) : NULL;
        if (number == NULL)
            continue;
        const unsigned long long tos = strtoull(number, NULL, 10);
        if (tos > TOS_MAX)
            diag_add(reader->connect->device->diag, DIAG_ERROR, given->place, given->line,
                     "found %s '%s', expected 0 to %d", given->spelled,
                     notes_clean(arena_of(reader), given->value), TOS_MAX);
        else
            store(reader, &reader->connect->dscp,
                  arena_format(arena_of(reader), "%llu", tos >> DSCP_SHIFT), given);
    }
}

/* ---- commands ---- */

/* False, with a note: a scenario cannot have this transport, or has another. */
static bool is_usable(struct reader *reader, const char *transport, struct diag_place place)
{
    struct nvme_connect *connect = reader->connect;
    const bool is_known =
        transport != NULL && (strcmp(transport, "tcp") == 0 || strcmp(transport, "rdma") == 0);
    if (is_known && connect->transport == NULL)
        connect->transport = transport;
    if (is_known && strcmp(connect->transport, transport) == 0)
        return true;
    if (transport == NULL)
        notes_add(&connect->device->notes, place, "a command without --transport: left out");
    else
        notes_add(&connect->device->notes, place, "transport %s%s%s: this command is left out",
                  notes_clean(arena_of(reader), transport),
                  is_known ? ", but earlier commands have " : " is neither tcp nor rdma",
                  is_known ? connect->transport : "");
    return false;
}

/* Applies the options that were given. */
static void end_command(struct reader *reader, const char *verb, struct diag_place place,
                        bool is_path, const char *nqn)
{
    struct nvme_connect *connect = reader->connect;
    const char *transport = NULL;
    for (size_t i = 0; i < reader->given_count; i++)
        if (strcmp(reader->given[i].option->name, "transport") == 0)
            transport = reader->given[i].value;
    if (connect->command_count == CONNECT_COMMANDS_MAX) {
        connect->left_out++;
        return;
    }
    struct connect_command *command =
        arena_push(arena_of(reader), (void **)(void *)&connect->commands, &connect->command_count,
                   sizeof *command);
    *command = (struct connect_command){.verb = verb, .place = place};
    if (!is_usable(reader, transport, place))
        return;
    command->is_path = is_path;
    command->nqn = nqn;
    for (size_t i = 0; i < reader->given_count; i++)
        set_option(reader, command, &reader->given[i]);
    set_tos(reader, command);
}

static bool is_program(const char *word)
{
    const char *slash = strrchr(word, '/');
    return strcmp(slash == NULL ? word : slash + 1, "nvme") == 0;
}

static bool is_verb(const char *word)
{
    return strcmp(word, "connect") == 0 || strcmp(word, "connect-all") == 0 ||
           strcmp(word, "discover") == 0;
}

/* The verb among the words; the number of words: there is none. */
static size_t find_verb(const struct shell *shell)
{
    for (size_t i = 1; i < shell->count; i++)
        if (is_verb(shell->words[i].text) && is_program(shell->words[i - 1].text))
            return i;
    return shell->count;
}

static bool calls_nvme(const struct shell *shell)
{
    return find_verb(shell) < shell->count;
}

/* A line of discovery.conf has options only. */
static bool is_of_conf(const struct shell *shell)
{
    const char *first = shell->words[0].text;
    return strncmp(first, "-t", 2) == 0 || strncmp(first, "-a", 2) == 0 ||
           strncmp(first, "--transport", 11) == 0 || strncmp(first, "--traddr", 8) == 0;
}

static void read_command(struct reader *reader, const struct shell *shell)
{
    const size_t verb = find_verb(shell);
    const bool is_conf = verb == shell->count && is_of_conf(shell);
    if (verb == shell->count && !is_conf)
        return;
    const struct shell_word *at = &shell->words[is_conf ? 0 : verb];
    reader->given_count = 0;
    for (size_t i = is_conf ? 0 : verb + 1; i < shell->count; i++) {
        const char *text = shell->words[i].text;
        if (text[0] == '-' && text[1] == '-' && text[2] != '\0')
            take_long(reader, shell, &i);
        else if (text[0] == '-' && text[1] != '\0' && text[1] != '-')
            take_short(reader, shell, &i);
        else if (strspn(text, "012") != strlen(text)) /* 2 of "2>&1" */
            note_word(reader, &shell->words[i], "no option, left out");
    }
    if (is_conf || reader->given_count > 0 || verb + 1 == shell->count)
        end_command(reader, is_conf ? "discovery.conf" : at->text, at->place,
                    !is_conf && strcmp(at->text, "connect") == 0, NULL);
}

bool nvme_connect_read(struct device *device, struct nvme_connect *connect)
{
    *connect = (struct nvme_connect){.device = device};
    struct reader *reader = arena_take(&device->arena, sizeof *reader);
    struct shell *shell = arena_take(&device->arena, sizeof *shell);
    reader->connect = connect;
    shell->device = device;
    shell->program = "nvme";
    shell->calls = calls_nvme;
    while (shell_next(shell))
        read_command(reader, shell);
    return connect->command_count > 0;
}

/* ---- config.json ---- */

static void take_member(struct reader *reader, const struct tree_item *item)
{
    const struct option *option = find_name(item->key, strlen(item->key));
    const struct tree_node *value = item->value;
    if (value->kind != TREE_SCALAR)
        return;
    if (option == NULL || strlen(option->name) != strlen(item->key)) {
        notes_add(&reader->connect->device->notes, value->place, "%s: unknown member, left out",
                  notes_clean(arena_of(reader), item->key));
        return;
    }
    if (has_value(option) || strcmp(value->text, "true") == 0)
        add_given(reader, option, has_value(option) ? value->text : NULL, option->name,
                  &(struct shell_word){.place = value->place});
}

static void read_ports(struct reader *reader, const struct tree_node *subsystem)
{
    const struct tree_node *ports = tree_get(subsystem, "ports");
    const struct tree_node *nqn = tree_get(subsystem, "nqn");
    for (size_t i = 0; ports != NULL && ports->kind == TREE_LIST && i < ports->count; i++) {
        const struct tree_node *port = ports->items[i].value;
        reader->given_count = 0;
        for (size_t k = 0; port->kind == TREE_MAP && k < port->count; k++)
            take_member(reader, &port->items[k]);
        end_command(reader, "config.json", port->place, true,
                    nqn != NULL && nqn->kind == TREE_SCALAR ? nqn->text : NULL);
    }
}

bool nvme_connect_config(struct device *device, const struct tree_node *root,
                         struct nvme_connect *connect)
{
    *connect = (struct nvme_connect){.device = device};
    struct reader *reader = arena_take(&device->arena, sizeof *reader);
    const struct tree_node *hosts = root->kind == TREE_MAP ? tree_get(root, "hosts") : root;
    reader->connect = connect;
    for (size_t i = 0; hosts != NULL && hosts->kind == TREE_LIST && i < hosts->count; i++) {
        const struct tree_node *list = tree_get(hosts->items[i].value, "subsystems");
        for (size_t k = 0; list != NULL && list->kind == TREE_LIST && k < list->count; k++)
            read_ports(reader, list->items[k].value);
    }
    return connect->command_count > 0;
}
