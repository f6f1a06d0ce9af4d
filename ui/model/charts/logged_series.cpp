#include "ui/model/charts/logged_series.hpp"

#include "core/analysis/engine/table.hpp"
#include "core/base/format.hpp"
#include "core/charts/axis.hpp"
#include "core/charts/thin_out.hpp"

#include <algorithm>

namespace ui {
namespace {

// Quantile of sorted values.
double sorted_at(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

std::vector<double> sorted_values(const core::TrainingLog& lines, std::int64_t core::LoggedIterations::*field) {
    std::vector<double> values;
    for (const core::LoggedIterations& line : lines)
        if (line.*field >= 0) values.push_back(static_cast<double>(line.*field));
    std::ranges::sort(values);
    return values;
}

}  // namespace

std::string LoggedSeries::describe() const {
    std::string text = "of " + core::format_plural(lines.size(), "line", "lines");
    if (greatest > least)
        text +=
            ", " + core::format_value(least, core::Unit::Ns) + " to " + core::format_value(greatest, core::Unit::Ns);
    if (flops_per_s) text += "; " + core::format_value(*flops_per_s, core::Unit::FlopPerSecond) + " per GPU";
    text += "; " + source;
    if (others > 0) text += " and " + core::format_plural(others, "log", "logs") + " more";
    return text;
}

std::optional<LoggedSeries> find_logged_series(const core::Run& run) {
    const core::RankInfo* longest = nullptr;
    std::size_t logs = 0;
    const auto read_series = [&](const core::RankInfo& info) {
        if (info.training.empty()) return;
        ++logs;
        if (!longest || info.training.size() > longest->training.size()) longest = &info;
    };
    for (const core::RankSlot& rank : run.ranks()) read_series(rank.trace().info);
    for (const core::Companion& companion : run.companions()) read_series(companion.trace().info);
    if (!longest) return std::nullopt;
    LoggedSeries series;
    series.source = longest->path.filename().string();
    series.lines = longest->training;
    series.others = logs - 1;
    constexpr std::size_t kMostDrawn = 4'096;
    series.drawn = core::pick_greatest(series.lines.size(), kMostDrawn,
                                       [&](std::size_t i) { return series.lines[i].duration_ns; });
    const std::vector<double> times = sorted_values(series.lines, &core::LoggedIterations::duration_ns);
    series.least = times.front();
    series.greatest = times.back();
    series.median = sorted_at(times, 0.5);
    constexpr double kMostOverMedian = 1.5;
    series.top = std::min(series.greatest, std::max(sorted_at(times, 0.98), series.median * kMostOverMedian));
    if (const std::vector<double> rates = sorted_values(series.lines, &core::LoggedIterations::flops_per_s);
        !rates.empty())
        series.flops_per_s = sorted_at(rates, 0.5);
    return series;
}

}  // namespace ui
