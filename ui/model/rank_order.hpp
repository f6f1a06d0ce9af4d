#pragma once
// Order in which the ranks of a run are shown: sorted by a measure, grouped by node or process
// group, some pinned to the top, some hidden. Choices name ranks by RankKey::packed(), in a
// comparison by the baseline's, so they stay valid while ranks arrive. No ImGui; pure.

#include "core/analysis/engine/table.hpp"
#include "core/diff/align/align_runs.hpp"
#include "core/index/run.hpp"
#include "core/session/session.hpp"
#include "ui/model/row_choices.hpp"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ui {

enum class RankSort : std::uint8_t { Rank, StepTime, Idle, Exposed, Caused, Kernel, Measure };
inline constexpr RankSort kRankSorts[] = {RankSort::Rank,   RankSort::StepTime, RankSort::Idle,   RankSort::Exposed,
                                          RankSort::Caused, RankSort::Kernel,   RankSort::Measure};
inline constexpr std::size_t kManyRanks = 256;  // larger runs open grouped and folded

std::string_view name_of(RankSort);  // "rank", "step time", …

struct RankChoices {
    RankSort sort = RankSort::Rank;
    bool descending = false;
    std::string kernel;  // full name, for RankSort::Kernel
    std::string measure{};  // "steps/duration": an analysis and its column, for RankSort::Measure
    std::string grouping;  // id of a RankGrouping; empty: not grouped
    std::set<std::int64_t> pinned;
    std::set<std::int64_t> hidden;
    bool fold_groups = false;  // a folded group is one row for all its ranks
    std::set<std::string> other_groups;  // titles of groups whose state differs from fold_groups
    bool worst_on_top = true;  // with many ranks in folded groups, also shows those that cause most waiting
    std::set<std::int64_t> singled;  // ranks with rows of their own below their folded group
    std::vector<RowName> pinned_rows;  // sorted; shown above the ranks, which scroll below them
    std::vector<RowName> hidden_rows;  // sorted
    bool operator==(const RankChoices&) const = default;
};
// Sorts measures with the worst rank first, numbers ascending.
RankChoices sorted_by(RankChoices, RankSort);

// Changes of choices for the rank of the selected event, or for the run as a whole.
enum class RankChange : std::uint8_t { PinSelected, HideSelected, HideOthers, SortBySelected, NextGrouping };
RankChoices change_ranks(RankChoices, RankChange, const core::Run&, core::EventRef selected,
                         const std::vector<std::string>& chosen_kernels);
RankChoices hide_others(RankChoices, std::span<const std::int64_t> all, std::int64_t rank);
void flip_membership(std::set<std::int64_t>&, std::int64_t rank);
bool is_folded(const RankChoices&, const std::string& title);
void fold_group(RankChoices&, const std::string& title, bool folded);
RankChoices fold_all_groups(RankChoices, bool folded);

// Changes of choices for the row of the selected event, or for all rows.
enum class RowChange : std::uint8_t { PinSelected, HideSelected, HideOnEveryRank, UnpinAll };
// name: the selected event's rank as choices name it.
RankChoices change_rows(RankChoices, RowChange, const core::Run&, core::EventRef selected, std::int64_t name);
// Copies pinned and hidden ranks and rows.
void copy_pins(const RankChoices& from, RankChoices& to);
bool have_same_pins(const RankChoices&, const RankChoices&);

inline constexpr std::string_view kByRank = "rank";  // groups the captures of each rank
// A way to divide the ranks into at least two groups.
struct RankGrouping {
    std::string id;  // "node", "rank" if ranks have several captures, or the description of the process groups
    std::string title;  // "node", "tensor parallel"; unique
};
// With more than kManyRanks, includes blocks of ranks by number, about a hundred. O(ranks · groups).
std::vector<RankGrouping> collect_groupings(const core::Run&);
// Initial grouping. More than kManyRanks: at most a few hundred folded groups, by node if that gives so few. Ranks with
// several windows of one job (successive captures whose steps continue): by rank, folded unless there is only one rank,
// so that each is one row with gaps. Other runs are not grouped.
RankChoices group_at_first(const core::Run&);

using RankMeasures = std::map<std::int64_t, double>;  // by RankKey::packed()
// The analysis that measures each rank; empty: none is needed.
std::string analysis_of(const RankChoices&);
// Reads the measures from that answer: median step, shares of the window, waiting caused by the rank, mean duration of
// the kernel; for another measure, the sum over a rank's rows, or the mean if it doesn't add up. O(rows); any thread.
RankMeasures measure_ranks(const core::Table&, const RankChoices&);
std::string name_of_sort(const RankChoices&);  // "step time", "steps: duration"
// Further measures to sort ranks by: "analysis/column" for each analysis with a number per rank.
struct OtherMeasure {
    std::string id;
    std::string_view analysis;  // title of the analysis
    std::string_view column;
};
std::vector<OtherMeasure> other_measures();

struct RankSorting {
    RankChoices choices;
    std::shared_ptr<const RankMeasures> measures;  // by choices.sort; null: ranks by number
    std::vector<std::int64_t> names;  // by slot, the rank's name in choices; empty: its own key
    std::vector<core::RankKey> only;  // the ranks of a part of a run; empty: all
    std::shared_ptr<const RankMeasures> worst{};  // by RankSort::Caused, for worst_on_top; null: not known
    bool operator==(const RankSorting&) const = default;
};

struct RankOrder {
    struct Section {
        std::string title;  // empty: ranks without a group
        std::vector<std::uint32_t> slots;
        bool pinned = false;
        bool folded = false;
        std::vector<std::uint32_t> shown{};  // folded group: slots with rows of their own
        bool worst = false;  // these ranks are also in folded groups
        bool operator==(const Section&) const = default;
    };
    std::uint64_t run = 0;  // id
    std::vector<Section> sections;  // pinned ranks first; all non-empty
    std::vector<std::uint32_t> hidden;  // slots
    bool operator==(const RankOrder&) const = default;
};
using RankOrderPtr = std::shared_ptr<const RankOrder>;

// O(ranks · (log ranks + groups)). Ranks without a measure come last, equal ones by number.
RankOrder order_ranks(const core::Run&, const RankSorting&);
// Orders the candidate's ranks like their partners; ranks without a partner come last in their own section.
RankOrder order_like(const RankOrder& baseline, const core::BySide<const core::Run*>&, const core::RunAlignment&,
                     const RankSorting& candidate);
// Names in choices of one side's ranks in a comparison.
std::vector<std::int64_t> names_of_ranks(const core::Run&, core::Side, const core::RunAlignment&);
// By slot. Empty without a comparison: ranks then go by their own keys.
std::vector<std::int64_t> names_of_ranks(const core::Session&, core::Side);
// Names of all ranks, on both sides of a comparison.
std::vector<std::int64_t> collect_rank_names(const core::Session&);

}  // namespace ui
