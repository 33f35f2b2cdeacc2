#!/usr/bin/env bash
# A registry on 127.0.0.1:PORT (default 5000) with a busybox under the names of the images that critest and our tests use;
# nothing if one that has them listens there already; one without is filled. Its processes are noted in DIR for stop.sh.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../../service.sh"
dir=${1:?usage: registry.sh DIR [PORT]} port=${2:-5000}

[ "$(id -u)" = 0 ] || skip 'dockerd needs root'
need docker-registry docker dockerd busybox curl

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
# The last image that is pushed below.
has_images() { curl -fs "http://127.0.0.1:$port/v2/k8s-staging-cri-tools/test-image-tags/tags/list" | grep -q '"3"'; }
has_images && exit 0

cat >"$dir/registry.yml" <<Y
version: 0.1
storage: {filesystem: {rootdirectory: $dir/registry}}
http: {addr: "127.0.0.1:$port"}
Y
start_registry() {
  setsid docker-registry serve "$dir/registry.yml" >"$dir/registry.log" 2>&1 &
  echo $! >"$dir/registry.pid"
  await_service "$dir" registry listens
}
listens || start_services "$dir" registry start_registry

# What an earlier run has pushed is there, if this script and busybox are the same.
key=$(cat "${BASH_SOURCE[0]}" "$(command -v busybox)" | sha256sum)
[ "$(cat "$dir/registry.key" 2>/dev/null)" != "$key" ] || ! has_images || exit 0
rm -f "$dir/registry.key"

# Docker only makes and pushes the images.
export DOCKER_HOST="unix://$dir/docker.sock"
start_dockerd() {
  # Their numbers may be other processes' by now.
  rm -rf "$dir/docker.pid" "$dir/docker-exec"
  setsid dockerd --data-root "$dir/docker" --exec-root "$dir/docker-exec" -H "$DOCKER_HOST" \
    --pidfile "$dir/docker.pid" --storage-driver vfs --bridge=none --iptables=false >"$dir/dockerd.log" 2>&1 &
  echo $! >"$dir/dockerd.pid"
  await_service "$dir" dockerd docker info
}
start_services "$dir" dockerd start_dockerd || {
  # An empty registry is of no use to who finds it.
  stop_service "$dir" registry
  exit 1
}

root="$scratch/rootfs"
mkdir -p "$root"/{bin,etc,tmp,root,www}
chmod 1777 "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
busybox --list | while read -r applet; do [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"; done
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
echo '<title>Welcome to nginx!</title>' >"$root/www/index.html"

# image NAME CONFIG...: pushes the root file system with Dockerfile instructions as its config.
image() {
  local name="localhost:$port/$1" instruction config=(-c 'ENV PATH=/bin')
  for instruction in "${@:2}"; do config+=(-c "$instruction"); done
  tar -C "$root" -c . | docker import "${config[@]}" - "$name" >/dev/null
  docker push -q "$name" >/dev/null
}
# Like the real one, it ends on SIGTERM with 0: CRI-O sends it to sandboxes, which containerd kills.
pause='ENTRYPOINT ["/bin/sh","-c","trap \"exit 0\" TERM; sleep 1000000 & wait"]'
image pause:3.9 "$pause"
image e2e-test-images/busybox:1.29-2 'CMD ["sh"]'
image e2e-test-images/nginx:1.14-2 'CMD ["httpd","-f","-p","80","-h","/www"]'
for name in test-image-{latest,1,2,3}:latest test-image-tag:test test-image-tags:{1,2,3}; do
  image "k8s-staging-cri-tools/$name" 'CMD ["sh"]'
done
# e2e_image NAME CONFIG...: the same, by the name and the tag that the tests have for NAME.
e2e_image() {
  local manifest=$kubernetes/test/utils/image/manifest.go
  image "$(sed -n "s|.*configs\[$1\] = Config{list.PromoterE2eRegistry, \"\(.*\)\", \"\(.*\)\"}|e2e-test-images/\1:\2|p" "$manifest")" "${@:2}"
}
if [ -n "${E2E_IMAGES:-}" ]; then
  need agnhost jq
  kubernetes=$(cd "$repository/test/peers/slow/node-e2e/build" && go mod download -json k8s.io/kubernetes | jq -r .Dir)
  image "pause:$(sed -n 's|.*configs\[Pause\] = Config{list.GcRegistry, "pause", "\(.*\)"}|\1|p' "$kubernetes/test/utils/image/manifest.go")" "$pause"
  # What Debian's busybox lacks: the tests take milliseconds from nmeter, and start scripts with bash.
  cat >"$root/bin/nmeter" <<'S'
#!/bin/sh
adjtimex | awk '/tv_sec/ { s = $2 } /tv_usec/ { u = $2 } END { print strftime("%H:%M:%S", s) "." sprintf("%03d", u / 1000) }'
S
  printf '#!/bin/sh\nexec sh "$@"\n' >"$root/bin/bash"
  chmod +x "$root"/bin/{nmeter,bash}
  e2e_image BusyBox 'CMD ["sh"]'
  e2e_image NonRoot 'USER 1234'
  for name in Nginx NginxNew; do e2e_image "$name" 'CMD ["httpd","-f","-p","80","-h","/www"]'; done
  printf '#!/bin/sh\nfor url; do :; done\nexec wget --no-check-certificate -q -O - "$url"\n' >"$root/bin/curl"
  chmod +x "$root/bin/curl"
  cp "$kubernetes"/test/images/agnhost/porter/localhost.{crt,key} "$root" && chmod 644 "$root"/localhost.*
  cp "$(command -v agnhost)" "$root/agnhost" && ln -s agnhost "$root/agnhost-2" && mkdir "$root/uploads"
  echo 'user-defined-in-image:x:1000:1000::/:/bin/sh' >>"$root/etc/passwd"
  echo 'group-defined-in-image:x:50000:user-defined-in-image' >>"$root/etc/group"
  for name in AgnhostPrev Agnhost; do e2e_image "$name" 'ENTRYPOINT ["/agnhost"]' 'CMD ["pause"]'; done
fi
stop_service "$dir" dockerd
echo "$key" >"$dir/registry.key"
