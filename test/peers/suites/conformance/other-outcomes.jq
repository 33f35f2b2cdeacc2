# The checks in which a profile ($ours) and its runtime ($real) differ, a line each. The named checks are left out, and
# INV-54, which is about Mockri's own fault rules. A deviation that depends on timing may pass on one side.
def chance($one; $other):
  [$one, $other] | (map(.outcome) | sort) == ["deviates", "passed"] and any(.deviation.sometimes);

($ours[0].results | INDEX(.id)) as $of
| $real[0].results[]
| select(.id | (startswith("INV-54.") or IN($ARGS.positional[])) | not)
| select($of[.id].outcome != .outcome and (chance($of[.id]; .) | not))
| "\(.id): \($of[.id].outcome), and \(.outcome) on the runtime"
