/* SPDX-License-Identifier: Apache-2.0
 * The tree: places, limits, merges, --set, and input that is no scenario at all. */
#include "scenarios/format/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct diag diag;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL;
}

static int teardown(void **state)
{
    arena_free(&((struct fixture *)*state)->arena);
    free(*state);
    return 0;
}

static struct tree_node *parse_bytes(struct fixture *fixture, const char *text, size_t length)
{
    fixture->diag = (struct diag){0};
    return tree_parse(&fixture->arena, tree_hold(&fixture->arena, "t.yaml", text, length), 0,
                      &fixture->diag);
}

static struct tree_node *parse(struct fixture *fixture, const char *text)
{
    return parse_bytes(fixture, text, strlen(text));
}

static void assert_place(struct diag_place place, int line, int column, int width)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.width, width);
}

static void nodes_know_their_places(void **state)
{
    struct tree_node *root = parse(*state, "a: {b: [x, \"y z\"]}\nähm:  q\n");
    assert_non_null(root);
    const struct tree_node *list = tree_get(tree_get(root, "a"), "b");
    assert_int_equal(list->kind, TREE_LIST);
    assert_int_equal(list->count, 2);
    assert_string_equal(list->items[1].value->text, "y z");
    assert_true(list->items[1].value->quoted);
    assert_false(list->items[0].value->quoted);
    assert_place(list->items[1].value->place, 1, 12, 5);
    assert_place(tree_item(root, "ähm")->key_place, 2, 1, 3);
    assert_place(tree_get(root, "ähm")->place, 2, 7, 1);
    assert_null(tree_get(root, "b"));
    assert_null(tree_get(list, "b"));
}

static void scalars_stay_text(void **state)
{
    struct tree_node *root = parse(*state, "[no, 1_000, 0o17, ~, null, 12:30, 1e3, '']");
    static const char *const texts[] = {"no", "1_000", "0o17", "~", "null", "12:30", "1e3", ""};
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(root->items[i].value->text, texts[i]);
}

static void aliases_and_merges_work(void **state)
{
    struct tree_node *root = parse(*state, "base: &b {x: 1, y: 2}\n"
                                           "more: &m {y: 3, z: 4}\n"
                                           "one: {<<: *b, x: 9}\n"
                                           "two: {<<: [*b, *m]}\n"
                                           "same: *b\n"
                                           "quoted: {\"<<\": 1}\n");
    assert_non_null(root);
    assert_string_equal(tree_get(tree_get(root, "one"), "x")->text, "9");
    assert_string_equal(tree_get(tree_get(root, "one"), "y")->text, "2");
    assert_int_equal(tree_get(root, "one")->count, 2);
    assert_string_equal(tree_get(tree_get(root, "two"), "y")->text, "2");
    assert_string_equal(tree_get(tree_get(root, "two"), "z")->text, "4");
    assert_ptr_equal(tree_get(root, "same"), tree_get(root, "base"));
    assert_non_null(tree_get(tree_get(root, "quoted"), "<<"));
}

static void wrong_files_are_refused_with_a_place(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } rows[] = {
        {"", 1, 1, "expected a value"},
        {"# only a comment\n", 1, 1, "expected a value"},
        {"a: b\nc: d\na: e\n", 3, 1, "key 'a' is used twice; first in line 1"},
        {"a: !!str b\n", 1, 4, "tags"},
        {"a: !own {b: c}\n", 1, 4, "tags"},
        {"%YAML 1.2\n---\na: b\n", 1, 1, "directives"},
        {"a: b\n---\nc: d\n", 2, 1, "second document"},
        {"a: *b\n", 1, 4, "no anchor 'b'"},
        {"a: &a [*a]\n", 1, 8, "inside the value"},
        {"&a a: b\n", 1, 1, "cannot have an anchor"},
        {"{[a]: b}\n", 1, 2, "a plain word"},
        {"a: &a b\n*a : c\n", 2, 1, "cannot be an alias"},
        {"a: {<<: b}\n", 1, 9, "expected a mapping to merge"},
        {"\"\": b\n", 1, 1, "expected a key"},
        {"a: \"x\\0y\"\n", 1, 4, "NUL"},
        {"a: \x01\n", 1, 4, "control character"},
        {"a: b\n\xFF\n", 2, 1, "UTF-8"},
        {"a: \xC0\x80\n", 1, 4, "UTF-8"},
        {"a: \xED\xA0\x80\n", 1, 4, "UTF-8"},
        {"a: \xF4\x90\x80\x80\n", 1, 4, "UTF-8"},
        {"a: [b\n", 1, 4, "found '[' that is not closed"},
        {"a: b: c\n", 1, 5, "found ': ' where no key can be"},
        {"\ta: b\n", 1, 1, "found a tab: expected spaces"},
        {"a: @b\n", 1, 4, "found '@', with which no value begins"},
        {"a: \"b\n", 1, 4, "found a quotation mark without its pair"},
        {"a: - b\n", 1, 4, "found '- ' after other text"},
        {"a:\n  b: 1\n c: 2\n", 3, 2,
         "found column 2: expected a key in column 1, where the block of line 1 has its keys"},
        {"a:\n  - b: 1\n   c: 2\n", 3, 4, "found column 4: expected '- ' in column 3"},
        {"a:\n  - b\n  -c: 1\n", 3, 3, "found '-' without a space"},
        {"a: [b,\nc: d\ne: f\n", 3, 2, "the '[' of line 1, column 4 is still open"},
        {"%YAML 1.2\na: b\n", 1, 1, "directives such as %YAML"},
        {"a: {b: c\n", 1, 4, "found '{' that is not closed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (parse(fixture, rows[i].text) != NULL)
            fail_msg("taken: %s", rows[i].text);
        const struct diag_message *message = &fixture->diag.messages[0];
        if (strstr(message->text, rows[i].says) == NULL || message->place.line != rows[i].line ||
            message->place.column != rows[i].column)
            fail_msg("%s gives %d:%d: %s", rows[i].text, message->place.line, message->place.column,
                     message->text);
        assert_string_equal(message->file, "t.yaml");
    }
    assert_null(parse_bytes(fixture, "a: b\0c\n", 7));
    assert_non_null(strstr(fixture->diag.messages[0].text, "control character"));
}

static void a_byte_order_mark_is_no_error(void **state)
{
    assert_non_null(parse(*state, "\xEF\xBB\xBF"
                                  "a: b\n"));
}

static void a_value_of_another_kind_is_told(void **state)
{
    struct fixture *fixture = *state;
    const struct tree_node *root = parse(fixture, "a: {b: c}\nd: [e]\nf: g\n");
    struct diag *diag = &fixture->diag;
    assert_ptr_equal(tree_want(diag, root, "a", TREE_MAP), tree_get(root, "a"));
    assert_ptr_equal(tree_want(diag, root, "d", TREE_LIST), tree_get(root, "d"));
    assert_ptr_equal(tree_want(diag, root, "f", TREE_SCALAR), tree_get(root, "f"));
    assert_null(tree_want(diag, root, "h", TREE_MAP)); /* is not there: no message */
    assert_int_equal(diag->count, 0);
    assert_null(tree_want(diag, root, "d", TREE_MAP));
    assert_int_equal(diag->errors, 1);
    assert_string_equal(diag->messages[0].text, "d: expected a mapping, but this is a list");
    assert_place(diag->messages[0].place, 2, 4, 1);
}

static void depth_is_limited(void **state)
{
    struct fixture *fixture = *state;
    char text[300] = "";
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_non_null(parse(fixture, text));
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_null(parse(fixture, text));
    assert_non_null(strstr(fixture->diag.messages[0].text, "64 levels"));
    assert_int_equal(fixture->diag.messages[0].place.column, 65);
}

/* Ten levels of ten aliases each would be 10^10 values. */
static void an_alias_bomb_is_refused(void **state)
{
    struct fixture *fixture = *state;
    char text[2000];
    int used = snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            used += snprintf(text + used, sizeof text - (size_t)used, "*a%d%s", i - 1,
                             j == 9 ? "]\n" : ", ");
    }
    assert_null(parse(fixture, text));
    assert_non_null(strstr(fixture->diag.messages[0].text, "more than 1000000 values"));
}

static void files_are_limited_and_may_be_missing(void **state)
{
    struct fixture *fixture = *state;
    char path[] = "/tmp/test_tree_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 100 * 1000 * 1000), 0);
    close(fd);
    assert_null(tree_read(&fixture->arena, path, &fixture->diag));
    assert_non_null(strstr(fixture->diag.messages[0].text, "larger than 64 MiB"));
    assert_string_equal(fixture->diag.messages[0].file, path);
    unlink(path);
    assert_null(tree_read(&fixture->arena, path, &fixture->diag));
    assert_non_null(strstr(fixture->diag.messages[1].text, "No such file"));
    assert_null(tree_read(&fixture->arena, "/tmp", &fixture->diag));
    assert_non_null(strstr(fixture->diag.messages[2].text, "directory"));
    assert_null(tree_read(&fixture->arena, "/dev/zero", &fixture->diag));
    assert_non_null(strstr(fixture->diag.messages[3].text, "larger than 64 MiB"));
}

/* Files are read in pieces, the first of 64 KiB. */
static void long_files_are_read_whole(void **state)
{
    struct fixture *fixture = *state;
    static const size_t lengths[] = {1, 65535, 65536, 65537, 131072, 300000};
    static char text[300000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 80 == 79 ? '\n' : (char)('a' + i / 80 % 26);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char path[] = "/tmp/test_tree_XXXXXX";
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, lengths[i]), lengths[i]);
        close(fd);
        const struct tree_file *file = tree_read(&fixture->arena, path, &fixture->diag);
        unlink(path);
        assert_non_null(file);
        assert_int_equal(file->length, lengths[i]);
        assert_memory_equal(file->text, text, lengths[i]);
        assert_int_equal(file->text[file->length], '\0');
        assert_string_equal(file->name, path);
    }
    assert_int_equal(fixture->diag.count, 0);
}

static void binary_files_and_broken_ones_are_told(void **state)
{
    struct fixture *fixture = *state;
    char path[] = "/tmp/test_tree_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "SQLite format 3", 16), 16);
    close(fd);
    assert_null(tree_read(&fixture->arena, path, &fixture->diag));
    unlink(path);
    assert_non_null(strstr(fixture->diag.messages[0].text, "expected text, but this is"));
    assert_string_equal(fixture->diag.messages[0].file, path);
    assert_null(tree_read(&fixture->arena, "/proc/self/mem", &fixture->diag)); /* EIO */
    assert_string_equal(fixture->diag.messages[1].text, "the file cannot be read");
}

static void lines_of_a_file(void **state)
{
    struct fixture *fixture = *state;
    const struct tree_file *file = tree_hold(&fixture->arena, "t.yaml", "a\n\nbc\n", 6);
    assert_ptr_equal(tree_line(file, 1), file->text);
    assert_ptr_equal(tree_line(file, 2), file->text + 2);
    assert_ptr_equal(tree_line(file, 3), file->text + 3);
    assert_null(tree_line(file, 4));
    assert_null(tree_line(file, 5));
    assert_null(tree_line(file, 0));
}

static void a_set_changes_one_place(void **state)
{
    struct fixture *fixture = *state;
    struct tree_node *root = parse(fixture, "base: &b {x: 1}\n"
                                            "same: *b\n"
                                            "list: [{name: p, x: 1}, {name: q, x: 1}]\n");
    static const char *const sets[] = {
        "same.x=2",       "list.q.x=3",          "list.0.x=4",
        "new.deep.key=5", "list[q].more=[6, 7]", "list[0][deep].er=8",
        "list[+]={x: 9}", "list[+].x=10",        "fresh[+]={x: 11}"};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        root = tree_set(&fixture->arena, root, sets[i], &fixture->diag);
    assert_non_null(root);
    assert_string_equal(tree_get(tree_get(root, "base"), "x")->text, "1");
    assert_string_equal(tree_get(tree_get(root, "same"), "x")->text, "2");
    const struct tree_node *list = tree_get(root, "list");
    assert_string_equal(tree_get(list->items[0].value, "x")->text, "4");
    assert_string_equal(tree_get(list->items[1].value, "x")->text, "3");
    assert_string_equal(tree_get(list->items[1].value, "more")->items[1].value->text, "7");
    assert_string_equal(tree_get(tree_get(tree_get(root, "new"), "deep"), "key")->text, "5");
    assert_string_equal(tree_get(tree_get(list->items[0].value, "deep"), "er")->text, "8");
    assert_int_equal(list->count, 4);
    assert_string_equal(tree_get(list->items[2].value, "x")->text, "9");
    assert_string_equal(tree_get(list->items[3].value, "x")->text, "10");
    const struct tree_node *fresh = tree_get(root, "fresh");
    assert_int_equal(fresh->kind, TREE_LIST);
    assert_int_equal(fresh->count, 1);
    assert_string_equal(tree_get(fresh->items[0].value, "x")->text, "11");
    assert_place(tree_get(list->items[1].value, "x")->place, 1, 10, 1);
    assert_string_equal(tree_get(list->items[1].value, "x")->place.file, "--set");
}

static void wrong_sets_are_refused_with_a_place(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *set;
        int column, width;
        const char *says;
    } rows[] = {
        {"a", 1, 1, "path=value"},
        {"=1", 1, 1, "expected a key"},
        {"a..b=1", 3, 1, "expected a key"},
        {"a=", 3, 1, "expected a value"},
        {"a=[1", 3, 1, "found '[' that is not closed"},
        {"a.b=1", 3, 1, "'word' is a single value"},
        {"list.7=1", 6, 1, "no member '7'"},
        {"list.1.x=1", 6, 1, "no member '1'"},
        {"list.123456789=1", 6, 9, "no member '123456789'"},
        {"list.pp.x=1", 6, 2, "did you mean 'p'?"},
        {"list[pp].x=1", 6, 2, "did you mean 'p'?"},
        {"list[7]=1", 6, 1, "no member '7'"},
        {"list[0=1", 5, 1, "not closed"},
        {"list[0]x=1", 8, 1, "expected '.' or '['"},
        {"list[]=1", 6, 1, "expected a key"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tree_node *root = parse(fixture, "a: word\nlist: [{name: p}]\n");
        assert_null(tree_set(&fixture->arena, root, rows[i].set, &fixture->diag));
        const struct diag_message *message = &fixture->diag.messages[0];
        if (strstr(message->text, rows[i].says) == NULL ||
            message->place.column != rows[i].column || message->place.width != rows[i].width)
            fail_msg("%s gives %d, %d: %s", rows[i].set, message->place.column,
                     message->place.width, message->text);
        assert_int_equal(message->place.line, 1);
        if ((size_t)message->place.column <= strlen(rows[i].set))
            assert_string_equal(message->snippet, rows[i].set);
    }
}

static void a_member_of_no_list_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct tree_node *root = parse(fixture, "a: b\n");
    root = tree_set(&fixture->arena, root, "list[3].x=1", &fixture->diag);
    assert_non_null(root);
    assert_null(tree_want(&fixture->diag, root, "list", TREE_LIST));
    assert_string_equal(fixture->diag.messages[0].text,
                        "list: there is no member 3: the list is empty, and list[+] adds one");
    assert_non_null(tree_want(&fixture->diag, root, "list", TREE_MAP));
}

static void twenty_messages_are_kept(void **state)
{
    struct fixture *fixture = *state;
    struct tree_node *root = parse(fixture, "a: b\n");
    for (int i = 0; i < 30; i++)
        tree_error(&fixture->diag, root, "message %d", i);
    assert_int_equal(fixture->diag.count, DIAG_MAX);
    assert_int_equal(fixture->diag.errors, 30);
}

static void a_message_shows_its_line(void **state)
{
    struct fixture *fixture = *state;
    char shown[400] = "";
    FILE *out = fmemopen(shown, sizeof shown, "w");
    const struct diag_place place = {"t.yaml", 2, 8, 2};
    fixture->diag = (struct diag){0};
    diag_add(&fixture->diag, DIAG_ERROR, place, "\tü: [x, yz]\nnext", "wrong");
    diag_print(&fixture->diag, out);
    fclose(out);
    assert_string_equal(shown, "t.yaml:2:8: error: wrong\n"
                               "    2 | \tü: [x, yz]\n"
                               "      | \t      ^~\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(nodes_know_their_places),
        TEST(scalars_stay_text),
        TEST(aliases_and_merges_work),
        TEST(wrong_files_are_refused_with_a_place),
        TEST(a_byte_order_mark_is_no_error),
        TEST(a_value_of_another_kind_is_told),
        TEST(depth_is_limited),
        TEST(an_alias_bomb_is_refused),
        TEST(files_are_limited_and_may_be_missing),
        TEST(long_files_are_read_whole),
        TEST(binary_files_and_broken_ones_are_told),
        TEST(lines_of_a_file),
        TEST(a_set_changes_one_place),
        TEST(wrong_sets_are_refused_with_a_place),
        TEST(a_member_of_no_list_is_named),
        TEST(twenty_messages_are_kept),
        TEST(a_message_shows_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
