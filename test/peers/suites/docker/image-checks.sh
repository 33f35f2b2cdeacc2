#!/usr/bin/env bash
# image-checks.sh IMAGE: what docs/containers.md says of the image: its size and user, and that it runs and is healthy where
# nothing can be written.
set -euo pipefail
image=${1:?usage: image-checks.sh IMAGE}
limit=120000000
size=$(docker image inspect -f '{{.Size}}' "$image")
[ "$size" -lt "$limit" ] || { echo "the image has $size bytes, more than $limit" >&2; exit 1; }
[ "$(docker run --rm --entrypoint node "$image" -p 'process.getuid()')" = 65532 ] || { echo 'the image runs as another user' >&2; exit 1; }
docker run --rm --read-only "$image" simulate oom-loop | grep OOMKilled >/dev/null || { echo 'the image has no scenarios' >&2; exit 1; }
served=$(docker run -d --read-only --tmpfs /run/mockri:uid=65532 "$image" serve --listen unix:///run/mockri/cri.sock --reflection)
trap 'docker rm -f "$served" >/dev/null' EXIT
for _ in $(seq 60); do
  health=$(docker inspect -f '{{.State.Health.Status}}' "$served")
  [ "$health" = starting ] || break
  sleep 1
done
[ "$health" = healthy ] || { docker logs "$served" >&2; docker inspect -f '{{json .State.Health}}' "$served" >&2; exit 1; }
echo "the image has $((size / 1000000)) MB, runs as 65532, and is healthy"
