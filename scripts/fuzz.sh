#!/usr/bin/env bash
# Runs the fuzzers: scripts/fuzz.sh [SECONDS_EACH] [TARGET...]
#   SECONDS_EACH   how long each runs (60), as many at once as there are cores
#   TARGET         NAME of a tests/fuzz/NAME_fuzz.cpp; all of them without any
# Builds the fuzzers of the preset asan (clang 16, libFuzzer, sanitizers). A run goes on from the inputs that earlier ones kept in
# build/fuzz/corpus; what is found lies in build/fuzz/findings, one file for each, as TARGET-crash-… and so on.
# With LOCKSTEP_FUZZ_SEED in the environment (not 0) it begins as the last time with that number.
# Says for each how many inputs it ran. The exit status is 0 if nothing was found.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/asan
kept=$root/build/fuzz
known=("$root"/tests/fuzz/*_fuzz.cpp)
known=("${known[@]##*/}")
known=("${known[@]%_fuzz.cpp}")
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

say() { printf '%s\n' "$*"; }

count_findings() { find "$kept/findings" -name "$1-*" | wc -l; }

run_target() {  # run_target TARGET SECONDS
    local target=$1 corpus=$kept/corpus/$1 log=$kept/findings/$1.log status=0 before folders began=$SECONDS
    mkdir -p "$corpus"
    "$build/fuzz_$target" --write-seeds "$corpus"
    folders=("$corpus")
    [[ ! -d $root/tests/fuzz/seeds/$target ]] || folders+=("$root/tests/fuzz/seeds/$target")
    before=$(count_findings "$target")
    "$build/fuzz_$target" -max_total_time="$2" -rss_limit_mb=2048 -timeout=10 -seed="${LOCKSTEP_FUZZ_SEED:-0}" -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$kept/findings/$target-" "${folders[@]}" >"$log" 2>&1 || status=$?
    local runs
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    say "$target: ${runs:-?} inputs in $((SECONDS - began)) s, $(($(count_findings "$target") - before)) new findings"
    ((status == 0)) && return
    tail -n 40 "$log"
    return 1
}

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
fi
case ${1:-} in
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
targets=("$@")
(($# > 0)) || targets=("${known[@]}")
mapfile -t targets < <(printf '%s\n' "${targets[@]}" | awk '!seen[$0]++')  # without duplicates: one log each
for target in "${targets[@]}"; do
    [[ " ${known[*]} " == *" $target "* ]] || { say "unknown target: $target; known are ${known[*]}" >&2; exit 2; }
done

cmake -S "$root" --preset asan --log-level=WARNING >/dev/null
cmake --build "$build" -j "$(nproc)" --target "${targets[@]/#/fuzz_}"
mkdir -p "$kept/findings"
failed=()
at_once=$(nproc)
for ((first = 0; first < ${#targets[@]}; first += at_once)); do
    together=("${targets[@]:first:at_once}")
    running=()
    for target in "${together[@]}"; do
        run_target "$target" "$seconds" &
        running+=($!)
    done
    for i in "${!running[@]}"; do
        wait "${running[i]}" || failed+=("${together[i]}")
    done
done
((${#failed[@]} == 0)) || { say "found something: ${failed[*]}; see $kept/findings"; exit 1; }
