# Sourced after lib.sh: plugins of containerd/nri and of containers/nri-plugins as they are, built once from their sources.
# shellcheck shell=bash

# The version of containerd/nri that the protocol is of.
nri_sources="$peers/nri-source"
plugin_sources="$peers/nri-plugins-source"
mkdir -p "$peers/nri-plugins"

# fetch_sources DIR URL REVISION: once; nothing if they can't be had.
fetch_sources() {
  [ -e "$1/go.mod" ] && return
  rm -rf "$1" && mkdir -p "$1" && git -C "$1" init --quiet && git -C "$1" fetch --quiet --depth 1 "$2" "$3" 2>/dev/null &&
    git -C "$1" checkout --quiet FETCH_HEAD || rm -rf "$1"
}

fetch_plugin_sources() { fetch_sources "$plugin_sources" https://github.com/containers/nri-plugins 0705acc824ee3c98f66665a5879bbcafae160c9a; }

# sample NAME: the program of a plugin; fails if it can't be had.
sample() {
  local program="$peers/nri-plugins/$1" from package=.
  if [ ! -x "$program" ]; then
    case $1 in
      memory-qos | balloons)
        fetch_plugin_sources
        from=$plugin_sources package=./cmd/plugins/$1
        ;;
      *)
        fetch_sources "$nri_sources" https://github.com/containerd/nri v0.12.0
        from=$nri_sources/plugins/$1
        ;;
    esac
    [ -d "$from" ] && (cd "$from" && GOFLAGS=-mod=mod go build -o "$program" "$package") >&2 || return 1
  fi
  echo "$program"
}
