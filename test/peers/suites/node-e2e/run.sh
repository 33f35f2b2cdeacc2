#!/usr/bin/env bash
# A few of Kubernetes' own tests of the node, with the real kubelet on Mockri, in about a minute; ../../slow/node-e2e has all of them.
# Where e2e_node.test is not built, this only says so: to build it takes ten minutes.
# uses: kubelet
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
if [ -x "$peers/bin/e2e_node.test" ] && has e2e_node.test && [ -x "$peers/bin/ginkgo" ]; then
  bash "$repository/test/peers/slow/node-e2e/run.sh" smoke
else
  echo "not run: e2e_node.test is not built here; bash test/peers/slow/node-e2e/run.sh builds it"
fi
