/* SPDX-License-Identifier: Apache-2.0
 * tree_parse - builds a tree from YAML. The only file that uses libyaml.
 * It uses only libyaml's events, because libyaml's document interface is quadratic in depth and
 * does not expand aliases. Open containers are on a stack of fixed depth, so no input causes
 * recursion. */
#include "scenarios/format/tree.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "scenarios/format/tree_merge.h"
#include "scenarios/format/tree_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* Anchors are searched linearly; a scenario written by hand has fewer than this. */
enum { ANCHORS_MAX = 1000 };

struct anchor {
    const char *name;
    struct tree_node *node;
};

struct level {
    struct tree_node *node;
    const char *key; /* map: key of the next value; NULL: a key comes next */
    struct diag_place key_place;
};

struct build {
    struct arena *arena;
    const struct tree_file *file;
    struct diag *diag;
    int column_shift; /* column where the text begins in line 1, as the user sees it */
    yaml_parser_t parser;
    struct level levels[TREE_DEPTH_MAX];
    int depth;
    struct anchor anchors[ANCHORS_MAX];
    int anchor_count;
    uint32_t weight; /* weight of all nodes so far */
    struct tree_node *root;
    bool failed;
};

static const char no_directives[] = "directives such as %YAML are not supported";

static struct diag_place place_at(const struct build *build, yaml_mark_t mark, size_t width)
{
    const int shift = mark.line == 0 ? build->column_shift : 0;
    return (struct diag_place){
        .file = build->file->name,
        .line = (int)mark.line + 1,
        .column = (int)mark.column + 1 + shift,
        .width = width == 0 ? 1 : (int)width,
    };
}

static size_t mark_width(const yaml_event_t *event)
{
    if (event->start_mark.line != event->end_mark.line)
        return 1;
    return event->end_mark.column - event->start_mark.column;
}

__attribute__((format(printf, 3, 4))) static void fail(struct build *build, struct diag_place place,
                                                       const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(build->diag, DIAG_ERROR, place, tree_line(build->file, place.line), "%s", text);
    build->failed = true;
}

static void fail_event(struct build *build, const yaml_event_t *event, const char *text)
{
    fail(build, place_at(build, event->start_mark, mark_width(event)), "%s", text);
}

static bool add_weight(struct build *build, struct diag_place place, uint32_t weight)
{
    if (weight <= TREE_NODES_MAX - build->weight) {
        build->weight += weight;
        return true;
    }
    fail(build, place, "more than %d values, counting every use of an alias", TREE_NODES_MAX);
    return false;
}

static void attach(struct build *build, struct tree_node *node)
{
    if (build->depth == 0) {
        build->root = node;
        return;
    }
    struct level *level = &build->levels[build->depth - 1];
    struct tree_node *parent = level->node;
    struct tree_item *item =
        arena_push(build->arena, (void **)(void *)&parent->items, &parent->count, sizeof *item);
    *item = (struct tree_item){.key = level->key, .key_place = level->key_place, .value = node};
    level->key = NULL;
}

/* True if the next event must be a key. */
static bool wants_key(const struct build *build)
{
    const struct level *level = build->depth == 0 ? NULL : &build->levels[build->depth - 1];
    return level != NULL && level->node->kind == TREE_MAP && level->key == NULL;
}

/* Makes every text a single line. Line ends and tabs in the file become spaces, and trailing line
 * ends are removed. In double-quoted text, characters such as these come from escapes and are
 * intended, so they are kept for the check of printable characters. */
static bool fold(const yaml_event_t *event, char *text)
{
    if (event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        return printable_is(text);
    size_t length = event->data.scalar.length;
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(text[i] == '\n' || text[i] == '\t' ? ' ' : text[i]);
    return printable_is(text);
}

/* Text of a scalar; reports an error if it is not printable. */
static const char *copy_scalar(struct build *build, const yaml_event_t *event)
{
    char *text =
        arena_text(build->arena, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (!fold(event, text))
        fail(build, place_at(build, event->start_mark, mark_width(event)),
             "expected printable text on one line, but this has the character U+%04X",
             (unsigned)printable_fault(text));
    return text;
}

static struct tree_node *node_new(struct build *build, const yaml_event_t *event,
                                  enum tree_kind kind, size_t width)
{
    struct tree_node *node = arena_take(build->arena, sizeof *node);
    node->kind = kind;
    node->file = build->file;
    node->place = place_at(build, event->start_mark, width);
    return node;
}

static void add_anchor(struct build *build, const yaml_event_t *event, const yaml_char_t *anchor,
                       struct tree_node *node)
{
    if (anchor == NULL)
        return;
    if (build->anchor_count == ANCHORS_MAX) {
        fail_event(build, event, "too many anchors");
        return;
    }
    const char *name = arena_text(build->arena, (const char *)anchor, strlen((const char *)anchor));
    build->anchors[build->anchor_count++] = (struct anchor){name, node};
}

static void on_key(struct build *build, const yaml_event_t *event)
{
    struct level *level = &build->levels[build->depth - 1];
    const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const char *text = (const char *)event->data.scalar.value;
    level->key_place = place_at(build, event->start_mark, mark_width(event));
    level->key =
        plain && strcmp(text, tree_merge_key) == 0 ? tree_merge_key : copy_scalar(build, event);
    if (*text == '\0')
        fail_event(build, event, "expected a key");
    if (event->data.scalar.anchor != NULL)
        fail_event(build, event, "a key cannot have an anchor");
}

static void on_scalar(struct build *build, const yaml_event_t *event)
{
    if (event->data.scalar.tag != NULL) {
        fail_event(build, event, "tags such as !!str are not supported");
        return;
    }
    if (strlen((const char *)event->data.scalar.value) != event->data.scalar.length) {
        fail_event(build, event, "a text cannot contain a NUL character");
        return;
    }
    if (wants_key(build)) {
        on_key(build, event);
        return;
    }
    struct tree_node *node = node_new(build, event, TREE_SCALAR, mark_width(event));
    node->weight = 1;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = copy_scalar(build, event);
    add_anchor(build, event, event->data.scalar.anchor, node);
    if (add_weight(build, node->place, 1))
        attach(build, node);
}

static void on_alias(struct build *build, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct tree_node *node = NULL;
    for (int i = build->anchor_count - 1; i >= 0 && node == NULL; i--)
        if (strcmp(build->anchors[i].name, name) == 0)
            node = build->anchors[i].node;
    if (node == NULL) {
        fail(build, place_at(build, event->start_mark, mark_width(event)),
             "there is no anchor '%.64s' before this alias", name);
        return;
    }
    if (wants_key(build))
        fail_event(build, event, "a key cannot be an alias");
    else if (node->weight == 0) /* it gets its weight when it ends */
        fail_event(build, event, "an alias cannot be inside the value that it names");
    else if (add_weight(build, place_at(build, event->start_mark, mark_width(event)), node->weight))
        attach(build, node);
}

static void on_open(struct build *build, const yaml_event_t *event, enum tree_kind kind)
{
    const bool list = kind == TREE_LIST;
    const yaml_char_t *tag = list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    const yaml_char_t *anchor =
        list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    if (tag != NULL)
        fail_event(build, event, "tags such as !!map are not supported");
    else if (wants_key(build))
        fail_event(build, event, "a key must be a plain word");
    else if (build->depth == TREE_DEPTH_MAX)
        fail_event(build, event, "more than 64 levels of lists and mappings");
    if (build->failed)
        return;
    struct tree_node *node = node_new(build, event, kind, 1);
    add_anchor(build, event, anchor, node);
    if (add_weight(build, node->place, 1))
        build->levels[build->depth++] = (struct level){.node = node};
}

static void on_close(struct build *build)
{
    CHECK(build->depth > 0);
    struct tree_node *node = build->levels[--build->depth].node;
    uint32_t weight = 1;
    if (node->kind == TREE_MAP)
        build->failed |= !tree_merge(build->arena, node, build->diag);
    for (size_t i = 0; i < node->count; i++)
        weight += node->items[i].value->weight;
    node->weight = weight;
    attach(build, node);
}

static void on_document(struct build *build, const yaml_event_t *event)
{
    if (build->root != NULL)
        fail_event(build, event, "a second document: expected a single one");
    else if (event->data.document_start.version_directive != NULL ||
             event->data.document_start.tag_directives.start !=
                 event->data.document_start.tag_directives.end)
        fail_event(build, event, no_directives);
}

static void on_event(struct build *build, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        on_document(build, event);
        break;
    case YAML_SCALAR_EVENT:
        on_scalar(build, event);
        break;
    case YAML_ALIAS_EVENT:
        on_alias(build, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_open(build, event, TREE_LIST);
        break;
    case YAML_MAPPING_START_EVENT:
        on_open(build, event, TREE_MAP);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        on_close(build);
        break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
}

static const char memory_of_parser[] = "reading YAML";

/* ---- errors of libyaml in the words of a user ---- */

static const struct {
    const char *problem, *words;
} parser_words[] = {
    {"mapping values are not allowed in this context",
     "found ': ' where no key can be: put a value that contains ': ' in quotes, or check whether "
     "the line above lacks its ':' or has another indentation"},
    {"block sequence entries are not allowed in this context",
     "found '- ' after other text: expected each item of a list on its own line, or [A, B]"},
    {"mapping keys are not allowed in this context", "found '? ': expected KEY: VALUE"},
    {"could not find expected ':'", "found no ':' after this word: expected KEY: VALUE"},
    {"found a tab character", "found a tab: expected spaces; YAML does not allow tabs in the "
                              "indentation"},
    {"found unexpected end of stream", "found a quotation mark without its pair: expected another "
                                       "one at the end of the value"},
    {"found unexpected document indicator",
     "found '---' or '...' inside quotation marks: expected the closing quotation mark before it"},
    {"found unknown escape character", "found an unknown escape after '\\': expected \\n, \\t, "
                                       "\\\" or \\\\; in single quotes, '\\' is "
                                       "an ordinary character"},
    {"did not find expected comment or line break",
     "found text after '|' or '>': expected it on the following lines, indented"},
    {"did not find expected alphabetic or numeric character",
     "found '*' or '&' without a name: put a value that begins with it in quotes"},
    {"did not find expected node content", "expected a value"},
    {"did not find expected <document start>",
     "found text after the end of the value above: expected no more text, or the indentation of "
     "the lines above"},
};

/* The text of a line; "" behind the last one. */
static const char *line_text(const struct build *build, int number)
{
    const char *line = tree_line(build->file, number);
    return line == NULL ? "" : line;
}

static void indentation_error(struct build *build, struct diag_place place, bool list)
{
    const struct diag_place block = place_at(build, build->parser.context_mark, 1);
    const char *line = tree_line(build->file, place.line);
    const bool dash =
        list && line != NULL && place.column <= (int)strlen(line) && line[place.column - 1] == '-';
    if (dash && place.column == block.column)
        fail(build, place, "found '-' without a space after it: expected '- ' before the item");
    else if (list)
        fail(build, place,
             "found column %d: expected '- ' in column %d, where the list of line %d has its "
             "items, or the column of the other keys of the item above",
             place.column, block.column, block.line);
    else
        fail(build, place,
             "found column %d: expected a key in column %d, where the block of line %d has its "
             "keys",
             place.column, block.column, block.line);
}

/* A bracket that nothing closes. */
static void bracket_error(struct build *build, struct diag_place place, char open, char close,
                          bool at_end)
{
    const struct diag_place start = place_at(build, build->parser.context_mark, 1);
    if (at_end)
        fail(build, place,
             "found '%c' that is not closed: expected ',' or '%c' after the last item", open,
             close);
    else
        fail(build, place, "expected ',' or '%c': the '%c' of line %d, column %d is still open",
             close, open, start.line, start.column);
}

static void token_error(struct build *build, struct diag_place place)
{
    const char *line = line_text(build, place.line);
    const size_t at = (size_t)place.column - 1;
    const char found = at < strlen(line) ? line[at] : '\0';
    if (found == '\t')
        fail(build, place,
             "found a tab: expected spaces; YAML does not allow tabs in the "
             "indentation");
    else
        fail(build, place, "found '%c', with which no value begins: put the value in quotes",
             found > ' ' && found < 0x7F ? found : '?');
}

static void parser_error(struct build *build)
{
    const yaml_parser_t *parser = &build->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        memory_out(0, memory_of_parser);
    const char *problem = parser->problem;
    /* If something is missing at the end of the file, the message points to where it began. */
    const bool at_end = tree_line(build->file, (int)parser->problem_mark.line + 1) == NULL;
    const struct diag_place place =
        place_at(build, at_end ? parser->context_mark : parser->problem_mark, 1);
    if (text_begins(problem, "did not find expected '-' indicator"))
        return indentation_error(build, place, true);
    if (text_begins(problem, "did not find expected key"))
        return indentation_error(build, place, false);
    if (text_begins(problem, "did not find expected ',' or ']'"))
        return bracket_error(build, place, '[', ']', at_end);
    if (text_begins(problem, "did not find expected ',' or '}'"))
        return bracket_error(build, place, '{', '}', at_end);
    if (text_begins(problem, "found character that cannot start any token"))
        return token_error(build, place);
    if (text_begins(problem, "did not find expected <document start>") &&
        text_begins(line_text(build, 1), "%"))
        return fail(build, place_at(build, (yaml_mark_t){0}, 1), "%s", no_directives);
    for (size_t i = 0; i < sizeof parser_words / sizeof parser_words[0]; i++)
        if (text_begins(problem, parser_words[i].problem))
            return fail(build, place, "%s", parser_words[i].words);
    fail(build, place, "%s%s%s", problem, parser->context == NULL ? "" : " ",
         parser->context == NULL ? "" : parser->context);
}

/* ---- the file ---- */

static bool text_is_clean(struct build *build, const char *text, size_t size)
{
    struct diag_place place = {.line = 1, .column = 1, .width = 1};
    const char *fault = tree_text_fault(text, size, &place);
    if (fault == NULL)
        return true;
    place.file = build->file->name;
    place.column += place.line == 1 ? build->column_shift : 0;
    fail(build, place, "%s", fault);
    return false;
}

static void run(struct build *build)
{
    yaml_event_t event;
    for (bool last = false; !last && !build->failed;) {
        if (!yaml_parser_parse(&build->parser, &event)) {
            parser_error(build);
            return;
        }
        last = event.type == YAML_STREAM_END_EVENT;
        on_event(build, &event);
        yaml_event_delete(&event);
    }
}

struct tree_node *tree_parse(struct arena *arena, const struct tree_file *file, size_t from,
                             struct diag *diag)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* a byte order mark is allowed at the start */
    const char *text = file->text + from;
    size_t length = file->length - from;
    if (length >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    struct build *build = arena_take(arena, sizeof *build);
    *build = (struct build){.arena = arena, .file = file, .diag = diag, .column_shift = (int)from};
    if (!text_is_clean(build, text, length))
        return NULL;
    if (yaml_parser_initialize(&build->parser) == 0)
        memory_out(0, memory_of_parser);
    yaml_parser_set_encoding(&build->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&build->parser, (const unsigned char *)text, length);
    run(build);
    yaml_parser_delete(&build->parser);
    if (build->failed)
        return NULL;
    if (build->root == NULL)
        diag_add(diag, DIAG_ERROR, (struct diag_place){file->name, 1, 1 + (int)from, 1}, NULL,
                 "expected a value, but this is empty");
    return build->root;
}
