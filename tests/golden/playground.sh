#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# playground.sh - report --playground without a browser: where the engine is looked for, what the page contains, and what is refused.
set -u
. tests/golden/outside

# A program without an engine, then with one whose bytes are known.
mkdir -p here/bin && cp "$program" here/bin/stormglass
copied=here/bin/stormglass
expect 'no engine' 2 "'make playground' builds it" "$copied" report --playground -o page.html
[ ! -e page.html ] || fail 'a page was written without an engine'
mkdir -p here/share/stormglass/playground
printf 'load("</script><script>&amp;");\n' >here/share/stormglass/playground/engine.js
head -c 10001 "$program" | gzip -n >here/share/stormglass/playground/engine.wasm.gz

cat >hostile.yaml <<'YAML'
stormglass: 1
name: hostile
about: "</script><img src=x>"
duration: 10us
fabric: {topology: {kind: single-switch, hosts: 2}}
workloads: [{name: push, kind: rdma-write, from: host1, to: host0}] # </SCRIPT><!--
YAML
expect 'a page' 0 '' "$copied" report --playground hostile.yaml -o page.html

# part ID: the text of a script element of the page
part() {
    tr -d '\n' <page.html | sed "s/.*<script type=\"[a-z/]*\" id=\"$1\">//; s/<\/script>.*//"
}
same() { # WHAT FILE FILE
    cmp -s "$2" "$3" && echo "ok    $1" || fail "$1: $(head -c 200 "$2")"
}
part module | base64 -d >module
same 'the module' module here/share/stormglass/playground/engine.wasm.gz
grep -o '<script type="application/json" id="loader">.*</script>' page.html | sed 's/^[^>]*>//; s/<\/script>$//' | gojq -j . >loader
same 'its loader' loader here/share/stormglass/playground/engine.js
grep -A 1000 '^<script type="application/json" id="files">' page.html | sed '1s/^[^>]*>//; /<\/script>$/q' | sed '$s/<\/script>$//' >files.json
gojq -j '.own[0].text' files.json >own
same 'the scenario' own hostile.yaml
gojq -r '.library[].name' files.json | sort >names
(cd "$OLDPWD/scenarios" 2>/dev/null && ls cases/* lessons/*) | sort >wanted
same 'all cases and lessons' names wanted
grep -q '<img src=x' page.html && fail 'an element of the scenario in the page'
[ "$(grep -o '</script' page.html | wc -l)" = "$(grep -o '<script' page.html | wc -l)" ] || fail 'script elements do not match'

expect 'not the default' 0 '' "$copied" report --playground -o default.html
grep -q 'pause-storm.yaml' default.html || fail 'another scenario than pause-storm'
sed 's/10us/10uss/' hostile.yaml >wrong.yaml
expect 'an error of the scenario' 2 'wrong.yaml:4:11: error: duration' "$copied" report --playground wrong.yaml -o x.html
"$program" run first-io -o first.db >/dev/null
expect 'a database' 2 'expected a scenario, not a database' "$copied" report --playground first.db -o x.html
expect 'two scenarios' 2 'expected at most one' "$copied" report --playground first-io pause-storm -o x.html
expect 'another form' 2 'works without --text' "$copied" report --playground --text -o x.html
expect 'over its scenario' 2 'hostile.yaml' "$copied" report --playground hostile.yaml -o hostile.yaml
expect 'no database' 2 'missing argument: RUN.db' "$copied" report
[ ! -e x.html ] || fail 'a page was written'
exit $((failures > 0))
