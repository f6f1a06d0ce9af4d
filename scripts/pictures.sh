#!/usr/bin/env bash
# Takes pictures of the first screen, in all themes and at two sizes, to be looked at.
#
#   scripts/pictures.sh OUT [NAME=PATH | NAME=BASELINE,CANDIDATE]...
#
# Without runs: a sample whose rank 7 is cut in the middle, and a sample of 512 ranks (4 GB below OUT/runs).
# BUILD names the build folder (build/release).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?"usage: scripts/pictures.sh OUT [NAME=PATH[,CANDIDATE]]..."}
shift
lockstep=${BUILD:-build/release}/lockstep
mkdir -p "$out"

runs=("$@")
if [[ ${#runs[@]} -eq 0 ]]; then
    if [[ ! -d $out/runs/damaged ]]; then
        "$lockstep" sample --quiet "$out/runs/damaged"
        truncate --size=81920 "$(ls "$out"/runs/damaged/*7*.json | head -n 1)"
    fi
    [[ -d $out/runs/ranks512 ]] || "$lockstep" sample --quiet --ranks 512 "$out/runs/ranks512"
    runs=("damaged=$out/runs/damaged" "ranks512=$out/runs/ranks512")
fi

for run in "${runs[@]}"; do
    IFS=, read -r -a paths <<<"${run#*=}"
    for theme in dark light safe; do
        for size in 1280x720 3840x2160; do
            scale=1
            [[ $size == 3840x2160 ]] && scale=2
            status=0
            # 5: some data could not be read, which the picture says
            "$lockstep" shot "${paths[@]}" --no-cache --theme "$theme" --size "$size" --scale "$scale" \
                -o "$out/${run%%=*}-$theme-$size.png" || status=$?
            [[ $status -eq 0 || $status -eq 5 ]] || exit "$status"
        done
    done
done
