#!/usr/bin/env bash
# Builds Lockstep and opens traces: scripts/run.sh [PATH...]
# A PATH is a folder of rank traces or a trace file. Default: the sample run, which is written first.
# Without a display it prints a summary (of two runs: what changed) and renders a picture instead.
set -euo pipefail

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    sed -n '2,4s/^# \{0,1\}//p' "$0"
    exit 0
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
lockstep=$build/lockstep

say() { printf '%s\n' "$*" >&2; }

build_release() {
    say "Building in $build"
    cmake -S "$root" --preset release --log-level=WARNING >/dev/null
    cmake --build "$build" --target lockstep >&2
}

# Written once, and again by a newer binary; the stamp exists only if the sample is complete.
make_sample() {
    local sample=$1
    [[ -e $sample.stamp && ! $lockstep -nt $sample.stamp ]] && return
    say "Writing the sample run to $sample"
    rm -rf "$sample" "$sample.stamp"
    "$lockstep" sample "$sample"
    touch "$sample.stamp"
}

show_without_display() {
    local picture=$build/lockstep.png
    say "No display: a summary and a picture instead of the window."
    if (($# == 2)); then
        "$lockstep" diff "$@"
    else
        "$lockstep" info "$@"
        "$lockstep" analyze temporal-breakdown "$@"
        "$lockstep" analyze stragglers "$@" --table summary
    fi
    "$lockstep" shot "$@" -o "$picture"
    printf 'The picture is %s\n' "$picture"
}

"$root/scripts/setup.sh"
build_release
if (($# == 0)); then
    make_sample "$build/sample"
    set -- "$build/sample"
fi
if [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]; then
    status=0
    "$lockstep" "$@" || status=$?
    ((status == 1)) || exit "$status"  # 1: no window could be opened
fi
show_without_display "$@"
