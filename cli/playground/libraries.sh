#!/bin/sh
# libraries - libyaml and SQLite for WebAssembly, in FOLDER.          SPDX-License-Identifier: Apache-2.0
# usage: playground/libraries.sh FOLDER
# Debian has no such packages, so they are built from the sources of the packages that the native program uses.  apt-get
# checks the signatures; it needs no source entry in the system's lists.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v apt-get >/dev/null || { echo "playground: needs apt-get, for the sources of libyaml and SQLite" >&2; exit 1; }

# --- sources ----------------------------------------------------------------------------------------------

# The repositories of Debian that this system uses, as source entries.
keys=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC2016 # apt-get replaces these names
apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Origin: Debian' 'Created-By: Packages' | sort -u |
    while read -r uri codename component; do
        echo "deb-src $([ -e $keys ] && echo "[signed-by=$keys]") $uri $codename $component"
    done >"$work/sources.list"
mkdir -p "$work/lists/partial" "$work/archives/partial"
from_sources() {
    apt-get -q -y -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
        -o Dir::Cache::archives="$work/archives" -o APT::Sandbox::User=root "$@" >>"$work/log" 2>&1 ||
        { tail -n 5 "$work/log" >&2 && echo "playground: apt-get $1 failed" >&2 && exit 1; }
}
cd "$work"
from_sources update
from_sources source --download-only sqlite3 libyaml
for name in sqlite3 libyaml; do
    mkdir "$name"
    tar xf "$name"_*.orig.tar.?z -C "$name" --strip-components=1
done

# --- SQLite: the amalgamation, which a script in Tcl writes ----------------------------------------------------------

(cd sqlite3 && ./configure --disable-tcl && make sqlite3.c) >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
mkdir -p "$folder/include"
cp sqlite3/sqlite3.h libyaml/include/yaml.h "$folder/include"
emcc -O2 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -c sqlite3/sqlite3.c -o sqlite3.o

# --- libyaml ------------------------------------------------------------------------------------------------

version=$(sed -n 's/^m4_define(\[YAML_\(MAJOR\|MINOR\|PATCH\)\], \([0-9]*\))/-DYAML_VERSION_\1=\2/p' libyaml/configure.ac)
number=$(echo "$version" | sed 's/.*=//' | tr '\n' . | sed 's/\.$//')
for source in libyaml/src/*.c; do
    # shellcheck disable=SC2086 # a list of options
    emcc -O2 -Ilibyaml/include $version "-DYAML_VERSION_STRING=\"$number\"" -c "$source" -o "yaml_$(basename "$source" .c).o"
done
rm -f "$folder"/*.a
emar rcs "$folder/libsqlite3.a" sqlite3.o
emar rcs "$folder/libyaml.a" yaml_*.o
