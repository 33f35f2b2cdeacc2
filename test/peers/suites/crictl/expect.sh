# The words that the cases are written in. Each runs crictl or checks what the last run printed.
# shellcheck shell=bash

# on TARGET: whether the target is `mockri` (its memory backend), `docker` or `containerd`.
on() { [ "$target" = "$1" ]; }

crictl_on_target() { command crictl --config "$scratch/crictl.yaml" "$@"; }

run() {
  ran="crictl $*" status=0
  crictl_on_target "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(<"$scratch/out") err=$(<"$scratch/err")
}

# ok ARGUMENT...: succeeds.  fails ARGUMENT...: ends with exit status 1.
ok() { run "$@"; check '[ "$status" = 0 ]' "exit status 0, not $status"; }
fails() { run "$@"; check '[ "$status" = 1 ]' "exit status 1, not $status"; }

# What the output is, as a whole.
is() { expected=$1 check '[ "$out" = "$expected" ]' "output: $1"; }
# A line of the output, as an extended regular expression; runs of blanks count as one.
line() { expected=$1 check 'tr -s " \t" " " <<<"$out" | sed "s/ $//" | grep -qxE -- "$expected"' "a line: $1"; }
no_line() { expected=$1 check '! tr -s " \t" " " <<<"$out" | sed "s/ $//" | grep -qxE -- "$expected"' "no line: $1"; }
# Something in the error output.
says() { expected=$1 check 'grep -qE -- "$expected" <<<"$err"' "error output: $1"; }
# A jq condition on the output.
json() { expected=$1 check 'jq -e "$expected" <<<"$out" >/dev/null' "JSON: $1"; }

check() {
  checks=$((checks + 1))
  eval "$1" && return
  local file=${BASH_SOURCE[2]:-${BASH_SOURCE[1]}} line=${BASH_LINENO[1]}
  [ "$line" != 0 ] || line=${BASH_LINENO[0]}
  fail "${file##*/}:$line: $ran"
  say "  expected $2"
  tail -c 3000 <<<"$out" | sed 's/^/  out: /' >&2
  tail -c 1500 <<<"$err" | sed 's/^/  err: /' >&2
}
