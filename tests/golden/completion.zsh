# SPDX-License-Identifier: Apache-2.0
# completion - prints each line of standard input as an interactive zsh completes it.
# usage: zsh -f completion.zsh SCRIPT
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; PROMPT=; autoload -Uz compinit; compinit -u -D; source $1; setopt no_beep no_auto_menu; unsetopt auto_list; \
bindkey '^I' expand-or-complete; finish() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; zle accept-line }; zle -N finish; \
bindkey '^X' finish; print READY''NOW"
zpty -r -m shell text '*READYNOW*'
while IFS= read -r line; do
    zpty -w -n shell "$line"$'\t\x18'
    zpty -r -m shell text '*<<*>>*'
    text=${text##*<<}
    print -r -- "${text%%>>*}"
done
zpty -d shell
