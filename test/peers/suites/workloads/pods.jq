# Of pods and workloads as kubectl lists them, a line for each: with $show
#   "unwell"     that has not what it should: a pod that is neither Ready nor has succeeded, a workload without all its pods
#   "restarted"  pod with a container that restarted
#   "times"      pod, with the seconds from its creation to that; the slowest is last
def condition($type): .status.conditions[]? | select(.type == $type);
def ready: any(condition("Ready"); .status == "True");
def name: "\(.kind) \(.metadata.namespace)/\(.metadata.name)";
def containers: .status.initContainerStatuses[]?, .status.containerStatuses[]?;

# The pods of a workload that are well, and how many there should be.
def counts:
  if .kind == "DaemonSet" then [.status.numberReady, .status.desiredNumberScheduled]
  elif .kind == "Job" then [.status.succeeded, .spec.completions // 1]
  else [.status.readyReplicas, .spec.replicas] end
  | map(. // 0);

# What a pod's containers and conditions say.
def reasons:
  [
    (containers | select(.ready | not) | .name as $container | .state | to_entries[]
      | "\($container) \(.key) \(.value.reason // "") \(.value.exitCode // "") \(.value.message // "")"),
    (condition("PodScheduled") | select(.status != "True") | .message),
    .status.message
  ] | map(select(. != null) | gsub("\\s+"; " ")) | join("; ");

def well: .status.phase == "Succeeded" or (ready and .spec.restartPolicy == "Always");
def became_well: [(condition("Ready") | select(.status == "True") | .lastTransitionTime), (containers | .state.terminated.finishedAt // empty)] | max;
def seconds: (became_well | fromdateiso8601) - (.metadata.creationTimestamp | fromdateiso8601);

if $show == "unwell" then
  .items[]
  | if .kind == "Pod" then select(well | not) | "\(name): \(.status.phase): \(reasons)"
    else . as $workload | counts | select(.[0] != .[1] or ($workload.kind == "DaemonSet" and .[1] == 0))
      | "\($workload | name): \(.[0]) of \(.[1]) pods" end
elif $show == "restarted" then
  .items[] | select(.kind == "Pod" and any(containers; .restartCount > 0)) | "\(name): \([containers.restartCount] | max) restarts"
else
  [.items[] | select(.kind == "Pod" and well) | {name: name, seconds: seconds}] | sort_by(.seconds)[] | "\(.seconds) s: \(.name)"
end
