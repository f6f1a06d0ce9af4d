#!/usr/bin/env bash
# Formats our C++ sources with clang-format 16: scripts/format.sh [--check] [FILE...]
# --check shows what would change and fails if there is anything; it changes nothing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

check=false
if [[ ${1:-} == --check ]]; then
    check=true
    shift
fi
if (($# > 0)); then
    files=("$@")
else
    cd "$root"
    folders=()
    for folder in core ui app assets tests; do [[ ! -d $folder ]] || folders+=("$folder"); done
    mapfile -d '' files < <(find "${folders[@]}" -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 | sort -z)
fi
((${#files[@]} > 0)) || exit 0
if ! $check; then
    exec clang-format-16 --style="file:$root/.clang-format" -i "${files[@]}"
fi

# Starting clang-format takes longer than its work: 32 files a start, on all processors; one by one where it objects.
style=--style=file:$root/.clang-format
export style
check_files()
{
    local objections differing=0 file
    # It leaves comments as they are, however wide.
    if LC_ALL=C.UTF-8 grep -HnP '^(?=.{121}).*(^|[^:"])// ' "$@"; then
        printf 'format: comments wider than 120 columns\n' >&2
        differing=1
    fi
    objections=$(clang-format-16 "$style" --dry-run "$@" 2>&1) || printf '%s\n' "$objections" >&2
    [[ -n $objections ]] || return $differing
    for file in "$@"; do
        clang-format-16 "$style" "$file" |
            diff -u --label "$file" --label "$file, laid out" "$file" - || differing=$((differing + 1))
    done
    return $((differing > 0))
}
export -f check_files
printf '%s\0' "${files[@]}" | xargs -0 -n 32 -P "$(nproc)" bash -c 'set -uo pipefail; check_files "$@"' check_files ||
    { printf 'format: files differ from their layout, as above; scripts/format.sh lays them out\n' >&2; exit 1; }
