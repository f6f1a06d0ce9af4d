#include "ui/model/panels/durations_model.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/index/rank_count.hpp"
#include "ui/model/panels/breakdown_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace ui {
namespace {

constexpr double kRobustDeviations = 3.5;
constexpr double kToNormal = 0.6745;       // median absolute deviation to standard deviation
constexpr double kMeanToNormal = 1.2533;   // mean absolute deviation to standard deviation
constexpr double kLeastDifference = 0.05;

std::optional<std::size_t> place_of(std::span<const std::string> chosen, std::string_view name) {
    const auto found = std::ranges::find(chosen, name);
    if (found == chosen.end()) return std::nullopt;
    return static_cast<std::size_t>(found - chosen.begin());
}

void add_imbalance(const core::Table* table, std::vector<KernelDurations>& kernels) {
    if (!table) return;
    const std::size_t name = table->find_column("kernel");
    const std::size_t kernel_class = table->find_column("class");
    const std::size_t imbalance = table->find_column("imbalance");
    if (std::max({name, kernel_class, imbalance}) >= table->columns().size()) return;
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> rows;
    for (std::size_t row = 0; row < table->rows(); ++row)
        rows[{table->text(row, kernel_class), table->text(row, name)}] = row;
    for (KernelDurations& kernel : kernels) {
        const auto row = rows.find({kernel.kernel_class, kernel.kernel});
        if (row != rows.end() && !table->absent(row->second, imbalance))
            kernel.imbalance = table->number(row->second, imbalance);
    }
}

void drop_negligible(std::vector<KernelDurations>& kernels) {
    double whole = 0;
    for (const KernelDurations& kernel : kernels) whole += kernel.total;
    std::erase_if(kernels, [whole](const KernelDurations& kernel) { return kernel.total < kNoticeableShare * whole; });
}

// Merges the windows of one job. `ranks` is sorted by rank.
void merge_windows(const core::Run& run, std::vector<RankDuration>& ranks) {
    std::vector<RankDuration> together;
    for (RankDuration rank : ranks) {
        rank.key = core::counted_as(run, rank.key);
        if (together.empty() || together.back().key != rank.key) {
            together.push_back(rank);
            continue;
        }
        RankDuration& sum = together.back();
        const double count = sum.count + rank.count;
        sum.mean = (sum.mean * sum.count + rank.mean * rank.count) / std::max(1.0, count);
        sum.low = std::min(sum.low, rank.low);
        sum.high = std::max(sum.high, rank.high);
        sum.count = count;
    }
    ranks = std::move(together);
}

}  // namespace

void mark_outliers(std::vector<RankDuration>& ranks) {
    if (ranks.size() < 3) return;
    std::vector<double> means;
    for (const RankDuration& rank : ranks) means.push_back(rank.mean);
    const double middle = core::take_median(means);
    std::vector<double> apart;
    double sum = 0;
    for (const double mean : means) {
        apart.push_back(std::abs(mean - middle));
        sum += apart.back();
    }
    const double spread = core::take_median(apart);
    const double deviation = spread > 0 ? spread / kToNormal : kMeanToNormal * sum / static_cast<double>(ranks.size());
    for (RankDuration& rank : ranks) {
        const double difference = rank.mean - middle;  // only slower ones
        rank.stands_out = difference > kRobustDeviations * deviation && difference > kLeastDifference * middle;
    }
}

std::vector<KernelDurations> collect_durations(const core::Table& kernels, const core::Table* imbalance,
                                               std::span<const std::string> chosen, std::size_t most, TopBy top_by,
                                               const core::Run* run) {
    constexpr const char* kNames[] = {"rank", "class", "kernel", "count", "total", "mean", "min", "max"};
    std::size_t at[std::size(kNames)];
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
        at[i] = kernels.find_column(kNames[i]);
        if (at[i] == kernels.columns().size()) return {};
    }
    std::map<std::pair<std::string_view, std::string_view>, KernelDurations> found;
    for (std::size_t row = 0; row < kernels.rows(); ++row) {
        if (kernels.absent(row, at[2]) || kernels.absent(row, at[5])) continue;
        const std::string_view name = kernels.text(row, at[2]);
        if (!chosen.empty() && !place_of(chosen, name)) continue;
        KernelDurations& kernel = found[{kernels.text(row, at[1]), name}];
        kernel.total += kernels.number(row, at[4]);
        kernel.ranks.push_back({.key = core::RankKey::unpacked(kernels.integer(row, at[0])),
                                .mean = kernels.number(row, at[5]),
                                .low = kernels.number(row, at[6]),
                                .high = kernels.number(row, at[7]),
                                .count = kernels.number(row, at[3])});
    }
    std::vector<KernelDurations> all;
    for (auto& [key, kernel] : found) {
        kernel.kernel_class = key.first;
        kernel.kernel = key.second;
        all.push_back(std::move(kernel));
    }
    if (chosen.empty() && top_by == TopBy::Imbalance) {
        add_imbalance(imbalance, all);
        drop_negligible(all);
    }
    std::ranges::stable_sort(all, [&](const KernelDurations& a, const KernelDurations& b) {
        if (!chosen.empty()) return place_of(chosen, a.kernel) < place_of(chosen, b.kernel);
        if (top_by == TopBy::Imbalance) return a.imbalance.value_or(-1) > b.imbalance.value_or(-1);
        return a.total > b.total;
    });
    all.resize(std::min(all.size(), most));
    for (KernelDurations& kernel : all) {
        std::ranges::sort(kernel.ranks, {}, &RankDuration::key);
        if (run) merge_windows(*run, kernel.ranks);
        mark_outliers(kernel.ranks);
    }
    add_imbalance(imbalance, all);
    return all;
}

namespace {

using Kernels = std::vector<KernelDurations>;
using Name = std::pair<std::string_view, std::string_view>;   // class, kernel

enum Measure : std::size_t { kTotal, kMean, kImbalance };

Name name_of_kernel(const KernelDurations& kernel) { return {kernel.kernel_class, kernel.kernel}; }

double mean_of(const KernelDurations& kernel) {
    double count = 0;
    for (const RankDuration& rank : kernel.ranks) count += rank.count;
    return count > 0 ? kernel.total / count : 0;
}

// A row for each kernel that is kept.
core::Table tabulate(const Kernels& kernels, const std::set<Name>& kept) {
    using core::Facet;
    using core::Role;
    using core::Unit;
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

std::set<Name> choose_kept(const core::BySide<Kernels>& sides, const DurationsModel::Input& input) {
    const bool all = !input.chosen.empty() || input.by == TopBy::Total || input.by == TopBy::TotalChange;
    std::set<Name> kept;
    for (const core::Side side : core::kSides) {
        double whole = 0;
        for (const KernelDurations& kernel : sides[side]) whole += kernel.total;
        for (const KernelDurations& kernel : sides[side])
            if (all || kernel.total >= kNoticeableShare * whole) kept.insert(name_of_kernel(kernel));
    }
    return kept;
}

// Sorted row numbers of the joined table. The join sorts by change of its lead; other orders use the greater side.
std::vector<std::size_t> order_of(const core::Comparison& joined, const DurationsModel::Input& input) {
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
    else if (input.by == TopBy::Total)
        by_size(kTotal);
    else if (input.by == TopBy::Imbalance)
        by_size(kImbalance);
    rows.resize(std::min(rows.size(), input.most));
    return rows;
}

void add_ranks(const core::BySide<const KernelDurations*>& sides, const core::RunAlignment& alignment,
               PairedKernel& kernel) {
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

PairedKernel pair_kernel(const core::BySide<const KernelDurations*>& sides, const core::RunAlignment& alignment) {
    const KernelDurations& any = sides.baseline ? *sides.baseline : *sides.candidate;
    PairedKernel kernel{.kernel = any.kernel,
                        .kernel_class = any.kernel_class,
                        .total = {},
                        .mean = {},
                        .imbalance = {},
                        .ranks = {},
                        .durations = {}};
    add_ranks(sides, alignment, kernel);
    return kernel;
}

void add_one_run(const Kernels& kernels, core::Side side, DurationsModel& model) {
    for (const KernelDurations& found : kernels) {
        core::BySide<const KernelDurations*> sides{};
        sides[side] = &found;
        PairedKernel kernel = pair_kernel(sides, {});
        const auto of_side = [side](std::optional<double> value) {
            return side == core::Side::Baseline
                       ? Compared{.baseline = value, .candidate = {}, .change = {}, .ratio = {}}
                       : Compared{.baseline = {}, .candidate = value, .change = {}, .ratio = {}};
        };
        kernel.total = of_side(found.total);
        kernel.mean = of_side(mean_of(found));
        kernel.imbalance = of_side(found.imbalance);
        model.kernels.push_back(std::move(kernel));
    }
}

void add_both_runs(const DurationsModel::Input& input, const core::BySide<Kernels>& sides, DurationsModel& model) {
    core::BySide<std::map<Name, const KernelDurations*>> by_name;
    for (const core::Side side : core::kSides)
        for (const KernelDurations& kernel : sides[side]) by_name[side][name_of_kernel(kernel)] = &kernel;
    const std::set<Name> kept = choose_kept(sides, input);
    const core::BySide<core::Table> tables{tabulate(sides.baseline, kept), tabulate(sides.candidate, kept)};
    const core::BySide<const core::Run*> runs{input.sources.baseline.run.get(), input.sources.candidate.run.get()};
    const core::BySide<core::Filter> filters{input.sources.baseline.filter, input.sources.candidate.filter};
    const core::Averages averages = core::choose_averages(tables.baseline.columns(), runs, filters, input.alignment);
    const std::string_view lead = input.by == TopBy::MeanChange ? "mean" : "total";
    const core::Comparison joined =
        core::compare_tables({&tables.baseline, &tables.candidate}, input.alignment, averages, {.lead = lead});
    add_note(model.notes, core::note_only_side(runs, filters));
    if (!averages.note.empty()) model.notes.push_back("totals are " + averages.note);
    model.notes.insert(model.notes.end(), joined.notes.begin(), joined.notes.end());
    for (const std::size_t row : order_of(joined, input)) {
        const Name name{joined.table.text(row, 0), joined.table.text(row, 1)};
        PairedKernel kernel =
            pair_kernel({find_kernel(by_name.baseline, name), find_kernel(by_name.candidate, name)}, input.alignment);
        kernel.total = Compared::of(joined, row, kTotal);
        kernel.mean = Compared::of(joined, row, kMean);
        kernel.imbalance = Compared::of(joined, row, kImbalance);
        model.kernels.push_back(std::move(kernel));
    }
}

}  // namespace

DurationsModel DurationsModel::of(const Input& input) {
    DurationsModel model;
    model.compared = input.sources.baseline.run && input.sources.candidate.run;
    core::BySide<Kernels> sides;
    for (const core::Side side : core::kSides) {
        const Source& source = input.sources[side];
        if (!source.run) continue;
        if (!model.compared) {
            add_one_run(collect_durations(*source.kernels, source.imbalance, input.chosen, input.most, input.by,
                                          source.run.get()),
                        side, model);
            return model;
        }
        sides[side] =
            collect_durations(*source.kernels, source.imbalance, input.chosen, std::numeric_limits<std::size_t>::max());
    }
    if (model.compared) add_both_runs(input, sides, model);
    return model;
}

}  // namespace ui
