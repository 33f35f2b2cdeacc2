# pull, images, inspecti, imagefsinfo, rmi

ok pull "$IMAGE"
line 'Image is up to date for sha256:[0-9a-f]{64}'
image_id=${out##* }

ok pull --annotation example.com/k=v --pull-timeout 20s "$IMAGE"
line "Image is up to date for $image_id"
ok pull --creds user:secret --pod-config "$(pod puller)" "$IMAGE"
line "Image is up to date for $image_id"

fails pull localhost/wrong
says 'failed to (pull|resolve)'
fails pull 'example.com/UPPER:1'
says 'repository name \(?.*must be lowercase|invalid reference format'

ok images
line 'IMAGE TAG IMAGE ID SIZE'
line "${IMAGE%:*} 1\.29-2 ${image_id:7:13} [0-9.]+[kM]B"
ok images --digests
line "${IMAGE%:*} 1\.29-2 [0-9a-f]{13} ${image_id:7:13} [0-9.]+[kM]B"
ok images --no-trunc
line "${IMAGE%:*} 1\.29-2 $image_id [0-9.]+[kM]B"
ok images --pinned
line 'IMAGE TAG IMAGE ID SIZE PINNED'
ok images -q "$IMAGE"
line "$image_id"
ok images -v
line "ID: $image_id"
line "RepoTags: $IMAGE"
line "RepoDigests: ${IMAGE%:*}@sha256:[0-9a-f]{64}"
line 'Size: [1-9][0-9]*'
ok images -o json
json ".images | map(select(.id == \"$image_id\")) | .[0] | .repoTags == [\"$IMAGE\"] and (.size | tonumber) > 0 and .pinned == false"
ok images -q --filter "reference=${IMAGE%:*}"
is "$image_id"
ok images -q --filter dangling=true
is ''

for reference in "$IMAGE" "$image_id" "${image_id:7:12}"; do
  ok inspecti "$reference"
  json ".status.id == \"$image_id\" and .status.repoTags == [\"$IMAGE\"]"
  json '.info.imageSpec.config.Cmd == ["sh"] and (.info.chainID | startswith("sha256:"))'
done
ok inspecti -q "$IMAGE"
json 'keys == ["status"]'
ok inspecti -o go-template --template '{{.status.id}}' "$IMAGE"
is "$image_id"
ok inspecti --name "$IMAGE"
json "[.. | .status?.id?] | index(\"$image_id\") != null"
fails inspecti nope
says 'no such image \\"nope\\" present'

ok imagefsinfo
json '.status.imageFilesystems | length == 1'
json '.status.imageFilesystems[0] | (.fsId.mountpoint | length) > 0 and (.timestamp | tonumber) > 1e18'
json '.status.imageFilesystems[0] | (.usedBytes.value | tonumber) >= 0 and (.inodesUsed.value | tonumber) >= 0'
ok imagefsinfo -o yaml
line 'status:'

fails rmi nope
says 'no such image nope'
ok rmi "$IMAGE"
line "Deleted: $IMAGE"
ok images -q "$IMAGE"
no_line "$image_id"
ok rmi --prune
ok pull "$IMAGE"
