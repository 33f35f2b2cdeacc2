# Sourced after lib.sh: a cgroup for one kubelet. Kubelets with the same root would remove each other's cgroups.
# shellcheck shell=bash

# own_cgroup: makes it in all hierarchies, until the script ends; sets $cgroup, its path.
own_cgroup() {
  local mount mounts=(/sys/fs/cgroup)
  [ -e /sys/fs/cgroup/cgroup.controllers ] || mounts=(/sys/fs/cgroup/*)
  cgroup="/mockri-kubelet-$$"
  for mount in "${mounts[@]}"; do mkdir -p "$mount$cgroup"; done
  at_exit "remove_cgroup '$cgroup'"
}
# remove_cgroup CGROUP: ends what a runtime has left running in it, and removes it.
remove_cgroup() {
  in_cgroup "$1" | xargs -r kill -9 2>/dev/null
  await 10 is_empty "$1"
  find /sys/fs/cgroup -depth -type d -path "*$1*" -exec rmdir {} +
}
in_cgroup() { find /sys/fs/cgroup -path "*$1*" -name cgroup.procs -exec cat {} + | sort -u; }
is_empty() { [ -z "$(in_cgroup "$1")" ]; }
