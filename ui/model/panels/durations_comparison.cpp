#include "ui/model/panels/durations_comparison.hpp"

#include "core/diff/compare_runs.hpp"
#include "ui/model/panels/breakdown_model.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace ui {
namespace {

using core::Facet;
using core::Role;
using core::Unit;
using Kernels = std::vector<KernelDurations>;
using Name = std::pair<std::string_view, std::string_view>;   // class, kernel

enum Measure : std::size_t { kTotal, kMean, kImbalance };

Name name_of_kernel(const KernelDurations& kernel) { return {kernel.kernel_class, kernel.kernel}; }

double mean_of(const KernelDurations& kernel) {
    double count = 0;
    for (const RankDuration& rank : kernel.ranks) count += rank.count;
    return count > 0 ? kernel.total / count : 0;
}

// What is kept of a side has a row.
core::Table table_of(const Kernels& kernels, const std::set<Name>& kept) {
    core::Table table({{"class", Unit::Text, Role::Key, Facet::Class},
                       {"kernel", Unit::Text, Role::Key, Facet::Kernel},
                       {"total", Unit::Ns, Role::Measure, Facet::None, {}, true},
                       {"mean", Unit::Number, Role::Measure, Facet::None},
                       {"imbalance", Unit::Ratio, Role::Measure, Facet::None}});
    for (const KernelDurations& kernel : kernels) {
        if (!kept.contains(name_of_kernel(kernel))) continue;
        table.add_row({std::string_view(kernel.kernel_class), std::string_view(kernel.kernel),
                       static_cast<std::int64_t>(kernel.total), mean_of(kernel),
                       kernel.imbalance ? core::Cell{*kernel.imbalance} : core::Cell{}});
    }
    return table;
}

std::set<Name> choose_kept(const core::BySide<Kernels>& sides, const DurationsComparison::Input& input) {
    const bool all = !input.chosen.empty() || input.by == CompareBy::Total || input.by == CompareBy::TotalChange;
    std::set<Name> kept;
    for (const core::Side side : core::kSides) {
        double whole = 0;
        for (const KernelDurations& kernel : sides[side]) whole += kernel.total;
        for (const KernelDurations& kernel : sides[side])
            if (all || kernel.total >= kNoticeableShare * whole) kept.insert(name_of_kernel(kernel));
    }
    return kept;
}

// Rows come by the size of the lead's change; other orders are by the greater side.
std::vector<std::size_t> order_of(const core::Comparison& joined, const DurationsComparison::Input& input) {
    std::vector<std::size_t> rows(joined.table.rows());
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
    const auto by_size = [&](Measure measure) {
        std::ranges::stable_sort(rows, std::greater{}, [&joined, measure](std::size_t row) {
            const Compared value = Compared::of(joined, row, measure);
            return std::max(value.baseline.value_or(-1), value.candidate.value_or(-1));
        });
    };
    if (!input.chosen.empty())
        std::ranges::stable_sort(rows, {}, [&](std::size_t row) {
            return std::ranges::find(input.chosen, joined.table.text(row, 1)) - input.chosen.begin();
        });
    else if (input.by == CompareBy::Total)
        by_size(kTotal);
    else if (input.by == CompareBy::Imbalance)
        by_size(kImbalance);
    rows.resize(std::min(rows.size(), input.most));
    return rows;
}

void add_ranks(const core::BySide<const KernelDurations*>& sides, const core::RunAlignment& alignment,
               ComparedKernel& kernel) {
    core::BySide<std::vector<core::RankKey>> keys;
    core::BySide<std::map<core::RankKey, const RankDuration*>> found;
    for (const core::Side side : core::kSides) {
        if (!sides[side]) continue;
        for (const RankDuration& rank : sides[side]->ranks) {
            keys[side].push_back(rank.key);
            found[side][rank.key] = &rank;
        }
    }
    kernel.ranks = pair_ranks(alignment, keys);
    for (const RankPair& pair : kernel.ranks)
        for (const core::Side side : core::kSides)
            kernel.durations[side].push_back(pair[side] ? std::optional(*found[side].at(*pair[side])) : std::nullopt);
}

const KernelDurations* find_kernel(const std::map<Name, const KernelDurations*>& kernels, const Name& name) {
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : found->second;
}

}  // namespace

DurationsComparison DurationsComparison::of(const Input& input) {
    core::BySide<Kernels> sides;
    core::BySide<std::map<Name, const KernelDurations*>> by_name;
    for (const core::Side side : core::kSides) {
        sides[side] = collect_durations(*input.kernels[side], input.imbalance[side], input.chosen,
                                        std::numeric_limits<std::size_t>::max());
        for (const KernelDurations& kernel : sides[side]) by_name[side][name_of_kernel(kernel)] = &kernel;
    }
    const std::set<Name> kept = choose_kept(sides, input);
    const core::BySide<core::Table> tables{table_of(sides.baseline, kept), table_of(sides.candidate, kept)};
    const core::Averages averages =
        core::choose_averages(tables.baseline.columns(), {input.runs.baseline.get(), input.runs.candidate.get()},
                              input.filters, input.alignment);
    const std::string_view lead = input.by == CompareBy::MeanChange ? "mean" : "total";
    const core::Comparison joined =
        core::compare_tables({&tables.baseline, &tables.candidate}, input.alignment, averages, {lead});
    DurationsComparison result;
    add_note(result.notes,
             core::note_only_side({input.runs.baseline.get(), input.runs.candidate.get()}, input.filters));
    if (!averages.note.empty()) result.notes.push_back("totals are " + averages.note);
    result.notes.insert(result.notes.end(), joined.notes.begin(), joined.notes.end());
    for (const std::size_t row : order_of(joined, input)) {
        ComparedKernel kernel{std::string(joined.table.text(row, 1)),
                              std::string(joined.table.text(row, 0)),
                              Compared::of(joined, row, kTotal),
                              Compared::of(joined, row, kMean),
                              Compared::of(joined, row, kImbalance),
                              {},
                              {}};
        const Name name{kernel.kernel_class, kernel.kernel};
        add_ranks({find_kernel(by_name.baseline, name), find_kernel(by_name.candidate, name)}, input.alignment, kernel);
        result.kernels.push_back(std::move(kernel));
    }
    return result;
}

}  // namespace ui
