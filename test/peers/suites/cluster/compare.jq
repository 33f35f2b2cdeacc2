# Status of pods by name, without what differs from run to run: times, ids, addresses, and the node's name. And without
# what the thin kubelet does not report: resources of a pod as a whole. From 1.36 on a container that crashed is shown as
# terminated until the next sync, often for most of its back-off: when is chance.
def plain:
  walk(
    if type == "object" then
      del(.lastProbeTime)
      | with_entries(
          if .key == "state" and (.value.terminated.exitCode == 3 or .value.waiting.reason == "CrashLoopBackOff") then .value = "BACK-OFF"
          elif (.key | test("At$|[Tt]ime$")) and (.value | type) == "string" then .value = "TIME"
          elif .key == "containerID" then .value = "ID"
          elif (.key | test("^(podIP|hostIP|ip)$")) then .value = "IP"
          else . end)
    elif type == "string" then
      gsub("-\($node)"; "-NODE") | gsub("kube-api-access-[a-z0-9]{5}"; "kube-api-access-X")
      | gsub("[0-9a-f]{8}-[0-9a-f-]{27}"; "UID")
    else . end);
.items | map({key: (.metadata.name | sub("-\($node)$"; "")), value: (.status | del(.resources, .allocatedResources) | .conditions |= sort_by(.type) | plain)}) | from_entries
