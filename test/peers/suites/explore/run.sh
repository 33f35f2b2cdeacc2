#!/usr/bin/env bash
# mockri explore with the real kubelet: a finding that the real one shows as well. And the command of the Kubernetes
# Job, as each of two of its pods runs it.
# uses: kubelet
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need kubelet jq
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
program="$repository/dist/src/cli/main.js"
[ -f "$program" ] || (cd "$repository" && npm run --silent build >&2)

cat >"$scratch/web.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: app, image: "nginx:1" }], terminationGracePeriodSeconds: 2 }
YAML

status=0
node "$program" explore "$scratch/web.yaml" --only 'state CREATED' --depth 1 --budget 1 --workers 1 --out "$scratch/real" --json \
  --confirm "$(command -v kubelet)" >"$scratch/real.json" || status=$?
holds "findings are exit code 1" [ "$status" = 1 ]
confirmed() { jq -e --arg rule "$1" '.findings[] | select(.rule == $rule) | .real.verdict == "confirmed"' "$scratch/real.json" >/dev/null; }
holds "the real kubelet starts a second instance, too" confirmed one-instance
holds "and counts a restart" confirmed counts-restarts

# The command of the Job, with other paths and a smaller budget.
command=$(cd "$repository" && node -e '
  const { parseAllDocuments } = require("yaml");
  const text = require("node:fs").readFileSync("deploy/kubernetes/explore-job.yaml", "utf8");
  const job = parseAllDocuments(text).map((each) => each.toJS()).find(({ kind }) => kind === "Job");
  console.log(job.spec.template.spec.containers[0].args[0]);')
command=${command//\/app\/dist/$repository/dist}
command=${command//\/scenario\/scenario.yaml/$scratch/web.yaml}
command=${command//\/findings/$scratch/findings}
holds "the budget of the Job is known here" grep -q -- '--budget 30m' <<<"$command"
command=${command/--budget 30m/--budget 24 --workers 1}
shard() { (cd "$scratch" && JOB_COMPLETION_INDEX=$1 sh -c "$command" >"$scratch/shard-$1.out"); }
for index in 0 7; do holds "the pod with index $index ends well, with findings" shard "$index"; done
holds "the first pod does shard 1" jq -e '.schedules == 24' "$scratch/findings/shard-1/findings.json" >/dev/null
holds "the last pod does shard 8" test -s "$scratch/findings/shard-8/findings.json"
holds "a pod that is started again goes on where it was" shard 0
holds "and tries nothing twice" jq -e '.schedules == 24' "$scratch/findings/shard-1/findings.json" >/dev/null
status=0
node "$program" explore merge "$scratch"/findings/shard-* --out "$scratch/all" --json >"$scratch/all.json" || status=$?
holds "the merged findings are exit code 1" [ "$status" = 1 ]
holds "each kind is there once" jq -e '[.findings[].kind] | length > 0 and length == (unique | length)' "$scratch/all.json" >/dev/null

[ "$failures" = 0 ] || exit 1
echo "$checks checks hold with kubelet $(kubelet --version | awk '{print $2}')"
