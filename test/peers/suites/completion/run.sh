#!/usr/bin/env bash
# Asks real shells what they offer at the end of command lines, with the scripts that `mockri completion` prints.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need zsh fish
here="$repository/test/peers/suites/completion"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
for shell in bash zsh fish; do node "$repository/dist/src/cli/main.js" completion $shell >"$scratch/mockri.$shell"; done

# Lines are completed here, in a directory with two files.
mkdir "$scratch/home" "$scratch/files"
cd "$scratch/files"
touch my-scenario.yaml run.tape.gz
export HOME="$scratch/home"

offered_by_bash() {
  # shellcheck disable=SC2016
  bash --norc -uc 'source "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mockri
    printf "%s\n" "${COMPREPLY[@]}"' bash "$scratch/mockri.bash" "$1"
}
offered_by_zsh() { zsh -f "$here/zsh-offers.zsh" "$scratch/mockri.zsh" "$1"; }
offered_by_fish() { fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$scratch/mockri.fish" "$1" | cut -f 1; }

# offers SHELLS LINE WORD...
offers() {
  local shell shells=$1 line=$2
  shift 2
  for shell in $shells; do
    holds "$shell offers at the end of \"$line\": $(offered_by_$shell "$line" | xargs)" \
      [ "$(offered_by_$shell "$line" | sed '/^$/d' | sort | xargs)" = "$*" ]
  done
}
all='bash zsh fish'
offers "$all" 'mockri ser' serve
offers "$all" 'mockri fault a' add
offers "$all" 'mockri fault add --na' --name
offers "$all" 'mockri help sim' simulate
offers "$all" 'mockri serve --backend d' docker
offers "$all" 'mockri simulate --output h' html
offers "$all" 'mockri tape judge --output j' json junit
offers "$all" 'mockri completion f' fish
offers "$all" 'mockri simulate crash-loop-b' crash-loop-back-off
offers "$all" 'mockri simulate my' my-scenario.yaml
# bash completes the name of a file itself if the function offers nothing.
for line in 'mockri tape show run' 'mockri serve --record run'; do
  offers bash "$line"
  offers 'zsh fish' "$line" run.tape.gz
done
# bash takes an equals sign for a word; fish repeats the option.
offers zsh 'mockri serve --backend=d' docker
offers fish 'mockri serve --backend=d' --backend=docker

[ "$failures" = 0 ] || exit 1
echo "bash, zsh and fish complete commands, options, values, scenarios and files: $checks checks"
