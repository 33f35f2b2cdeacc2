#!/usr/bin/env bash
# Real containerd 2.4 and Mockri with its profile, each with one, two and three node resource plugins: the same random lives of
# pods must give the same requests to plugins, and the same OCI specs. LIVES (default 300) is how many, SEED (1) which.
# Needs root. docs/nri.md lists what differs.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
[ "$(id -u)" = 0 ] || skip 'containerd needs root'

dir=$(mktemp -d /dev/shm/mockri-nri-XXXXXX)
at_exit "bash '$here/../../programs/containerd/stop.sh' '$dir'; awk '\$2 ~ \"^$dir\" {print \$2}' /proc/mounts | xargs -r umount; rm -rf '$dir'"
real=$(bash "$here/../../programs/containerd/start.sh" "$dir" 2.4) || exit $?
start_mockri --profile containerd-2.4 --nri-socket "$scratch/nri.sock"
cd "$repository"
npx tsx test/peers/slow/nri/main.ts "$real" "$dir/nri.sock" "$endpoint" "$scratch/nri.sock" "${LIVES:-300}" "${SEED:-1}"
