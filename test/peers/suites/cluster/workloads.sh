# Sourced by run.sh: controllers of a real cluster see their pods run, fail and end.
# shellcheck shell=bash
kubectl apply -f "$here/workloads.yaml" >/dev/null

within 60 "a Deployment" shown deploy/web '.status.availableReplicas == 4'
within 60 "a DaemonSet has a pod on each node" shown ds/agent '.status.numberReady == 3'
within 60 "a StatefulSet" shown sts/db '.status.availableReplicas == 3'
in_order() { pods app=db '[.items | sort_by(.metadata.name)[].metadata.creationTimestamp] | . == sort'; }
holds "the pods of a StatefulSet start one after the other" in_order
within 30 "a Job that succeeds" shown job/succeeds '.status.succeeded == 4 and (.status.failed // 0) == 0'
within 20 "the environment is that of the objects" shown pod/environment '.status.phase == "Running"'
environment() { kubectl exec environment -c app -- sh -c 'echo $color $PASSWORD $NODE; cat /files/color'; }
of_objects() { [ "$(environment | tr '\n' ' ')" = "blue secret mock-0 blue" ]; }
within 20 "of ConfigMap, Secret and field, and a ConfigMap as files" of_objects

# The number of available pods at each change, while the image is another.
kubectl get deploy web -w -o 'jsonpath={.status.availableReplicas}{"\n"}' >"$scratch/available" &
watching=$!
kubectl set image deploy/web app=nginx:2 >/dev/null
holds "a rolling update" kubectl rollout status deploy/web --timeout 60s >/dev/null
kill "$watching"
never_fewer() { awk '$1 < 4 { exit 1 }' "$scratch/available"; }
holds "never fewer pods than replicas are ready" never_fewer
within 10 "all pods have the new image" pods app=web '[.items[].spec.containers[0].image] | unique == ["nginx:2"]'

uid=$(kubectl get pod db-1 -o jsonpath='{.metadata.uid}')
kubectl delete pod db-1 --wait=false >/dev/null
within 30 "a deleted pod of a StatefulSet comes again by its name" \
  shown pod/db-1 ".metadata.uid != \"$uid\" and .status.containerStatuses[0].ready"

within 60 "a Job that fails gives up" \
  shown job/fails '.status.failed == 2 and any(.status.conditions[]; .type == "Failed" and .reason == "BackoffLimitExceeded")'
holds "and its pods have the exit code" pods app=fails 'all(.items[]; .status.containerStatuses[0].state.terminated.exitCode == 3)'
within 60 "a crash loop" shown pod/crash '.status.containerStatuses[0].restartCount >= 2'
events() { kubectl get events --field-selector "involvedObject.name=$1" -o jsonpath='{range .items[*]}{.reason}{"\n"}{end}'; }
backed_off() { grep -q '^BackOff$' <(events crash); }
within 20 "with its event" backed_off
within 70 "a CronJob" shown cronjob/each-minute '.status.lastSuccessfulTime != null'
