#pragma once
// Series of a rank over time, as lines for the timeline: the queue of each stream, the bandwidth of
// each kind of copy, the memory of each device. They cover the whole rank and ignore the filter.

#include "core/analysis/engine/analysis.hpp"
#include "ui/timeline/model/counter_view.hpp"

#include <map>
#include <memory>

namespace ui {

class SeriesLine {
public:
    struct Content {
        std::string name;         // title of the row
        std::string_view value;   // meaning of a value; static text
        core::Unit unit = core::Unit::Count;
        std::size_t tint = 0;     // index of its colour, shared by the lines of an analysis
        std::vector<core::RankTime> times{};
        std::vector<double> values{};
        core::RankTime end{};
        double least_top = 0;  // as CounterView
        std::span<const std::string_view> words{};  // static, as CounterView
        std::vector<core::RankTime> step_times{};  // for views in which steps are narrow: a value per step,
        std::vector<double> step_values{};  // NaN between steps and in those without
        core::Duration mean_step{0};
    };
    explicit SeriesLine(Content content)
        : content_(std::move(content)), pyramid_(content_.values), step_pyramid_(content_.step_values) {}
    SeriesLine(SeriesLine&&) = default;  // the pyramid refers to values, whose addresses a move keeps
    SeriesLine(const SeriesLine&) = delete;

    const std::string& name() const { return content_.name; }
    std::size_t tint() const { return content_.tint; }
    CounterView view() const {
        return {.times = content_.times,
                .values = content_.values,
                .end = content_.end,
                .pyramid = &pyramid_,
                .name = content_.name,
                .series = content_.value,
                .unit = content_.unit,
                .least_top = content_.least_top,
                .words = content_.words};
    }
    // The values to draw where a pixel has so many per nanosecond: means of steps, if a step has few pixels.
    CounterView view_at(double px_per_ns) const {
        constexpr double kNarrowStep = 16;  // px
        CounterView shown = view();
        const double step = static_cast<double>(content_.mean_step.count()) * px_per_ns;
        if (content_.step_times.empty() || step >= kNarrowStep) return shown;
        shown.times = content_.step_times;
        shown.values = content_.step_values;
        shown.pyramid = &step_pyramid_;
        return shown;
    }

private:
    Content content_;
    core::CounterPyramid pyramid_;
    core::CounterPyramid step_pyramid_;
};

struct RankSeries {
    core::RankIndexPtr rank;  // held because maps identify the rank by its address
    std::vector<SeriesLine> lines;  // empty: none known
    std::string failed;  // the latest failed analysis and why; lines of the others are present
};
using RankSeriesPtr = std::shared_ptr<const RankSeries>;
using SeriesByRank = std::map<const core::RankIndex*, RankSeriesPtr>;

// Any thread; O(events of the rank). Omits lines that the trace has as counters of its own. Fails when cancelled, or if
// the rank's selection cannot be built.
core::Result<RankSeriesPtr> build_rank_series(const core::Run&, std::size_t slot, const core::JobContext&);

}  // namespace ui
