#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# terminal - nothing that a file, a database or an argument says moves the cursor, changes colours or breaks a line.
set -u
. tests/golden/outside

# clean NAME FILE...: printable characters, ends of lines and tabs alone, in UTF-8 without what turns directions
clean() {
    local name=$1
    shift
    /usr/bin/python3 - "$@" <<'PY' || fail "$name"
import sys, unicodedata
for name in sys.argv[1:]:
    text = open(name, 'rb').read().decode('utf-8')
    bad = [c for c in text if c not in '\n\t' and unicodedata.category(c) in ('Cc', 'Cf', 'Zl', 'Zp')]
    if bad:
        sys.exit(f'{name}: {bad[:5]}')
PY
}

cat >base.yaml <<'YAML'
stormglass: 1
name: named
about: >
  Two lines
  that are one.
duration: 1ms
fabric: {topology: {kind: explicit, hosts: [one, two], switches: [s], links: [{ends: ["one", "s"]}, {ends: ["two", "s"]}]}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: one, namespaces: [{media: "null", count: 1}]}}
workloads: [{name: work, kind: nvme, from: two, to: one, read: 100%, block-size: 4KiB, count: 2}]
expect: [all-commands-complete]
YAML
expect 'folded lines' 0 'Two lines that are one.' "$program" run base.yaml -o base.db
[ "$(grep -c '^named  Two lines that are one\.$' out)" = 1 ] || fail "not one line: $(head -n 3 out)"

# ------------------------------------------------------------------ a scenario's texts are lines

text=$(<base.yaml)
for evil in '\e[31m' '\n' '\t' '\r' '\x7f' '\x9b2J' '\u0085' '\u202e' '\u2066' '\u2028' '\ufeff' '\U000e0001'; do
    printf '%s\n' "${text/name: named/name: \"named$evil\"}" >evil.yaml
    expect "a name with $evil" 2 'evil.yaml:2:7: error: expected printable text on one line, but this has the character U+' \
        "$program" check evil.yaml
    clean "a name with $evil" out
    printf '%s\n' "${text/kind: nvme/\"kind$evil\": nvme}" >evil.yaml
    expect "a key with $evil" 2 'expected printable text on one line' "$program" run evil.yaml
    expect "--set with $evil" 2 'expected printable text on one line' "$program" run base.yaml --set "about=\"a$evil\""
    clean "--set with $evil" out
done
expect 'other characters' 0 $'Z\xc3\xbcrich \xe2\x82\xac' "$program" run base.yaml --set $'about="Z\xc3\xbcrich \xe2\x82\xac"'

# In a snippet of the file, and in its name.
name=$'evil\e[31m\xe2\x80\xae.yaml'
printf 'stormglass: 1\nname: a # \xe2\x80\xae comment \xc2\x9b2J\nnmae: b\n' >"$name"
expect 'a snippet' 2 'evil\x1b[31m\u202e.yaml:' "$program" check "$name"
clean 'a snippet' out

# ------------------------------------------------------------------ arguments

evil=$'evil\e]0;title\a\xc2\x9b\xe2\x80\xae\xff\n'
shows='evil\x1b]0;title\x07\u009b\u202e\xff\x0a'
while read -r words; do
    eval "set -- $words"
    expect "an argument of $1" 2 "$shows" "$program" "$@"
    clean "an argument of $1" out
done <<'ARGUMENTS'
run "$evil"
run base.yaml --until "$evil"
run base.yaml --threads "$evil"
run base.yaml --record "$evil"
report "$evil"
draw base.yaml --what "$evil"
query base.db "SELECT * FROM \"$evil\""
counters base.db --port "$evil"
import "$evil" x
explain-parameter "$evil"
"$evil"
ARGUMENTS
expect 'an output' 3 "$shows" "$program" report base.db -o "none/$evil"
clean 'an output' out

# ------------------------------------------------------------------ databases

cp base.db evil.db
texts=$(sqlite3 base.db "SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
    WHERE m.type='table' AND c.type='TEXT' AND m.name NOT IN ('source', 'set_option')")
[ "$(echo "$texts" | wc -l)" -gt 40 ] || fail 'few texts'
for text in $texts; do
    sqlite3 evil.db "PRAGMA ignore_check_constraints=1; UPDATE OR IGNORE ${text%.*} SET ${text#*.} = ${text#*.} ||
        char(27) || '[31m' || char(10) || char(155) || char(8238) || CAST(x'ff' AS TEXT) WHERE ${text#*.} <> ''
        AND '$text' NOT IN ('result.path', 'result.type', 'meta.record', 'node.kind', 'counter.name', 'counter_name.name')" 2>/dev/null
done
while read -r words; do
    eval "timeout 60 '$program' $words" >out 2>err
    [ $? -le 2 ] || fail "$words: $(cat err)"
    clean "$words" out err
done <<'WORDS'
report evil.db --text
report evil.db
report evil.db --figures
explain evil.db
counters evil.db
counters evil.db --as sonic
diff base.db evil.db
diff evil.db base.db
compare base.db evil.db
draw evil.db
replay evil.db
query evil.db --json 'SELECT * FROM meta'
WORDS
"$program" report evil.db --text >out 2>&1
grep -qF '\x1b[31m\x0a\u009b\u202e\xff' out || fail "the summary does not show what it says: $(head -n 3 out)"
"$program" query evil.db 'SELECT scenario FROM meta' | grep -q $'named\e\\[31m ' || fail 'a pipe does not get what is there'
script -q -e -c "'$program' query evil.db 'SELECT scenario FROM meta'" typed >/dev/null </dev/null
grep -qF 'named\x1b[31m' typed && ! grep -q $'\e' typed || fail "a terminal gets it raw: $(od -c typed | head -n 20)"
script -q -e -c "'$program' query --tabs evil.db 'SELECT scenario FROM meta'" typed >/dev/null </dev/null
grep -qF 'named\x1b[31m' typed && ! grep -q $'\e' typed || fail "a terminal gets tabs raw: $(od -c typed | head -n 20)"

# ------------------------------------------------------------------ the bridge's words

echo text >$'text\e[31m.db'
evil=$'no\e[31m\n\u202e'
for words in "run base.yaml --role both --address 127.0.0.1 -o '$evil/x.db'" "run base.yaml --role both --address 127.0.0.1 -o 'text"$'\e'"[31m.db'" \
    "run base.yaml --role target --store 'file:$evil/x'" "run base.yaml --address '$evil'" "run '$evil'" \
    "calibrate --from '$evil'" "calibrate --from /dev/null -o '$evil/x'" "'$evil'"; do
    eval "timeout 60 '$program' bridge $words" >out 2>err </dev/null
    [ $? -gt 0 ] || fail "bridge $words: it was done"
    [ -s err ] || fail "bridge $words: it says nothing"
    clean "bridge $words" out err
done
[ $failures = 0 ]
