#!/usr/bin/env bash
# Builds and tests Lockstep on Debian 13, in a chroot: scripts/debian13.sh [OPTION...], as root
#   --mirror URL   the Debian mirror; default: the one that this machine's apt uses
#   --keep DIR     makes the chroot in DIR or uses the one that is there, and keeps it with what was built;
#                  default: a temporary folder that is removed
#   --jobs N       processes that compile and test; default: all cores
#   --no-tests     builds only
#   --minutes N    ends after so long; default: 240
# Needs debootstrap, 8 GB of disk and, unless all is there already, the mirror. Its mounts are its own and end with it.
# Exit status: 0 if everything passed, 1 if not, 2 for wrong usage.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=trixie
mirror=
keep=
jobs=$(nproc)
tests=true
minutes=240

say() { printf 'debian13: %s\n' "$*" >&2; }

usage() {
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    exit "$1"
}

wrong() {
    say "$1"
    usage 2 >&2
}

while (($# > 0)); do
    case $1 in
        --mirror | --keep | --jobs | --minutes)
            (($# >= 2)) || wrong "$1 needs a value"
            [[ -n $2 ]] || wrong "$1 needs a value"
            case $1 in
                --mirror) mirror=$2 ;;
                --keep) keep=$2 ;;
                --jobs) jobs=$2 ;;
                --minutes) minutes=$2 ;;
            esac
            shift 2
            ;;
        --no-tests) tests=false; shift ;;
        -h | --help) usage 0 ;;
        *) wrong "unknown option: $1" ;;
    esac
done
[[ $jobs =~ ^[1-9][0-9]{0,3}$ ]] || wrong "--jobs is a number from 1, not $jobs"
[[ $minutes =~ ^[1-9][0-9]{0,4}$ ]] || wrong "--minutes is a number from 1, not $minutes"

if [[ $(id -u) != 0 ]]; then
    say "must run as root: debootstrap and chroot need it"
    exit 1
fi
if ! command -v debootstrap >/dev/null; then
    say "debootstrap is missing: apt-get install debootstrap"
    exit 1
fi

# The archive itself, not its security updates.
find_mirror() {
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian //p' | head -n 1
}

# Whether a chroot was made to its end: the last thing that make_chroot does.
is_made() { [[ -e $1/.lockstep-debian13 ]]; }

make_chroot() {
    local folder=$1
    if [[ -n $(ls -A "$folder") ]]; then
        say "$folder is neither empty nor a chroot that this script made: name another folder, or empty it"
        exit 1
    fi
    [[ -n $mirror ]] || mirror=$(find_mirror)
    if [[ -z $mirror ]]; then
        say "apt names no Debian mirror here: give --mirror URL"
        exit 1
    fi
    say "making a chroot of $suite in $folder"
    if ! debootstrap --variant=minbase "$suite" "$folder" "$mirror" >"$folder.log" 2>&1; then
        tail -n 5 "$folder.log" >&2
        say "debootstrap failed; its log is $folder.log"
        exit 1
    fi
    rm -f "$folder.log"
    touch "$folder/.lockstep-debian13"
}

# Copies what is committed or could be; what was built there stays.
copy_checkout() {
    local to=$1
    local copied=$1/build/.copied  # as old as the copy before
    mkdir -p "$to/build"
    touch "$copied.now"
    find "$to" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
        (cd "$root" && git ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' file; do [[ ! -e $file && ! -L $file ]] || printf '%s\0' "$file"; done) |
            tar -C "$root" --null --no-recursion -T - -cf - | tar -C "$to" --no-same-owner -xf -
    else
        tar -C "$root" --exclude=./build -cf - . | tar -C "$to" --no-same-owner -xf -
    fi
    # A file that changed after that copy can be older than what was built from the copy.
    [[ ! -e $copied ]] || find "$to" -path "$to/build" -prune -o -type f -newer "$copied" -exec touch {} +
    mv "$copied.now" "$copied"
}

# Runs in a mount namespace of its own, so nothing stays mounted however it ends.
work_inside() {
    local folder=$1
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    mount -t sysfs -o ro sysfs "$folder/sys" || say "no /sys in the chroot; continuing"
    mount -t tmpfs tmpfs "$folder/run"
    if [[ -e /etc/resolv.conf ]]; then cat /etc/resolv.conf >"$folder/etc/resolv.conf"; fi
    local name settings=()
    for name in http_proxy https_proxy no_proxy; do [[ -z ${!name:-} ]] || settings+=("$name=${!name}"); done
    local steps='
        set -euo pipefail
        cd /lockstep
        scripts/setup.sh --tests
        cmake -S . --preset release --log-level=WARNING
        cmake --build build/release -j "$JOBS" -- -k 0'
    if $tests; then steps+='
        ctest --test-dir build/release -j "$JOBS" --no-tests=error --output-on-failure'; fi
    chroot "$folder" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        JOBS="$jobs" LIBGL_ALWAYS_SOFTWARE=1 ${settings[@]+"${settings[@]}"} bash -c "$steps"
}

folder=$keep
if [[ -z $folder ]]; then
    folder=$(mktemp -d --tmpdir lockstep-debian13-XXXXXX)
    # One file system: whatever is mounted below is not removed.
    trap 'rm -rf --one-file-system "$folder" "$folder.log"' EXIT
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
is_made "$folder" || make_chroot "$folder"
copy_checkout "$folder/lockstep"

export -f work_inside say
export jobs tests
timeout --kill-after=30 "${minutes}m" \
    unshare --mount --propagation private --pid --fork --kill-child bash -euo pipefail -c 'work_inside "$1"' bash "$folder" &
work=$!
trap 'kill "$work" 2>/dev/null; wait "$work"; exit 1' INT TERM HUP  # and with it all that runs inside
status=0
wait "$work" || status=$?
case $status in
    0) say "passed" ;;
    124 | 137) say "out of time: $minutes minutes (--minutes N)"; exit 1 ;;
    *) say "failed"; exit 1 ;;
esac
