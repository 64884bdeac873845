/* SPDX-License-Identifier: Apache-2.0
 * lesson - reads the text of a lesson. */
#include "replay/lesson/lesson.h"

#include "base/check.h"
#include "base/memory.h"
#include "scenarios/embedded.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const headings[LESSON_PARTS] = {
    [LESSON_PREDICT] = "Predict",        [LESSON_RUN] = "Run",
    [LESSON_HAPPENED] = "What happened", [LESSON_NUMBERS] = "Where the numbers come from",
    [LESSON_QUESTION] = "Question",
};

const char *lesson_heading(enum lesson_part part)
{
    return headings[part];
}

/* ---- lines ---- */

static bool take_line(struct lesson_span *rest, struct lesson_span *line)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->text, '\n', rest->length);
    const size_t length = end == NULL ? rest->length : (size_t)(end - rest->text);
    const size_t taken = length + (end != NULL);
    *line = (struct lesson_span){rest->text, length};
    rest->text += taken;
    rest->length -= taken;
    return true;
}

static bool starts_with(struct lesson_span line, const char *prefix, struct lesson_span *after)
{
    const size_t length = strlen(prefix);
    if (line.length < length || memcmp(line.text, prefix, length) != 0)
        return false;
    *after = (struct lesson_span){line.text + length, line.length - length};
    return true;
}

static bool copy_span(char *to, size_t size, struct lesson_span from)
{
    if (from.length == 0 || from.length >= size)
        return false;
    memcpy(to, from.text, from.length);
    to[from.length] = '\0';
    return true;
}

static bool is_word(struct lesson_span span, const char *word)
{
    return strlen(word) == span.length && memcmp(word, span.text, span.length) == 0;
}

/* Splits "TEXT `CONDITION`". */
static bool split_condition(struct lesson_span line, struct lesson_span *text,
                            struct lesson_span *condition)
{
    if (line.length < 3 || line.text[line.length - 1] != '`')
        return false;
    size_t at = line.length - 1;
    while (at > 0 && line.text[at - 1] != '`')
        at--;
    if (at == 0)
        return false;
    *condition = (struct lesson_span){line.text + at, line.length - at - 1};
    *text = (struct lesson_span){line.text, at - 1};
    while (text->length > 0 && text->text[text->length - 1] == ' ')
        text->length--;
    return true;
}

static enum lesson_line_kind classify(struct lesson_span line, struct lesson_span *text,
                                      struct lesson_span *condition)
{
    struct lesson_span after;
    *text = line;
    if (starts_with(line, "Check: ", &after) && split_condition(after, text, condition))
        return LESSON_CHECK;
    if (starts_with(line, "- ", &after) && after.length > 3 && after.text[1] == ':' &&
        islower((unsigned char)after.text[0]) != 0 && split_condition(after, text, condition))
        return LESSON_ANSWER;
    *text = line;
    return LESSON_TEXT;
}

/* ---- probes ---- */

static const struct lesson_probe *find_probe(const struct lesson *lesson, struct lesson_span text)
{
    for (uint32_t i = 0; i < lesson->probe_count; i++)
        if (is_word(text, lesson->probes[i].text))
            return &lesson->probes[i];
    return NULL;
}

/* The name of a variant ends with a colon; without one the scenario itself is meant. */
static bool find_variant(const struct lesson *lesson, struct lesson_probe *probe)
{
    const char *colon = strstr(probe->text, ": ");
    probe->quantity = probe->text;
    if (colon == NULL)
        return true;
    probe->quantity = colon + 2;
    const struct lesson_span name = {probe->text, (size_t)(colon - probe->text)};
    for (uint32_t i = 1; i < lesson->variant_count; i++)
        if (is_word(name, lesson->variants[i].name)) {
            probe->variant = i;
            return true;
        }
    return false;
}

static bool add_probe(struct lesson *lesson, struct lesson_span text, bool is_condition)
{
    if (find_probe(lesson, text) != NULL)
        return true;
    if (lesson->probe_count == LESSON_PROBES)
        return false;
    struct lesson_probe *probe = &lesson->probes[lesson->probe_count];
    *probe = (struct lesson_probe){.is_condition = is_condition};
    if (!copy_span(probe->text, sizeof probe->text, text) || !find_variant(lesson, probe))
        return false;
    lesson->probe_count++;
    return true;
}

/* The text between the next braces; `rest` moves behind them. */
static bool take_name(struct lesson_span *rest, struct lesson_span *before,
                      struct lesson_span *name)
{
    const char *open = memchr(rest->text, '{', rest->length);
    if (open == NULL)
        return false;
    const size_t head = (size_t)(open - rest->text);
    const char *close = memchr(open, '}', rest->length - head);
    if (close == NULL)
        return false;
    *before = (struct lesson_span){rest->text, head};
    *name = (struct lesson_span){open + 1, (size_t)(close - open - 1)};
    rest->length -= (size_t)(close + 1 - rest->text);
    rest->text = close + 1;
    return true;
}

static bool add_probes_of(struct lesson *lesson, struct lesson_span line)
{
    struct lesson_span text, condition, before, name;
    if (classify(line, &text, &condition) != LESSON_TEXT && !add_probe(lesson, condition, true))
        return false;
    while (take_name(&text, &before, &name))
        if (!add_probe(lesson, name, false))
            return false;
    return true;
}

/* ---- the whole text ---- */

struct reading {
    struct lesson *lesson;
    struct lesson_span rest;
    int line_number, part; /* part: -1 in the head */
    char *why;
};

static bool __attribute__((format(printf, 2, 3)))
fail_at(const struct reading *reading, const char *format, ...)
{
    va_list arguments;
    const int head = snprintf(reading->why, LESSON_WHY_BYTES, "%s.md:%d: ", reading->lesson->name,
                              reading->line_number);
    va_start(arguments, format);
    vsnprintf(reading->why + head, (size_t)(LESSON_WHY_BYTES - head), format, arguments);
    va_end(arguments);
    return false;
}

static bool read_title(struct lesson *lesson, struct lesson_span after)
{
    while (after.length > 0 && isdigit((unsigned char)*after.text) != 0 && lesson->order < 1000) {
        lesson->order = lesson->order * 10 + (uint32_t)(*after.text - '0');
        after.text++;
        after.length--;
    }
    return lesson->order > 0 && starts_with(after, ". ", &after) &&
           copy_span(lesson->title, sizeof lesson->title, after);
}

static bool read_variant(struct lesson *lesson, struct lesson_span after)
{
    const char *colon = memchr(after.text, ':', after.length);
    if (colon == NULL)
        return false;
    const struct lesson_span name = {after.text, (size_t)(colon - after.text)};
    const struct lesson_span set = {colon + 2, after.length - name.length - 2};
    struct lesson_variant *variant = &lesson->variants[lesson->variant_count - 1];
    if (after.length < name.length + 3)
        return false;
    if (!is_word(name, variant->name)) {
        if (lesson->variant_count == LESSON_VARIANTS)
            return false;
        variant = &lesson->variants[lesson->variant_count++];
        if (!copy_span(variant->name, sizeof variant->name, name))
            return false;
    }
    return variant->set_count < LESSON_SETS &&
           copy_span(variant->sets[variant->set_count++], sizeof variant->sets[0], set);
}

static bool read_head(struct reading *reading, struct lesson_span line)
{
    struct lesson *lesson = reading->lesson;
    struct lesson_span after;
    bool well = line.length == 0;
    if (starts_with(line, "# ", &after))
        well = read_title(lesson, after);
    else if (starts_with(line, "Minutes: ", &after))
        well = after.length == 1 && isdigit((unsigned char)*after.text) != 0 &&
               (lesson->minutes = (uint32_t)(*after.text - '0')) > 0;
    else if (starts_with(line, "Goal: ", &after))
        well = copy_span(lesson->goal, sizeof lesson->goal, after);
    else if (starts_with(line, "Variant ", &after))
        well = read_variant(lesson, after);
    return well || fail_at(reading, "expected '# N. TITLE', 'Minutes: N', 'Goal: SENTENCE' or "
                                    "'Variant NAME: PATH=VALUE'");
}

static bool begin_part(struct reading *reading, struct lesson_span heading)
{
    const int next = reading->part + 1;
    if (next == LESSON_PARTS || !is_word(heading, headings[next]))
        return fail_at(reading, "expected the heading '%s'",
                       next == LESSON_PARTS ? "none" : headings[next]);
    reading->part = next;
    reading->lesson->parts[next].text = reading->rest.text;
    return true;
}

static bool read_line(struct reading *reading, struct lesson_span line)
{
    struct lesson_span after;
    if (starts_with(line, "## ", &after))
        return begin_part(reading, after);
    if (reading->part < 0)
        return read_head(reading, line);
    struct lesson_span *part = &reading->lesson->parts[reading->part];
    part->length = (size_t)(line.text + line.length - part->text);
    return add_probes_of(reading->lesson, line) ||
           fail_at(reading, "unknown variant, or too long or too many quantities");
}

bool lesson_parse(struct lesson *lesson, const char *name, const char *text, size_t length,
                  char why[LESSON_WHY_BYTES])
{
    struct reading reading = {.lesson = lesson, .rest = {text, length}, .part = -1, .why = why};
    struct lesson_span line;
    *lesson = (struct lesson){.variant_count = 1};
    snprintf(lesson->name, sizeof lesson->name, "%s", name);
    lesson->probes = memory_zeroed(LESSON_PROBES, sizeof *lesson->probes);
    while (take_line(&reading.rest, &line)) {
        reading.line_number++;
        if (!read_line(&reading, line))
            return false;
    }
    if (lesson->order == 0 || lesson->minutes == 0 || lesson->goal[0] == '\0')
        return fail_at(&reading, "the head lacks title, Minutes or Goal");
    return reading.part + 1 == LESSON_PARTS ||
           fail_at(&reading, "the part '%s' is missing", headings[reading.part + 1]);
}

void lesson_free(struct lesson *lesson)
{
    free(lesson->probes);
}

bool lesson_next_line(const struct lesson *lesson, enum lesson_part part, size_t *at,
                      struct lesson_line *line)
{
    const struct lesson_span *whole = &lesson->parts[part];
    struct lesson_span rest = {whole->text + *at, whole->length - *at}, text, condition;
    if (!take_line(&rest, &text))
        return false;
    *at = whole->length - rest.length;
    line->kind = classify(text, &line->text, &condition);
    line->probe = line->kind == LESSON_TEXT ? NULL : find_probe(lesson, condition);
    line->letter = line->kind == LESSON_ANSWER ? line->text.text[0] : '\0';
    if (line->kind == LESSON_ANSWER) {
        line->text.text += 3;
        line->text.length -= 3;
    }
    return true;
}

void lesson_fill(const struct lesson *lesson, struct lesson_span text, FILE *out)
{
    struct lesson_span before, name;
    while (take_name(&text, &before, &name)) {
        const struct lesson_probe *probe = find_probe(lesson, name);
        fprintf(out, "%.*s%s", (int)before.length, before.text,
                probe == NULL ? "?" : probe->actual);
    }
    fprintf(out, "%.*s", (int)text.length, text.text);
}

bool lesson_right_answer(const struct lesson *lesson, enum lesson_part part,
                         struct lesson_line *answer)
{
    struct lesson_line line;
    uint32_t right = 0;
    for (size_t at = 0; lesson_next_line(lesson, part, &at, &line);)
        if (line.kind == LESSON_ANSWER && line.probe->holds) {
            *answer = line;
            right++;
        }
    return right == 1;
}

/* ---- all lessons ---- */

static int by_order(const void *a, const void *b)
{
    const struct lesson *left = a, *right = b;
    return (left->order > right->order) - (left->order < right->order);
}

uint32_t lesson_load_all(struct lesson lessons[LESSONS_MAX])
{
    static const char folder[] = "lessons/";
    uint32_t count = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const char *end = strstr(file->name, ".md"), *name = file->name + strlen(folder);
        char stem[LESSON_NAME_BYTES], why[LESSON_WHY_BYTES];
        if (end == NULL || strncmp(file->name, folder, strlen(folder)) != 0)
            continue;
        CHECK(count < LESSONS_MAX);
        snprintf(stem, sizeof stem, "%.*s", (int)(end - name), name);
        const bool well =
            lesson_parse(&lessons[count++], stem, (const char *)file->bytes, file->length, why);
        CHECK(well);
    }
    qsort(lessons, count, sizeof *lessons, by_order);
    return count;
}
