/* SPDX-License-Identifier: Apache-2.0
 * check - invariants that every build checks.
 * A failed CHECK is always a bug in stormglass, never bad input: it prints its condition, file and
 * line and aborts the program. Bad input gets an error message with its own position instead. */
#ifndef STORMGLASS_BASE_CHECK_H
#define STORMGLASS_BASE_CHECK_H

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* For rarely called functions: if such a function were inlined, the common path of its caller would
 * have to save its registers too. */
#define NOINLINE __attribute__((noinline))

/* For parts of the common path that the compiler considers too long to inline. */
#define INLINE inline __attribute__((always_inline))

#define CHECK(fact)                                                                                \
    do {                                                                                           \
        if (UNLIKELY(!(fact)))                                                                     \
            check_failed(#fact, __FILE__, __LINE__);                                               \
    } while (0)

_Noreturn void check_failed(const char *fact, const char *file, int line);

#endif
