#!/bin/bash
# foreign-files - a folder of output keeps what somebody else put there.  SPDX-License-Identifier: Apache-2.0
# Each command that writes files into a folder, whose names it chooses: it may write there again, but it replaces no file that it
# did not write, by its name or through a symbolic link, and it says which.
set -u
. tests/golden/outside
cp "$OLDPWD/tests/golden/plans/pair.yaml" .

cat >base.yaml <<'END'
stormglass: 1
name: base
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "null"}]}}
workloads: [{name: io, kind: nvme, from: host0, to: host1, count: 20}]
END
cat >grid.yaml <<'END'
stormglass-grid: 1
name: small
scenario: base.yaml
vary: [{path: workloads.io.queue-depth, as: qd, values: [1, 4]}]
END
cat >plan.yaml <<'END'
stormglass-plan: 1
name: small
scenario: pair.yaml
vary: [{path: workloads.io.queue-depth, as: qd, values: [1, 4]}]
slo: ["io.goodput > 1Gbps"]
END
"$program" run base.yaml -o run.db --record counters >out 2>&1 || fail "run: $(cat out)"

# COMMAND...: with DIR for the folder.  Writes; the same again; then each file in turn belongs to somebody else.
into() {
    local name=$1 file
    shift
    local -a command=("$@")
    runs() { # FOLDER
        rm -f plan.db*
        "$program" "${command[@]//DIR/$1}" >out 2>&1
    }
    runs "$name" || { fail "$name: exit $?: $(cat out)"; return; }
    runs "$name" || fail "$name again: exit $?: $(cat out)"
    local -a files=()
    for file in "$name"/*; do case $file in *.db) ;; *) files+=("${file##*/}") ;; esac; done
    [ ${#files[@]} -gt 0 ] || fail "$name wrote nothing"
    for file in "${files[@]:0:2}" "${files[-1]}"; do
        rm -rf "$name"
        mkdir "$name"
        echo precious >"$name/$file"
        runs "$name"
        [ $? = 2 ] || fail "$name: $file of somebody else: exit code instead of 2: $(cat out)"
        grep -q "$name/$file: not replaced, since stormglass did not write it" out || fail "$name: it does not name $file: $(cat out)"
        [ "$(cat "$name/$file")" = precious ] || fail "$name: $file was replaced"
        rm -rf "$name"
        mkdir "$name"
        echo precious >elsewhere
        ln -s ../elsewhere "$name/$file"
        runs "$name"
        [ $? = 2 ] || fail "$name: $file is a link: exit code instead of 2: $(cat out)"
        [ "$(cat elsewhere)" = precious ] && [ -L "$name/$file" ] || fail "$name: written through the link $file"
        rm -rf "$name"
        mkdir "$name"
        ln -s ../nowhere "$name/$file"
        runs "$name"
        [ $? = 2 ] && [ ! -e nowhere ] || fail "$name: written through the link $file that leads nowhere"
    done
    # The list is a file like others: one of somebody else, and a link.
    rm -rf "$name"
    mkdir "$name"
    echo precious >"$name/.stormglass"
    runs "$name"
    [ $? = 2 ] && [ "$(cat "$name/.stormglass")" = precious ] || fail "$name: a foreign list: $(cat out)"
    rm -rf "$name" list
    mkdir "$name"
    ln -s ../list "$name/.stormglass"
    runs "$name"
    [ ! -e list ] || fail "$name: its list was written through a link"
    rm -rf "$name"
    echo precious >"$name"
    runs "$name"
    [ $? -ge 2 ] && [ "$(cat "$name")" = precious ] || fail "$name: a file where the folder should be"
    rm -f "$name"
}

into csv report run.db --csv DIR
into predicted predict grid.yaml -o DIR
into pages plan plan.yaml -o plan.db --pages DIR
into slurm plan plan.yaml --slurm DIR
[ $failures = 0 ]
