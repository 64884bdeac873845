/* SPDX-License-Identifier: Apache-2.0
 * harm_words - names of the enumerations. */
#include "replay/harm/harm.h"

const char *harm_suspect_word(enum harm_suspect suspect)
{
    static const char *const words[] = {
#define X(name, word) [HARM_##name] = word,
        HARM_SUSPECTS(X)
#undef X
    };
    return words[suspect];
}

const char *harm_severity_word(enum harm_severity severity)
{
    static const char *const words[] = {
#define X(name, word) [HARM_##name] = word,
        HARM_SEVERITIES(X)
#undef X
    };
    return words[severity];
}
