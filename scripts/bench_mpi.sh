#!/usr/bin/env bash
# Compares two processes of one thread with one: seconds of `index` and of `analyze`, in turn, on a sample run.
#
#   scripts/bench_mpi.sh [RANKS [EVENTS [REPETITIONS]]]     1000, 4000000 and 5 if not given
#
# Prints elapsed seconds, those that the processor of the busiest process worked, which other load on the machine changes
# little, medians and their ratio. One process is `lockstep`, without MPI. BUILD names the build folder (build/release),
# FOLDER where the run is written, and kept for the next time; the default is a temporary folder. ANALYSES names what is
# analysed ("stragglers waits kernels").
set -euo pipefail
cd "$(dirname "$0")/.."
ranks=${1:-1000} events=${2:-4000000} repetitions=${3:-5}
lockstep=$(realpath "${BUILD:-build/release}/lockstep")
folder=${FOLDER:-$(mktemp -d)}
[[ -n ${FOLDER:-} ]] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
run=$folder/run-$ranks-$events
[[ -d $run ]] || "$lockstep" sample --quiet --gzip --ranks "$ranks" --events "$events" "$run"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_base_warn_component_unused=0
# One machine: without loading what speaks to networks, which takes 0.2 s of every start.
export OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx

# Runs its further arguments and adds what the processor worked to a file of the process.
# shellcheck disable=SC2016
measured='TIMEFORMAT="%U %S"; { time "${@:2}" 2>&3; } 3>&2 2>>"$1.${OMPI_COMM_WORLD_RANK:-0}"'

# work PROCESSES COMMAND ARGUMENT...
work() {
    if (($1 == 1)); then
        bash -c "$measured" _ "$folder/worked" "$lockstep" "${@:2}"
    else
        mpirun -n "$1" --oversubscribe bash -c "$measured" _ "$folder/worked" "$lockstep-mpi" "${@:2}"
    fi
}

busiest() { awk '{sum[FILENAME] += $1 + $2} END {for (f in sum) if (sum[f] > most) most = sum[f]; print most}' "$@"; }

# whole PROCESSES: index files, then the analyses of them.
whole() {
    local analysis
    rm -rf "$folder/index$1"
    work "$1" index "$run" -o "$folder/index$1" --jobs 1 --quiet >"$folder/out$1"
    for analysis in ${ANALYSES:-stragglers waits kernels}; do
        work "$1" analyze "$analysis" "$folder/index$1" --jobs 1 --quiet --format csv -o "$folder/$analysis$1.csv"
    done
}

median() { sort -g | awk '{all[NR] = $1} END {print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2}'; }

TIMEFORMAT='%R'
: >"$folder/times"
for ((i = 1; i <= repetitions; ++i)); do
    for processes in 1 2; do
        rm -f "$folder"/worked.*
        { time whole "$processes" 2>"$folder/errors"; } 2>"$folder/time" || { cat "$folder/errors" >&2; exit 1; }
        read -r elapsed <"$folder/time"
        echo "$processes $elapsed $(busiest "$folder"/worked.*)" | tee -a "$folder/times" |
            awk '{printf "%d process(es): %s s, %s s of the busiest\n", $1, $2, $3}'
    done
done
for analysis in ${ANALYSES:-stragglers waits kernels}; do cmp "$folder/${analysis}1.csv" "$folder/${analysis}2.csv"; done
for column in 2 3; do
    one=$(awk -v c=$column '$1 == 1 {print $c}' "$folder/times" | median)
    two=$(awk -v c=$column '$1 == 2 {print $c}' "$folder/times" | median)
    what=$([[ $column == 2 ]] && echo elapsed || echo "of the busiest")
    awk -v a="$one" -v b="$two" -v w="$what" 'BEGIN {printf "median, %s: %s s, %s s, ratio %.2f\n", w, a, b, b / a}'
done
rm -f "$folder/times"
