#pragma once
// Runs over time, read one after another on the pool: the runs next to the open one, or the named
// baselines, with the results of `lockstep trend`. No ImGui. Main thread only.

#include "core/base/jobs.hpp"
#include "core/diff/series/run_series.hpp"
#include "core/ingest/load/load_run.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ui {

enum class TrendOf : std::uint8_t { Neighbours, Baselines };

struct TrendSource {
    std::string name;
    std::filesystem::path path;
    std::string failed;  // why it could not be read
    std::optional<core::SeriesRun> measured;
};

// Runs between two change points: half-open, counting runs with values.
struct TrendLevel {
    std::size_t first = 0, last = 0;
    double mean_ns = 0;
};

class TrendModel {
public:
    // Lists the runs of that kind and drops measurements of others. `paths`: those of the open run.
    void list(core::JobPool&, TrendOf, const std::vector<std::filesystem::path>& paths);
    // Starts to read the runs without measurements, one after another.
    void measure() { measuring_ = true; }
    void stop();
    // Call once per frame: collects results and starts the next run. True if anything changed.
    bool update(core::JobPool&, core::IndexFiles);

    bool is_listed() const { return listed_; }
    bool is_listing() const { return static_cast<bool>(listing_); }
    bool is_measuring() const { return measuring_; }
    bool busy() const { return is_listing() || measuring_; }
    TrendOf of() const { return of_; }
    const std::string& error() const { return error_; }
    const std::vector<TrendSource>& sources() const { return sources_; }
    std::size_t measured() const;  // including failed ones
    const core::RunSeries& series() const { return series_; }
    std::vector<TrendLevel> levels() const;
    // The run with a value at this index of series().with_values, and the previous one; null for the first.
    const TrendSource* source_at(std::size_t place) const;

private:
    void analyse();

    TrendOf of_ = TrendOf::Neighbours;
    bool listed_ = false;
    bool measuring_ = false;
    std::string error_;
    core::Job<std::vector<TrendSource>> listing_;
    std::vector<TrendSource> sources_;
    std::size_t reading_ = 0;  // index of the source that job_ reads
    core::Job<core::SeriesRun> job_;
    core::RunSeries series_;
    std::vector<std::size_t> source_of_;  // source of each run of the series
};

// Splits a series at its change points.
std::vector<TrendLevel> find_levels(const core::RunSeries&);

}  // namespace ui
