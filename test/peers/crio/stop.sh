#!/usr/bin/env bash
# Ends what start.sh started in DIR: CRI-O, its containers and their monitors, and the registry if it was ours.
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
for name in crio registry dockerd; do
  [ -f "$dir/$name.pid" ] && kill "$(cat "$dir/$name.pid")" 2>/dev/null
  rm -f "$dir/$name.pid"
done
for pid in $(pgrep -f "conmon .* -b $dir/run/"); do
  pkill -KILL -P "$pid" 2>/dev/null
  kill "$pid" 2>/dev/null
done
awk -v dir="$dir/" 'index($2, dir) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
true
