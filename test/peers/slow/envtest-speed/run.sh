#!/usr/bin/env bash
# The measurements of docs/envtest.md on this machine: time until a node, a pod and 100 pods are Ready, and memory, of mock nodes and of
# KWOK with the stages that its manual installs.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need kubernetes kwok jq
command -v go >/dev/null || skip "no go"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
export KUBEBUILDER_ASSETS="$peers/bin" KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=2m MOCKRI="node $repository/dist/src/cli/main.js"
module=$(cd "$scratch" && go mod download -json "sigs.k8s.io/kwok@$(version_of kwok)" | jq -r .Dir)
kubectl kustomize "$module/kustomize/stage/fast" >"$scratch/stages.yaml"
export KWOK="kwok --config $scratch/stages.yaml --node-lease-duration-seconds 40 --cidr 10.128.0.0/10 --server-address 127.0.0.1:0"
cd "$repository/clients/go/envnode/examples"
go test -tags peers -c -o "$scratch/examples" .
"$scratch/examples" -test.run TestSpeed -test.v >"$scratch/speed" 2>&1 || { cat "$scratch/speed" >&2; exit 1; }
uptime | sed 's/.*load/load/'
grep -E '^(an API server|envnode.Start|KWOK): ' "$scratch/speed"
