#pragma once
// A run: its ranks, a clock map for each, and the kernel class rules. A cheap immutable value: a rank
// that arrives, a better alignment or an edited rule makes a new Run that shares the rest. Run ids are
// never reused, so an answer cached by id is never wrong.

#include "core/index/rank_index.hpp"
#include "core/index/session_names.hpp"

#include <string>
#include <vector>

namespace core {

// Which rank a file is. Files that claim one rank are separate captures: 3, 3·b, 3·c, …
struct RankKey {
    std::int32_t number = 0;
    std::int32_t capture = 0;
    auto operator<=>(const RankKey&) const = default;
    // As one integer, for table cells; order is kept.
    std::int64_t packed() const { return static_cast<std::int64_t>(number) * 1024 + capture; }
    static RankKey unpacked(std::int64_t cell);
};
std::string format_rank(RankKey);  // "3", "3·b"

// run time = rank time + offset + drift · (rank time − reference).
struct ClockMap {
    Duration offset{0};
    double drift = 0;
    RankTime reference{};
    RunTime to_run(RankTime t) const;
    RankTime to_rank(RunTime t) const;
    RunRange to_run(RankRange r) const { return {to_run(r.begin), to_run(r.end)}; }
    RankRange to_rank(RunRange r) const { return {to_rank(r.begin), to_rank(r.end)}; }
    bool operator==(const ClockMap&) const = default;
};

struct RankSlot {
    RankKey key;
    RankSource source = RankSource::DistributedInfo;
    RankIndexPtr index;
    ClockMap clock;
    std::shared_ptr<const std::vector<SessionName>> names;  // local NameId → session name
    const RankTrace& trace() const { return index->trace(); }
};

// One event of a run.
struct EventRef {
    std::uint32_t slot = 0xFFFFFFFFu;
    EventId event = kNoEvent;
    bool valid() const { return event != kNoEvent; }
    auto operator<=>(const EventRef&) const = default;
};

struct RunParts {
    std::string name;                 // of the folder or file, for titles and JSON
    std::vector<RankSlot> ranks;
    ClassRules rules = ClassRules::standard();
    Diagnostics diagnostics;          // of the run as a whole; each rank has its own
    std::shared_ptr<SessionNames> names;
};

class Run {
public:
    explicit Run(RunParts parts);     // sorts the ranks by key; takes a fresh id

    std::uint64_t id() const { return id_; }
    const std::string& name() const { return parts_.name; }
    std::span<const RankSlot> ranks() const { return parts_.ranks; }
    const RankSlot& rank(std::size_t slot) const { return parts_.ranks[slot]; }
    const ClassRules& rules() const { return parts_.rules; }
    const Diagnostics& diagnostics() const { return parts_.diagnostics; }
    const SessionNames& names() const { return *parts_.names; }
    const RunParts& parts() const { return parts_; }  // to make the next Run from

    RunRange window() const { return window_; }       // all events of all ranks
    RunTime origin() const { return window_.begin; }  // output times count from here
    std::size_t event_count() const { return event_count_; }
    // Own diagnostics and those of every rank, each example prefixed with its file.
    Diagnostics all_diagnostics() const;

private:
    std::uint64_t id_;
    RunParts parts_;
    RunRange window_{};
    std::size_t event_count_ = 0;
};

using RunPtr = std::shared_ptr<const Run>;

bool has_gpu_events(const Run&);  // on any rank; O(ranks)

}  // namespace core
