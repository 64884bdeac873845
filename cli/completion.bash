# completion - of stormglass for bash.                             SPDX-License-Identifier: Apache-2.0
# The words come from the program's own --help and list, so that they are never older than it.

_stormglass() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} words=
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words help version --help --version" -- "$current")
        return
    fi

    case $previous in
    --set)
        words=$("$program" list paths 2>/dev/null | sed 's/ .*//')
        mapfile -t COMPREPLY < <(compgen -W "$words" -S = -- "$current")
        compopt -o nospace 2>/dev/null
        return
        ;;
    --what)
        mapfile -t COMPREPLY < <(compgen -W "fabric pauses waits io states" -- "$current")
        return
        ;;
    --as)
        mapfile -t COMPREPLY < <(compgen -W "ethtool sonic json" -- "$current")
        return
        ;;
    --script)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.step' -- "$current"; compgen -d -- "$current")
        return
        ;;
    --record)
        mapfile -t COMPREPLY < <(compgen -W "summary counters ios packets" -- "$current")
        return
        ;;
    esac

    if [[ $current == -* ]]; then
        words=$("$program" "$command" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        return
    fi

    case $command in
    help)
        words=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        ;;
    import)
        if [ "$COMP_CWORD" -eq 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W "sonic dot clab hpcc htsim mlxconfig mlnx_qos nvme counters iolog trace blktrace" -- "$current")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        ;;
    list)
        words=$("$program" list 2>/dev/null | sed -n 's/^ *\([a-z][a-z-]*\).*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        ;;
    run | check | bench | step | draw)
        words=$("$program" list cases 2>/dev/null | sed 's/ .*//')
        [ "$command" = bench ] && words=$("$program" list works 2>/dev/null | sed 's/ .*//')
        mapfile -t COMPREPLY < <(
            compgen -W "$words" -- "$current"
            compgen -f -X '!*.y*ml' -- "$current"
            [[ $command == @(step|draw) ]] && compgen -f -X '!*.db' -- "$current"
            compgen -d -- "$current"
        )
        ;;
    *)
        mapfile -t COMPREPLY < <(
            compgen -f -X '!*.db' -- "$current"
            [ "$command" = diff ] && compgen -f -X '!*.json' -- "$current"
            compgen -d -- "$current"
        )
        ;;
    esac
}
complete -o filenames -F _stormglass stormglass
