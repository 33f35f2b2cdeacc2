#!/usr/bin/env bash
# Compares the profile cri-o-1.34 with real CRI-O 1.34. On demand: to build CRI-O takes four minutes, to run this five.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../profiles/compare.sh" crio cri-o-1.34
