#!/usr/bin/env bash
# The Docker backend on a Docker Engine of its own. All parts, or those named:
#   run.sh [crictl|misuse|limits|faults|property|kubelet|critest|profile|crash|load|image]...
# IMAGE_CLIENTS=1 adds the clients with servers in containers to image.
# SERVER_KILLS (6, with a busy disk and a slow Docker), ENGINE_KILLS (6) and PODS (40) say how long crash and load take.
# Output is kept in .ci/out/docker.
# uses: docker critest-ports
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/docker/engine.sh"
source "$here/../../programs/in-memory.sh"
need crictl critest jq
[ $# -gt 0 ] || set -- crictl misuse limits faults property kubelet critest profile crash load image
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)

# The kubelet's manifests name a registry at this port, which has no such image.
(: <"/dev/tcp/127.0.0.1/5000") 2>/dev/null || export REGISTRY_PORT=5000
start_in_memory docker
export DOCKER_ENGINE=$endpoint DOCKER_HOST=$endpoint engine=$runtime_dir
disk="$scratch/disk"
at_exit "[ ! -d '$disk' ] || bash '$here/../../programs/docker/stop.sh' '$disk'"
out="$repository/.ci/out/docker"
mkdir -p "$out"
flags=(--backend docker --docker-host "$DOCKER_ENGINE" --docker-sandbox-image registry.k8s.io/pause:3.9 --control off)
cd "$repository"

on_server() {
  rm -f "$scratch/mockri.out"
  start_mockri "${flags[@]}" "${@:2}"
  local status=0
  "$1" || status=$?
  kill "$mockri" && wait "$mockri" || true
  return "$status"
}

part_crictl() { bash "$here/../crictl/run.sh"; }
part_misuse() { bash "$here/misuse.sh" "$DOCKER_ENGINE"; }
part_limits() { bash "$here/limits.sh" "$engine"; }
part_faults() { bash "$here/faults.sh" "$DOCKER_ENGINE"; }
part_property() { npx vitest run test/property/docker; }
part_kubelet() { on_server run_kubelet; }
run_kubelet() { MOCKRI_TARGET=$endpoint bash "$here/../kubelet/run.sh"; }
part_critest() { on_server run_critest --nri-socket "$scratch/nri.sock" --nri-request-timeout 10s; }
run_critest() {
  rm -f "$out/critest.json"
  critest -runtime-endpoint "$endpoint" -nri-socket "$scratch/nri.sock" -ginkgo.no-color \
    -ginkgo.json-report "$out/critest.json" >"$out/critest.specs.log" 2>&1 || true
  npx tsx "$here/../critest/compare.ts" "$here/expected.txt" - "$out/critest.json"
}
part_profile() { on_server run_profile --profile containerd-2.4; }
run_profile() { npx tsx "$here/profile.ts" "$endpoint" containerd-2.4; }
# One of them keeps the disk busy.
part_crash() {
  on_disk
  npx tsx "$here/late.ts" "$disk"
  npx tsx "$here/crash.ts" server "$disk" "${SERVER_KILLS:-6}" 1
  npx tsx "$here/crash.ts" engine "$disk" "${ENGINE_KILLS:-6}" 1
}
part_load() { npx tsx "$here/load.ts" "$engine" "${PODS:-40}"; }
# Each layer of the image is a copy of Node: too much for memory.
part_image() {
  on_disk
  bash "$here/image.sh" "$disk"
}

# Each part begins with an engine that runs and has no containers, whatever became of the one before.
ready_engine() {
  export DOCKER_HOST="unix://$1/docker.sock"
  timeout 30 docker version >/dev/null 2>&1 || {
    kill_service "$1" dockerd
    kill_service "$1" containerd
    start_engine "$1" || return
  }
  docker ps -aq | xargs -r docker rm -fv >/dev/null
}
# on_disk: the same with an engine whose files are on a disk.
on_disk() {
  if [ ! -d "$disk" ]; then
    use_overlay "$disk"
    REGISTRY_PORT='' bash "$here/../../programs/docker/start.sh" "$disk" >/dev/null
  fi
  ready_engine "$disk"
}
failed=()
for part in "$@"; do
  begin=$SECONDS
  # Not `(...) || status=$?`, in which bash ignores set -e.
  set +e
  (trap - EXIT; set -e; ready_engine "$engine"; "part_$part") >"$out/$part.log" 2>&1
  status=$?
  set -e
  say "$part: exit status $status, $((SECONDS - begin)) s: $(tail -n 1 "$out/$part.log")"
  [ "$status" = 0 ] && continue
  failed+=("$part")
  tail -n 15 "$out/$part.log" | sed "s/^/  $part: /" >&2
  cp "$engine/dockerd.log" "$out/$part.dockerd.log"
done
[ ${#failed[@]} = 0 ] || { say "failed: ${failed[*]}, output in .ci/out/docker/"; exit 1; }
echo "$# parts hold on Docker $(docker version -f '{{.Server.Version}}')"
