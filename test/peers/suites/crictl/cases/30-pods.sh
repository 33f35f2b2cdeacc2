# runp, pods, inspectp

web=$(pod web)
ok runp "$web"
line "$ID"
pod_id=$out
fails runp "$web"
says "code = $NAME_TAKEN desc = .*reserved"
fails runp --runtime nope "$(pod nope)"
says 'no runtime for \\?"nope\\?" is configured|runtime handler'
fails runp /nonexistent.json
says 'config at /nonexistent.json not found'
ok runp --cancel-timeout 20s "$(pod db)"
db_id=$out
ok runp jsonschema
json '."$schema" | startswith("https://json-schema.org")'

ok pods
line 'POD ID CREATED STATE NAME NAMESPACE ATTEMPT RUNTIME'
line "${pod_id:0:13} $AGO Ready web default 1 \(default\)"
ok pods --no-trunc
line "$pod_id $AGO Ready web default 1 \(default\)"
ok pods -q --name '^w'
is "$pod_id"
ok pods -q --id "${pod_id:0:12}"
is "$pod_id"
ok pods -q --id nope
is ''
ok pods -q --namespace def
line "$pod_id"
ok pods -q --namespace kube-system
is ''
ok pods -q --label app=web --label tier=front
is "$pod_id"
ok pods -q --label app=web --label tier=back
is ''
ok pods -q -s ready --latest
is "$db_id"
ok pods -q --last 2
is "$db_id
$pod_id"
ok pods -q -s notready
is ''
ok pods -v --name web
line "ID: $pod_id"
line 'Name: web'
line 'UID: uid-web'
line 'Namespace: default'
line 'Attempt: 1'
line 'Status: Ready'
line 'Created: 2.*'
line ' app -> web'
line ' example.com/note -> a/b: ü'
line 'Runtime: \(default\)'
ok pods -o json --name web
json ".items[0] | .id == \"$pod_id\" and .state == \"SANDBOX_READY\" and .runtimeHandler == \"\""
json '.items[0].metadata == {name: "web", uid: "uid-web", namespace: "default", attempt: 1}'
json '.items[0].labels == {app: "web", tier: "front"} and .items[0].annotations == {"example.com/note": "a/b: ü"}'
json '(.items[0].createdAt | tonumber) > 1e18'

ok inspectp "${pod_id:0:12}"
json ".status | .id == \"$pod_id\" and .state == \"SANDBOX_READY\" and .metadata.uid == \"uid-web\""
json '.status.createdAt | test("^2[0-9]{3}-.*Z$|[+-][0-9:]{5}$")'
json '.status.network.ip | test("^[0-9]+(\\.[0-9]+){3}$")'
json '.status.linux.namespaces.options | .network == "POD" and .pid == "POD" and .ipc == "POD"'
json '.status.labels == {app: "web", tier: "front"}'
json '(.info.pid | type) == "number" and .info.runtimeType != null and .info.config.hostname == "web"'
ok inspectp -q "$pod_id"
json 'keys == ["status"]'
ok inspectp -o go-template --template '{{.status.state}}' --name web
is SANDBOX_READY
ok inspectp -o yaml "$pod_id"
line ' state: SANDBOX_READY'
fails inspectp nope
says 'code = NotFound'
