#!/usr/bin/env bash
# critest on containerd 2.4 and 2.3 and on Mockri with their profiles: each spec must end alike, but for those in
# differences.txt. Reports are kept in .ci/out/profile-critest. Needs root: it has a network of its own, as port 5000 is that of a
# registry with stand-ins of critest's images.
# One version, some specs: run.sh 2.4 -ginkgo.focus Streaming
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ "${1:-}" = --in-namespace ] || [ "$(id -u)" != 0 ] || exec unshare --net --mount bash "$0" --in-namespace "$@"
source "$here/../../lib.sh"
source "$here/../../suites/critest/record.sh"
[ "$(id -u)" = 0 ] || skip 'containerd needs root'
shift
ip link set lo up
# Mount propagation needs shared mounts.
mount --make-rshared /
versions=(2.4 2.3)
[[ ${1:-} =~ ^[0-9.]+$ ]] && versions=("$1") && shift

# containerd's own registry lacks most of critest's images; that of Docker's tests has them.
REGISTRY_PORT=5000 bash "$here/../../programs/docker/start.sh" "$peers/profile-critest-images" >&2
at_exit "bash '$here/../../programs/docker/stop.sh' '$peers/profile-critest-images'"

out="$repository/.ci/out/profile-critest"
cd "$repository"
failed=0
for version in "${versions[@]}"; do
  profile="containerd-$version"
  dir="$peers/profile-critest-$version"
  real=$(bash "$here/../../programs/containerd/start.sh" "$dir" "$version") || exit $?
  at_exit "bash '$here/../../programs/containerd/stop.sh' '$dir'"
  nri=(-nri-socket "$scratch/nri.sock")
  real_nri=(-nri-socket "$dir/nri.sock")
  record_critest "$real" "$out" "$profile" "${real_nri[@]}" "$@"
  bash "$here/../../programs/containerd/stop.sh" "$dir"

  rm -f "$scratch/mockri.out"
  start_mockri --profile "$profile" --nri-socket "$scratch/nri.sock" --nri-request-timeout 10s
  record_critest "$endpoint" "$out" "as-$profile" "${nri[@]}" "$@"
  kill "$mockri" && wait "$mockri" || true

  npx tsx test/peers/slow/profile-critest/main.ts "$here/differences.txt" "$out/$profile.json" "$out/as-$profile.json" ||
    failed=1
done
exit "$failed"
