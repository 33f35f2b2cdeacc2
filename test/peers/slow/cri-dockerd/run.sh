#!/usr/bin/env bash
# Compares the profile cri-dockerd-0.4 with the real one. On demand: to build cri-dockerd takes minutes.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../profiles/compare.sh" cri-dockerd cri-dockerd-0.4
