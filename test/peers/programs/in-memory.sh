# Sourced after lib.sh: a runtime whose files are in memory. A container is a copy of its image's 400 files: a disk makes
# them slowly, and by then at an uneven pace.
# shellcheck shell=bash disable=SC2034

# start_in_memory PROGRAM [SERIES]: of the directory PROGRAM beside this file. It ends with the script, or earlier by
# stop_in_memory PROGRAM DIR. Sets $endpoint and $runtime_dir.
start_in_memory() {
  local dir endpoint_of status=0
  dir=$(mktemp -d "$(memory)/mockri-$1-XXXXXX")
  at_exit "stop_in_memory '$1' '$dir'"
  endpoint_of=$(bash "$repository/test/peers/programs/$1/start.sh" "$dir" "${@:2}") || status=$?
  [ "$status" = 0 ] || return "$status"
  endpoint=$endpoint_of runtime_dir=$dir
}

stop_in_memory() {
  [ -d "$2" ] || return 0
  bash "$repository/test/peers/programs/$1/stop.sh" "$2"
  awk -v dir="$2/" 'index($2, dir) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
  rm -rf "$2"
}

# memory: a directory in memory with 4 GB; the script's own where there is none.
memory() {
  local free
  free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
  if ((${free:-0} > 4000000)); then echo /dev/shm; else echo "$scratch"; fi
}
