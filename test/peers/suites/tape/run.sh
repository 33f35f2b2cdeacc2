#!/usr/bin/env bash
# Records a kubelet on containerd, through `mockri serve --backend remote`. Checks the tape, which must give no finding but
# the known deviations of containerd. Serves it to the same kubelet, which has to show the same rows, and replays it to
# containerd, which has to answer the same. Takes less than two minutes with the thin kubelet and four pods. With
# KUBELET=real it is the kubelet that the peer real-kubelet has built, with all pods of pods.yaml, for SECONDS_EACH (600)
# each: half an hour. KEEP_TAPE=FILE keeps the tape.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
need jq curl
[ "$(id -u)" = 0 ] || skip "containerd needs root"
if [ "${KUBELET:-thin}" = real ]; then
  command -v kubelet >/dev/null || skip "no kubelet: run the peer real-kubelet first"
  pods=all seconds=${SECONDS_EACH:-600} speed=1
else
  pods=steady,crash,ready,never-exit3 seconds=${SECONDS_EACH:-20} speed=max
fi

containerd=${MOCKRI_TARGET:-}
if [ -z "$containerd" ]; then
  start_in_memory containerd 2.4 || exit $?
  containerd=$endpoint
fi
export -n MOCKRI_TARGET

program="$repository/dist/src/cli/main.js"

# run_kubelet NAME: a kubelet with the pods on the socket at $endpoint; what it shows goes to $scratch/NAME.json.
run_kubelet() {
  local name=$1 root="$scratch/$1" port open_port kubelet
  port=$(free_port) open_port=$(free_port)
  mkdir -p "$root/manifests"
  sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$root|; s|\$PORT|$port|; s|\$READONLY|$open_port|
    /featureGates/d; /runtimeRequestTimeout/d" "$here/../real-kubelet/kubelet.yaml" >"$root/kubelet.yaml"
  if [ "${KUBELET:-thin}" = real ]; then
    kubelet --config "$root/kubelet.yaml" --root-dir "$root/root" --cert-dir "$root/pki" \
      --hostname-override mock-node --v=3 >"$root/log" 2>&1 &
  else
    node "$program" kubelet --config "$root/kubelet.yaml" --root-dir "$root/root" --hostname-override mock-node \
      >"$root/log" 2>&1 &
  fi
  kubelet=$!
  at_exit "kill $kubelet 2>/dev/null; wait $kubelet 2>/dev/null; awk '\$2 ~ \"^$root\" {print \$2}' /proc/mounts | xargs -r umount"
  await 30 curl -fs "http://127.0.0.1:$open_port/pods" || { tail -n 5 "$root/log" >&2; exit 1; }
  (cd "$repository" && npx tsx test/peers/suites/tape/main.ts watch "$pods" "$seconds" "$root/manifests" \
    "http://127.0.0.1:$open_port/pods" "$root/log" "$scratch/$name.json")
  # The manifests are gone: the kubelet stops the pods.
  sleep 8
  kill "$kubelet"
  wait "$kubelet" 2>/dev/null || true
}

start_mockri --backend remote --remote-endpoint "$containerd" --record "$scratch/run.tape.gz" --keep env
run_kubelet recorded
kill "$mockri"
wait "$mockri" || true
# The next one has to print it again.
rm "$scratch/mockri.out"
[ -z "${KEEP_TAPE:-}" ] || cp "$scratch/run.tape.gz" "$KEEP_TAPE"
judged=$(node "$program" tape judge "$scratch/run.tape.gz") || {
  say "$judged"
  exit 1
}
calls=$(node "$program" tape show "$scratch/run.tape.gz" --flat --only call --json | wc -l)

start_mockri --backend tape --tape "$scratch/run.tape.gz"
run_kubelet served
kill "$mockri"
rows=$(cd "$repository" && npx tsx test/peers/suites/tape/main.ts compare "$pods" "$seconds" "$scratch/recorded.json" "$scratch/served.json") || {
  say "$rows"
  grep 'the tape has no' "$scratch/mockri.log" | cut -c 1-300 | tail -n 10 >&2
  exit 1
}

node "$program" tape replay "$scratch/run.tape.gz" --endpoint "$containerd" --speed "$speed" >"$scratch/replay" || {
  cut -c 1-400 "$scratch/replay" >&2
  exit 1
}
echo "$calls calls recorded; ${judged##*: }; $rows; $(tail -n 1 "$scratch/replay")"
