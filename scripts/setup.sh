#!/usr/bin/env bash
# Installs the Debian packages that Lockstep needs; returns at once if all are installed.
#   scripts/setup.sh            packages for building and running
#   scripts/setup.sh --tests    also those for scripts/test.sh
#   scripts/setup.sh --list     only lists the packages
set -euo pipefail

build_packages=(
    g++ cmake ninja-build pkgconf ccache
    python3-glad python3-pkg-resources
    libimgui-dev libglfw3-dev libfreetype-dev libpng-dev libegl-dev libgl-dev
    libsimdjson-dev zlib1g-dev libsqlite3-dev libisal-dev libzstd-dev libre2-dev libxxhash-dev libfmt-dev nlohmann-json3-dev
    libboost-dev doctest-dev libx11-dev
    libopenmpi-dev openmpi-bin
    fonts-inter fonts-jetbrains-mono
    libgl1 libegl1 libgl1-mesa-dri
)
# For the sanitizers, the fuzzers and the linters. Systems after Debian 12 have other versions only.
clang_packages=(clang-16 libclang-rt-16-dev clang-format-16 clang-tidy-16)
test_packages=(
    "${clang_packages[@]}"
    git xvfb xauth xdotool chromium
    openssh-server openssh-client
)

say() { printf 'setup: %s\n' "$*" >&2; }

usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0"
    exit "$1"
}

packages=("${build_packages[@]}")
list_only=false
for argument in "$@"; do
    case $argument in
        --tests) packages+=("${test_packages[@]}") ;;
        --list) list_only=true ;;
        -h | --help) usage 0 ;;
        *) say "unknown option: $argument"; usage 2 >&2 ;;
    esac
done
if $list_only; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system; continuing with what is installed. The packages of Debian 12 are:"
    say "  ${packages[*]}"
    exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
    sed -n 's/^installed //p' || true)
missing=()
for package in "${packages[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done

# Whether apt knows packages at all, and this one not.
is_unoffered() {
    ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 && ! apt-cache show "$1" >/dev/null 2>&1
}
drop_unoffered_clang() {
    local package kept=() dropped=()
    for package in ${missing[@]+"${missing[@]}"}; do
        if [[ " ${clang_packages[*]} " == *" $package "* ]] && is_unoffered "$package"; then
            dropped+=("$package")
        else
            kept+=("$package")
        fi
    done
    missing=(${kept[@]+"${kept[@]}"})
    ((${#dropped[@]} == 0)) ||
        say "this system does not offer ${dropped[*]}: only the stage release of scripts/test.sh works here"
}
drop_unoffered_clang
((${#missing[@]} > 0)) || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null; then
        say "packages are missing, and there is no sudo to install them. Run as root:"
        say "  apt-get install ${missing[*]}"
        exit 1
    fi
    as_root=(sudo)
fi

say "installing ${#missing[@]} missing packages: ${missing[*]}"
[[ ${#as_root[@]} == 0 ]] || say "with sudo, which may ask for your password"

install_missing() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update || return
    drop_unoffered_clang
    ((${#missing[@]} == 0)) ||
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 \
            install --no-install-recommends "${missing[@]}" >&2
}
if ! install_missing; then
    say "failed; trying once more"
    sleep 5
    if ! install_missing; then
        say "could not install: ${missing[*]}"
        exit 1
    fi
fi
say "done"
