/**
 * Shell function that prints the path of a program's own cgroup, named after its directory. Prints nothing without
 * cgroup v2.
 */
export const CGROUP = `
cgroup() {
  found=
  while read -r _ place kind _; do
    [ "$kind" != cgroup2 ] || found=$place
  done </proc/mounts
  [ -z "$found" ] || printf '%s%s/%s' "$found" "$(sed -n 's/^0:://p' /proc/self/cgroup)" "\${1##*/}"
}`;
