#!/usr/bin/env bash
# images.sh DIR REGISTRY: fills the registry with a busybox under the names of the images that critest and our tests
# use, and forgets them in the engine: so they can be pulled.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
dir=$1 registry=$2
export DOCKER_HOST="unix://$dir/docker.sock"

root="$scratch/rootfs"
mkdir -p "$root"/{bin,etc,tmp,root,www}
cp "$(command -v busybox)" "$root/bin/busybox"
busybox --list | while read -r applet; do [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"; done
cat >"$root/etc/passwd" <<'P'
root:x:0:0:root:/root:/bin/sh
www-data:x:33:33::/:/bin/sh
default-user:x:1000:1000::/:/bin/sh
nobody:x:65534:65534::/:/bin/sh
P
printf 'root:x:0:\nwww-data:x:33:\ngroup-defined-in-image:x:50000:default-user\n' >"$root/etc/group"
# One that can be masked without all the others.
cp --remove-destination "$(command -v busybox)" "$root/bin/ls"
# Debian's busybox has none.
printf '#!/bin/sh\ncat /proc/sysvipc/shm\n' >"$root/bin/ipcs"
# A process with this name, and its pid file, are looked for.
cat >"$root/bin/nginx" <<'P'
#!/bin/sh
mkdir -p /var/run
echo $$ >/var/run/nginx.pid
httpd -f -p 80 -h /www & wait
P
chmod +x "$root"/bin/{ipcs,nginx}
cat >"$root/bin/pgrep" <<'P'
#!/bin/sh
found=1
for process in /proc/[0-9]*; do
  [ "$(cat "$process/comm" 2>/dev/null)" = "$1" ] && echo "${process#/proc/}" && found=0
done
exit $found
P
chmod +x "$root/bin/pgrep"
echo '<title>Welcome to nginx!</title>' >"$root/www/index.html"

# image NAME INSTRUCTION...: pushes the root file system with Dockerfile instructions as its config.
image() {
  local name="$registry/$1" changes=() instruction
  shift
  for instruction in "$@"; do changes+=(-c "$instruction"); done
  tar -C "$root" -c . | docker import -c 'ENV PATH=/bin' "${changes[@]}" - "$name" >/dev/null
  docker push -q "$name" >/dev/null
}
# tag NAME OTHER...: pushes an image under other names too.
tag() {
  local name=$1 other
  shift
  for other in "$@"; do
    docker tag "$registry/$name" "$registry/$other"
    docker push -q "$registry/$other" >/dev/null
  done
}
wait_forever='["/bin/sh","-c","trap \"exit 0\" TERM; while :; do tail -f /dev/null & wait $!; done"]'
tools=k8s-staging-cri-tools
image pause:3.9 "ENTRYPOINT $wait_forever"
tag pause:3.9 pause:3.10
image e2e-test-images/busybox:1.29-2 'CMD ["sh"]'
image e2e-test-images/nginx:1.14-2 'CMD ["nginx","master process"]'
image e2e-test-images/httpd:2.4.39-4 'CMD ["sh","-c","echo httpd; exec httpd -f -p 80 -h /www"]'
image "$tools/hostnet-nginx-amd64:latest" 'CMD ["httpd","-f","-p","12003","-h","/www"]'
for name in test-image-{latest,1,2,3}:latest test-image-tag:test; do
  image "$tools/$name" 'CMD ["sh"]' "LABEL name=$name"
done
tag "$tools/test-image-tag:test" "$tools/test-image-tag:all"
image "$tools/test-image-tags:1" 'LABEL name=tags'
tag "$tools/test-image-tags:1" "$tools"/test-image-tags:{2,3}
image "$tools/test-image-user-uid:latest" 'USER 1002'
image "$tools/test-image-user-uid-group:latest" 'USER 1003:www-data'
image "$tools/test-image-user-username:latest" 'USER www-data'
image "$tools/test-image-user-username-group:latest" 'USER www-data:www-data'
image "$tools/test-image-predefined-group:latest" 'USER default-user'

# What was pushed is to be pulled.
docker images -q | sort -u | xargs docker rmi -f >/dev/null
