#!/usr/bin/env bash
# Records busybox's shell again; a difference to what is kept means that another busybox does something else.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"

need busybox
BUSYBOX=$(command -v busybox) npx tsx "$repository/test/peers/suites/shell/record.ts"
git -C "$repository" diff --exit-code -- test/shell/busybox.json
