#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What zsh and fish complete by the scripts that the program prints, as both do it themselves.
set -u
top=$PWD
. tests/golden/outside

mkdir bin
ln -s "$program" bin/stormglass
PATH=$work/bin:$PATH
touch some.db
equal() { # WHAT FOUND EXPECTED
    [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"
}

zsh_completes() { # LINE EXPECTED
    equal "zsh: $1" "$(printf '%s\n' "$1" | timeout 60 zsh -f "$top/tests/golden/completion.zsh" script.zsh)" "$2"
}
stormglass completion zsh >script.zsh
zsh_completes 'stormglass explain-' 'stormglass explain-parameter '
zsh_completes 'stormglass run --rec' 'stormglass run --record='
zsh_completes 'stormglass run --record pack' 'stormglass run --record packets '
zsh_completes 'stormglass run --color=alw' 'stormglass run --color=always '
zsh_completes 'stormglass run first-i' 'stormglass run first-io '
zsh_completes 'stormglass run --set fabric.switch.ecn-kmi' 'stormglass run --set fabric.switch.ecn-kmin='
zsh_completes 'stormglass replay so' 'stormglass replay some.db '

fish_completes() { # LINE EXPECTED...
    equal "fish: $1" "$(HOME=$work fish --no-config -c "source script.fish; complete -C '$1'" | cut -f 1 | xargs)" "$2"
}
stormglass completion fish >script.fish
fish_completes 'stormglass expl' 'explain explain-parameter'
fish_completes 'stormglass run --rec' '--record'
fish_completes 'stormglass run --record ' 'counters ios packets summary'
fish_completes 'stormglass run first-i' 'first-io'
fish_completes 'stormglass draw --what pau' 'pauses'
fish_completes 'stormglass replay some' 'some.db'
[ $failures = 0 ]
