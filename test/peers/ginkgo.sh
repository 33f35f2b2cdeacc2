# Sourced by the scripts that run Kubernetes' tests: what a report of Ginkgo says beside a list of what is expected.
# shellcheck shell=bash

# judge_report REPORT EXPECTED: prints how many tests ran and how many failed. Fails if others failed than those that are
# listed (lines of EXPECTED that begin with two blanks), or if one passes that is listed. Sets $ran and $failed, their numbers.
judge_report() {
  local specs='.[].SpecReports[]? | select(.LeafNodeType == "It")' other
  local name='(.ContainerHierarchyTexts + [.LeafNodeText]) | join(" ")'
  jq -r "$specs | select(.State | IN(\"passed\", \"skipped\") | not) | $name" "$1" | sort >"$scratch/failed"
  jq -r "$specs | select(.State != \"skipped\") | $name" "$1" | sort >"$scratch/ran"
  sed -n 's/^  //p' "$2" | sort | comm -12 - "$scratch/ran" >"$scratch/expected"
  other=$(comm -3 "$scratch/failed" "$scratch/expected" | sed 's/^\t/passes, but is listed: /')
  ran=$(wc -l <"$scratch/ran") failed=$(wc -l <"$scratch/failed")
  [ "$ran" -gt 0 ] || { say "no test ran"; return 1; }
  [ -z "$other" ] || { say "not as in ${2##*/}:" && echo "$other" >&2; return 1; }
}
