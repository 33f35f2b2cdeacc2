# A mirror pod without its status, its uids and times, and the name of its node.
del(.status, .metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp)
  | .metadata.annotations |= with_entries(if .key | test("config.(hash|mirror|seen)$") then .value |= type else . end)
  | .metadata.ownerReferences[].uid |= type
  | walk(if type == "string" then gsub($node; "NODE") else . end)
