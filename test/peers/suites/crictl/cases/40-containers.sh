# create, start, run, ps, inspect, update

app=$(container app 'echo hello; sleep 0.1; echo oops >&2; trap "exit 3" TERM; while true; do sleep 1; done')
ok create "$pod_id" "$app" "$web"
line "$ID"
app_id=$out
fails create "$pod_id" "$app" "$web"
says "code = $NAME_TAKEN desc = .*reserved"
fails create nope "$app" "$web"
says 'code = NotFound'
ok create --no-pull "$pod_id" "$(container spare 'exit 0')" "$web"
spare_id=$out
ok create --with-pull --pull-timeout 20s --cancel-timeout 20s "$pod_id" "$(container pulled 'exit 0')" "$web"
ok rm "$out"

ok ps -q
is ''
ok ps -a
line 'CONTAINER IMAGE CREATED STATE NAME ATTEMPT POD ID POD NAMESPACE'
line "${app_id:0:13} $IMAGE $AGO Created app 2 ${pod_id:0:13} web default"
ok inspect "$app_id"
json '.status | .state == "CONTAINER_CREATED" and (.startedAt, .finishedAt) == "0001-01-01T00:00:00Z"'

ok start "${app_id:0:12}"
line "${app_id:0:12}"
fails start "$app_id"
says "code = $WRONG_STATE desc = .*CONTAINER_RUNNING"
fails start nope
says 'code = NotFound'

ok ps
line "${app_id:0:13} $IMAGE $AGO Running app 2 ${pod_id:0:13} web default"
ok ps -v
line "ID: $app_id"
line "PodID: $pod_id"
line 'Namespace: default'
line 'Name: app'
line 'Attempt: 2'
line 'State: Running'
line "Image: $IMAGE"
line ' app -> web'
line ' example.com/note -> a/b: ü'
ok ps --no-trunc
line "$app_id $IMAGE $AGO Running app 2 $pod_id web default"
ok ps -q --id "${app_id:0:12}"
is "$app_id"
ok ps -q --name '^ap'
is "$app_id"
ok ps -q -p "$pod_id" --label app=web -s running
is "$app_id"
ok ps -q --namespace nowhere
is ''
ok ps -q --image "$IMAGE"
is "$app_id"
ok ps -q --image "$image_id"
is "$app_id"
ok ps -q --latest
is "$spare_id"
ok ps -q --last 2
is "$spare_id
$app_id"
ok ps -q -s created
is "$spare_id"
ok ps -r
line "${app_id:0:13} [^ ]+ $AGO Running app 2 ${pod_id:0:13} web default"
ok ps -o json
json ".containers | length == 1 and .[0].id == \"$app_id\" and .[0].podSandboxId == \"$pod_id\""
json ".containers[0] | .imageRef == \"$image_id\" and .image.image == \"$IMAGE\" and .state == \"CONTAINER_RUNNING\""
json '.containers[0].metadata == {name: "app", attempt: 2} and .containers[0].annotations == {"example.com/note": "a/b: ü"}'

ok inspect "${app_id:0:12}"
json ".status | .id == \"$app_id\" and .state == \"CONTAINER_RUNNING\" and .exitCode == 0 and .reason == \"\""
json '.status | .startedAt > .createdAt and .finishedAt == "0001-01-01T00:00:00Z"'
json ".status.logPath == \"$scratch/logs/app.log\""
json ".status.image.image == \"$IMAGE\" and (.status.imageRef | length) > 0"
json '.status.labels.app == "web" and .status.annotations == {"example.com/note": "a/b: ü"}'
json ".info.sandboxID == \"$pod_id\" and (.info.pid | type) == \"number\" and .info.config.metadata.name == \"app\""
json '.info.runtimeSpec.process.args[0:2] == ["sh", "-c"]'
ok inspect -q "$app_id"
json 'keys == ["status"]'
ok inspect -o go-template --template '{{.status.state}}' --name '^app$'
is CONTAINER_RUNNING
fails inspect nope
says 'code = NotFound'

ok update --memory 104857600 --cpu-share 512 --cpu-period 100000 --cpu-quota 50000 "$app_id"
is "$app_id"
ok inspect "$app_id"
json '.status.resources.linux | .memoryLimitInBytes == "104857600" and .cpuShares == "512" and .cpuQuota == "50000"'
fails update --memory 104857600 nope
says 'code = NotFound'

ok run "$(container quick 'echo done; sleep 1; exit 5' job)" "$(pod job)"
line "$ID"
quick_id=$out
await 10 grep -q done "$scratch/logs/quick.log"
await 10 crictl_exited "$quick_id"
ok inspect "$quick_id"
json '.status | .state == "CONTAINER_EXITED" and .exitCode == 5 and .reason == "Error" and .finishedAt >= .startedAt'
ok run --no-pull "$(container fine 'exit 0' fine)" "$(pod fine)"
fine_id=$out
await 10 crictl_exited "$fine_id"
ok inspect "$fine_id"
json '.status | .exitCode == 0 and .reason == "Completed"'
fails start "$fine_id"
says "code = $WRONG_STATE desc = .*CONTAINER_EXITED"
ok create jsonschema --container
json '."$schema" | startswith("https://json-schema.org")'
