#!/usr/bin/env bash
# Checks a change while you work on it: scripts/check.sh [--plan] [FILE...]
# Runs clang-format, the tests of the source tree (including those of includes), the tests of the files' folders, and
# clang-tidy. Default: uncommitted files, else those of the last commit.
# --plan prints what would run and runs nothing. Uses build/release. Other folders are not tested; scripts/test.sh
# tests everything.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
git_here() { git -C "$root" -c safe.directory="$root" "$@"; }
say() { printf '%s\n' "$*"; }

collect_changed() {
    local files
    files=$({ git_here diff --name-only HEAD; git_here ls-files --others --exclude-standard; } | sort -u)
    [[ -n $files ]] || files=$(git_here diff-tree --root --no-commit-id --name-only -r HEAD)
    printf '%s\n' "$files"
}

plan=false
files=()
for argument in "$@"; do
    case $argument in
        --plan) plan=true ;;
        -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) files+=("$(realpath --relative-to="$root" -- "$argument")") ;;
    esac
done
((${#files[@]} > 0)) || mapfile -t files < <(collect_changed)

formatted=()       # files for clang-format
analysed=()        # files for clang-tidy
declare -A filters # test program -> patterns of test files, comma-separated
add_tests() { filters[$1]+="${filters[$1]:+,}*tests/$2/*_test.cpp"; }
declare -A seen
for file in "${files[@]}"; do
    # A deleted file counts for its folder's tests.
    if [[ $file == *.[ch]pp && -f $root/$file ]]; then
        formatted+=("$file")
        case $file in core/* | ui/* | app/*) analysed+=("$file") ;; esac
    fi
    folder=$(dirname "${file#tests/}")
    [[ -z ${seen[$folder]:-} ]] || continue
    seen[$folder]=1
    [[ -d $root/tests/$folder ]] || continue
    [[ -n $(find "$root/tests/$folder" -maxdepth 1 -name '*_test.cpp' -print -quit) ]] || continue
    case $folder in
        core | core/* | golden) add_tests lockstep_core_tests "$folder" ;;
        ui/* | assets) add_tests lockstep_ui_tests "$folder" ;;
        app | app/*) add_tests lockstep_app_tests "$folder" ;;
    esac
done

programs=(lockstep_tree_tests)
for program in lockstep_core_tests lockstep_ui_tests lockstep_app_tests; do
    [[ -z ${filters[$program]:-} ]] || programs+=("$program")
done
if $plan; then
    say "format ${formatted[*]}"
    for program in "${programs[@]}"; do say "$program ${filters[$program]:-}"; done
    say "tidy ${analysed[*]}"
    exit
fi

failed=()
step() {  # step NAME COMMAND...
    local name=$1 began=$SECONDS status=0
    shift
    "$@" || status=$?
    say "== $name: $( ((status == 0)) && echo passed || echo FAILED) ($((SECONDS - began)) s)"
    ((status == 0)) || failed+=("$name")
}
build_programs() {
    cmake -S "$root" --preset release --log-level=WARNING >/dev/null
    cmake --build "$build" --target "${programs[@]}"
}
run_program() {
    LIBGL_ALWAYS_SOFTWARE=1 "$build/$1" --minimal ${filters[$1]:+--source-file="${filters[$1]}"}
}

cd "$root"
((${#formatted[@]} == 0)) || step format scripts/format.sh --check "${formatted[@]}"
step build build_programs
if [[ " ${failed[*]-} " != *" build "* ]]; then
    for program in "${programs[@]}"; do step "$program" run_program "$program"; done
fi
((${#analysed[@]} == 0)) || step tidy scripts/tidy.sh "${analysed[@]}"
((${#failed[@]} == 0)) || { say "failed: ${failed[*]}"; exit 1; }
