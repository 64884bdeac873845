#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What bash completes by the script that the program prints: every command, every option, and values.
set -u
. tests/golden/outside

"$program" completion bash >script || fail 'completion bash'
# shellcheck source=/dev/null
. ./script
complete_words() { # WORD... : what is offered for the last one
    COMP_WORDS=("$program" "$@") COMP_CWORD=$#
    _stormglass
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # EXPECTED WORD...
    local expected=$1 found
    shift
    found=$(complete_words "$@" | xargs)
    [ "$found" = "$expected" ] || fail "$*: offers '$found' instead of '$expected'"
}
has() { # EXPECTED WORD...: among others
    local expected=$1
    shift
    complete_words "$@" | grep -qx -e "$expected" || fail "$*: does not offer $expected"
}

commands=$("$program" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
for command in $commands; do
    has "$command" "$command"
    options=$("$program" "$command" --help 2>/dev/null | sed '/^Examples:$/,$d' | sed -n 's/^  .[^ ]* *\(--[a-z][a-z-]*\).*/\1/p')
    for option in $options; do has "$option" "$command" "$option"; done
done
touch some.db some.yaml some.txt
mkdir folder
offers '--record' run --rec
offers 'counters ios packets summary' run --record ''
offers 'always auto never' run first-io --color = ''
offers 'always' run first-io --color = al
offers 'first-io' run first-i
offers 'folder some.db' replay ''
offers 'some.yaml' run some
offers 'verdicts' list verd
offers 'sonic' import son
offers 'fish' completion fi
expect 'another shell' 2 "did you mean 'zsh'?" "$program" completion zs
expect 'no shell' 2 'expected one shell: bash, zsh or fish' "$program" completion
[ $failures = 0 ]
