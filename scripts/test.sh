#!/usr/bin/env bash
# Builds and tests: scripts/test.sh [STAGE...]
#   release   a release build that passes the tests; the default     (20 minutes)
#   format    clang-format changes nothing                           (1)
#   tsan      tests of core where it has threads, thread sanitizer   (13)
#   asan      all but tree tests under address and UB sanitizers     (34)
#   tidy      clang-tidy over what changed                           (6)
#   fuzz      every fuzzer for 15 seconds, under the same sanitizers (7)
#   benches   the benchmarks compile                                 (2)
#   history   subjects of new commits follow HACKING.md              (1)
#   full      all stages, in release with tests that take minutes; required for a change
#   tsan-ui   the window's tests under the thread sanitizer; nightly (90)
#   ubsan     tests of core and app under all of the UB sanitizer; nightly (60)
#   leaks     10,000 actions of the monkey with leak detection; nightly (30)
#   debian13  builds and tests on Debian 13 in a chroot; as root; nightly (240)
#   nightly   the four above, which full leaves out
# scripts/test.sh --plan [STAGE...] prints the stages and their minutes and runs nothing.
# The minutes are limits; unused time goes to later stages. A failing stage does not stop the others.
# Ends with ctest's summary. Exit status: 0 if all stages passed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/test-logs
jobs=$(nproc)
export CTEST_OUTPUT_ON_FAILURE=1
# Works around crashes of the leak checker on Mesa's thread-local storage.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1:intercept_tls_get_addr=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1:suppressions=$root/tests/tsan.suppressions}

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

# The sanitizers' shadow memory can collide with a widely randomised address space.
without_randomisation() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

stage_format() { "$root/scripts/format.sh" --check; }

stage_release() {
    build release
    run_ctest release
}

# Tests that take minutes take a quarter of an hour under sanitizers: release has run them.
stage_tsan() {
    unset LOCKSTEP_ALL_TESTS
    build tsan lockstep_core_tests
    run_ctest tsan -L core
}

# Half of the actions with one run, half with two.
stage_leaks() {
    build asan lockstep_ui_tests
    LOCKSTEP_MONKEY_STEPS=10000 ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 run_ctest asan -R 'ui/driver/monkey$'
}

stage_tsan-ui() {
    build tsan lockstep_ui_tests
    run_ctest tsan -L ui
}

stage_ubsan() {
    build ubsan lockstep_core_tests lockstep_app_tests
    run_ctest ubsan -L 'core|golden|app'
}

# The chroot stays, so that only what changed is built again.
stage_debian13() { "$root/scripts/debian13.sh" --keep "$root/build/debian13" --minutes 235; }

# Not the tree's tests, which link nothing of ours; the fuzzers have a stage of their own, on what this one compiled.
stage_asan() {
    unset LOCKSTEP_ALL_TESTS
    build asan
    run_ctest asan -LE tree
}

# A fixed seed keeps runs comparable. scripts/fuzz.sh without one searches further.
stage_fuzz() { LOCKSTEP_FUZZ_SEED=1 "$root/scripts/fuzz.sh" 15; }

stage_tidy() { "$root/scripts/tidy.sh" --budget 270; }

stage_benches() { build release benches; }

stage_history() { "$root/scripts/check_subjects.sh"; }

minutes_of() {
    case $1 in
        format) echo 1 ;;
        release) echo 20 ;;
        tsan) echo 13 ;;
        asan) echo 34 ;;
        tsan-ui) echo 90 ;;
        ubsan) echo 60 ;;
        leaks) echo 30 ;;
        debian13) echo 240 ;;
        history) echo 1 ;;
        tidy) echo 6 ;;
        fuzz) echo 7 ;;
        benches) echo 2 ;;
        *) echo 7 ;;
    esac
}

# ctest's last lines, of the first stage with a failed test, else of the release.
print_summary() {
    local stage
    for stage in "$@" release asan tsan; do
        [[ -s $logs/$stage.ctest ]] || continue
        sed -n '/tests passed,/,$p' "$logs/$stage.ctest"
        return
    done
}

# The last lines of each failed stage: what came before may be far up, or cut.
print_ends() {
    local stage
    for stage in "$@"; do
        printf '\n== end of %s\n' "$stage"
        tail -n 12 "$logs/$stage.log" | cut -c 1-300
    done
}

run_stages() {
    local stage status began deadline=$SECONDS failed=() outcome=""
    for stage in "$@"; do
        say "== $stage"
        began=$SECONDS
        status=0
        deadline=$((deadline + 60 * $(minutes_of "$stage")))
        without_randomisation timeout --kill-after=20 $((deadline - began)) "$0" --stage "$stage" \
            > >(tee "$logs/$stage.log") 2>&1 || status=$?  # not a pipe, which a process left behind would keep open
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
    print_ends ${failed[@]+"${failed[@]}"}
    print_summary ${failed[@]+"${failed[@]}"}
    ((${#failed[@]} == 0))
}

if [[ ${1:-} == --stage ]]; then
    "stage_$2"
    exit
fi

plan=false
if [[ ${1:-} == --plan ]]; then
    plan=true
    shift
fi
stages=()
for argument in "${@:-release}"; do
    case $argument in
        full)
            export LOCKSTEP_ALL_TESTS=1
            stages+=(format history release tsan asan tidy fuzz benches)
            ;;
        nightly) stages+=(tsan-ui ubsan leaks debian13) ;;
        format | release | tsan | tsan-ui | ubsan | asan | leaks | debian13 | fuzz | benches | tidy | history)
            stages+=("$argument")
            ;;
        -h | --help) sed -n '2,19s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) say "unknown stage: $argument; stages are listed by scripts/test.sh --help" >&2; exit 2 ;;
    esac
done
if $plan; then
    for stage in "${stages[@]}"; do say "$stage $(minutes_of "$stage")"; done
    exit
fi
"$root/scripts/setup.sh" --tests
rm -rf "$logs"
mkdir -p "$logs"
run_stages "${stages[@]}"
