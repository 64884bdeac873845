#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hazards: a remedy that `check` or `run` prints does not repair what it is printed for, or brings an error; a duration that is
# named as long enough is not.  The scenarios are those of the scripts beside this one, as they call the program, and of
# tests/golden/words: nothing is listed here.  A sixth of them in turn, by the commit; ALL=1: all.
set -u
top=$PWD
. tests/golden/outside

# The scripts call this, which keeps each scenario and its --set once, and then is the program.
mkdir kept
cat >recorder <<'END'
#!/bin/bash
file='' sets=() next=''
for word in "${@:2}"; do
    if [ "$next" = set ]; then sets+=("$word"); elif [[ $word == *.yaml && -f $word && -z $file ]]; then file=$word; fi
    next=''
    [ "$word" = --set ] && next=set
done
if [[ ${1-} =~ ^(check|run)$ && -n $file ]] && grep -q '^workloads' "$file"; then
    name=$(cat "$file" - <<<"${sets[*]-}" | md5sum | cut -c1-16)
    [ -e "$KEPT/$name.yaml" ] || {
        cp "$file" "$KEPT/$name.yaml"
        printf '%s\n' "${sets[@]}" >"$KEPT/$name.set"
    }
fi
exec "$PROGRAM" "$@"
END
chmod +x recorder
export KEPT=$PWD/kept PROGRAM=$program
number=0
for script in check causes warnings; do
    in_turn $((number++)) 3 || continue
    (cd "$top" && STORMGLASS=$work/recorder "tests/golden/$script.sh" >/dev/null 2>&1)
done
for scenario in "$top"/tests/golden/words/causes/*.yaml "$top"/scenarios/cases/*.yaml; do
    ! grep -q 'file:' "$scenario" || continue
    cp "$scenario" "kept/$(basename "$scenario")"
    : >"kept/$(basename "$scenario" .yaml).set"
done

# What was set becomes a file: a value that is set twice in two spellings is refused.
changed() { # FILE.yaml: the name of the scenario as it was called, in `scenario`
    local set
    scenario=$1
    grep -q . "${1%.yaml}.set" || return
    scenario=${1%.yaml}-set.yaml
    printf 'stormglass: 1\nscenario: %s\nset:\n' "$(basename "$1")" >"$scenario"
    while IFS= read -r set; do printf '  - {"%s": %s}\n' "${set%%=*}" "${set#*=}"; done <"${1%.yaml}.set" >>"$scenario"
}

applied=0
try() { # COMMAND LIST FILE: each finding of .LIST by its own sets; then none of its words, without numbers, is left, and no new error
    local command=$1 list=$2 file=$3 i count words set more quiet=()
    [ "$command" = check ] || quiet=(--confirm 0) # warnings need no experiment
    "$program" "$command" "${quiet[@]}" "$file" --json >before.json 2>/dev/null
    count=$(gojq "[.$list[]? | select((.set // []) | length > 0)] | length" before.json 2>/dev/null)
    for ((i = 0; i < ${count:-0}; i++)); do
        gojq "[.$list[] | select((.set // []) | length > 0)][$i]" before.json >one.json
        more=()
        while IFS= read -r set; do more+=(--set "$set"); done < <(gojq -r '.set[]' one.json)
        "$program" "$command" "${quiet[@]}" "$file" "${more[@]}" --json >after.json 2>after.err
        if [ $? -gt 1 ]; then
            fail "$command $file: $(gojq -r .remedy one.json) (${more[*]}): $(head -1 after.err)"
            continue
        fi
        words=$(gojq -r '.text | gsub("[0-9]+"; "")' one.json)
        gojq -e --arg words "$words" --slurpfile before before.json \
            "(any(.$list[]?; (.text | gsub(\"[0-9]+\"; \"\")) == \$words) | not) and
             ((.errors // 0) <= (\$before[0].errors // 0))" after.json >/dev/null ||
            fail "$command $file: '$(gojq -r .text one.json)' is not repaired by '$(gojq -r .remedy one.json)' (${more[*]})"
        applied=$((applied + 1))
    done
}

settle() { # FILE: the duration that a run names makes it steady
    local file=$1 name set
    while IFS=$'\t' read -r name set; do
        within 60 "$program" run --confirm 0 "$file" --set "$set" --json >after.json 2>/dev/null
        gojq -e --arg name "$name" '.workloads[] | select(.name == $name) | .steady.settled == true' after.json >/dev/null ||
            fail "run $file: $name is not steady with $set: $(gojq -c '.workloads[] | [.name, .steady.remedy]' after.json)"
        applied=$((applied + 1))
    done < <("$program" run --confirm 0 "$file" --json 2>/dev/null |
        gojq -r '.workloads[]? | select(.steady != null and .steady.remedy != null) | [.name, .steady.remedy] | @tsv')
}

scenarios=0
for file in kept/*.yaml; do
    in_turn $((scenarios++)) 6 || continue
    changed "$file"
    try check findings "$scenario"
    # Runs of a few: the checks are of all.
    if [ $((scenarios / 6 % 4)) = 0 ] || [[ $file != kept/[0-9a-f]*[0-9a-f].yaml ]]; then
        try run warnings "$scenario"
        settle "$scenario"
    fi
done
[ $applied -ge 15 ] || fail "only $applied remedies were applied, of $scenarios scenarios"
echo "$applied remedies of $scenarios scenarios"
[ $failures = 0 ]
