#!/bin/bash
# swarm - what the swarm once found is found no more.               SPDX-License-Identifier: Apache-2.0
# Each file in tests/swarm/found is the least scenario that broke a law (tests/swarm/play.h); it is played as
# the swarm plays, in every way, with one of six seeds; make night plays all six.
set -u
cd "$(dirname "$0")/../.." || exit 3
swarm=${SWARM:-build/gcc-plain/tests/swarm/swarm}
shopt -s nullglob
found=(tests/swarm/found/*.yaml)
[ "${#found[@]}" -gt 0 ] || { echo "there is nothing in tests/swarm/found"; exit 1; }
"$swarm" --seeds 1 "${found[@]}" && echo "${#found[@]} scenarios"
