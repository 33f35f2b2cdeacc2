#!/usr/bin/env bash
# Stops what start.sh started, and makes the timeline of the recording: DIRECTORY and SERVER_PID are its outputs.
set -euo pipefail
kill "$SERVER_PID" 2>/dev/null || true
while kill -0 "$SERVER_PID" 2>/dev/null; do sleep 0.1; done
tape=$DIRECTORY/run.tape.gz
[ ! -f "$tape" ] || "$DIRECTORY/node_modules/.bin/mockri" tape view "$tape" --output "$DIRECTORY/timeline.html"
