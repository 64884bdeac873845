#!/bin/sh
# template - a law as a script: the same seed gives the same digest.   SPDX-License-Identifier: Apache-2.0
set -u
first=$("$STORMGLASS" run first-io --json | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')
again=$("$STORMGLASS" run first-io --json | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')
[ -n "$first" ] && [ "$first" = "$again" ]
