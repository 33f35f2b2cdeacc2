# Status of pods by name, without what differs from run to run: times, ids, addresses, and the node's name. And without
# what the thin kubelet does not report: resources in force (KEP-1287) and the user of containers (KEP-3619).
def plain:
  walk(
    if type == "object" then
      del(.lastProbeTime, .resources, .allocatedResources, .user)
      | with_entries(
          if (.key | test("At$|[Tt]ime$")) and (.value | type) == "string" then .value = "TIME"
          elif .key == "containerID" then .value = "ID"
          elif (.key | test("^(podIP|hostIP|ip)$")) then .value = "IP"
          else . end)
    elif type == "string" then
      gsub("-\($node)"; "-NODE") | gsub("kube-api-access-[a-z0-9]{5}"; "kube-api-access-X")
      | gsub("[0-9a-f]{8}-[0-9a-f-]{27}"; "UID")
    else . end);
.items | map({key: (.metadata.name | sub("-\($node)$"; "")), value: (.status | .conditions |= sort_by(.type) | plain)}) | from_entries
