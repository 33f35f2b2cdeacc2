# zsh -f zsh-offers.zsh SCRIPT LINE: prints what zsh offers at the end of a command line, one word a line. zsh completes only
# at a terminal, so a second zsh runs in one.
zmodload zsh/zpty
script=$1 line=$2
offers() { zpty -w z $1; }
zpty z zsh -f -i
zpty -w z "source ${(q)ZSH_ARGZERO:h}/zsh-terminal.zsh ${(q)script}"
zpty -r z output '*ready*' || exit 1
# Tab; the driver of the other side prints what was offered.
zpty -w -n z "$line"$'\t'
zpty -r z output '*<offered>*</offered>*' || exit 1
print -r -- ${${${output//$'\r'/}##*<offered>$'\n'}%%</offered>*}
zpty -d z
