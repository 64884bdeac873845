#!/bin/bash
# field - what users bring is read as it is meant.                  SPDX-License-Identifier: Apache-2.0
# tests/golden/field holds small inputs, written anew after real files and reports, and rows.tsv: arguments of stormglass,
# exit code, and regular expressions that lines of what is printed match, or, after '!', do not match, joined by ' && '.
# Arguments `fio FILE...` stand for `run` of a scenario with these job files; its first argument may be duration=TIME.
set -u
. tests/golden/outside
rows=$OLDPWD/tests/golden/field
cp -r "$rows"/* .

fio_scenario() { # [duration=TIME] FILE
    local duration=10ms
    case $1 in duration=*) duration=${1#duration=} && shift ;; esac
    cat >fio.yaml <<END
stormglass: 1
name: fio
seed: 1
duration: $duration
fabric:
  topology: {kind: single-switch, hosts: 2}
hosts:
  targets: {where: [host0], namespaces: [{media: flash-tlc, count: 1, size: 4GiB}]}
workloads:
  - {name: w, kind: fio, file: $1, from: host1, to: host0}
END
}

# Is each expression matched, or not matched after '!'?
says() { # EXPRESSIONS
    local rest=$1 one
    while [ -n "$rest" ]; do
        one=${rest%%" && "*}
        [ "$one" = "$rest" ] && rest='' || rest=${rest#*" && "}
        case $one in
        !*) grep -qE -e "${one#!}" out && echo "has '${one#!}'" && return 1 ;;
        *) grep -qE -e "$one" out || { echo "without '$one'" && return 1; } ;;
        esac
    done
    return 0
}

while IFS=$'\t' read -r arguments code wanted; do
    case $arguments in '' | '#'*) continue ;; esac
    read -ra words <<<"$arguments"
    if [ "${words[0]}" = fio ]; then
        fio_scenario "${words[@]:1}"
        words=(run fio.yaml)
    fi
    "$program" "${words[@]}" >out 2>&1 </dev/null
    got=$?
    if [ "$got" = "$code" ] && why=$(says "$wanted"); then
        echo "ok    $arguments"
    else
        fail "$arguments: code $got, $code expected; ${why-}"
        head -n 40 out
    fi
done <rows.tsv
[ $failures = 0 ]
