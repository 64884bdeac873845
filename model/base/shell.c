/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shell.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+/%=,:@";
    return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

void shell_print_inside(FILE *out, const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (strchr(escaped, *text) != NULL)
            fputc('\\', out);
        /* A quote cannot be inside: it ends the word, is escaped, and begins another one. */
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    }
}

void shell_print_word(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    shell_print_inside(out, text, "");
    fputc('\'', out);
}
