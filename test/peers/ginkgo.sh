# Sourced by the scripts that run Kubernetes' tests: what a report of Ginkgo says beside a list of what is expected.
# shellcheck shell=bash

# outcomes REPORT: the tests that were chosen, one a line, after `failed` or `skipped` if they did not pass, and a tab. One that
# skips itself says why; others were not chosen.
outcomes() {
  jq -r '.[].SpecReports[]? | select(.LeafNodeType == "It") | select(.State != "skipped" or (.Failure.Message // "") != "") |
    ({passed: "passed", skipped: "skipped"}[.State] // "failed") + "\t" + ((.ContainerHierarchyTexts + [.LeafNodeText]) | join(" "))' "$1"
}

# judge_report REPORT EXPECTED [COLUMN]: compares the tests that failed or skipped themselves with those that are listed: lines of
# EXPECTED that begin with two blanks, below a line that says why; that one begins with `skipped, ` where they skip themselves. With a
# column, only lists count whose first line has it before a colon: `mock strict: a reason`. Sets $ran and $failed, their numbers.
judge_report() {
  local other
  outcomes "$1" | sort >"$scratch/outcomes"
  grep -v $'^passed\t' "$scratch/outcomes" >"$scratch/failed" || true
  awk -v column="${3:-}" '
    /^[^# ]/ {
      listed = column == "" || index(" " substr($0, 1, index($0, ":") - 1) " ", " " column " ")
      state = /^([^:]*: )?skipped, / ? "skipped" : "failed"
    }
    /^  / && listed { print state "\t" substr($0, 3) }' "$2" | sort -u |
    awk -F '\t' 'NR == FNR { ran[$2]; next } $2 in ran' "$scratch/outcomes" - >"$scratch/expected"
  other=$(comm -3 "$scratch/failed" "$scratch/expected" | sed 's/^\t/is listed, but is not: /')
  ran=$(grep -cv $'^skipped\t' "$scratch/outcomes") failed=$(grep -c $'^failed\t' "$scratch/outcomes" || true)
  [ "$ran" -gt 0 ] || { say "no test ran"; return 1; }
  [ -z "$other" ] || { say "not as in ${2##*/}:" && echo "$other" >&2; return 1; }
}
