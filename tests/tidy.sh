#!/bin/bash
# tidy - the house rules as a test.                                SPDX-License-Identifier: Apache-2.0
# usage: tests/tidy.sh       Layers, forbidden words, sizes, plug-in lists; one line for each finding.
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

mapfile -t sources < <(find model scenarios replay bridge reports cli tests \
    -name '*.[ch]' -o -name '*.def' | sort)
mapfile -t texts < <(find . -path ./.git -prune -o -path ./build -prune -o -type f -print |
    grep -v -e '/LICENSE$' -e '^./tests/tidy' -e '/corpus/' | sort)

# --- each line ----------------------------------------------------------------------------------------

awk -f tests/tidy.awk "${sources[@]}" >>"$findings"

# --- rooms ----------------------------------------------------------------------------------------------
# The map is docs/architecture.md: tidy.awk asks it for each file; here its rows are held against the tree.

sed -n 's/^| `\(\(model\|scenarios\|replay\|reports\|bridge\|cli\)[a-z_/]*[a-z]\)` |.*/\1/p' docs/architecture.md | while read -r room; do
    ls "$room"/*.[ch] >/dev/null 2>&1 || echo "docs/architecture.md: there is nothing in $room" >>"$findings"
done
printf '%s\n' "${sources[@]}" | grep '\.c$' | sed 's,/[^/]*$,,' | sort | uniq -c |
    awk '$1 > 25 { print $2 " has " $1 " files of C, 25 are the most" }' >>"$findings"
tests/named.py >>"$findings" 2>&1 || true
tests/links.py README.md docs/*.md bridge/README.md bridge/lab/README.md >>"$findings" 2>&1 || true
tests/wording.py README.md CHANGELOG.md docs/{adding,architecture,counters,glossary,howto,model,parameters,performance,predictions-hardware,recording,teaching,testing,tutorial}.md docs/man/stormglass.1 docs/man/stormglass-scenario.5 docs/man/stormglass-{bench,bridge,calibrate,check,compare,counters,diff,draw,explain,explain-parameter,export,headroom,import,incident,lesson,list,pcap,plan,predict,query,replay,report,run,step,watch}.1 tests/golden/words/words-{cause,plan,read,run,step,tools}/*.txt >>"$findings" 2>&1 || true

# --- each outside library is included in one place ----------------------------------------------------

outside='sqlite3\.h|ev\.h|yaml\.h|zlib\.h|pcap/pcap\.h|cminpack-1/cminpack\.h|jansson\.h|graphviz/gvc\.h|graphviz/cgraph\.h|linux/blktrace_api\.h'
grep -o -E "^#include <($outside)>" "${sources[@]}" | grep -v '^tests/' | sort -u |
    awk -F'[<:>]' '{ users[$3] = users[$3] " " $1; number[$3]++ }
        END { for (header in users) if (number[header] > 1) print header " is included in:" users[header] }' >>"$findings"
grep -n -E '\bibv_[a-z_]+ *\(|\brdma_[a-z]+_?[a-z]* *\(&?id' "${sources[@]}" | grep '^\(model\|scenarios\|replay\|reports\|cli\)/' |
    grep -v -E '^[^:]*:[0-9]*: *(/?\*|//)' | sed 's/$/   (calls of libibverbs belong to bridge\/)/' >>"$findings"

# --- a column that is read by name is one that a query of the file has -----------------------------------------
# At the first read a missing name is an error, too (replay/database/store_rows.c); here no query is left out.

grep -l -E '\<store_prepare\(|\<struct store_statement\>' "${sources[@]}" | grep '^\(replay\|reports\|cli\)/.*\.c$' |
    while read -r file; do
        tr '\n' ' ' <"$file" | grep -o -E '\<(store_(int|real|text|raw_text|blob|is_null|column)|figure_[a-z_]+|number|copy|copy_text|u32|there)\([^;"]*\<(row|rows|ranges|root|roots|keys|sets|parts|deadlocks|a|b|any|[a-z.>-]+\[[^]]*\](\.rows)?), *"[a-z0-9_]+"' |
            grep -o '"[a-z0-9_]*"$' | tr -d '"' | sort -u >"$findings.names"
        [ -s "$findings.names" ] || continue
        sed -E 's/([a-z_]+\([^"]*), *"[a-z0-9_]+"/\1/g' "$file" | grep -o '"[^"]*"\|[A-Z_]*([a-z_]*)' | grep -o -E '[a-z0-9_]+' | sort -u |
            comm -23 "$findings.names" - | sed "s,.*,$file reads a column & that no query of it has," >>"$findings"
    done
rm -f "$findings.names"

# --- one place takes memory ------------------------------------------------------------------------------

printf '%s\n' "${sources[@]}" | grep -v -e '^tests/' -e '^model/base/memory\.c$' | xargs grep -n -E \
    '\b(malloc|calloc|realloc|reallocarray|strn?dup|v?asprintf|aligned_alloc|posix_memalign|mmap|mremap|open_memstream) *\(' |
    sed 's/$/   (base\/memory takes memory, and says how much there was not)/' >>"$findings"

# --- who reads bytes from outside is the aim of a fuzz target -------------------------------------------------
# Left out: what reads terminals, files for somebody else and a drawing of our own, and the host's reading of its target's answers.

aims=$(sed -n 's/^ \* Reads: \(.*\.c\)\( \*\/\)*$/\1/p' tests/fuzz/*/fuzz_*.c)
# shellcheck disable=SC2086 # patterns
aims=$(ls $aims)
grep -L '^ \* Reads: .* \*/$' tests/fuzz/*/fuzz_*.c |
    sed 's/$/ has no line "Reads: FILE..." at the end of its first comment/' >>"$findings"
for file in $(grep -lE '\b(wire_get(16|32|64)|yaml_parser_parse|json_loadb?|pcap_next|sscanf|fgets|fread|getline|fgetc)\(' \
    "${sources[@]}" | grep '\.c$' | grep -v '^tests/'); do
    case $file in
    cli/* | reports/draw/graphviz.c | scenarios/format/filekind.c | replay/database/store_guard.c | replay/step/step.c | replay/output*.c | model/nvme/host/host_steps.c) continue ;;
    esac
    [[ $'\n'$aims$'\n' == *$'\n'$file$'\n'* ]] || echo "$file reads bytes from outside, and no fuzz target names it" >>"$findings"
done

tests/fuzz/run --inputless | sed 's,.*,fuzz_&.c begins with no input of a test or case,' >>"$findings"

# --- functions of at most 70 lines ----------------------------------------------------------------------

if command -v ctags >/dev/null 2>&1; then
    printf '%s\n' "${sources[@]}" | grep '\.[ch]$' |
        ctags -L - --languages=C --kinds-C=f --fields=+ne -o - 2>/dev/null |
        awk -F'\t' '{
            line = end = 0
            for (i = 4; i <= NF; i++) {
                if ($i ~ /^line:/) line = substr($i, 6)
                if ($i ~ /^end:/) end = substr($i, 5)
            }
            if (end - line + 1 > 70) print $2 ":" line ": " $1 " has " end - line + 1 " lines, 70 are the most"
        }' >>"$findings"
fi

# --- plug-ins: one file and one line --------------------------------------------------------------------
# A list of plug-ins says where its files are: "the file is net/buffer_<stem>.c".

# A plug-in ends with the const table of its own name.
tables=$(printf '%s\n' "${sources[@]}" | grep '\.c$' | xargs awk '
    FNR == 1 { stem = FILENAME; sub(/.*\//, "", stem); sub(/\.c$/, "", stem) }
    /^const struct [a-z_]* [a-z0-9_]* = / && $4 == stem { print FILENAME }')
printf '%s\n' "${sources[@]}" | grep '\.def$' | xargs awk '
    FNR == 1 { if (where != "") print def, where, stems; def = FILENAME; where = stems = "" }
    where == "" && match($0, /the file is [a-z\/_]*<stem>\.c/) {
        where = substr($0, RSTART + 12, RLENGTH - 12)
        sub(/<stem>\.c$/, "", where)
    }
    match($0, /^[A-Z_]*\([a-z0-9_]*/) { stem = substr($0, RSTART, RLENGTH); sub(/.*\(/, "", stem); stems = stems " " stem }
    END { if (where != "") print def, where, stems }' |
    while read -r def prefix stems; do
        [ -d "${prefix%%/*}" ] || prefix=model/$prefix
        for stem in $stems; do
            [ -e "$prefix$stem.c" ] || echo "$def: $stem has no file $prefix$stem.c" >>"$findings"
        done
        for file in $tables; do
            [[ $file == "$prefix"* && ${file#"$prefix"} != */* ]] || continue
            stem=${file#"$prefix"}
            [[ " $stems " == *" ${stem%.c} "* ]] || echo "$file has no line in $def" >>"$findings"
        done
    done

# --- words of a choice come from the list of its enum ----------------------------------------------------

printf '%s\n' "${sources[@]}" | grep -v '^tests/' | xargs grep -n -A 1 'OPT_CHOICE' |
    grep -E '"[a-z0-9-]+(\|[a-z0-9-]+)+"' |
    sed 's/^\([^:-]*\.[ch]\)[:-]\([0-9]*\)[:-].*/\1:\2: words of a choice that are not made of a list (OPT_WORDS)/' >>"$findings"

# --- mutants that nothing can tell: each names a change that its file still has ----------------------------

tests/mutants/equivalent.py 2>>"$findings" || true

# --- times in texts come from one function: no number of microseconds that has seven digits ---------------

printf '%s\n' "${sources[@]}" | grep -v '^tests/' | grep -v 'base/note_text\.c$' |
    xargs grep -n -E '(%[0-9]*l*[du]|PRI[du]64 "( |$)) ?(ps|ns|us|ms)\b|PRI[du]64$' |
    grep -E '(%[0-9]*l*[du]|PRI[du]64 ") (ps|ns|us|ms)\b' | grep -v -e 'title=' -e '\.%03' |
    sed 's/^\([^:]*:[0-9]*\):.*/\1: a time that note_time or words_time does not print/' >>"$findings"

# --- every text -----------------------------------------------------------------------------------------

grep -n -I -E '(^|[^a-zA-Z0-9_.])/(work|home|root)(/|$)' "${texts[@]}" /dev/null |
    sed 's/^\([^:]*:[0-9]*\):.*/\1: a path of somebody'\''s machine/' >>"$findings"
printf '%s\n' "${sources[@]}" | grep '\.h$' | grep -v '^tests/' | xargs awk '
    function ended() { if (file != "" && !guarded) print file ": its guard is not STORMGLASS_" guard }
    FNR == 1 {
        ended()
        file = guard = FILENAME
        sub(/^model\//, "", guard)
        gsub(/[\/.-]/, "_", guard)
        guard = toupper(guard)
        guarded = 0
    }
    $0 == "#ifndef STORMGLASS_" guard { guarded = 1 }
    END { ended() }' >>"$findings"

# --- what the swarm's planted mistakes change is there -------------------------------------------------------

tests/swarm/defects --texts 2>>"$findings"

# --- tests are run as programs -----------------------------------------------------------------------------

for script in tests/*.sh tests/golden/*.sh tests/laws/*.sh; do
    [ -x "$script" ] || echo "$script: may not be executed" >>"$findings"
done

sort -V "$findings"
[ ! -s "$findings" ] || { echo "$(wc -l <"$findings") findings"; exit 1; }
