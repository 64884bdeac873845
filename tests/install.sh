#!/bin/sh
# install - what `make install` puts where, and that it works.    SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL MFLAGS
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
make install BUILD=plain DESTDIR="$stage" PREFIX=/opt/sg LIBDIR=/opt/sg/lib/x >/dev/null

for file in bin/stormglass share/man/man1/stormglass.1 share/man/man5/stormglass-scenario.5 \
    share/bash-completion/completions/stormglass share/zsh/site-functions/_stormglass \
    share/fish/vendor_completions.d/stormglass.fish share/stormglass/cases/pause-storm.yaml \
    include/stormglass.h lib/x/libstormglass.so.1 lib/x/libstormglass.a lib/x/pkgconfig/stormglass.pc share/man/man3/stormglass.3 \
    lib/python3/dist-packages/stormglass.py share/stormglass/lessons/pfc.yaml share/stormglass/lessons/pfc.md share/stormglass/claims/engine-ceiling.yaml; do
    [ -s "$stage/opt/sg/$file" ] || { echo "$file is not installed"; exit 1; }
done

# Each file is in a Debian package, where Open MPI is left out: dh_missing would stop make deb.
(cd "$stage/opt/sg" && find . ! -type d ! -name stormglass-mpi | sed 's,^\./,usr/,') | while read -r file; do
    while read -r pattern _; do
        # shellcheck disable=SC2254 # the lists hold patterns
        case $file in $pattern | $pattern/*) continue 2 ;; esac
    done <<END
$(cat packaging/debian/*.install)
END
    echo "$file is in no list of packaging/debian"
    exit 1
done

program=$stage/opt/sg/bin/stormglass
"$program" --version
# The libraries of the bridge never, those of captures and drawings when a command needs them.
for library in libibverbs librdmacm libev libpcap libgvc; do
    if ldd "$program" | grep -q "$library"; then
        echo "stormglass links $library"
        exit 1
    fi
done

# From another directory, without its sources: the cases travel inside the program.
cd "$stage"
"$program" list cases | grep -q pause-storm
