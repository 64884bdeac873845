/* SPDX-License-Identifier: Apache-2.0
 * entry - included before each unit test, whose main() then has another name: the tests of a
 * folder are one program.
 * With AddressSanitizer, to link and start it takes longer than most tests. */
#ifndef STORMGLASS_TESTS_UNIT_ENTRY_H
#define STORMGLASS_TESTS_UNIT_ENTRY_H

/* A test, as the program knows it: its name, test_*, and the status that its main() returns. */
struct unit_entry {
    const char *name;
    int (*run)(void);
    struct unit_entry *next;
};

/* Adds a test to the program's list, in the order of the names. entry stays the caller's. */
void unit_entry_add(struct unit_entry *entry);

#ifdef UNIT_TEST /* its name; the options of the compiler also rename main */
int main(void);
static struct unit_entry this_entry = {.name = UNIT_TEST, .run = main};
__attribute__((constructor)) static void add_this_entry(void)
{
    unit_entry_add(&this_entry);
}
#endif

#endif
