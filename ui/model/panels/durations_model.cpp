#include "ui/model/panels/durations_model.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <map>

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

void keep_noticeable(std::vector<KernelDurations>& kernels) {
    double whole = 0;
    for (const KernelDurations& kernel : kernels) whole += kernel.total;
    std::erase_if(kernels, [whole](const KernelDurations& kernel) { return kernel.total < kNoticeableShare * whole; });
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
        const double difference = std::abs(rank.mean - middle);
        rank.stands_out = difference > kRobustDeviations * deviation && difference > kLeastDifference * middle;
    }
}

std::vector<KernelDurations> collect_durations(const core::Table& kernels, const core::Table* imbalance,
                                               std::span<const std::string> chosen, std::size_t most, TopBy top_by) {
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
        kernel.ranks.push_back({core::RankKey::unpacked(kernels.integer(row, at[0])), kernels.number(row, at[5]),
                                kernels.number(row, at[6]), kernels.number(row, at[7]), kernels.number(row, at[3])});
    }
    std::vector<KernelDurations> all;
    for (auto& [key, kernel] : found) {
        kernel.kernel_class = key.first;
        kernel.kernel = key.second;
        all.push_back(std::move(kernel));
    }
    if (chosen.empty() && top_by == TopBy::Imbalance) {
        add_imbalance(imbalance, all);
        keep_noticeable(all);
    }
    std::ranges::stable_sort(all, [&](const KernelDurations& a, const KernelDurations& b) {
        if (!chosen.empty()) return place_of(chosen, a.kernel) < place_of(chosen, b.kernel);
        if (top_by == TopBy::Imbalance) return a.imbalance.value_or(-1) > b.imbalance.value_or(-1);
        return a.total > b.total;
    });
    all.resize(std::min(all.size(), most));
    for (KernelDurations& kernel : all) {
        std::ranges::sort(kernel.ranks, {}, &RankDuration::key);
        mark_outliers(kernel.ranks);
    }
    add_imbalance(imbalance, all);
    return all;
}

}  // namespace ui
