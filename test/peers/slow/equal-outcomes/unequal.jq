# The checks whose outcome is not the same in all reports ($reports, from --slurpfile), or that fail, a line each. A deviation that
# depends on timing may also pass.
[$reports[].results[]] | group_by(.id)[]
| (map(.outcome) | group_by(.) | map({ key: .[0], value: length }) | from_entries) as $outcomes
| any(.[]; .deviation.sometimes) as $sometimes
| select(
    ($outcomes | has("failed"))
    or (($outcomes | length) > 1 and (($sometimes and (($outcomes | keys) == ["deviates", "passed"])) | not))
  )
| "\(.[0].id): \($outcomes | to_entries | map("\(.key) \(.value)×") | join(", "))"
