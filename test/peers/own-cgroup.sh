# Sourced after lib.sh: a cgroup for one kubelet. Kubelets with the same root would remove each other's cgroups.
# shellcheck shell=bash

# own_cgroup: makes it in all hierarchies, until the script ends; sets $cgroup, its path.
own_cgroup() {
  local mount mounts=(/sys/fs/cgroup)
  [ -e /sys/fs/cgroup/cgroup.controllers ] || mounts=(/sys/fs/cgroup/*)
  cgroup="/mockri-kubelet-$$"
  for mount in "${mounts[@]}"; do mkdir -p "$mount$cgroup"; done
  at_exit "find /sys/fs/cgroup -depth -type d -path '*$cgroup*' -exec rmdir {} +"
}
