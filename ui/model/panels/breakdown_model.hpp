#pragma once
// Breakdown of each rank's window into parts, and the time per part and per set of kernel classes,
// of one run or of two joined by rank. Computed from answers of temporal-breakdown and kernel-types
// or, for a window that follows the timeline, from each rank's class partition (two binary searches
// per rank). No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/area_summary.hpp"
#include "core/session/result_cache.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/rank_pairs.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ui {

struct RankTimes {
    core::RankKey key;
    bool absent = false;  // no GPU events
    bool left_out = false;  // excluded by the filter's rank terms: faded, not counted
    double compute = 0;  // ns, like all below
    double exposed_communication = 0;
    double exposed_memory = 0;
    double idle = 0;
    std::optional<double> exposed_wait{};  // part of exposed_communication; absent if collectives aren't matched
    std::array<double, core::kClassSets> by_set{};  // ns, if sets were requested
    double window() const { return compute + exposed_communication + exposed_memory + idle; }
    bool operator==(const RankTimes&) const = default;
};

// Same order as kBreakdownParts.
inline constexpr std::array kPartTimes{&RankTimes::compute, &RankTimes::exposed_communication,
                                       &RankTimes::exposed_memory, &RankTimes::idle};

struct SetTime {
    core::ClassSet set = 0;
    double time = 0;  // summed over the ranks that count
    double share = 0;  // relative to the ranks' windows
    bool operator==(const SetTime&) const = default;
};

// The set that kernel-types calls by this name; 0 (idle) for other names.
core::ClassSet find_set(std::string_view name);

// Meaning of times over several ranks: their mean, or those of the rank with the longest window.
enum class BreakdownOf : std::uint8_t { Mean, Slowest };

// The breakdown of one run.
struct RunBreakdown {
    std::vector<RankTimes> ranks;
    std::vector<SetTime> sets;  // those with time, longest first
    bool complete = true;  // false: ranks without a built selection are absent

    bool operator==(const RunBreakdown&) const = default;
    // Reads the answers' tables, which must be requested without the filter's rank terms. Missing columns leave their
    // numbers at 0.
    static RunBreakdown of_answers(const core::Table& breakdown, const core::Table* kernel_types, const core::Filter&);
    // Measures one window of the run, cut to the filter's time range.
    static RunBreakdown of_window(const core::RunPtr&, core::RunRange window, const core::Filter&,
                                  const core::ResultCache&);
    // Measures rows of the timeline: only ranks with one of their streams among them, and only the work of these
    // streams.
    static RunBreakdown of_area(const core::Run&, const core::AreaSummary&);
    // Merges the windows of a rank into one row if captures are windows of one job; excluded windows don't add time.
    RunBreakdown with_windows_added_up(const core::Run&) const;
};

// The parts of a window, which are columns of temporal-breakdown.
struct BreakdownPart {
    std::string_view column;
    std::string_view title;
};
inline constexpr std::array<BreakdownPart, 4> kBreakdownParts{{{"compute", "Compute"},
                                                               {"exposed_communication", "Exposed communication"},
                                                               {"exposed_memory", "Exposed memory"},
                                                               {"idle", "Idle"}}};

struct PairedRank {
    RankPair keys;  // empty for a side without the rank
    core::BySide<bool> left_out{};  // excluded by the filter's rank terms
    Compared window;
    std::array<Compared, kBreakdownParts.size()> parts;
    std::string label() const { return label_of(keys); }
};

bool counts(const PairedRank&);  // at least one side has it, and the filter accepts it

struct PairedTime {
    std::string name;  // name of the part or the set
    core::ClassSet set = 0;  // only for sets
    Compared time;  // mean over the ranks that count, or the slowest rank's
    Compared share;  // share of their windows
};

// Adds a note unless it is empty or present already; replaces an earlier note that it begins with.
void add_note(std::vector<std::string>& notes, std::string note);

inline constexpr std::size_t kMostListedRanks = 256;

// A bar: a rank, or the rank at a quartile.
struct ListedRank {
    std::size_t rank = 0;  // index into BreakdownModel::ranks
    std::string label{};
};

struct BreakdownModel {
    std::vector<PairedRank> ranks;  // aligned ranks first, then those of one side only
    // All ranks. If there are more than kMostListedRanks: the quartiles of the share without compute, then the worst
    // ranks.
    std::vector<ListedRank> listed;
    std::vector<PairedTime> parts;  // "window" first, then kBreakdownParts
    std::vector<PairedTime> sets;  // longest first
    std::vector<std::string> notes;
    core::BySide<core::RankCount> counted{};  // ranks with GPU events that the filter accepts
    core::BySide<std::optional<core::RankKey>> slowest{};  // the rank whose parts and sets are shown; unset: means
    bool compared = false;  // neither side is absent

    struct Input {
        core::BySide<core::RunPtr> runs;  // null: no run on that side
        core::BySide<core::Filter> filters;  // of each side, with its rank terms
        core::RunAlignment alignment;
        core::BySide<RunBreakdown> sides;
        bool same_window = false;  // nothing is averaged
        BreakdownOf of = BreakdownOf::Mean;  // meaning of parts and sets
    };
    // Uses averages for two runs that differ in steps or ranks, with a note that says so.
    static BreakdownModel of(const Input&);
};

}  // namespace ui
