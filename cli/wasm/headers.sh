#!/bin/sh
# headers - the system's headers of kernel and verbs alone, in DIRECTORY.        SPDX-License-Identifier: Apache-2.0
# usage: wasm/headers.sh DIRECTORY
# The compiler for WebAssembly brings a C library; the one of this system must not be found beside it.
set -eu
rm -rf "$1"
mkdir -p "$1"
printf '#include <%s>\n' infiniband/verbs.h rdma/rdma_cma.h linux/blktrace_api.h | gcc -M -x c - | tr ' \\' '\n\n' |
    grep -E '^/usr/include/(.*-linux-gnu/)?(linux|asm|asm-generic|infiniband|rdma)/' |
    while read -r header; do
        folder=$1/$(basename "$(dirname "$header")")
        mkdir -p "$folder"
        cp "$header" "$folder"
    done
# What asm/ includes depends on the machine that it is compiled for.
cp /usr/include/"$(gcc -print-multiarch)"/asm/*.h "$1/asm"
