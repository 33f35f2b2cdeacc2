# stop, rm, stopp, rmp

ok stop --timeout 10 "$app_id"
is "$app_id"
ok inspect "$app_id"
json '.status | .state == "CONTAINER_EXITED" and .exitCode == 3 and .reason == "Error" and .finishedAt > .startedAt'
ok stop "$app_id"
ok stop "$spare_id"
ok inspect -o go-template --template '{{.status.state}}' "$spare_id"
is CONTAINER_CREATED
ok stop nope
fails exec --sync "$app_id" true
says "code = $WRONG_STATE desc = .*CONTAINER_EXITED"

ok rm --keep-logs "$app_id"
is "$app_id"
check '[ -f "$scratch/logs/app.log" ]' 'the log is kept'
fails rm "$app_id"
says 'code = NotFound'
ok ps -aq --id "$app_id"
is ''
ok run --no-pull "$(container stubborn 'trap "" TERM; while true; do sleep 1; done' stubborn)" "$(pod stubborn)"
stubborn_id=$out
fails rm "$stubborn_id"
says 'is running|can.t be removed|state'
ok rm --force "$stubborn_id"
check '[ ! -f "$scratch/logs/stubborn.log" ]' 'the log is gone'

fails rmp "$pod_id"
says 'is running, please stop it first'
ok stopp "$pod_id"
is "Stopped sandbox $pod_id"
ok stopp "$pod_id"
ok pods -q -s notready
is "$pod_id"
ok inspectp -q "$pod_id"
json '.status | .state == "SANDBOX_NOTREADY" and .network.ip == ""'
fails start "$spare_id"
says "code = ($WRONG_STATE|NotFound)"
ok stopp nope
is 'Stopped sandbox nope'
ok rmp "$pod_id"
is "Removed sandbox $pod_id"
ok ps -aq -p "$pod_id"
is ''
fails rmp "$pod_id"
says 'code = NotFound'

ok run --no-pull "$(container left 'sleep 1000' left)" "$(pod left)"
ok stop --all
ok rm --all --force
ok ps -aq
is ''
ok rmp --all --force
ok pods -q
is ''
ok rmi --prune
ok images -q "$IMAGE"
no_line "$image_id"
ok pull "$IMAGE"
ok rmi --all
line "Deleted: $IMAGE"
