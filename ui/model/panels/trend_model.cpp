#include "ui/model/panels/trend_model.hpp"

#include "core/base/path_text.hpp"
#include "core/session/baselines.hpp"
#include "core/session/run_neighbours.hpp"

#include <algorithm>
#include <numeric>

namespace ui {
namespace {

using Paths = std::vector<std::filesystem::path>;

core::Result<std::vector<TrendSource>> list_sources(TrendOf of, const Paths& paths) {
    std::vector<TrendSource> sources;
    if (of == TrendOf::Neighbours) {
        const core::Result<Paths> runs = core::list_neighbours(paths);
        if (!runs) return runs.error();
        for (const std::filesystem::path& run : *runs)
            sources.push_back({.name = run.filename().string(), .path = run, .failed = {}, .measured = {}});
        return sources;
    }
    const core::Result<core::Baselines> baselines = core::read_baselines();
    if (!baselines) return baselines.error();
    for (const auto& [name, text] : *baselines) {
        TrendSource source{.name = "@" + name, .path = {}, .failed = {}, .measured = {}};
        if (const std::optional<std::filesystem::path> path = core::path_from_text(text))
            source.path = *path;
        else
            source.failed = "the baseline has no valid path";
        sources.push_back(std::move(source));
    }
    return sources;
}

// Keeps only the measured steps: the run is freed at the end, so that memory doesn't grow with the number of runs.
core::Result<core::SeriesRun> measure_source(const TrendSource& source, core::IndexFiles files,
                                             const core::JobContext& context) {
    core::LoadProgress progress;
    core::LoadOptions options;
    options.index_files = files;
    const std::filesystem::path paths[] = {source.path};
    const core::Result<core::RunPtr> run = core::load_run(paths, options, progress, context);
    if (!run) return run.error();
    core::SeriesRun measured = core::measure_run(**run, {}, 1);
    measured.name = source.name;
    return measured;
}

}  // namespace

void TrendModel::list(core::JobPool& pool, TrendOf of, const Paths& paths) {
    stop();
    of_ = of;
    listed_ = true;
    error_.clear();
    sources_.clear();
    analyse();
    listing_ = core::Job<std::vector<TrendSource>>::start(
        pool, [of, paths](const core::JobContext&) { return list_sources(of, paths); });
}

// Replacing the job cancels it; results of the runs measured so far stay.
void TrendModel::stop() {
    measuring_ = false;
    job_ = {};
}

bool TrendModel::update(core::JobPool& pool, core::IndexFiles files) {
    bool changed = false;
    if (const auto* const listed = listing_ ? listing_.poll() : nullptr) {
        if (*listed)
            sources_ = **listed;
        else
            error_ = listed->error().message;
        listing_ = {};
        changed = true;
    }
    if (const auto* const read = job_ ? job_.poll() : nullptr) {
        TrendSource& source = sources_[reading_];
        if (*read)
            source.measured = **read;
        else
            source.failed = read->error().message;
        job_ = {};
        analyse();
        changed = true;
    }
    if (!measuring_ || job_ || listing_) return changed;
    const auto next = std::ranges::find_if(
        sources_, [](const TrendSource& source) { return !source.measured && source.failed.empty(); });
    if (next == sources_.end()) {
        measuring_ = false;
        return true;
    }
    reading_ = static_cast<std::size_t>(next - sources_.begin());
    job_ = core::Job<core::SeriesRun>::start(pool, [source = *next, files](const core::JobContext& context) {
        return measure_source(source, files, context);
    });
    return changed;
}

std::size_t TrendModel::measured() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sources_, [](const TrendSource& source) { return source.measured || !source.failed.empty(); }));
}

void TrendModel::analyse() {
    source_of_.clear();
    std::vector<core::SeriesRun> runs;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (!sources_[i].measured) continue;
        source_of_.push_back(i);
        runs.push_back(*sources_[i].measured);
    }
    // Same order as analyse_series.
    std::ranges::stable_sort(source_of_, {}, [&](std::size_t i) { return sources_[i].measured->start_ns; });
    series_ = core::analyse_series(std::move(runs));
}

std::vector<TrendLevel> find_levels(const core::RunSeries& series) {
    std::vector<TrendLevel> levels;
    std::size_t first = 0;
    const auto add = [&](std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += *series.runs[series.with_values[i]].ns;
        levels.push_back({.first = first, .last = last, .mean_ns = sum / static_cast<double>(last - first)});
        first = last;
    };
    for (const core::stats::ChangePoint& point : series.points) add(point.index);
    if (first < series.with_values.size()) add(series.with_values.size());
    return levels;
}

std::vector<TrendLevel> TrendModel::levels() const { return find_levels(series_); }

const TrendSource* TrendModel::source_at(std::size_t place) const {
    if (place >= series_.with_values.size()) return nullptr;
    return &sources_[source_of_[series_.with_values[place]]];
}

}  // namespace ui
