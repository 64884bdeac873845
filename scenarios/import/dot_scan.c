/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/dot_scan.h"

#include "scenarios/format/tree_text.h"
#include "scenarios/import/cabling.h"

#include <string.h>
#include <strings.h>

enum kind { KIND_END, KIND_WORD, KIND_EDGE, KIND_SIGN };

struct token {
    enum kind kind;
    char sign; /* for KIND_SIGN */
    const char *text;
    size_t length;
    struct diag_place place;
};

struct scan {
    struct arena *arena;
    const struct tree_file *file;
    struct diag *diag;
    const char *at;
    const char *line_start;
    const char *counted; /* columns have been counted up to here */
    int line, column;
    struct dot_places *places;
    size_t group_count;
    int depth, brackets;
    bool failed;
};

/* ---- the text ---- */

/* Continuation bytes of UTF-8 do not count as columns. */
static struct diag_place place_here(struct scan *scan)
{
    for (; scan->counted < scan->at; scan->counted++)
        scan->column += ((unsigned char)*scan->counted & 0xC0) != 0x80;
    return (struct diag_place){
        .file = scan->file->name, .line = scan->line, .column = scan->column, .width = 1};
}

static void fail(struct scan *scan, struct diag_place place, const char *text)
{
    if (!scan->failed)
        diag_add(scan->diag, DIAG_ERROR, place, tree_line(scan->file, place.line), "%s", text);
    scan->failed = true;
}

static void next_byte(struct scan *scan)
{
    if (*scan->at++ == '\n') {
        scan->line++;
        scan->column = 1;
        scan->line_start = scan->counted = scan->at;
    }
}

/* True if a comment was skipped. */
static bool skip_comment(struct scan *scan)
{
    const bool is_hash = *scan->at == '#' && scan->at == scan->line_start;
    if (is_hash || strncmp(scan->at, "//", 2) == 0) {
        scan->at += strcspn(scan->at, is_hash ? "\r\n" : "\n");
        return true;
    }
    if (strncmp(scan->at, "/*", 2) != 0)
        return false;
    const struct diag_place place = place_here(scan);
    const char *end = strstr(scan->at + 2, "*/");
    if (end == NULL) {
        fail(scan, place, "a comment without an end");
        end = scan->at + strlen(scan->at) - 2;
    }
    while (scan->at < end + 2)
        next_byte(scan);
    return true;
}

static void skip_blanks(struct scan *scan)
{
    do {
        while (*scan->at != '\0' && strchr(" \t\r\n", *scan->at) != NULL)
            next_byte(scan);
    } while (skip_comment(scan));
}

/* ---- tokens ---- */

static void take_quoted(struct scan *scan, const struct token *token)
{
    for (next_byte(scan); *scan->at != '"' && *scan->at != '\0'; next_byte(scan))
        if (*scan->at == '\\' && scan->at[1] != '\0')
            next_byte(scan);
    if (*scan->at == '\0')
        fail(scan, token->place, "a string without a closing quote");
    else
        next_byte(scan);
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

/* True for an unquoted name or a number, which Graphviz reads as one word. */
static bool is_one_word(const struct token *token)
{
    const char *text = token->text;
    const bool number = strchr("-.0123456789", *text) != NULL;
    size_t dots = 0;
    for (size_t i = text[0] == '-'; i < token->length; i++) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        dots += text[i] == '.';
        if (number ? !digit && text[i] != '.' : text[i] == '.')
            return false;
    }
    return dots <= 1;
}

static struct token next_token(struct scan *scan)
{
    skip_blanks(scan);
    struct token token = {.text = scan->at, .place = place_here(scan)};
    const bool minus = *scan->at == '-' && (is_word_byte(scan->at[1]));
    if (*scan->at == '\0')
        return token;
    token.kind = KIND_WORD;
    if (*scan->at == '"') {
        take_quoted(scan, &token);
    } else if (minus || is_word_byte(*scan->at)) {
        for (scan->at++; is_word_byte(*scan->at);)
            scan->at++;
    } else if (strncmp(scan->at, "--", 2) == 0 || strncmp(scan->at, "->", 2) == 0) {
        token.kind = KIND_EDGE;
        scan->at += 2;
    } else {
        token.kind = KIND_SIGN;
        token.sign = *scan->at;
        next_byte(scan);
    }
    token.length = (size_t)(scan->at - token.text);
    if (token.kind == KIND_WORD && *token.text != '"' && !is_one_word(&token))
        fail(scan, token.place, "expected quotes around this name");
    if (token.kind == KIND_WORD && token.length > DOT_WORD_MAX)
        fail(scan, token.place, "a word of more than 1024 bytes");
    return token;
}

/* Keywords are not case-sensitive. */
static bool is_keyword(const struct token *token, const char *word)
{
    return token->kind == KIND_WORD && token->length == strlen(word) &&
           strncasecmp(token->text, word, token->length) == 0;
}

/* ---- statements ---- */

/* Limits the number of attribute names: Graphviz adds each new one to all objects, which takes
 * time. */
static void count_attribute(struct scan *scan, const struct token *name)
{
    struct dot_places *places = scan->places;
    for (size_t i = 0; i < places->attribute_count; i++)
        if (strncmp(places->attributes[i].name, name->text, name->length) == 0 &&
            places->attributes[i].name[name->length] == '\0')
            return;
    if (places->attribute_count == DOT_ATTRIBUTES_MAX)
        fail(scan, name->place, "more than 32 different attributes");
    else
        places->attributes[places->attribute_count++] =
            (struct dot_attribute){arena_text(scan->arena, name->text, name->length), name->place};
}

static void take_sign(struct scan *scan, const struct token *token)
{
    scan->depth += (token->sign == '{') - (token->sign == '}');
    scan->brackets += (token->sign == '[') - (token->sign == ']');
    if (scan->depth > DOT_DEPTH_MAX)
        fail(scan, token->place, "more than 16 levels of groups");
    else if (token->sign == '{' && scan->group_count++ == DOT_GROUPS_MAX)
        fail(scan, token->place, "more than 1000 groups");
    else if (token->sign == ',' && scan->brackets == 0)
        fail(scan, token->place, "a list of nodes cannot be the end of a cable");
    else if (token->sign == '<')
        fail(scan, token->place, "expected a name or a quoted string, not HTML");
    else if (token->sign == '+')
        fail(scan, token->place, "expected a string in one piece");
}

static void add_edge(struct scan *scan, struct diag_place place)
{
    if (scan->places->count == CABLING_LINKS_MAX) {
        fail(scan, place, "more than 100000 links");
        return;
    }
    struct dot_places *places = scan->places;
    struct diag_place *slot =
        arena_push(scan->arena, (void **)(void *)&places->edges, &places->count, sizeof *slot);
    *slot = place;
}

static bool opens_group(const struct token *token)
{
    return (token->kind == KIND_SIGN && token->sign == '{') || is_keyword(token, "subgraph");
}

/* Scans from the opening brace to its closing brace. */
static void scan_body(struct scan *scan)
{
    struct token last = {.kind = KIND_SIGN, .sign = ';'}, word = last;
    do {
        const struct token token = next_token(scan);
        const bool is_sign = token.kind == KIND_SIGN;
        if (token.kind == KIND_END)
            fail(scan, token.place, "expected '}' to close the graph");
        if (token.kind == KIND_WORD && !(last.kind == KIND_SIGN && last.sign == ':'))
            word = token;
        if (is_sign && token.sign == '=' && last.kind == KIND_WORD)
            count_attribute(scan, &last);
        if (is_sign)
            take_sign(scan, &token);
        if (token.kind == KIND_EDGE && last.kind == KIND_SIGN && last.sign == '}')
            fail(scan, token.place, "a group of nodes cannot be the end of a cable");
        if (last.kind == KIND_EDGE && opens_group(&token))
            fail(scan, token.place, "a group of nodes cannot be the end of a cable");
        if (token.kind == KIND_EDGE)
            add_edge(scan, word.kind == KIND_WORD ? word.place : token.place);
        last = token;
    } while (scan->depth > 0 && !scan->failed);
}

static void scan_head(struct scan *scan)
{
    struct token token = next_token(scan);
    if (is_keyword(&token, "strict"))
        fail(scan, token.place, "a strict graph loses parallel cables: leave 'strict' out");
    else if (!is_keyword(&token, "graph") && !is_keyword(&token, "digraph"))
        fail(scan, token.place,
             "expected a graph such as: graph G { \"leaf1\":\"swp1\" -- "
             "\"spine1\":\"swp1\" }");
    token = next_token(scan);
    if (token.kind == KIND_WORD)
        token = next_token(scan);
    if (token.kind != KIND_SIGN || token.sign != '{')
        fail(scan, token.place, "expected '{' to open the graph");
    scan->depth = 1;
}

bool dot_scan(struct arena *arena, const struct tree_file *file, struct dot_places *places,
              struct diag *diag)
{
    struct scan scan = {.arena = arena,
                        .file = file,
                        .diag = diag,
                        .places = places,
                        .at = file->text,
                        .line_start = file->text,
                        .counted = file->text,
                        .line = 1,
                        .column = 1};
    struct diag_place place = {.file = file->name, .line = 1, .column = 1, .width = 1};
    const char *fault = tree_text_fault(file->text, file->length, &place);
    *places = (struct dot_places){0};
    if (fault != NULL)
        fail(&scan, place, fault);
    if (!scan.failed)
        scan_head(&scan);
    if (!scan.failed)
        scan_body(&scan);
    if (scan.failed)
        return false;
    const struct token rest = next_token(&scan);
    if (rest.kind != KIND_END)
        fail(&scan, rest.place, "expected the end of the file after the graph");
    return !scan.failed;
}

struct diag_place dot_attribute_place(const struct dot_places *places, const struct tree_file *file,
                                      const char *name)
{
    for (size_t i = 0; i < places->attribute_count; i++) {
        const char *written = places->attributes[i].name;
        const bool quoted = written[0] == '"';
        if (strncmp(written + quoted, name, strlen(name)) == 0 &&
            strlen(written) == strlen(name) + 2 * quoted)
            return places->attributes[i].place;
    }
    return (struct diag_place){.file = file->name, .line = 1, .column = 1, .width = 1};
}
