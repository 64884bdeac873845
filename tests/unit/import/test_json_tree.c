/* SPDX-License-Identifier: Apache-2.0
 * JSON as a tree: text, order, and the place of each key and value. */
#include "scenarios/format/json_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct diag diag;

static struct tree_node *parse(const char *text)
{
    diag = (struct diag){0};
    return json_tree(&arena, tree_hold(&arena, "in.json", text, strlen(text)), NULL, &diag);
}

static int clear(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    return 0;
}

static void is_at(struct diag_place place, int line, int column, int width)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.width, width);
}

static void keys_and_values_know_their_places(void **state)
{
    (void)state;
    const struct tree_node *root = parse("{\n  \"a\": {\"b\" : \"100\"},\r\n\t\"c\":[1,\n null]}");
    assert_non_null(root);
    const struct tree_item *a = tree_item(root, "a"), *b = tree_item(a->value, "b");
    const struct tree_item *c = tree_item(root, "c");
    is_at(a->key_place, 2, 3, 3);
    is_at(a->value->place, 2, 8, 1);
    is_at(b->key_place, 2, 9, 3);
    is_at(b->value->place, 2, 15, 5);
    is_at(c->key_place, 3, 2, 3);
    is_at(c->value->items[0].value->place, 3, 7, 1);
    is_at(c->value->items[1].value->place, 4, 2, 4);
}

static void scalars_stay_text(void **state)
{
    (void)state;
    const struct tree_node *root = parse("{\"z\":-1.50e3,\"a\":true,\"m\":\"\\u00e4\\\"]}\"}");
    assert_non_null(root);
    assert_int_equal(root->count, 3);
    assert_string_equal(root->items[0].key, "z"); /* the order of the file */
    assert_string_equal(root->items[0].value->text, "-1.50e3");
    assert_false(root->items[0].value->quoted);
    assert_string_equal(root->items[1].value->text, "true");
    assert_string_equal(root->items[2].value->text, "\xc3\xa4\"]}");
    assert_true(root->items[2].value->quoted);
}

static void columns_count_characters(void **state)
{
    (void)state;
    const struct tree_node *root = parse("{\"\xc3\xa4\xc3\xa4\": 1}");
    assert_non_null(root);
    is_at(root->items[0].value->place, 1, 8, 1);
}

static void empty_containers_do_not_shift_what_follows(void **state)
{
    (void)state;
    const struct tree_node *root = parse("{\"a\":{},\"b\":[],\"c\":[{},[]],\"d\":7}");
    assert_non_null(root);
    is_at(tree_item(root, "d")->value->place, 1, 32, 1);
    assert_int_equal(tree_get(root, "c")->count, 2);
}

static void refuses(const char *text, int column, const char *words)
{
    assert_null(parse(text));
    assert_int_equal(diag.errors, 1);
    assert_int_equal(diag.messages[0].place.line, 1);
    assert_int_equal(diag.messages[0].place.column, column);
    assert_non_null(strstr(diag.messages[0].text, words));
}

/* jansson passes over one between two tokens. */
static void a_nul_is_refused_where_it_stands(void **state)
{
    static const char text[] = "{\"a\": 10\0}";
    (void)state;
    diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&arena, "in.json", text, sizeof text - 1);
    assert_null(json_tree(&arena, file, NULL, &diag));
    is_at(diag.messages[0].place, 1, 9, 1);
    assert_non_null(strstr(diag.messages[0].text, "NUL"));
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    refuses("{\"a\":1,\"a\":2}", 8, "duplicate object key");
    refuses("{\"a\":\"\\u0000\"}", 6, "\\u0000 is not allowed");
    refuses("{\"a\":1,}", 8, "expected");
    refuses("{\"a\":1} 2", 9, "end of file expected");
    refuses("[1]", 1, "expected a JSON object");
    refuses("", 1, "expected");
}

static void of_keys_that_come_again_the_last_counts(void **state)
{
    (void)state;
    static const char text[] =
        "{\"b\": 1, \"a\": {\"x\": 1},\n \"b\": {\"c\": 2},\n \"\\u0062\": 3}";
    struct json_repeats repeats = {0};
    diag = (struct diag){0};
    const struct tree_node *root =
        json_tree(&arena, tree_hold(&arena, "in.json", text, strlen(text)), &repeats, &diag);
    assert_non_null(root);
    assert_int_equal(root->count, 2);
    assert_string_equal(root->items[0].key, "a");
    assert_string_equal(tree_get(root, "b")->text, "3");
    assert_int_equal(root->weight, 4);
    assert_int_equal(repeats.count, 2);
    is_at(repeats.list[0].place, 1, 2, 3);
    assert_int_equal(repeats.list[0].line, 2);
    is_at(repeats.list[1].place, 2, 2, 3);
    assert_int_equal(repeats.list[1].line, 3);
}

static void levels_are_limited(void **state)
{
    (void)state;
    char text[2 * TREE_DEPTH_MAX + 16] = "{\"a\":";
    for (int depth = TREE_DEPTH_MAX - 1; depth <= TREE_DEPTH_MAX; depth++) {
        const size_t count = (size_t)depth;
        memset(text + 5, '[', count);
        memset(text + 5 + count, ']', count);
        strcpy(text + 5 + 2 * count, "}");
        assert_int_equal(parse(text) != NULL, depth < TREE_DEPTH_MAX);
    }
    is_at(diag.messages[0].place, 1, 5 + TREE_DEPTH_MAX, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(keys_and_values_know_their_places, clear),
        cmocka_unit_test_teardown(scalars_stay_text, clear),
        cmocka_unit_test_teardown(columns_count_characters, clear),
        cmocka_unit_test_teardown(empty_containers_do_not_shift_what_follows, clear),
        cmocka_unit_test_teardown(a_nul_is_refused_where_it_stands, clear),
        cmocka_unit_test_teardown(what_is_no_json_is_refused, clear),
        cmocka_unit_test_teardown(of_keys_that_come_again_the_last_counts, clear),
        cmocka_unit_test_teardown(levels_are_limited, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
