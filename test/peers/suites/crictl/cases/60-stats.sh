# stats, statsp, metricdescs, metricsp

ok stats
line ".*CONTAINER NAME CPU % MEM DISK INODES SWAP"
line "${app_id:0:13} app [0-9.]+ [0-9.]+[kM]?B [0-9.]+[kM]?B [0-9]+ [0-9.]+[kM]?B"
ok stats --id "${app_id:0:12}" --seconds 1
line "${app_id:0:13} app .*"
no_line "${spare_id:0:13} .*"
ok stats --label app=nowhere
no_line "$SHORT .*"
ok stats --all --pod "$pod_id"
line "${app_id:0:13} app .*"
# cri-api: ListContainerStats is of running containers; containerd has all.
if on containerd; then line "${spare_id:0:13} spare .*"; else no_line "${spare_id:0:13} .*"; fi
ok stats -o json "${app_id:0:12}"
json ".stats[0] | .attributes.id == \"$app_id\" and .attributes.metadata == {name: \"app\", attempt: 2}"
json '.stats[0] | (.cpu.timestamp | tonumber) > 1e18 and (.cpu.usageCoreNanoSeconds.value | tonumber) > 0'
json '.stats[0].memory | (.workingSetBytes.value | tonumber) > 0 and (.usageBytes.value | tonumber) > 0'
json '.stats[0].writableLayer | (.fsId.mountpoint | length) > 0 and .usedBytes != null and .inodesUsed != null'

if ! on containerd; then
  ok statsp
  line '.*POD POD ID CPU % MEM'
  line "web ${pod_id:0:13} [0-9.]+ [0-9.]+[kM]?B"
  ok statsp --id "${pod_id:0:12}" -o json
  json ".stats | length == 1 and .[0].attributes.id == \"$pod_id\" and .[0].linux.network.defaultInterface.name == \"eth0\""
  json ".stats[0].linux.containers | map(.attributes.id) | index(\"$app_id\") != null"
  ok metricdescs
  on docker && least=10 || least=40
  json ".descriptors | length > $least"
  json '.descriptors |  all(.name != "" and .help != "")'
  descriptors=$out
  ok metricsp
  json ".podMetrics | map(select(.podSandboxId == \"$pod_id\")) | length == 1"
  names=$(jq -c '[.podMetrics[] | .metrics[], .containerMetrics[].metrics[] | .name] | unique' <<<"$out")
  out=$descriptors
  json "$names - [.descriptors[].name] == []"
fi
