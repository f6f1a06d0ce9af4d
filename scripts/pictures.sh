#!/usr/bin/env bash
# Takes pictures of the first screen, in all themes and at two sizes, to be looked at.
#
#   scripts/pictures.sh OUT [NAME=PATH | NAME=BASELINE,CANDIDATE]...
#
# Without runs: a sample whose rank 7 is cut in the middle, and a small sample of 512 ranks.
# Each run is opened through links below OUT/runs, so that its index files are written there: only the first picture of
# a run reads its traces. BUILD names the build folder (build/release).
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:?"usage: scripts/pictures.sh OUT [NAME=PATH[,CANDIDATE]]..."}")
shift
lockstep=$(realpath "${BUILD:-build/release}/lockstep")
mkdir -p "$out/runs"

# make_sample NAME OPTION...
make_sample() {
    [[ -d $out/runs/$1 ]] || "$lockstep" sample --quiet "${@:2}" "$out/runs/$1"
}

# link_run NAME PATH: prints where the run's files are linked.
link_run() {
    local path folder=$out/runs/$1
    path=$(realpath "$2")
    if [[ $path != "$out"/runs/* ]]; then
        mkdir -p "$folder"
        if [[ -d $path ]]; then
            find "$path" -maxdepth 1 -type f -not -name '*.lockstep-index' -exec ln -sfn -t "$folder" {} +
        else
            ln -sfn -t "$folder" "$path"
        fi
        path=$folder
    fi
    printf '%s' "$path"
}

runs=("$@")
if [[ ${#runs[@]} -eq 0 ]]; then
    if [[ ! -d $out/runs/damaged ]]; then
        make_sample damaged
        truncate --size=81920 "$(ls "$out"/runs/damaged/*7*.json | head -n 1)"
    fi
    make_sample ranks512 --ranks 512 --steps 2 --layers 1
    runs=("damaged=$out/runs/damaged" "ranks512=$out/runs/ranks512")
fi

for run in "${runs[@]}"; do
    name=${run%%=*}
    IFS=, read -r -a given <<<"${run#*=}"
    paths=()
    for i in "${!given[@]}"; do paths+=("$(link_run "$name-$i" "${given[i]}")"); done
    for theme in dark light safe; do
        for size in 1280x720 3840x2160; do
            scale=1
            [[ $size == 3840x2160 ]] && scale=2
            status=0
            # 5: some data could not be read, which the picture says
            "$lockstep" shot "${paths[@]}" --theme "$theme" --size "$size" --scale "$scale" \
                -o "$out/$name-$theme-$size.png" || status=$?
            [[ $status -eq 0 || $status -eq 5 ]] || exit "$status"
        done
    done
done
