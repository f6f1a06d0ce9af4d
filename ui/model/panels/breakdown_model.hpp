#pragma once
// Breakdown of each rank's window into parts, and the time per part and per set of kernel classes, of one run or of two
// joined by rank. From answers of temporal-breakdown and kernel-types, or, for a window that follows the timeline, from
// each rank's class partition (two binary searches per rank). No ImGui.

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
    bool left_out = false;  // by the filter's rank terms: shown faded, not counted
    double compute = 0;  // ns, like all below
    double exposed_communication = 0;
    double exposed_memory = 0;
    double idle = 0;
    std::optional<double> exposed_wait{};  // of exposed_communication, where collectives were matched
    std::array<double, core::kClassSets> by_set{};  // ns, where sets were asked for
    double window() const { return compute + exposed_communication + exposed_memory + idle; }
    bool operator==(const RankTimes&) const = default;
};

// As kBreakdownParts.
inline constexpr std::array kPartTimes{&RankTimes::compute, &RankTimes::exposed_communication,
                                       &RankTimes::exposed_memory, &RankTimes::idle};

struct SetTime {
    core::ClassSet set = 0;
    double time = 0;  // summed over the ranks that are not left out
    double share = 0;  // of the ranks' windows
    bool operator==(const SetTime&) const = default;
};

// The set with a name of kernel-types; 0, which is idle, for any other.
core::ClassSet find_set(std::string_view name);

// What times of several ranks are: their mean, or those of the rank with the longest window.
enum class BreakdownOf : std::uint8_t { Mean, Slowest };

// The breakdown of one run.
struct RunBreakdown {
    std::vector<RankTimes> ranks;
    std::vector<SetTime> sets;  // those that occur, longest first
    bool complete = true;  // false: ranks whose selection is not built yet are absent

    bool operator==(const RunBreakdown&) const = default;
    // From the answers' tables, asked without the filter's rank terms. Missing columns leave their numbers at 0.
    static RunBreakdown of_answers(const core::Table& breakdown, const core::Table* kernel_types, const core::Filter&);
    // One window of the run, cut to the filter's time range.
    static RunBreakdown of_window(const core::RunPtr&, core::RunRange window, const core::Filter&,
                                  const core::ResultCache&);
    // Rows of the timeline: only ranks with one of their streams among them, and only the work of these streams.
    static RunBreakdown of_area(const core::Run&, const core::AreaSummary&);
    // One row for all windows of a rank where captures are windows of one job: times of those that are not left out.
    RunBreakdown with_windows_added_up(const core::Run&) const;
};

// The parts a window is made of, as columns of temporal-breakdown.
struct BreakdownPart {
    std::string_view column;
    std::string_view title;
};
inline constexpr std::array<BreakdownPart, 4> kBreakdownParts{{{"compute", "Compute"},
                                                               {"exposed_communication", "Exposed communication"},
                                                               {"exposed_memory", "Exposed memory"},
                                                               {"idle", "Idle"}}};

struct PairedRank {
    RankPair keys;  // a side without the rank has none
    core::BySide<bool> left_out{};  // by the filter's rank terms
    Compared window;
    std::array<Compared, kBreakdownParts.size()> parts;
    std::string label() const { return label_of(keys); }
};

bool counts(const PairedRank&);  // a side has it and the filter does not leave it out

struct PairedTime {
    std::string name;  // of the part or the set
    core::ClassSet set = 0;  // of sets
    Compared time;  // mean over the ranks that count, or the slowest rank's
    Compared share;  // of their windows
};

// Adds a note unless it is empty or said already; one that begins with an earlier note replaces it.
void add_note(std::vector<std::string>& notes, std::string note);

inline constexpr std::size_t kMostListedRanks = 256;

// A bar: of a rank, or of the one at a quartile.
struct ListedRank {
    std::size_t rank = 0;  // of BreakdownModel::ranks
    std::string label{};
};

struct BreakdownModel {
    std::vector<PairedRank> ranks;  // as the alignment has them, then those of one side only
    // All of them; of more than kMostListedRanks the quartiles of the share that is not compute, then the worst.
    std::vector<ListedRank> listed;
    std::vector<PairedTime> parts;  // "window" first, then kBreakdownParts
    std::vector<PairedTime> sets;  // longest first
    std::vector<std::string> notes;
    core::BySide<core::RankCount> counted{};  // ranks with GPU events that the filter does not leave out
    core::BySide<std::optional<core::RankKey>> slowest{};  // whose parts and sets are; unset: means
    bool compared = false;  // neither side is absent

    struct Input {
        core::BySide<core::RunPtr> runs;  // null: the side is absent
        core::BySide<core::Filter> filters;  // as each side was asked, with its rank terms
        core::RunAlignment alignment;
        core::BySide<RunBreakdown> sides;
        bool same_window = false;  // nothing is averaged
        BreakdownOf of = BreakdownOf::Mean;  // parts and sets
    };
    // Two runs that differ in steps or ranks get averages; the notes say so.
    static BreakdownModel of(const Input&);
};

}  // namespace ui
