#!/usr/bin/env bash
# The pods of test/oracle whose rows and events were recorded in real time, on kubelets 1.36.3 and 1.37.2 on virtual time, if they
# are built: a table of what is in another order than in the recording.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
cd "$repository"
[ -n "$(mockri kubelet-build --list | grep -E '^kubelet +1\.(36\.3|37\.2) .* yes ')" ] || skip "mockri kubelet-build --version 1.37.2 builds a kubelet"
npx tsx test/peers/slow/recordings/main.ts
