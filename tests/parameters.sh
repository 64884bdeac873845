#!/bin/sh
# parameters - the page of parameters is what the program says.    SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
docs/parameters.sh "$STORMGLASS" | diff -u docs/parameters.md - || {
    echo "docs/parameters.md is out of date: make docs"
    exit 1
}
