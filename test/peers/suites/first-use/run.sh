#!/usr/bin/env bash
# Uses Mockri for the first time: clones the repository, installs it, and does what a new user does, mistakes included.
# Only what is committed is cloned.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need crictl curl jq git

# check NAME COMMAND...: the command must succeed.
check() {
  local name=$1
  shift
  "$@" >"$scratch/check.out" 2>&1 || {
    fail "$name"
    cat "$scratch/check.out" >&2
    exit 1
  }
  checks=$((checks + 1))
}
# exits CODE COMMAND...: the exit code must be this; the output goes to $scratch/out and $scratch/err.
exits() {
  local wanted=$1 code=0
  shift
  "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
  [ "$code" = "$wanted" ] || { echo "exit code $code instead of $wanted: $*"; cat "$scratch/out" "$scratch/err"; return 1; }
}
# has FILE PATTERN, lacks FILE PATTERN: extended regular expressions, in $scratch.
has() { grep -qE -- "$2" "$scratch/$1" || { echo "$1 has no line with $2:"; cat "$scratch/$1"; return 1; }; }
lacks() { ! grep -nE -- "$2" "$scratch/$1"; }
mockri() { (cd "$scratch/clone" && node dist/src/cli/main.js "$@"); }
with_errors() { "$@" 2>&1; }

git clone --quiet "$repository" "$scratch/clone"
(cd "$scratch/clone" && npm ci --no-audit --no-fund >"$scratch/npm.log" 2>&1) || { cat "$scratch/npm.log" >&2; exit 1; }

# 1. npx in a checkout runs what is built, without the network.
version=$(node -p "require('$scratch/clone/package.json').version")
npx_version() { (cd "$scratch/clone" && npm_config_offline=true npm_config_cache="$scratch/empty-cache" npx mockri --version); }
check "npx mockri --version builds nothing" exits 0 npx_version
check "npx mockri --version prints the version" has out "^$version$"

# A server from the clone. A build in another terminal does nothing to it.
socket="$scratch/cri.sock"
(cd "$scratch/clone" && exec node dist/src/cli/main.js serve --listen "unix://$socket" --control 127.0.0.1:0) \
  >"$scratch/serve.out" 2>"$scratch/serve.log" &
server=$!
at_exit "kill $server 2>/dev/null && wait $server"
await 20 test -s "$scratch/serve.out"
control=$(jq -r .control "$scratch/serve.out")
printf 'runtime-endpoint: unix://%s\nimage-endpoint: unix://%s\ntimeout: 20\n' "$socket" "$socket" >"$scratch/crictl.yaml"
cri() { crictl --config "$scratch/crictl.yaml" "$@"; }
check "npm run build beside a server" exits 0 npm --prefix "$scratch/clone" run --silent build
cat >"$scratch/pod.json" <<'J'
{"metadata": {"name": "web-1", "namespace": "default", "uid": "u1", "attempt": 0}, "log_directory": "/tmp", "linux": {}}
J
cat >"$scratch/app.json" <<'J'
{"metadata": {"name": "app", "attempt": 0}, "image": {"image": "busybox"}, "command": ["sleep", "1000"], "linux": {}}
J
check "crictl pull" exits 0 cri pull busybox
pod=$(cri runp "$scratch/pod.json")
container=$(cri create "$pod" "$scratch/app.json" "$scratch/pod.json")
check "crictl start after the build" exits 0 cri start "$container"

# 2. A server leaves with its parent, also with npx in between: no process of this directory remains.
processes() { pgrep -af -- "$scratch/$1" | grep -v pgrep || true; }
none_left() { [ -z "$(processes "$1")" ]; }
leaves() { await 10 none_left "$1" || { echo "still running:"; processes "$1"; return 1; }; }
in_clone() { (cd "$scratch/clone" && "$@"); }
# held COMMAND...: runs a server with --exit-with-stdin; counts its processes while its input is open.
held() {
  mkfifo "$scratch/input"
  in_clone "$@" serve --listen "unix://$scratch/held/cri.sock" --control off --exit-with-stdin <"$scratch/input" >"$scratch/held.out" 2>&1 &
  exec 8>"$scratch/input"
  await 20 test -s "$scratch/held.out"
  while_open=$(processes held | wc -l)
  exec 8>&-
  rm "$scratch/input"
  [ "$while_open" -gt 0 ] || { echo "no process was counted:"; cat "$scratch/held.out"; return 1; }
}
mkdir "$scratch/held"
for command in "node dist/src/cli/main.js" "npx mockri"; do
  # shellcheck disable=SC2086
  check "$command serve runs while its input is open" held $command
  check "$command serve --exit-with-stdin leaves no process behind" leaves held
done
# The shell example as docs/testing.md prints it; its directory is below $TMPDIR.
sed -n '/^```sh$/,/^```$/p' "$scratch/clone/docs/testing.md" | sed '/^```/d' >"$scratch/example.sh"
mkdir "$scratch/example"
example() { in_clone env MOCKRI="npx mockri" TMPDIR="$scratch/example" bash "$scratch/example.sh"; }
check "the shell example of docs/testing.md" exits 0 example
check "the example restarts the runtime" has out '^the runtime was back after [0-9]+ tries$'
check "the shell example leaves no process behind" leaves example/

# 3. A missing directory of manifests is refused, before any pod is stopped.
check "kubelet with a missing path" exits 2 mockri kubelet --container-runtime-endpoint "unix://$socket" --pod-manifest-path "$scratch/nope"
check "the missing path is named" has err "nope"
running() { cri ps -q | grep -q .; }
check "the orphaned pod still runs" running

# 5. Explanations have the rows, and name what delays a restart.
check "simulate --explain" exits 0 mockri simulate evented-event-lost --kubelet-version 1.35 --explain
check "--explain shows the rows" has out '^5m00.1s +web +1/1 +Running +1$'
check "--explain names the lost event" has out 'Fault rule "lost" fired at 30.0s'
check "--explain leaves out the start" lacks out 'yet to be successful'

# 6. Mistakes in a scenario are refused before the run.
cat >"$scratch/typos.yaml" <<'Y'
version: 1
until: 10s
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x }] } }
    behaviors: { app: "exti=1", ap: run }
timeline:
  - { at: 5s, do: { removePod: wbe } }
Y
check "typos in a scenario" exits 2 mockri simulate "$scratch/typos.yaml"
check "a part of a behavior" has err 'typos.yaml:5:18: .*did you mean "exit"'
check "a container" has err 'typos.yaml:5:33: .*did you mean "app"'
check "a pod" has err 'typos.yaml:7:21: .*did you mean "web"'
printf 'version: 1\nuntil: 1s\nexpect: { calls: [{ rpc: Foo, count: 1 }] }\n' >"$scratch/rpc.yaml"
check "an unknown RPC" exits 2 mockri simulate "$scratch/rpc.yaml"
check "the line of the RPC" has err 'rpc.yaml:3:21: .*unknown RPC'
check "a part of a scenario's name" exits 2 mockri simulate crash-loop
check "the name in full" has err 'did you mean "crash-loop-back-off"'

# 7. A kubelet whose first call fails is restarted.
cat >"$scratch/version.yaml" <<'Y'
version: 1
until: 30s
faults: [{ name: first, match: { method: Version }, when: { times: 1 }, then: { error: { code: UNAVAILABLE } } }]
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x }] } }
    behaviors: { app: run }
expect: { lastRow: { pod: web, ready: 1/1, status: Running }, rowsInclude: [{ pod: web, status: Running, within: [10s, 20s] }] }
Y
check "a fault in the first call" exits 0 mockri simulate "$scratch/version.yaml" --output timeline
check "the exit is in the timeline" has out 'step +the kubelet exits: .*restarts it after 10s'

# 11. Calls with times.
check "calls in the timeline" has out 's  call   StartContainer  OK  [0-9]+ms'
check "--json" exits 0 mockri simulate "$scratch/version.yaml" --json
calls() { jq -e '.calls | any(.rpc == "StartContainer" and .code == "OK" and .end > .t)' "$scratch/out"; }
check "calls in the JSON" calls

# 12. Expectations that fail print the rows.
sed 's/status: Running }, rows/status: Completed }, rows/' "$scratch/version.yaml" >"$scratch/wrong.yaml"
check "a wrong last row" exits 1 mockri simulate "$scratch/wrong.yaml"
check "the row as YAML" has err '^    - \{ pod: web, ready: 1/1, status: Running, restarts: 0 \}$'

# 8 and 9. Fault rules.
fault() { mockri fault "$@" --control "$control"; }
check "add" exits 0 fault add 'Version=1*off->2*error(UNAVAILABLE:oops)' --name busy
check "add for a pod that is not there" exits 0 fault add 'StopContainer=ignoreStop' --pod 'wbe-*'
check "nothing matches" has err 'matches no pod that exists now'
fourth() { curl -sf "$control/v1/faults" -d '{"name": "fourth", "match": {"method": "ImageFsInfo"}, "when": {"every": 4}, "then": {"error": {}}}'; }
check "every fourth" exits 0 fourth
# crictl makes two calls each time; of six, the fourth is the only one that fails.
for _ in 1 2 3; do cri imagefsinfo >/dev/null 2>&1 || true; done
fourths() { fault ls --json | jq -e '.faults[] | select(.name == "fourth") | .matched % 4 > 0 and .applied == (.matched / 4 | floor) and .applied > 0'; }
check "every fourth call fails" fourths
put() { curl -sf -X PUT "$control/v1/faults/slow" -d '{"shorthand": "StartContainer=2*delay(5s)"}'; }
check "PUT takes a shorthand" exits 0 put
check "ls" exits 0 fault ls
check "ls shows the shorthand" has out 'Version=1\*off->2\*error\(UNAVAILABLE:oops\)'
check "ls shows the pod" has out 'StopContainer=ignoreStop pod=wbe-\*'
check "ls shows every" has out 'ImageFsInfo=error every=4'
check "reset" exits 0 fault reset
mockri watch --control "$control" --only event --count 1000 >"$scratch/stream" 2>&1 &
watching=$!
at_exit "kill $watching 2>/dev/null"
cri events >"$scratch/events" 2>"$scratch/events.err" &
events=$!
at_exit "kill $events 2>/dev/null"
open_streams() { [ "$(curl -sf "$control/v1/state" | jq '.events.queues | length')" -ge 2 ]; }
check "two streams are open" await 20 open_streams
check "end the open streams" exits 0 fault add 'GetContainerEvents:open-streams=close(UNAVAILABLE)'
acted() { fault ls --json | jq -e '.faults[] | select(.spec.on == "open-streams") | .applied >= 1'; }
check "the open stream ended" acted

# 10. watch.
mockri watch --control "$control" --pod 'default/web-*' --only call --count 1 >"$scratch/watch" 2>&1 &
one=$!
at_exit "kill $one 2>/dev/null"
mockri watch --control "$control" --method PullImage --count 1 >"$scratch/pull" 2>&1 &
two=$!
at_exit "kill $two 2>/dev/null"
calls_seen() { cri inspectp "$pod" >/dev/null; cri pull nginx >/dev/null; [ -s "$scratch/watch" ] && [ -s "$scratch/pull" ]; }
check "watch prints" await 20 calls_seen
check "a filter in the form in which lines show it" has watch 'call  PodSandboxStatus default/web-1 '
check "the image of a pull" has pull 'call  PullImage nginx'

# 13 is a matter of the real kubelet: test/peers/suites/real-kubelet. 14 needs a terminal, which script(1) makes.
if command -v script >/dev/null; then
  terminal() { script -qec "crictl --config $scratch/crictl.yaml exec -it $container sh -c 'echo TERM=\$TERM'" /dev/null </dev/null >"$scratch/term"; }
  check "exec -it" terminal
  check "TERM is set" has term 'TERM=xterm'
fi

# 15. Conformance.
check "conformance --list as JSON" exits 0 mockri conformance --list --output json
list() { jq -e . "$scratch/out"; }
check "the list is JSON" list

# 16. A mistyped path of the socket.
refused() { ! timeout 20 node "$scratch/clone/dist/src/cli/main.js" serve --control 127.0.0.1:0 --listen "unix://$scratch/missing/x.sock"; }
check "a mistyped path of the socket" refused
check "no directory is made for it" test ! -e "$scratch/missing"

# A proxy in front of a runtime that does not run yet.
(cd "$scratch/clone" && exec node dist/src/cli/main.js serve --backend remote --remote-endpoint "unix://$scratch/late.sock" \
  --listen "unix://$scratch/proxy.sock" --control off) >"$scratch/proxy.out" 2>"$scratch/proxy.log" &
proxy=$!
at_exit "kill $proxy 2>/dev/null"
check "a proxy starts before its runtime" await 20 test -s "$scratch/proxy.out"
check "its warning names the endpoint" has proxy.log "\"endpoint\":\"unix://$scratch/late.sock\".*fail with UNAVAILABLE"
through() { crictl --config "$scratch/crictl.yaml" -r "unix://$scratch/proxy.sock" -i "unix://$scratch/proxy.sock" "$@"; }
check "a call fails" exits 1 through version
check "with the reason" has err "code = Unavailable .*dial unix $scratch/late.sock: connect: no such file"
(cd "$scratch/clone" && exec node dist/src/cli/main.js serve --listen "unix://$scratch/late.sock" --control off) >"$scratch/late.out" 2>&1 &
late=$!
at_exit "kill $late 2>/dev/null"
check "the proxy finds the runtime" await 20 through version

# 17. The pages: their blocks of bash, from top to bottom, in an empty directory in which the package is installed.
check "npm pack" exits 0 in_clone npm pack --silent --pack-destination "$scratch"
mkdir "$scratch/installed"
check "npm install of the package" exits 0 npm --prefix "$scratch/installed" install --no-audit --no-fund "$scratch/mockri-$version.tgz"
page_runs() {
  local commands="$scratch/page-$RANDOM"
  mkdir "$commands"
  ln -s "$scratch/installed/node_modules" "$commands/node_modules"
  sed -n '/^```bash$/,/^```$/p' "$scratch/clone/$1" | sed '/^```/d' >"$commands/script"
  grep -q 'npx mockri' "$commands/script" || { echo "no commands"; return 1; }
  (cd "$commands" && exec bash -euo pipefail script)
}
# Each command that the README prints with its output prints it.
readme_shows() {
  sed -n '/^\$ npx mockri simulate/,/^…$/p' "$scratch/clone/README.md" | sed '1d;$d' >"$scratch/shown"
  mockri simulate crash-loop-back-off | head -n "$(wc -l <"$scratch/shown")" | diff "$scratch/shown" -
}
check "the README shows what the command prints" readme_shows
check "npm run demo" exits 0 in_clone npm run --silent demo
for page in $(cd "$scratch/clone" && git ls-files docs/incidents.md docs/tutorial.md); do
  check "the commands of $page" page_runs "$page"
done

echo "$checks checks"
