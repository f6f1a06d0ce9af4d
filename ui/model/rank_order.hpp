#pragma once
// In which order the ranks of a run are shown: sorted by a measure, grouped by node or process group, some pinned to
// the top, some hidden. Choices name ranks by RankKey::packed(), of the baseline in a comparison, so they stay right
// while ranks arrive. No ImGui; pure.

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
inline constexpr std::size_t kManyRanks = 256;  // more are grouped and folded when they are opened

std::string_view name_of(RankSort);  // "rank", "step time", …

struct RankChoices {
    RankSort sort = RankSort::Rank;
    bool descending = false;
    std::string kernel;  // full name, for RankSort::Kernel
    std::string measure{};  // "steps/duration": an analysis and its column, for RankSort::Measure
    std::string grouping;  // id of a RankGrouping; empty: not grouped
    std::set<std::int64_t> pinned;
    std::set<std::int64_t> hidden;
    bool fold_groups = false;  // a folded group is one row for all of its ranks
    std::set<std::string> other_groups;  // titles of those that are not as fold_groups says
    bool worst_on_top =
        true;  // while groups are folded, of many ranks: those that the others wait for most, by themselves
    std::set<std::int64_t> singled;  // shown with rows of their own below the folded group that has them
    std::vector<RowName> pinned_rows;  // sorted; shown above the ranks while these scroll
    std::vector<RowName> hidden_rows;  // sorted
    bool operator==(const RankChoices&) const = default;
};
// Measures start with the worst rank, numbers with the first.
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
// name: of the selected event's rank in choices.
RankChoices change_rows(RankChoices, RowChange, const core::Run&, core::EventRef selected, std::int64_t name);
// What is pinned and hidden as `from` has it.
void copy_pins(const RankChoices& from, RankChoices& to);
bool have_same_pins(const RankChoices&, const RankChoices&);

inline constexpr std::string_view kByRank = "rank";  // id of the grouping that puts captures of a rank together
// A way to group the ranks that parts them into at least two groups.
struct RankGrouping {
    std::string id;  // "node", "rank" of those with several captures, or the description of the process groups
    std::string title;  // "node", "tensor parallel"; no two are equal
};
// Of more than kManyRanks also blocks of so many by number, about a hundred. O(ranks · groups).
std::vector<RankGrouping> collect_groupings(const core::Run&);
// How ranks are grouped at first: more than kManyRanks in at most a few hundred folded groups, by node if they are so
// few; ranks of several windows of one job (captures one after another, whose steps go on) by rank, folded unless it is
// one, so that each is one row with gaps. Else as they are.
RankChoices group_at_first(const core::Run&);

using RankMeasures = std::map<std::int64_t, double>;  // by RankKey::packed()
// The analysis that has the measure of each rank; empty: none is needed.
std::string analysis_of(const RankChoices&);
// Out of its answer: the median step, shares of the window, the waiting that a rank is the root of, the mean duration
// of the kernel; of another measure the sum over a rank's rows, or the mean of what does not add up. O(rows); any
// thread.
RankMeasures measure_ranks(const core::Table&, const RankChoices&);
std::string name_of_sort(const RankChoices&);  // "step time", "steps: duration"
// What ranks can be sorted by besides: "analysis/column" of every analysis with a number for each rank.
struct OtherMeasure {
    std::string id;
    std::string_view analysis;  // title
    std::string_view column;
};
std::vector<OtherMeasure> other_measures();

struct RankSorting {
    RankChoices choices;
    std::shared_ptr<const RankMeasures> measures;  // of choices.sort; null: ranks by number
    std::vector<std::int64_t> names;  // by slot, what choices call each rank; empty: their own keys
    std::vector<core::RankKey> only;  // the ranks of a part of a run; empty: all
    std::shared_ptr<const RankMeasures> worst{};  // of RankSort::Caused, for worst_on_top; null: not known
    bool operator==(const RankSorting&) const = default;
};

struct RankOrder {
    struct Section {
        std::string title;  // empty: of ranks that are in no group
        std::vector<std::uint32_t> slots;
        bool pinned = false;
        bool folded = false;
        std::vector<std::uint32_t> shown{};  // of a folded group: slots with rows of their own
        bool worst = false;  // ranks that are in folded groups as well
        bool operator==(const Section&) const = default;
    };
    std::uint64_t run = 0;  // id
    std::vector<Section> sections;  // pinned ranks first; none is empty
    std::vector<std::uint32_t> hidden;  // slots
    bool operator==(const RankOrder&) const = default;
};
using RankOrderPtr = std::shared_ptr<const RankOrder>;

// O(ranks · (log ranks + groups)). Ranks without a measure come last, equal ones by number.
RankOrder order_ranks(const core::Run&, const RankSorting&);
// The candidate's ranks in the order of their partners; what has none keeps its own section, at its end.
RankOrder order_like(const RankOrder& baseline, const core::BySide<const core::Run*>&, const core::RunAlignment&,
                     const RankSorting& candidate);
// Names of the ranks of one side in the choices of a comparison.
std::vector<std::int64_t> names_of_ranks(const core::Run&, core::Side, const core::RunAlignment&);
// By slot; empty while there is no comparison: then their own keys.
std::vector<std::int64_t> names_of_ranks(const core::Session&, core::Side);
// Names of all ranks, of both sides of a comparison.
std::vector<std::int64_t> collect_rank_names(const core::Session&);

}  // namespace ui
