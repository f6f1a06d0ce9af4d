#!/usr/bin/env bash
# Whether the sources compile where nothing says "Linux", as on macOS: scripts/portable.sh [FOLDER...]
# Default: core, with the fall-backs of core/base/platform. ui and app need what a configured build made: build/release.
# It checks syntax and types only (clang 16); what a system lacks besides Linux's own is not found here.
set -euo pipefail

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    sed -n '2,4s/^# \{0,1\}//p' "$0"
    exit 0
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# > 0)) || set -- core
command -v clang++-16 >/dev/null || { echo "portable: clang++-16 is missing: scripts/setup.sh --tests" >&2; exit 1; }

# stdin: up to eight sources of a folder, checked as one, as LOCKSTEP_UNITY compiles them.
check_group() {
    sed 's/.*/#include "&"/' | clang++-16 -x c++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function \
        -U__linux__ -U__linux -Ulinux -U__gnu_linux__ -DLOCKSTEP_VERSION='"0"' -DNOMINMAX -I. \
        -isystem build/release/generated/glad/include -isystem /usr/include/imgui -isystem /usr/include/freetype2 -
}

failed=0
checked=0
while IFS= read -r folder; do
    mapfile -t sources < <(find "$folder" -maxdepth 1 -name '*.cpp' | sort)
    for ((i = 0; i < ${#sources[@]}; i += 8)); do
        group=("${sources[@]:i:8}")
        printf '%s\n' "${group[@]}" | check_group || { echo "portable: failed: ${group[*]}" >&2; failed=1; }
        checked=$((checked + ${#group[@]}))
    done
done < <(find "$@" -type d | sort)
echo "portable: $checked sources checked, $([[ $failed == 0 ]] && echo "all compile" || echo "some fail")"
exit $failed
