#pragma once
// Finds the rank of each file of a run (DEFINITIONS 1): from the file; else a number in its name; else one in the name
// of a folder with no other trace; else its place in the order of names, which never takes a claimed number. Files that
// claim the same rank, that one process wrote one after another, or that are of other runs, are captures of it.

#include "core/base/diagnostics.hpp"
#include "core/index/run.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct UsedGpus {
    std::string numbers{};  // "0", "2,3"; empty: none
    std::string model{};  // empty: not stated, or several
    std::string host{};  // empty: not stated
};

struct RankClaim {
    std::filesystem::path path;
    std::optional<int> stated;  // distributedInfo.rank
    bool is_one_of_several = false;  // ranks of that file
    bool is_device = false;  // of a host, whose devices are counted from 0
    bool is_dump = false;  // the writer ends the name with the rank; stands beside a trace of the rank
    bool is_snapshot = false;  // a dump whose name ends with a step
    bool is_log = false;  // is_log() of its file; a dump whose name can end with a process
    std::string process{};  // its pid, as the events say; empty: they do not
    RankRange window{};  // of its events; empty: none
    UsedGpus gpus{};  // that it has work on
    bool only_captures = false;  // found where traces of captures are
    std::int64_t group_size = 0;  // of the widest process group; 0: it does not communicate, -1: not stated
};

struct RankIdentity {
    RankKey key;
    RankSource source = RankSource::DistributedInfo;
};

// "rank-3", "rank3", "rank[3]", "worker3_step_12", "TP-3-DECODE", "kineto_3": 3.
std::optional<int> find_rank_in_name(std::string_view name);

// "_dump_9", "nccl_trace_rank_3", "rank_3.json": 9, 3, 3. The last number of a dump's name, extensions aside.
std::optional<int> find_rank_of_dump(std::string_view name);

// "000003_step_10.pickle", "1719_TP-2-memory.pickle", "memory_rank3.pickle": 3, 2, 3.
std::optional<int> find_rank_of_snapshot(std::string_view name);

// The label of a capture in its path: the phase in a name of SGLang ("…-TP-3-DECODE.trace.json.gz": "DECODE"), or the
// iteration in torchtitan's folder ("iteration_100/rank3_trace.json": "iteration 100"). Empty: nothing.
std::string find_label_in_path(const std::filesystem::path&);

// One identity per claim, in the same order. Claims must be in the order of names.
std::vector<RankIdentity> identify_ranks(std::span<const RankClaim> claims, Diagnostics& diagnostics);
// Gives each rank its identity, by position.
void apply_identities(std::span<const RankIdentity> identities, std::span<RankSlot> ranks);

}  // namespace core
