# Sourced after lib.sh: runs critest on an endpoint.
# shellcheck shell=bash
need critest

# Its web servers listen on port 80 of their pods.
lowest=$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start 2>/dev/null || echo 1024)
[ "$(id -u)" = 0 ] || [ "$lowest" -le 80 ] || skip "to listen on port 80 takes root"

# The ports that specs use (12000 to 12003) may be anybody's, so these are awaited first: a clash is nobody's failure.
is_free() { ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
for port in 12000 12001 12002 12003; do await 60 is_free "$port" || skip "port $port, which critest uses, is taken"; done

# record_critest ENDPOINT DIR NAME [CRITEST-FLAG...]: writes DIR/NAME.json and NAME.log.
record_critest() {
  local endpoint=$1 dir=$2 name=$3
  shift 3
  mkdir -p "$dir"
  rm -f "$dir/$name.json"
  # critest itself listens nowhere and reads no configuration but this one.
  printf 'runtime-endpoint: %s\n' "$endpoint" >"$scratch/crictl.yaml"
  critest -config "$scratch/crictl.yaml" -runtime-endpoint "$endpoint" -image-endpoint "$endpoint" \
    -ginkgo.no-color -ginkgo.json-report "$dir/$name.json" "$@" >"$dir/$name.log" 2>&1 || true
  [ -s "$dir/$name.json" ] || { say "critest wrote no report:" && tail -n 20 "$dir/$name.log" >&2; exit 1; }
}
