// A one-node Slurm on the loopback, in its own folder, that indexes a run with srun. Skipped unless Slurm is installed
// (slurm-wlm munge) and the user is root, because the daemons need a configured system otherwise.

#include "tests/app/cli.hpp"

#include <unistd.h>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

bool has_slurm() {
    for (const char* const program : {"munged", "slurmctld", "slurmd", "srun", "sinfo"}) {
        if (run_shell(std::string("PATH=$PATH:/usr/sbin; command -v ") + program).status == 0) continue;
        MESSAGE("skipped: " << program << " is not installed (apt-get install slurm-wlm munge)");
        return false;
    }
    if (::geteuid() == 0) return true;
    MESSAGE("skipped: the daemons of Slurm need root");
    return false;
}

// Ports derived from the process, so that concurrent tests don't collide.
constexpr const char* kScript = R"(
cd "$1" || exit 90
D=$PWD; N=$(hostname -s); P=$((20000 + $$ % 20000))
chmod 755 "$D"; mkdir state spool munge; chmod 700 munge
head -c 1024 /dev/urandom > munge/key; chmod 400 munge/key
cat > slurm.conf <<END
ClusterName=lockstep
SlurmctldHost=$N(127.0.0.1)
SlurmctldPort=$P
SlurmdPort=$((P + 1))
AuthType=auth/munge
AuthInfo=socket=$D/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool
SlurmctldPidFile=$D/slurmctld.pid
SlurmdPidFile=$D/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=$N NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF=$D/slurm.conf
munged --foreground --force --key-file=$D/munge/key --socket=$D/munge/socket --pid-file=$D/munge/pid \
    --log-file=$D/munge/log --seed-file=$D/munge/seed > munge.out 2>&1 & M=$!
slurmctld -D -f slurm.conf > ctld.out 2>&1 & C=$!
slurmd -D -f slurm.conf -N "$N" > slurmd.out 2>&1 & S=$!
trap 'kill $S $C $M; sleep 1; kill -9 $S $C $M 2> /dev/null' EXIT
for i in $(seq 120); do sinfo -h -o %T 2> sinfo.err | grep -q idle && break; sleep 0.25; done
sinfo -h -o %T | grep -q idle || { tail -n 20 *.out >&2; exit 91; }
shift
timeout 120 srun -n 3 --overcommit "$@"
R=$?
# The daemon of the step ends once it has told the controller.
for i in $(seq 40); do squeue -h | grep -q . || break; sleep 0.25; done
sleep 0.5
exit $R
)";

}  // namespace

TEST_CASE("srun indexes a run, each process its share") {
    if (!has_slurm()) return;
    const TempFolder folder;
    const fs::path run = folder.path() / "run", out = folder.path() / "out", slurm = folder.path() / "slurm";
    REQUIRE(lockstep({"sample", run.string(), "--ranks", "12", "--steps", "2", "--layers", "1"}).status == 0);
    fs::create_directory(slurm);
    std::ofstream(folder.path() / "slurm.sh") << kScript;
    const Outcome outcome = run_shell("PATH=$PATH:/usr/sbin bash " + quoted((folder.path() / "slurm.sh").string()) +
                                      " " + quoted(slurm.string()) + " " + quoted(core::testing::lockstep_binary()) +
                                      " index " + quoted(run.string()) + " -o " + quoted(out.string()) + " --jobs 1");
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    for (const char* const share :
         {"process 0 of 3 (SLURM_PROCID)", "process 1 of 3 (SLURM_PROCID)", "process 2 of 3 (SLURM_PROCID)"})
        CHECK(outcome.err.find(share) != std::string::npos);
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(out))
        files += entry.path().filename().string().ends_with(".lockstep-index") ? 1U : 0U;
    CHECK(count_written_indices(outcome.out) == 12);
    CHECK(files == 12);
}
