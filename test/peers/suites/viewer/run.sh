#!/usr/bin/env bash
# Opens the timeline in Chromium: the pages of all incidents, every feature of the page, and a running server.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need chromium

[ -e "$repository/dist/src/tape/viewer/page.html" ] || node "$repository/build.mjs"
[ -e "$repository/dist/src/tape/viewer/page.html" ] || skip "the build has no timeline page: there is no bundler for this platform"
cd "$repository"
CHROMIUM=$(command -v chromium) SCRATCH=$scratch PICTURES=${PICTURES:-$peers/viewer-pictures} node_modules/.bin/tsx test/peers/suites/viewer/main.ts "$@"
