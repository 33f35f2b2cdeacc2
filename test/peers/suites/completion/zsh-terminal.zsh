# Sourced by the zsh in the terminal: the Tab key prints what the completion function offers.
PS1='' PS2=''
autoload -Uz compinit && compinit -D -u
source $1
typeset -a offered
compadd() {
  local -a hits
  # Calls that only collect words into an array offer nothing.
  if (( ! ${argv[(I)-(O|A|D)]} )); then
    builtin compadd -O hits "$@"
    offered+=("${hits[@]}")
  fi
  builtin compadd "$@"
}
print-offered() {
  offered=()
  _main_complete
  print -rl -- '<offered>' ${(u)offered} '</offered>'
}
zle -C print-offered list-choices print-offered
bindkey '^I' print-offered
print ready
