# config, completion, help: no runtime is asked, but crictl has to find its endpoint through them.

printf 'timeout: 3\n' >"$scratch/other.yaml"
run_other() { crictl_on_target --config "$scratch/other.yaml" "$@" >"$scratch/out" 2>"$scratch/err"; }
run_other config --set "runtime-endpoint=$endpoint" --set "image-endpoint=$endpoint"
run_other config --get runtime-endpoint
ran='crictl config --get' out=$(<"$scratch/out") err=$(<"$scratch/err")
is "$endpoint"
run_other version
ran='crictl version, endpoint set by crictl config' out=$(<"$scratch/out")
line 'RuntimeApiVersion: v1'
ok config --list
line ".*runtime-endpoint $endpoint"
ok completion bash
line '_crictl\(\) \{'
ok help
line ' crictl - client for CRI'
