#!/usr/bin/env bash
# A whole cluster on one virtual clock: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and two kubelets, each a
# process, and kubectl. The node of a Deployment's pod dies; the pod is evicted after five minutes and runs on the other node. Twice:
# the second run must be the same.
#   VERSION: of the kubelet, 1.37 by default
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
cd "$repository"
need jq openssl
version=${VERSION:-1.37}
kubelet=$(mockri kubelet-build --list --json | jq -r --arg version "$version" \
  'map(select(.program == "kubelet" and .isCurrent and (.version | startswith($version)))) | last.file // empty')
[ -n "$kubelet" ] || skip "kubelet $version is not built: mockri kubelet-build --version $version"
mkdir "$scratch/bin" "$scratch/cluster"
mockri kubelet-build --source test/peers/programs/kubernetes --program . --out "$scratch/bin/kubernetes"
for program in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl; do
  ln -s kubernetes "$scratch/bin/$program"
done
npx tsx test/peers/slow/one-clock/main.ts "$scratch/bin" "$kubelet" "$scratch/cluster"
