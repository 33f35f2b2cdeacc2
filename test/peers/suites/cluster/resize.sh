# Sourced by run.sh: kubectl patch --subresource resize.
# shellcheck shell=bash
kubectl apply -f "$here/resize.yaml" >/dev/null
# container NAME EXPRESSION: whether jq finds its status so.
container() { shown pod/resized ".status.containerStatuses[] | select(.name == \"$1\") | $2"; }
# resize NAME LIST: what the container asks for from now on.
resize() {
  kubectl patch pod resized --subresource resize \
    -p "{\"spec\": {\"containers\": [{\"name\": \"$1\", \"resources\": $2}]}}" >/dev/null
}
both_run() { container app .ready && container strict .ready; }
within 20 "the pod to resize runs" both_run

resize app '{"requests": {"cpu": "250m"}, "limits": {"memory": "96Mi"}}'
larger() { container app '.resources.requests.cpu == "250m" and .resources.limits.memory == "96Mi" and .allocatedResources.cpu == "250m"'; }
within 20 "a container gets its resources" larger
holds "and keeps running" container app '.restartCount == 0'
settled_size() { shown pod/resized '.status.observedGeneration == .metadata.generation and all(.status.conditions[]; .type | startswith("PodResize") | not)'; }
within 20 "the resize is complete" settled_size

resize strict '{"requests": {"memory": "48Mi"}}'
again() { container strict '.restartCount == 1 and .ready and .resources.requests.memory == "48Mi"'; }
within 30 "a container that has to starts again" again
holds "alone" container app '.restartCount == 0'
told() { kubectl get events --field-selector involvedObject.name=resized -o json | jq -e "any(.items[]; .reason == \"$1\" and (.message | test(\"$2\")))" >/dev/null; }
within 10 "which its event says" told Killing '^Container strict resize requires restart$'
within 10 "the start of a resize is an event" told ResizeStarted '^Pod resize started: '
within 10 "its end is one, too" told ResizeCompleted '^Pod resize completed: '

refused() { ! resize app '{"requests": {"cpu": "100k"}}' 2>"$scratch/refused" && grep -q 'enough allocatable resources' "$scratch/refused"; }
holds "the API server refuses more than the node has" refused
holds "and nothing changes" larger
kubectl delete pod resized --wait=false >/dev/null
