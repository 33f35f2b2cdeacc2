#!/usr/bin/env bash
# Compares a profile of CRI-O, by default the newest, with the real one: run.sh [1.36|1.34]. On demand: to build CRI-O takes four minutes, to
# run this five.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../profiles/compare.sh" crio "cri-o-${1:-1.36}"
