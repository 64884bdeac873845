/* SPDX-License-Identifier: Apache-2.0
 * check - facts that must hold in every build.
 * CHECK states one fact; a false one is a mistake of ours, never of the input, and stops
 * the program with its place.  Bad input is a message with its own place, not a CHECK. */
#ifndef STORMGLASS_BASE_CHECK_H
#define STORMGLASS_BASE_CHECK_H

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A function that its caller's common path does not need: inlined, its registers would be saved on
 * that path too. */
#define NOINLINE __attribute__((noinline))

/* A stretch of the common path that is too long for the compiler to inline by itself. */
#define INLINE inline __attribute__((always_inline))

#define CHECK(fact)                                                                                \
    do {                                                                                           \
        if (UNLIKELY(!(fact)))                                                                     \
            check_failed(#fact, __FILE__, __LINE__);                                               \
    } while (0)

_Noreturn void check_failed(const char *fact, const char *file, int line);

#endif
