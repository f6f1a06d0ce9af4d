#!/usr/bin/env bash
# Checks commit subjects, `area: imperative phrase` of at most 72 characters: scripts/check_subjects.sh [--message FILE]
# Checks every commit since the one in scripts/hooks/checked_since, or the message in FILE.
# If the clone is shallow and lacks that commit, its date decides. Without git nothing is checked, with a message.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
say() { printf 'subjects: %s\n' "$*" >&2; }
git_here() { git -C "$root" -c safe.directory="$root" "$@"; }

# Prints the fault of a subject; nothing if it is valid.
find_fault() {
    local subject=$1 area='[a-z0-9][a-z0-9_./-]*' phrase word
    ((${#subject} <= 72)) || { echo "${#subject} characters; at most 72"; return; }
    [[ $subject =~ ^${area}(, ${area})*:\ (.+)$ ]] || { echo "not \`area: imperative phrase\`"; return; }
    phrase=${BASH_REMATCH[2]}
    [[ $phrase != *. ]] || { echo "ends in a full stop"; return; }
    word=${phrase%% *}
    [[ $word =~ ^[a-z] ]] || { echo "the phrase after the area begins with \"$word\", not with a verb in lower case"; return; }
    case $word in
        embed | feed | need | seed | shed | speed | bring | string) ;;
        a | an | the | all | no | of | in | on | what | where | which | who | whose | that | this | there | is | are | *ed | *ing)
            echo "\"$word\" is no imperative verb" ;;
    esac
}

check_message() {
    local subject fault
    subject=$(grep -v '^#' "$1" | sed '/./,$!d' | head -n 1)
    case $subject in
        "Merge "* | "Revert \""* | "fixup! "* | "squash! "*) return ;;
    esac
    fault=$(find_fault "$subject")
    [[ -z $fault ]] || { say "$fault: $subject"; say "write it as \`timeline: draw wait shares as hatching\`"; return 1; }
}

check_commits() {
    local commit date range subject id fault checked=0 failed=0
    if ! git_here rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
        say "not checked: $root is not a git clone"
        return
    fi
    read -r commit date <"$root/scripts/hooks/checked_since"
    if git_here merge-base --is-ancestor "$commit" HEAD 2>/dev/null; then
        range=("$commit..HEAD")
    else
        say "commit ${commit:0:12} is not in this clone; checking the commits it has since $date"
        range=("--since=$date" HEAD)
    fi
    while read -r id subject; do
        checked=$((checked + 1))
        case $subject in "Revert \""*) continue ;; esac
        fault=$(find_fault "$subject")
        [[ -z $fault ]] || { say "$id: $fault: $subject"; failed=$((failed + 1)); }
    done < <(git_here log --no-merges --format='%h %s' "${range[@]}")
    say "$checked checked, $failed wrong"
    ((failed == 0))
}

case ${1:-} in
    "") check_commits ;;
    --message) check_message "$2" ;;
    -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0" ;;
    *) say "unknown option: $1"; exit 2 ;;
esac
