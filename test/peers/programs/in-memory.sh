# Sourced after lib.sh: a runtime whose files are in memory. A container is a copy of its image's 400 files: a disk makes
# them slowly and at an uneven pace.
# shellcheck shell=bash disable=SC2034

# start_in_memory PROGRAM [SERIES]: of the directory PROGRAM next to this file. It ends with the script, or earlier by
# stop_in_memory PROGRAM DIR. Sets $endpoint and $runtime_dir.
start_in_memory() {
  local dir started status=0
  # Not below /tmp or /dev: CRI-O refuses to mount what its files are in, unless it is shared.
  dir=$(mktemp -d "$peers/memory-$1-XXXXXX")
  # Without root the program says what it lacks.
  mount -t tmpfs -o size="${MEMORY:-60%}" tmpfs "$dir" 2>/dev/null || true
  at_exit "stop_in_memory '$1' '$dir'"
  started=$(bash "$repository/test/peers/programs/$1/start.sh" "$dir" "${@:2}") || status=$?
  [ "$status" = 0 ] || return "$status"
  endpoint=$started runtime_dir=$dir
}

stop_in_memory() {
  [ -d "$2" ] || return 0
  bash "$repository/test/peers/programs/$1/stop.sh" "$2"
  awk -v dir="$2" '$2 == dir || index($2, dir "/") == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
  rm -rf "$2"
}
