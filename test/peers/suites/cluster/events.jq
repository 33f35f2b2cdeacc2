# Events of the pods whose names end with the node's, without what differs from run to run. Which pod pulls an image is
# chance, and TaintManagerEviction is an event of the controller manager about a node that has just joined. The API server
# refuses a token for a pod that is not in its cache of pods yet (NodeRestriction): that is chance, and the next attempt succeeds.
.items[] | select(.involvedObject.name | endswith("-" + $node))
  | select(.reason | IN("Pulling", "TaintManagerEviction") | not)
  | select(.reason == "FailedMount" and (.message | test("failed to fetch token: pod .* not found")) | not)
  | [ (.involvedObject.name | sub("-" + $node + "$"; "")), .type, .reason, .involvedObject.fieldPath // "",
      if .reason == "Pulled" then "" else
        (.message | gsub("-" + $node; "-NODE") | gsub("[0-9a-f]{8}-[0-9a-f-]{27}"; "UID") | gsub("(127|10)\\.[0-9.]+[0-9]"; "IP"))
      end ]
  | @tsv
