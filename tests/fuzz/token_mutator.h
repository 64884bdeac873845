/* SPDX-License-Identifier: Apache-2.0
 * token_mutator - changes of a text of words and punctuation (YAML, JSON), so that mostly it is one
 * still: what readers do behind the parser is reached.
 * A word is replaced by another of the text, by what libFuzzer makes of it (with the words of the
 * dictionary), or by an odd number with its unit; lines are copied, left out and exchanged.  One
 * change in eight is libFuzzer's own, of any bytes.
 * Included by the targets that want it: it defines LLVMFuzzerCustomMutator. */
#ifndef STORMGLASS_TESTS_TOKEN_MUTATOR_H
#define STORMGLASS_TESTS_TOKEN_MUTATOR_H

#include "base/rng.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

struct token_text {
    uint8_t *data;
    size_t size, max;
    struct rng rng;
};

struct token_span {
    size_t at, length;
};

static bool token_is_word(uint8_t c)
{
    return isalnum(c) || (c != '\0' && strchr("._-%*", c) != NULL);
}

/* The word at a place that is drawn, or the next one; none: of no length. */
static struct token_span token_draw_word(struct token_text *text)
{
    size_t at = (size_t)rng_below(&text->rng, text->size + 1);
    while (at > 0 && token_is_word(text->data[at - 1]))
        at--;
    while (at < text->size && !token_is_word(text->data[at]))
        at++;
    size_t end = at;
    while (end < text->size && token_is_word(text->data[end]))
        end++;
    return (struct token_span){at, end - at};
}

static struct token_span token_draw_line(struct token_text *text)
{
    size_t at = (size_t)rng_below(&text->rng, text->size + 1), end;
    while (at > 0 && text->data[at - 1] != '\n')
        at--;
    for (end = at; end < text->size && text->data[end] != '\n'; end++)
        ;
    return (struct token_span){at, end < text->size ? end + 1 - at : end - at};
}

static void token_replace(struct token_text *text, struct token_span old, const void *bytes,
                          size_t length)
{
    const size_t size = text->size - old.length + length;
    if (size > text->max)
        return;
    memmove(text->data + old.at + length, text->data + old.at + old.length,
            text->size - old.at - old.length);
    memcpy(text->data + old.at, bytes, length);
    text->size = size;
}

static void token_odd_number(struct token_text *text, struct token_span word)
{
    static const char *const numbers[] = {"0",          "1",          "-1",
                                          "2",          "3",          "7",
                                          "63",         "64",         "65535",
                                          "4294967295", "4294967296", "9223372036854775807",
                                          "0.1",        "1e18",       "99999999999999999999"};
    static const char *const units[] = {"",   "B", "KiB", "KB", "MiB",  "GB",   "ns", "us",
                                        "ms", "s", "%",   "m",  "Gbps", "Mbps", "km", "h"};
    char odd[64];
    const char *unit = units[rng_below(&text->rng, sizeof units / sizeof units[0])];
    size_t letters = word.length; /* the word's own unit, mostly */
    while (letters > 0 && isalpha(text->data[word.at + letters - 1]))
        letters--;
    char own[32] = "";
    if (letters > 0 && word.length - letters < sizeof own)
        memcpy(own, text->data + word.at + letters, word.length - letters);
    const int length = snprintf(odd, sizeof odd, "%s%s",
                                numbers[rng_below(&text->rng, sizeof numbers / sizeof numbers[0])],
                                rng_below(&text->rng, 4) > 0 ? own : unit);
    token_replace(text, word, odd, (size_t)length);
}

static void token_change_word(struct token_text *text)
{
    uint8_t bytes[256];
    const struct token_span word = token_draw_word(text);
    const struct token_span other = token_draw_word(text);
    if (word.length == 0 || word.length > sizeof bytes || other.length > sizeof bytes)
        return;
    const bool copies = rng_below(&text->rng, 2) > 0;
    const struct token_span from = copies ? other : word;
    memcpy(bytes, text->data + from.at, from.length);
    const size_t length = copies ? from.length : LLVMFuzzerMutate(bytes, from.length, sizeof bytes);
    token_replace(text, word, bytes, length);
}

static void token_change_lines(struct token_text *text)
{
    static uint8_t bytes[4096];
    const struct token_span from = token_draw_line(text);
    struct token_span to = token_draw_line(text);
    if (from.length > sizeof bytes)
        return;
    memcpy(bytes, text->data + from.at, from.length);
    switch (rng_below(&text->rng, 3)) {
    case 0: /* left out */
        token_replace(text, from, "", 0);
        break;
    case 1: /* copied to somewhere else */
        to.length = 0;
        token_replace(text, to, bytes, from.length);
        break;
    default: /* instead of another */
        token_replace(text, to, bytes, from.length);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct token_text text = {data, size, max, rng_stream(seed, "fuzz", "tokens")};
    const unsigned kind = (unsigned)rng_below(&text.rng, 8);
    if (kind == 0 || size == 0)
        return LLVMFuzzerMutate(data, size, max);
    if (kind < 4)
        token_change_word(&text);
    else if (kind < 6)
        token_odd_number(&text, token_draw_word(&text));
    else
        token_change_lines(&text);
    return text.size;
}

#endif
