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

differing=0
for file in "${files[@]}"; do
    clang-format-16 --style="file:$root/.clang-format" "$file" |
        diff -u --label "$file" --label "$file, laid out" "$file" - || differing=$((differing + 1))
done
((differing == 0)) || { printf 'format: %d files differ; scripts/format.sh lays them out\n' "$differing" >&2; exit 1; }
