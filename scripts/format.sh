#!/usr/bin/env bash
# Lays out our C++ sources with clang-format 16: scripts/format.sh [--check] [FILE...]
# --check changes nothing and fails, naming the lines, where a file differs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

options=(-i)
if [[ ${1:-} == --check ]]; then
    options=(--dry-run --Werror)
    shift
fi
if (($# > 0)); then
    files=("$@")
else
    folders=()
    for folder in core ui app assets tests; do [[ ! -d $root/$folder ]] || folders+=("$root/$folder"); done
    mapfile -d '' files < <(find "${folders[@]}" -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 | sort -z)
fi
((${#files[@]} > 0)) || exit 0
exec clang-format-16 --style=file "${options[@]}" "${files[@]}"
