/* SPDX-License-Identifier: Apache-2.0
 * lazy - libraries that few commands need are loaded when one does.
 * Loading libpcap and libgvc, with fifteen more that they bring along, takes longer than all else
 * that the start of the program does.  The names are those that the linker would have noted down,
 * so that the library is the one whose header was read. */
#ifndef STORMGLASS_REPLAY_FILES_LAZY_H
#define STORMGLASS_REPLAY_FILES_LAZY_H

#include <stdbool.h>
#include <stddef.h>

enum { LAZY_WHY_BYTES = 300 };

/* Made by the Makefile: what the file is called on this system. */
extern const char lazy_pcap[], lazy_gvc[];

struct lazy_function {
    const char *name;
    void *at; /* the pointer that shall point to it */
};

/* LAZY_POINTER declares a pointer to a function under its own name, LAZY_FUNCTION its row. */
#define LAZY_POINTER(name)  __typeof__(name) *name;
#define LAZY_FUNCTION(name) {#name, &library.name},

/* All functions of a library, which stays loaded.  False, with a sentence: it is not there, or it
 * lacks one of them; no pointer was changed then. */
bool lazy_load(const char *file, const struct lazy_function *functions, size_t count,
               char why[LAZY_WHY_BYTES]);

/* The same for who cannot go on without: the program says why, and ends with the exit code 3. */
void lazy_need(const char *file, const struct lazy_function *functions, size_t count);

#endif
