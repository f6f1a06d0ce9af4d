#!/usr/bin/env bash
# Runs the tests: scripts/test.sh [STAGE...]
#   format    the sources are as clang-format lays them out          (2 minutes)
#   release   a release build passes every test                      (24)
#   tsan      core's tests under the thread sanitizer                (14)
#   asan      every test under the address and UB sanitizers         (28)
#   tidy      clang-tidy over what changed                           (8)
#   fuzz      every fuzzer for 50 seconds, under the same sanitizers (10)
#   quick     the same as release
#   all       everything above, in that order; so does no STAGE
# What a stage leaves of its time the later ones may use.
# A failing stage does not stop the others. Closes with ctest's summary; the exit status is 0 if all stages passed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/test-logs
jobs=$(nproc)
export CTEST_OUTPUT_ON_FAILURE=1
# The leak checker follows what a library calls its thread-local storage, and has crashed on what Mesa left there.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1:intercept_tls_get_addr=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}

say() { printf '%s\n' "$*"; }

build() {  # build PRESET [TARGET...]
    local preset=$1
    shift
    cmake -S "$root" --preset "$preset" --log-level=WARNING >/dev/null
    cmake --build "$root/build/$preset" -j "$jobs" ${@:+--target "$@"}
}

run_ctest() {  # run_ctest PRESET [ctest option...]
    local preset=$1
    shift
    ctest --test-dir "$root/build/$preset" -j "$jobs" --no-tests=error "$@" | tee "$logs/$preset.ctest"
}

# Shadow memory of the sanitizers can collide with a widely randomised address space.
without_randomisation() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

stage_format() { "$root/scripts/format.sh" --check; }

stage_release() {
    build release
    run_ctest release
}

stage_tsan() {
    build tsan lockstep_core_tests
    run_ctest tsan -L core
}

stage_asan() {
    build asan
    run_ctest asan
}

# From the same number each time, so that runs differ little. scripts/fuzz.sh by itself looks further.
stage_fuzz() { LOCKSTEP_FUZZ_SEED=1 "$root/scripts/fuzz.sh" 50; }

stage_tidy() { "$root/scripts/tidy.sh" --budget 400; }

minutes_of() {
    case $1 in
        format) echo 2 ;;
        release) echo 24 ;;
        tsan) echo 14 ;;
        asan) echo 28 ;;
        fuzz) echo 10 ;;
        *) echo 8 ;;
    esac
}

# ctest's closing lines: of the first stage that failed in a test, else of the release.
print_summary() {
    local stage
    for stage in "$@" release asan tsan; do
        [[ -s $logs/$stage.ctest ]] || continue
        sed -n '/tests passed,/,$p' "$logs/$stage.ctest"
        return
    done
}

run_stages() {
    local stage status began deadline=$SECONDS failed=() outcome=""
    for stage in "$@"; do
        say "== $stage"
        began=$SECONDS
        status=0
        deadline=$((deadline + 60 * $(minutes_of "$stage")))
        without_randomisation timeout --kill-after=20 $((deadline - began)) "$0" --stage "$stage" || status=$?
        case $status in
            0) outcome+="  $stage passed" ;;
            124 | 137) outcome+="  $stage FAILED: out of time" ;;
            *) outcome+="  $stage FAILED" ;;
        esac
        outcome+=" ($((SECONDS - began)) s)"$'\n'
        ((status == 0)) || failed+=("$stage")
    done
    printf '\n== stages\n%s' "$outcome"
    ((${#failed[@]} == 0)) || say "failed: ${failed[*]}"
    print_summary ${failed[@]+"${failed[@]}"}
    ((${#failed[@]} == 0))
}

if [[ ${1:-} == --stage ]]; then
    "stage_$2"
    exit
fi

stages=()
for argument in "${@:-all}"; do
    case $argument in
        all) stages+=(format release tsan asan tidy fuzz) ;;
        quick | release) stages+=(release) ;;
        format | tsan | asan | fuzz | tidy) stages+=("$argument") ;;
        -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) say "unknown stage: $argument" >&2; exit 2 ;;
    esac
done
"$root/scripts/setup.sh" --tests
rm -rf "$logs"
mkdir -p "$logs"
run_stages "${stages[@]}"
