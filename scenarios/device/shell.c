/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/device/shell.h"

#include <ctype.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* A word while it is read; never longer than its lines and the values of variables. */
struct draft {
    char *text;
    size_t length, room;
    bool splits; /* a value without quotes has blanks, which part words */
};

static void append(struct shell *shell, struct draft *draft, const char *text, size_t length)
{
    if (draft->length + length + 1 > draft->room) {
        draft->room = 2 * (draft->length + length + 1);
        char *wider = arena_take(&shell->device->arena, draft->room);
        if (draft->length > 0)
            memcpy(wider, draft->text, draft->length);
        draft->text = wider;
    }
    memcpy(draft->text + draft->length, text, length);
    draft->length += length;
    draft->text[draft->length] = '\0';
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) != 0 || text[length] == '_')
        length++;
    return isdigit((unsigned char)text[0]) != 0 ? 0 : length;
}

/* ---- variables ---- */

static const char *value_of(const struct shell *shell, const char *name, size_t length)
{
    for (size_t i = shell->variable_count; i > 0; i--)
        if (strlen(shell->variables[i - 1].name) == length &&
            strncmp(shell->variables[i - 1].name, name, length) == 0)
            return shell->variables[i - 1].value;
    return NULL;
}

/* NAME=value as the first word of a command. */
static void take_assignment(struct shell *shell, const char *word)
{
    const size_t length = name_length(word);
    if (length == 0 || word[length] != '=' || shell->variable_count == SHELL_VARIABLES_MAX ||
        shell_is_open(word))
        return;
    shell->variables[shell->variable_count++] = (struct shell_variable){
        .name = arena_text(&shell->device->arena, word, length), .value = word + length + 1};
}

/* Length of $NAME, ${..}, $(..), $[..] or of a lone $. */
static size_t dollar_length(const char *at)
{
    static const char pairs[] = "{}()[]";
    const char *open = at[1] == '\0' ? NULL : strchr(pairs, at[1]);
    if (open == NULL || (open - pairs) % 2 != 0)
        return 1 + name_length(at + 1);
    int depth = 0;
    size_t length = 1;
    for (; at[length] != '\0'; length++) {
        depth += at[length] == open[0];
        depth -= at[length] == open[1];
        if (depth == 0)
            return length + 1;
    }
    return length;
}

/* Appends the value of a variable, or what is written. */
static size_t take_dollar(struct shell *shell, struct draft *draft, const char *at, bool is_quoted)
{
    const size_t length = dollar_length(at);
    const bool is_braced = at[1] == '{';
    const char *name = at + 1 + is_braced;
    const size_t width = name_length(name);
    const char *value = value_of(shell, name, width);
    const bool is_plain = is_braced && name[width] == '}';
    const bool has_else = is_braced && name[width] == ':' && name[width + 1] == '-';
    if (width > 0 && value != NULL && (!is_braced || is_plain || has_else) &&
        draft->length + strlen(value) <= SHELL_VALUE_BYTES_MAX) {
        draft->splits |= !is_quoted && strpbrk(value, blanks) != NULL;
        append(shell, draft, value, strlen(value));
    } else if (has_else && length > width + 5)
        append(shell, draft, name + width + 2, length - width - 5);
    else
        append(shell, draft, at, length);
    return length;
}

/* ---- words ---- */

/* Reads what is between quotes, which end with their line. */
static const char *take_quoted(struct shell *shell, struct draft *draft, const char *at)
{
    const char quote = *at++;
    while (*at != '\0' && *at != quote) {
        if (quote == '"' && *at == '$') {
            at += take_dollar(shell, draft, at, true);
        } else {
            at += quote == '"' && *at == '\\' && at[1] != '\0' && strchr("\"\\$`", at[1]) != NULL;
            append(shell, draft, at++, 1);
        }
    }
    return *at == quote ? at + 1 : at;
}

/* A placeholder of a document, such as <ip>; 0: none. */
static size_t placeholder_length(const char *at)
{
    size_t length = 1;
    if (*at != '<' || isalpha((unsigned char)at[1]) == 0)
        return 0;
    while (isalnum((unsigned char)at[length]) != 0 ||
           (at[length] != '\0' && strchr("_-. ", at[length]) != NULL))
        length++;
    return at[length] == '>' ? length + 1 : 0;
}

static size_t backtick_length(const char *at)
{
    const char *end = strchr(at + 1, '`');
    return end == NULL ? strlen(at) : (size_t)(end - at) + 1;
}

static bool next_line(struct shell *shell)
{
    if (!device_line(shell->device))
        return false;
    shell->at = shell->device->text;
    return true;
}

/* A backslash at the end of a line joins it with the next one. */
static bool is_joined(const char *at)
{
    return *at == '\\' && at[1 + strspn(at + 1, blanks)] == '\0';
}

/* Reads one part of a word; NULL: the word ends here. */
static const char *take_part(struct shell *shell, struct draft *draft, const char *at)
{
    const size_t placeholder = placeholder_length(at);
    const bool calls = (*at == '$' || *at == '`') && shell->calls(shell);
    if (*at == '\'' || *at == '"')
        return take_quoted(shell, draft, at);
    if (placeholder > 0) {
        append(shell, draft, at, placeholder);
        return at + placeholder;
    }
    if (*at == '$' && (at[1] != '(' || calls))
        return at + take_dollar(shell, draft, at, false);
    if (*at == '`' && calls) {
        append(shell, draft, at, backtick_length(at));
        return at + backtick_length(at);
    }
    if (*at == '\0' || strchr(" \t\r;&|()<>`", *at) != NULL || is_joined(at))
        return NULL;
    at += *at == '\\' && at[1] != '\0';
    append(shell, draft, at, 1);
    return at + 1;
}

static void take_word(struct shell *shell)
{
    const struct lines *lines = &shell->device->lines;
    struct draft draft = {0};
    const char *from = shell->at;
    for (const char *at = from; at != NULL; at = take_part(shell, &draft, at))
        shell->at = at;
    const size_t width = (size_t)(shell->at - from);
    append(shell, &draft, "", 0);
    if (width == 0)
        return;
    const struct diag_place place = lines_place(lines, from, width);
    const char *text = draft.text;
    for (size_t length = 0; shell->count < SHELL_WORDS_MAX; text += length) {
        text += draft.splits ? strspn(text, blanks) : 0;
        if (*text == '\0' && text > draft.text)
            return;
        length = draft.splits ? strcspn(text, blanks) : draft.length;
        shell->words[shell->count++] = (struct shell_word){
            arena_text(&shell->device->arena, text, length), place, lines->text};
        if (text[length] == '\0')
            return;
    }
}

/* ---- commands ---- */

/* Skips the # of a prompt; false: it begins a comment. */
static bool skip_prompt(struct shell *shell)
{
    const size_t before = (size_t)(shell->at - shell->device->text);
    const bool begins = strspn(shell->device->text, blanks) == before;
    if (!begins || shell->is_script || shell->at[1] != ' ')
        return false;
    shell->at += 2 + strspn(shell->at + 2, blanks);
    const size_t width = strlen(shell->program);
    return strncmp(shell->at, "sudo ", 5) == 0 ||
           (strncmp(shell->at, shell->program, width) == 0 && shell->at[width] == ' ');
}

/* Reads the rest of a line up to the end of its command; true: the next line continues it. */
static bool take_words(struct shell *shell)
{
    for (;;) {
        shell->at += strspn(shell->at, blanks);
        if (is_joined(shell->at))
            return true;
        if (*shell->at == '\0' || (*shell->at == '#' && !skip_prompt(shell))) {
            shell->at = NULL;
            return false;
        }
        const char *from = shell->at;
        take_word(shell);
        if (shell->at == from) { /* an operator ends the command */
            shell->at++;
            return false;
        }
    }
}

bool shell_next(struct shell *shell)
{
    shell->count = 0;
    while (shell->count == 0) {
        if (shell->at == NULL && !next_line(shell))
            return false;
        if (shell->device->lines.number == 1 && strncmp(shell->device->text, "#!", 2) == 0)
            shell->is_script = true;
        while (take_words(shell))
            if (!next_line(shell)) {
                shell->at = NULL;
                break;
            }
    }
    for (size_t i = 0; i < shell->count && strchr(shell->words[i].text, '=') != NULL; i++)
        take_assignment(shell, shell->words[i].text);
    if (strcmp(shell->words[0].text, "export") == 0 || strcmp(shell->words[0].text, "local") == 0)
        for (size_t i = 1; i < shell->count; i++)
            take_assignment(shell, shell->words[i].text);
    return true;
}

bool shell_is_open(const char *word)
{
    return strpbrk(word, "$`<") != NULL;
}
