# Sourced after lib.sh: a containerd whose times are not those of a disk.
# shellcheck shell=bash disable=SC2034

# start_in_memory SERIES: its files are in memory, and it ends with the script; sets $endpoint and $containerd_dir.
start_in_memory() {
  local programs="$repository/test/peers/programs/containerd" dir
  dir=$(mktemp -d /dev/shm/mockri-containerd-XXXXXX)
  at_exit "bash '$programs/stop.sh' '$dir'; awk '\$2 ~ \"^$dir\" {print \$2}' /proc/mounts | xargs -r umount; rm -rf '$dir'"
  endpoint=$(bash "$programs/start.sh" "$dir" "$1") || exit $?
  containerd_dir=$dir
}
