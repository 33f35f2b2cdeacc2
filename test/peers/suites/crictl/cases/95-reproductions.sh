# What `mockri conformance` prints of failures as commands of crictl: crictl takes them, and they show what is wrong.

if [ "$target" = mockri ]; then
  # In a shell of its own, because of its server. It behaves like containerd 2.4, and nothing of that is expected.
  reproductions() (
    scratch="$scratch/reproductions"
    mkdir "$scratch" "$scratch/run" && cd "$scratch/run"
    start_mockri --profile containerd-2.4
    mockri conformance --endpoint "$endpoint" --profile strict --output json \
      --focus 'INV-03.not-ready|INV-11.wrong-state|INV-36.one-id|INV-48.running-only' >"$scratch/report.json"
    for id in $(jq -r '.results[] | select(.outcome == "failed").id' "$scratch/report.json"); do
      jq -r --arg id "$id" '.results[] | select(.id == $id).failure.crictl' "$scratch/report.json" >"$scratch/$id.sh"
      bash "$scratch/$id.sh" >"$scratch/$id.out" 2>"$scratch/$id.err" || echo "ended with $?" >>"$scratch/$id.err"
    done
    same 'nothing is left of them' '' "$(crictl --runtime-endpoint "$endpoint" pods -q 2>/dev/null)"
    # A container in a stopped sandbox is made, and a start of a running one fails with another code.
    holds 'INV-03.not-ready' [ ! -s <(grep -v warning "$scratch/INV-03.not-ready.err") ]
    holds 'INV-11.wrong-state' grep -q 'code = Unknown' "$scratch/INV-11.wrong-state.err"
    holds 'INV-48.running-only' grep -q '0.00 *0B *0B' "$scratch/INV-48.running-only.out"
    kill "$mockri"
    echo "$failures"
  )
  counted=$(reproductions | tail -n 1)
  same 'failures of reproductions' 0 "$counted"
fi
