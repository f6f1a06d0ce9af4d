#pragma once
// A run: its ranks with a clock map each, and the kernel class rules. A cheap immutable value: an
// arriving rank, a better alignment or an edited rule creates a new Run that shares the rest. Run
// ids are never reused, so answers can be cached by id.

#include "core/index/derived.hpp"
#include "core/index/interned_names.hpp"
#include "core/index/rank_index.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

inline constexpr std::int32_t kMostCaptures = 1024;  // of one rank; limited by packed()

// The rank of a file. Files that claim the same rank are its captures: 3, 3·b, 3·c, …
struct RankKey {
    std::int32_t number = 0;
    std::int32_t capture = 0;
    auto operator<=>(const RankKey&) const = default;
    // As one integer for table cells; preserves the order.
    std::int64_t packed() const { return static_cast<std::int64_t>(number) * kMostCaptures + capture; }
    static RankKey unpacked(std::int64_t cell);
};
std::string format_rank(RankKey);  // "3", "3·b"
std::string format_capture(std::int32_t capture);  // "a" for the first, "b", … "z", "aa"
std::optional<std::int32_t> parse_capture(std::string_view letters);

// run time = rank time + offset + drift · (rank time − reference). Applied by RankSlot only.
struct ClockMap {
    Duration offset{0};
    double drift = 0;
    RankTime reference{};
    RunTime to_run(RankTime t) const;
    RankTime to_rank(RunTime t) const;
    RunRange to_run_of_length(RankRange r) const;  // moves the begin and keeps the length
    bool operator==(const ClockMap&) const = default;
};

struct RankSlot {
    RankKey key;
    RankSource source = RankSource::DistributedInfo;
    RankIndexPtr index;
    ClockMap clock;
    std::shared_ptr<const std::vector<InternedName>> names;  // local NameId → session name
    std::optional<ClockMap> recorded{};  // the clock as recorded, where `clock` is an aligned one
    const ClockMap& recorded_clock() const { return recorded ? *recorded : clock; }
    const RankTrace& trace() const { return index->trace(); }

    // Converts between the rank's own clock and the run's. Times in a trace are on the rank's clock; whatever compares
    // ranks, draws or prints uses the run's.
    RunTime to_run(RankTime t) const { return clock.to_run(t); }
    RankTime to_rank(RunTime t) const { return clock.to_rank(t); }
    RunRange to_run(RankRange r) const { return {to_run(r.begin), to_run(r.end)}; }
    RankRange to_rank(RunRange r) const { return {to_rank(r.begin), to_rank(r.end)}; }
    double to_rank_length(double run_ns) const { return run_ns / (1 + clock.drift); }
    RunTime start_of(EventId e) const { return to_run(trace().start[index_of(e)]); }
    // As long as it was recorded, whatever the clock's drift.
    RunRange range_of(EventId e) const {
        const RankRange own = trace().range(e);
        return clock.drift == 0 ? to_run(own) : clock.to_run_of_length(own);
    }
};

// One event of a run.
struct EventRef {
    std::uint32_t slot = 0xFFFFFFFFu;
    EventId event = kNoEvent;
    bool valid() const { return event != kNoEvent; }
    auto operator<=>(const EventRef&) const = default;
};

// A file without events that tells of one rank, such as a log of NCCL: its facts are of the run.
struct Companion {
    RankIndexPtr index;
    std::optional<std::int32_t> rank{};  // absent: which one is unknown
    const RankTrace& trace() const { return index->trace(); }
};

class RankPages;
class Run;

// The files that a run was read from, whole, so that answers about it can be stored.
struct RunFiles {
    std::uint64_t identity = 0;  // names, sizes, times and ends of all that its answers can depend on
    std::vector<std::filesystem::path> answers{};  // places of the file of stored answers, best first
};

struct RunParts {
    std::string name;  // folder or file name, for titles and JSON
    std::vector<RankSlot> ranks;
    ClassRules rules = ClassRules::standard();
    Diagnostics diagnostics;  // run-wide; each rank has its own
    std::shared_ptr<InternedNames> names;
    std::vector<Companion> companions{};
    std::shared_ptr<const RankPages> pages{};  // of a run summary; null: its ranks cannot be had whole
    std::shared_ptr<const Run> summary{};  // that this is, but for ranks that are whole now; null: none
    std::shared_ptr<const RunFiles> files{};  // null: unknown or incomplete, and no answer may be stored
};

class Run {
public:
    explicit Run(RunParts parts);  // sorts the ranks by key; takes a fresh id

    std::uint64_t id() const { return id_; }
    const std::string& name() const { return parts_.name; }
    std::span<const RankSlot> ranks() const { return parts_.ranks; }
    const RankSlot& rank(std::size_t slot) const { return parts_.ranks[slot]; }
    // An event's time on the run's clock.
    RunTime start_of(EventRef ref) const { return rank(ref.slot).start_of(ref.event); }
    RunRange range_of(EventRef ref) const { return rank(ref.slot).range_of(ref.event); }
    const ClassRules& rules() const { return parts_.rules; }
    const Diagnostics& diagnostics() const { return parts_.diagnostics; }
    const InternedNames& names() const { return *parts_.names; }
    std::span<const Companion> companions() const { return parts_.companions; }
    // Those that an analysis lists with this slot, so that each is listed once: with the first slot of its rank, or of
    // the run if its rank is unknown.
    std::vector<const Companion*> companions_of(std::size_t slot) const;
    const RunParts& parts() const { return parts_; }  // to make the next Run from
    const std::shared_ptr<const Run>& summary() const { return parts_.summary; }
    const ClockMap& recorded_clock(std::size_t slot) const { return rank(slot).recorded_clock(); }
    const Derived& derived() const { return *derived_; }

    RunRange window() const { return window_; }  // all events of all ranks
    RunTime origin() const { return window_.begin; }  // output times count from here
    std::size_t event_count() const { return event_count_; }
    // The coarsest of its ranks that are of a run summary; absent: none is.
    std::optional<Duration> summary_resolution() const { return summary_resolution_; }
    // Own diagnostics and those of every rank and companion, each example prefixed with its file.
    Diagnostics all_diagnostics() const;

private:
    std::uint64_t id_;
    RunParts parts_;
    RunRange window_{};
    std::size_t event_count_ = 0;
    std::optional<Duration> summary_resolution_{};
    std::shared_ptr<const Derived> derived_ = std::make_shared<const Derived>();
};

using RunPtr = std::shared_ptr<const Run>;

bool has_gpu_events(const Run&);  // on any rank; O(ranks)

// The run with every rank whose mapped file was cut or changed (Blob::is_lost) emptied, and a diagnostic `file-gone` on
// each; the run itself where there is none. O(ranks) once a mapping is lost.
RunPtr without_gone_ranks(const RunPtr&);

}  // namespace core
