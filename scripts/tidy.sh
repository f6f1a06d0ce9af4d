#!/usr/bin/env bash
# Runs clang-tidy 16 over the changed sources of core, ui and app: scripts/tidy.sh [--all] [--budget SECONDS] [FILE...]
# Changed: uncommitted, or different from where the branch left main (on main itself: since a day before its last
# commit). A header is checked through a source that includes it. Without git everything is checked.
# Sources that unity builds compile together are analysed together, because most of the work is in their headers; FILEs
# are analysed one by one. With a budget, what changed last is analysed first until it is used up; the rest is counted.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/tidy  # configured, not built

say() { printf 'tidy: %s\n' "$*" >&2; }
git_here() { git -C "$root" -c safe.directory="$root" "$@"; }

collect_all() {
    (cd "$root" && for folder in core ui app; do [[ ! -d $folder ]] || find "$folder" -name '*.cpp'; done | sort)
}

# The commit to compare with; fails if there is none.
find_base() {
    local name base
    for name in "${LOCKSTEP_BASE:-}" origin/HEAD origin/main main; do
        [[ -n $name ]] || continue
        base=$(git_here merge-base HEAD "$name" 2>/dev/null) || continue
        if [[ $base == "$(git_here rev-parse HEAD)" ]]; then
            base=$(git_here rev-list -1 --before=$(($(git_here log -1 --format=%ct) - 86400)) HEAD)
            [[ -n $base ]] || base=$(git_here rev-parse --verify --quiet HEAD~1) || return 1
        fi
        printf '%s\n' "$base"
        return
    done
    return 1
}

# The file to analyse for a changed one: for a header the source of the same name, else the first that includes it,
# preferably in its folder. A header by itself has no compile command, and would be analysed with that of any source.
find_target() {
    local source=${1%.hpp}.cpp
    case $1 in
        *.hpp)
            if [[ ! -f $root/$source ]]; then
                source=$(cd "$root" && { grep -lF "#include \"$1\"" "${1%/*}"/*.cpp ||
                    grep -rlF --include='*.cpp' "#include \"$1\"" core ui app; } 2>/dev/null | sort | head -n 1) || true
            fi
            [[ -z $source ]] || printf '%s\n' "$source"
            ;;
        *.cpp) printf '%s\n' "$1" ;;
    esac
}

collect_changed() {
    local base file
    base=$(find_base) || { collect_all; return; }
    { git_here ls-files --others --exclude-standard -- core ui app
      git_here diff --name-only HEAD -- core ui app
      git_here log --name-only --format= "$base"..HEAD -- core ui app; } |
        while read -r file; do [[ ! -f $root/$file ]] || find_target "$file"; done | awk '!seen[$0]++'
}

# Reads files, one a line, and prints `FILES UNIT`: the unit that compiles each file, in the order of their first files,
# and how many of the files it has.
collect_units() {
    awk -v root="$root/" '
        FNR == NR { if (split($0, part, "\"") == 3 && part[1] ~ /#include/) unit_of[substr(part[2], length(root) + 1)] = unit
                    else if (/^UNIT /) unit = $2
                    next }
        { unit = $0 in unit_of ? unit_of[$0] : $0
          if (!files[unit]++) order[++units] = unit }
        END { for (i = 1; i <= units; ++i) print files[order[i]], order[i] }' \
        <(for unit in "$build"/CMakeFiles/*/Unity/*.cxx; do printf 'UNIT %s\n' "$unit"; cat "$unit"; done) -
}

# shellcheck disable=SC2317  # called by xargs
check_one() {  # check_one BUILD DEADLINE "FILES UNIT"
    local files=${3%% *} unit=${3#* } output status=0
    if (($(date +%s) >= $2)); then
        printf '%s\n' "$files" >>"$1/tidy.left"
        return 0
    fi
    output=$(clang-tidy-16 --quiet -p "$1" --checks=-bugprone-suspicious-include "$unit" 2>&1) || status=$?
    ((status == 0)) || printf '%s\n' "$output" | grep -vE '^[0-9]+ warnings? (generated|treated)'
    return "$status"
}

all=false
budget=1000000
files=()
together=true
while (($# > 0)); do
    case $1 in
        --all) all=true ;;
        --budget) budget=$2; shift ;;
        -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) files+=("$1") ;;
    esac
    shift
done
deadline=$(($(date +%s) + budget))

if ((${#files[@]} > 0)); then
    together=false
    mapfile -t files < <(for file in "${files[@]}"; do find_target "$file"; done | awk '!seen[$0]++')
else
    if $all; then mapfile -t files < <(collect_all); else mapfile -t files < <(collect_changed); fi
fi
if ((${#files[@]} == 0)); then
    say "nothing changed"
    exit 0
fi

cd "$root"
cmake --preset tidy --log-level=WARNING >/dev/null
cmake --build "$build" --target lockstep_glad_loader >/dev/null
rm -f "$build/tidy.left"
if $together; then mapfile -t units < <(printf '%s\n' "${files[@]}" | collect_units); else units=("${files[@]/#/1 }"); fi
say "${#files[@]} files in ${#units[@]} units"
export -f check_one
status=0
printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check_one "$@"' _ "$build" "$deadline" || status=1
[[ ! -s $build/tidy.left ]] ||
    say "out of time; not checked: $(awk '{ sum += $1 } END { print sum }' "$build/tidy.left") of ${#files[@]} files"
((status == 0)) || say "there are findings"
exit "$status"
