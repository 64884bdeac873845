/* SPDX-License-Identifier: Apache-2.0
 * stream - the end of a stream in words. */
#include "tcp/stream.h"

#include <errno.h>

const char *stream_end_words(int error, bool used)
{
    switch (error) {
    case 0:
        return "the peer closed the connection";
    case ECONNREFUSED:
        return "connection refused: nothing listens on the port (RST)";
    case ETIMEDOUT:
        return used ? "connection timed out: data was not acknowledged"
                    : "no answer to the connection request (SYN)";
    default:
        return "the peer reset the connection (RST)";
    }
}
