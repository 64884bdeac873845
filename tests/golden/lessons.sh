#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole text of each lesson, its commands, the list, and answers: ACCEPT=1 writes the expected texts anew.
set -u
accepted=$PWD/tests/golden/lessons
top=$PWD
. tests/golden/outside

# follow NAME FOLDER: types the commands of a lesson in the folder. Each must succeed and write its files; an
# expectation may fail if the text says 'FAIL'. In the part Run, a text between quotes must be in the output of the last command before it.
follow() {
    local line word code file quoted command='' commands=0 part=
    while IFS= read -r line; do
        case $line in '== '*) part=${line#== } ;; esac
        while IFS= read -r word; do
            case $word in
            "'"*)
                quoted=${word:1:-1}
                [ "$part" != Run ] || grep -qF -- "$quoted" followed || fail "$1 in $2: '$quoted' is not in the output of: $command"
                ;;
            *)
                command=$(sed 's/^ *//; s/`//g' <<<"$word") commands=$((commands + 1))
                (cd "$2" && PATH=$work/bin:$PATH bash -o pipefail -c "$command") >followed 2>&1 </dev/null
                code=$?
                [ $code = 0 ] || { [ $code = 1 ] && grep -q "'FAIL'" "$1.txt" && grep -q '^  FAIL ' followed; } ||
                    fail "$1 in $2: code $code: $command: $(cat followed)"
                file=$(sed -n 's/.* -o \([^ ]*\).*/\1/p' <<<"$command")
                [ -z "$file" ] || [ -s "$2/$file" ] || fail "$1 in $2: no file $file: $command"
                ;;
            esac
        done < <(grep -oE "^    .*stormglass .*|\`stormglass [^\`]*\`|'[^']+'" <<<"$line")
    done <"$1.txt"
    [ $commands != 0 ] || fail "$1 has no command"
}

# A learner has the installed program in any folder, or the source tree with the program in the path.
mkdir bin folder tree
ln -s "$program" bin/stormglass
ln -s "$top"/* tree

"$program" lesson >list.txt || fail "the list of lessons: $?"
names=$("$program" list lessons | sed 's/ .*//')
for name in $names; do
    [ -s "$top/scenarios/lessons/$name.md" ] || fail "$name.yaml has no text $name.md"
    grep -q "^ *[0-9]*  $name " list.txt || fail "$name is not in the list"
    "$program" lesson "$name" >"$name.txt" 2>err </dev/null || fail "$name: $(cat err)"
    follow "$name" folder
    follow "$name" tree
    right=$(sed -n 's/^The run\( with .*\)\{0,1\} shows \(.\): .*/\2/p' "$name.txt" | tail -n 1)
    expect "$name --answer $right" 0 Right: "$program" lesson "$name" --answer "$right"
    wrong=a
    [ "$right" != a ] || wrong=b
    expect "$name --answer $wrong" 1 " shows $right: " "$program" lesson "$name" --answer "$wrong"
    [ -z "${ACCEPT-}" ] || cp "$name.txt" "$accepted/$name.txt"
    diff -u "$accepted/$name.txt" "$name.txt" || fail "$name differs"
done

expect 'a misspelled name' 2 "did you mean 'pfc'" "$program" lesson pfv
expect 'no such answer' 2 'expected a, b or c' "$program" lesson pfc --answer z
expect 'a word as answer' 2 'expected one letter' "$program" lesson pfc --answer yes
expect 'an answer without a lesson' 2 'the name of a lesson' "$program" lesson --answer a

# On a terminal, a lesson prints the summary of `stormglass run`; only the time of the run differs. The title follows the prompt, or the progress.
plain() { sed 's/\r$//; s/\x1b\[[0-9;]*m//g; s/ in [0-9.]* s$//'; }
for name in deadlock go-back-n; do
    printf 'a\n\n\n' | script -qec "'$program' lesson $name" /dev/null 2>&1 | plain | sed -n '/^Press Enter to run it here/,/^== What happened/{//d;p}' |
        sed '$d' >shown.txt
    script -qec "'$program' run $name" /dev/null </dev/null 2>&1 | plain | sed 1d >run.txt
    diff -u run.txt shown.txt >differ.txt || fail "$name on a terminal prints another summary: $(head -n 20 differ.txt)"
done

# On a terminal: replies that are no answer, each with a sentence that names it, a prediction, Enter twice, and an answer.
printf 'q\n%0300d\n\nabc\n a \n\n\nd\nC\n' 0 >typed
script -qec "'$program' lesson pfc" /dev/null <typed >terminal.txt 2>&1
code=$?
[ $code = 0 ] || fail "on a terminal: code $code: $(tail -n 5 terminal.txt)"
grep -q 'Your prediction was a\. The run shows b: push.goodput is ' terminal.txt || fail 'the prediction is not compared with the run'
for said in "'q' is not one of the answers; expected a, b or c\." "'0*' is not one of the answers; " 'No letter was typed; expected a, b or c\.' \
    "'abc' is not one of the answers; " "'d' is not one of the answers; expected a, b or c\."; do
    grep -q -- "$said" terminal.txt || fail "a reply that is no answer: no '$said' in $(tail -n 60 terminal.txt)"
done
grep -q '^Next: stormglass lesson head-of-line' terminal.txt || fail 'the next lesson is not named'
grep -q 'Right: ' terminal.txt || fail "the answer is not checked: $(tail -n 5 terminal.txt)"
exit $((failures > 0))
