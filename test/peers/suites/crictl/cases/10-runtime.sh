# version, info, runtime-config, update-runtime-config

ok version
line 'Version: 0\.1\.0'
line "RuntimeName: $runtime"
line 'RuntimeVersion: [0-9]+\.[0-9]+\.[0-9]+.*'
line 'RuntimeApiVersion: v1'

ok info
json '[.status.conditions[] | select(.status) | .type] | contains(["RuntimeReady", "NetworkReady"])'
json '[.runtimeHandlers[] | .name // ""] | index("") != null and (unique | length) == length'
json '.features | type == "object"'
json '(keys - ["features", "runtimeHandlers", "status"]) | length > 0'

ok info -q
json 'keys == ["features", "runtimeHandlers", "status"]'

ok info -o yaml
line 'status:'
line ' - message: ""'

ok info -o go-template --template '{{range .status.conditions}}{{.type}}={{.status}} {{end}}'
line 'RuntimeReady=true NetworkReady=true.*'

ok runtime-config
line 'cgroup driver: (SYSTEMD|CGROUPFS)'

ok update-runtime-config --pod-cidr 10.0.0.0/24
says 'Runtime config successfully updated'
