#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libstormglass and its Python module as make install installs them: the examples of the how-to, and tests/golden/library.
set -u
tree=$PWD
. tests/golden/outside
export CCACHE_DISABLE=1
# Where nothing was built, the library would take the whole compilation: make test builds it first.
compgen -G "$tree/build/*/library/libstormglass.a" >/dev/null || { echo "make library builds what this test installs"; exit 77; }

stage=$work/stage prefix=/opt/sg
(cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make install BUILD=plain DESTDIR="$stage" PREFIX=$prefix) >said 2>&1 ||
    fail "make install: $(tail -n 5 said)"
library=$stage$prefix/lib
export PKG_CONFIG_PATH=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage LD_LIBRARY_PATH=$library
export PYTHONPATH=$stage$prefix/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
python3 - "$tree/docs/howto.md" <<'PY' || fail 'the how-to has no examples'
import re, sys
for name, block in re.findall(r'<!-- file: ((?:example|frames)\.\w+) -->\n```\n(.*?)^```$', open(sys.argv[1]).read(), re.S | re.M):
    open(name, 'w').write(block)
PY

# Only the functions of the header are visible, with their version, and the library carries its name.
sed -n '/^typedef/d; s/^[a-z].*[ *]\(stormglass_[a-z_]*\)(.*/\1/p' "$tree/cli/library/stormglass.h" | sort >declared
nm -D --defined-only "$library/libstormglass.so" | sed -n 's/.* T \(.*\)@@STORMGLASS_1$/\1/p' | sort >shared
nm -g --defined-only "$library/libstormglass.a" | sed -n 's/.* [A-Z] //p' | sort >static
cmp declared shared || fail "visible in the shared library: $(diff declared shared)"
cmp declared static || fail "visible in the static library: $(diff declared static)"
[ "$(nm -D --defined-only "$library/libstormglass.so" | grep -vc STORMGLASS_1)" = 0 ] || fail 'symbols without a version'
readelf -d "$library/libstormglass.so" | grep -q 'SONAME.*libstormglass.so.1' || fail 'another SONAME'
sed -n 's/^\.Fn \(stormglass_[a-z_]*\).*/\1/p' "$tree/docs/man/stormglass.3" | sort -u | cmp - declared || fail 'stormglass(3) lacks a function'

# The example in C, on both libraries, prints what the program prints.
flags=(-std=c11 -Wall -Wextra -Wpedantic -Werror)
read -ra shared < <(pkg-config --cflags --libs stormglass)
read -ra static < <(pkg-config --cflags --libs --static stormglass | sed 's/-lstormglass/-l:libstormglass.a/')
cc "${flags[@]}" example.c "${shared[@]}" -o example || fail 'the example does not compile'
cc "${flags[@]}" example.c "${static[@]}" -o example-static || fail 'the example does not link with the static library'
./example >example.txt || fail "the example: exit code $?"
./example-static | cmp - example.txt || fail 'the static library gives another result'
sed -n 's/^    "\(.*\)\\n";*$/\1/p' example.c >incast.yaml
"$program" run incast.yaml --set hosts.defaults.rnic.congestion-control=none --json >incast.json || fail 'the scenario of the example'
[ "$(tail -n 1 example.txt)" = "$(gojq -r '"p99 \(.workloads[0].latency_ns.p99) ns, digest \(.digest)"' incast.json)" ] ||
    fail "the example prints $(tail -n 1 example.txt)"
[ "$(grep -c ' us  host[1-4]: message to host0$' example.txt)" = 10 ] || fail "events of the example: $(cat example.txt)"

# What a program relies on: tests/golden/library/checks.c; in C++ too.
digest=$("$program" run first-io | sed -n 's/^digest //p')
cc "${flags[@]}" "$tree/tests/golden/library/checks.c" "${shared[@]}" -pthread -o checks || fail 'checks.c does not compile'
./checks "$digest" run.db || fail 'checks'
[ "$("$program" query run.db 'SELECT count(*) FROM v_workload' | tail -n 1)" = 2 ] || fail 'the database of the library'
printf '#include <stormglass.h>\nint main() { stormglass_free(stormglass_new()); }\n' >plus.cc
g++ -Wall -Werror plus.cc "${shared[@]}" -o plus && ./plus || fail 'a program in C++'

# Python: the example, which finds the library installed with the module, and tests/golden/library/checks.py.
env -u LD_LIBRARY_PATH python3 example.py >python.txt || fail "the example in Python: exit code $?"
grep -q 'sends XOFF' python.txt || fail "the example in Python: $(head -n 5 python.txt)"
"$program" run pause-storm --until 2ms --json >storm.json
python3 "$tree/tests/golden/library/checks.py" storm.json || fail 'checks.py'

# The examples for pandas and R, where these are installed (.ci/packages frames): both are large.
mkdir bin && ln -s "$program" bin/stormglass
PATH=$work/bin:$PATH
stormglass run pause-storm --confirm 0 -o run.db >summary.txt 2>&1 || fail "pause-storm: $(cat summary.txt)"
expected=$(stormglass run pause-storm --confirm 0 --json | gojq -r '.workloads[] | .name')
for name in frames.py frames.R; do
    case $name in
    *.py) runs=$(for python in python3 /usr/bin/python3; do "$python" -c 'import pandas' 2>/dev/null && echo "$python" && break; done) ;;
    *.R) runs=$(command -v Rscript) ;;
    esac
    if [ -z "$runs" ]; then
        echo "skip  $name: .ci/packages frames installs what it needs"
        continue
    fi
    $runs $name >frames.txt 2>err || fail "$name: $(tail -n 3 err)"
    for workload in $expected; do grep -q "$workload  *[0-9]" frames.txt || fail "$name: no figures of $workload: $(cat frames.txt)"; done
done
[ $failures = 0 ] && echo 'ok    the library and its Python module'
