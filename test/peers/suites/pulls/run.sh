#!/usr/bin/env bash
# Every kind of failing pull: containerd must answer what its profile does. run.sh [SERIES...]: 2.4 by default.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"

# compare SERIES FAILURE...
compare() {
  # Little space, which one image fills.
  MEMORY=96m start_in_memory containerd "$1" || skip "no containerd $1"
  mkdir "$runtime_dir/verifiers"
  printf '#!/bin/sh\necho "no signature" && exit 1\n' >"$runtime_dir/verifiers/policy"
  chmod +x "$runtime_dir/verifiers/policy"
  holds "failing pulls of containerd $1" node --import tsx "$here/pulls.ts" "$endpoint" "$runtime_dir/certs.d" "containerd-$1" "${@:2}"
  stop_in_memory containerd "$runtime_dir"
}

[ $# -gt 0 ] || set -- 2.4
for series in "$@"; do
  compare "$series" absent denied unauthorized wrong-credentials malformed-credentials unreachable unavailable too-many-requests \
    timeout bad-manifest wrong-platform disk-full
  # Only its transfer service has verifiers of images.
  LOCAL_PULL=false compare "$series" signature
done
[ "$failures" = 0 ] || exit 1
echo "failing pulls: ${*/#/containerd }"
