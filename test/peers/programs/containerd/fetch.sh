#!/usr/bin/env bash
# Prints the path of a containerd of the given version. It comes from a newer Debian suite than the system's and is
# unpacked under $MOCKRI_PEERS, not installed.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
version=${1:?usage: fetch.sh 2.1|1.7}
case $version in 2.1) suite=sid ;; 1.7) suite=trixie ;; esac

root="$peers/containerd-$version"
program="$root/usr/bin/containerd"
# Another peer may be about to unpack it.
exec 9>"$peers/install.lock"
flock 9
if [ ! -x "$program" ]; then
  # A package index of its own, so that the system's sources stay as they are.
  apt="$scratch/apt"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  uri=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -1)
  [ -n "$uri" ] || uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep debian/ | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$apt/sources.list"
  options=(-o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache")
  apt-get "${options[@]}" update -qq >&2
  (cd "$apt" && apt-get "${options[@]}" download -qq containerd >&2)
  dpkg -x "$apt"/containerd_*.deb "$scratch/unpacked"
  rm -rf "$root"
  cp -r "$scratch/unpacked" "$root.new" && mv "$root.new" "$root"
fi
echo "$program"
