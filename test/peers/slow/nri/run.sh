#!/usr/bin/env bash
# A real runtime and Mockri with its profile, each with one, two and three node resource plugins: the same random lives of
# pods must give the same requests to plugins, and the same OCI specs.
#   run.sh [containerd-2.4|cri-o-1.36]
# LIVES (default 300) is how many, SEED (1) which. ONLY names some of them: life-1-71,life-2-45. OUT is a file that gets all
# differences. Needs root. docs/nri.md lists what differs.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
profile=${1:-containerd-2.4}
case $profile in
  containerd-*) program=containerd ;;
  cri-o-*) program=crio ;;
  *) say "unknown runtime $profile: containerd-2.4 or cri-o-1.36"; exit 2 ;;
esac
[ "$(id -u)" = 0 ] || skip "$profile needs root"

NRI=true start_in_memory "$program" "${profile##*-}" || exit $?
real=$endpoint
# As in the configurations of the peers: a machine with other work is no reason to drop a plugin.
start_mockri --profile "$profile" --nri-socket "$scratch/nri.sock" --nri-request-timeout 30s
cd "$repository"
npx tsx test/peers/slow/nri/main.ts "$profile" "$real" "$runtime_dir/nri.sock" "$endpoint" "$scratch/nri.sock" "${LIVES:-300}" "${SEED:-1}" "${ONLY:-}"
