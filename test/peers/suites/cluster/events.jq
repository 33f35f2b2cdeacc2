# Events of the pods whose names end with the node's, without what differs from run to run. Which pod pulls an image is
# chance, and TaintManagerEviction is an event of the controller manager about a node that has just joined.
.items[] | select(.involvedObject.name | endswith("-" + $node))
  | select(.reason | IN("Pulling", "TaintManagerEviction") | not)
  | [ (.involvedObject.name | sub("-" + $node + "$"; "")), .type, .reason, .involvedObject.fieldPath // "",
      if .reason == "Pulled" then "" else
        (.message | gsub("-" + $node; "-NODE") | gsub("[0-9a-f]{8}-[0-9a-f-]{27}"; "UID") | gsub("(127|10)\\.[0-9.]+[0-9]"; "IP"))
      end ]
  | @tsv
