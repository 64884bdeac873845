/* SPDX-License-Identifier: Apache-2.0
 * trees - writes a C file with every embedded YAML file as a parsed tree.
 * Runs at build time and uses the same parser as for every scenario. Children are written before
 * their parents, so that pointers refer only to nodes that already exist. */
#include "base/check.h"
#include "scenarios/embedded.h"
#include "scenarios/format/tree.h"

#include <stdio.h>
#include <string.h>

static void put_text(const char *text)
{
    putchar('"');
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\' && *at != '?')
            putchar(*at);
        else
            printf("\\%03o", *at);
    putchar('"');
}

static void put_place(struct diag_place place, size_t file)
{
    printf("{name_%zu, %d, %d, %d}", file, place.line, place.column, place.width);
}

/* One level of a tree: the next item, and the numbers of the nodes already written. */
struct level {
    const struct tree_node *node;
    size_t next;
    size_t *numbers;
};

struct writer {
    size_t file;
    size_t nodes; /* so far, of all files */
    struct arena arena;
    struct level levels[TREE_DEPTH_MAX * 2]; /* aliases may occur at any depth */
    size_t depth;
};

static void open_node(struct writer *writer, const struct tree_node *node)
{
    CHECK(writer->depth < sizeof writer->levels / sizeof writer->levels[0]);
    writer->levels[writer->depth++] = (struct level){
        node, 0, arena_array(&writer->arena, node->count, sizeof *writer->levels[0].numbers)};
}

/* Returns the number of the node. */
static size_t close_node(struct writer *writer)
{
    const struct level *level = &writer->levels[--writer->depth];
    const struct tree_node *node = level->node;
    const size_t number = writer->nodes++;
    if (node->count > 0) {
        printf("static struct tree_item items_%zu[] = {\n", number);
        for (size_t i = 0; i < node->count; i++) {
            printf("    {");
            if (node->items[i].key == NULL)
                printf("NULL");
            else
                put_text(node->items[i].key);
            printf(", ");
            put_place(node->items[i].key_place, writer->file);
            printf(", &node_%zu},\n", level->numbers[i]);
        }
        printf("};\n");
    }
    printf("static struct tree_node node_%zu = {.kind = %d, .quoted = %d, .place = ", number,
           (int)node->kind, node->quoted);
    put_place(node->place, writer->file);
    printf(", .file = &file_%zu, .weight = %u", writer->file, node->weight);
    if (node->text != NULL) {
        printf(", .text = ");
        put_text(node->text);
    }
    if (node->count > 0)
        printf(", .items = items_%zu, .count = %zu", number, node->count);
    printf("};\n");
    return number;
}

/* Returns the number of the root. */
static size_t put_tree(struct writer *writer, const struct tree_node *root)
{
    size_t number = 0;
    open_node(writer, root);
    while (writer->depth > 0) {
        struct level *level = &writer->levels[writer->depth - 1];
        if (level->next < level->node->count) {
            open_node(writer, level->node->items[level->next].value);
            continue;
        }
        number = close_node(writer);
        if (writer->depth > 0) {
            level = &writer->levels[writer->depth - 1];
            level->numbers[level->next++] = number;
        }
    }
    return number;
}

static bool put_file(struct writer *writer, const struct embedded_file *embedded, struct diag *diag)
{
    const struct tree_file *file =
        tree_hold(&writer->arena, embedded->name, (const char *)embedded->bytes, embedded->length);
    const struct tree_node *root = tree_parse(&writer->arena, file, 0, diag);
    if (root == NULL)
        return false;
    printf("static const char name_%zu[] = ", writer->file);
    put_text(embedded->name);
    printf(";\nstatic const struct tree_file file_%zu = {name_%zu, ", writer->file, writer->file);
    put_text((const char *)embedded->bytes);
    printf(", %zu};\n", embedded->length);
    printf("static struct tree_node *const root_%zu = &node_%zu;\n", writer->file,
           put_tree(writer, root));
    writer->file++;
    return true;
}

int main(void)
{
    static struct writer writer;
    static struct diag diag;
    printf("#include \"cli/wasm/trees.h\"\n");
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const char *dot = strrchr(file->name, '.');
        if (dot == NULL || strcmp(dot, ".yaml") != 0)
            continue;
        if (!put_file(&writer, file, &diag)) {
            diag_print(&diag, stderr);
            return 1;
        }
    }
    printf("const struct tree embedded_trees[] = {\n");
    for (size_t i = 0; i < writer.file; i++)
        printf("    {&file_%zu, &root_%zu},\n", i, i);
    printf("    {NULL, NULL},\n};\n");
    arena_free(&writer.arena);
    return ferror(stdout) || fflush(stdout) != 0;
}
