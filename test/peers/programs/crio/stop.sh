#!/usr/bin/env bash
# Ends what start.sh started in DIR: CRI-O, its containers and their monitors, and the registry if it was ours.
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
source "$(dirname "${BASH_SOURCE[0]}")/../../service.sh"
for name in crio registry dockerd; do stop_service "$dir" "$name"; done
for pid in $(pgrep -f "conmon .*-b $dir/run/"); do
  pkill -KILL -P "$pid" 2>/dev/null
  kill "$pid" 2>/dev/null
done
[ ! -L "$dir/attach" ] || rm -rf "$(readlink "$dir/attach")" "$dir/attach"
awk -v dir="$dir/" 'index($2, dir) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
true
