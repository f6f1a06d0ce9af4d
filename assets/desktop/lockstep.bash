# bash completion for lockstep: commands, options and analyses as the program itself lists them.
_lockstep() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=""
    if ((COMP_CWORD == 1)); then
        words=$(lockstep --help 2>/dev/null | sed -n 's/^  \([a-z]\+\) .*/\1/p')
    elif [[ $word == -* ]]; then
        words=$(lockstep "$command" --help 2>/dev/null | grep -o -- '^  \(-[a-z], \)\?--[a-z-]\+' | grep -o -- '--[a-z-]\+')
    elif [[ $command == analyze && $COMP_CWORD == 2 || $command == analyses || ${COMP_WORDS[COMP_CWORD-1]} == --analysis ]]; then
        words=$(lockstep analyses 2>/dev/null | sed -n '2,$s/^\([a-z0-9-]\+\)  .*/\1/p')
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    if ((${#COMPREPLY[@]} == 0)) || ((COMP_CWORD == 1)); then
        local paths
        mapfile -t paths < <(compgen -f -- "$word")
        COMPREPLY+=("${paths[@]}")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _lockstep lockstep
