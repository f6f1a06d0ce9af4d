#pragma once
// Series of a rank over time, as lines for the timeline: the queue of each stream, the bandwidth of each kind of copy,
// the memory of each device. Of the whole rank, not of the filter.

#include "core/analysis/engine/analysis.hpp"
#include "ui/timeline/model/counter_view.hpp"

#include <map>
#include <memory>

namespace ui {

class SeriesLine {
public:
    struct Content {
        std::string name;         // of the row
        std::string_view value;   // what one value is, in words that live as long as the program
        core::Unit unit = core::Unit::Count;
        std::size_t tint = 0;     // lines of one analysis have one colour
        std::vector<core::RankTime> times;
        std::vector<double> values;
        core::RankTime end{};
    };
    explicit SeriesLine(Content content) : content_(std::move(content)), pyramid_(content_.values) {}
    SeriesLine(SeriesLine&&) = default;  // the pyramid looks at values that stay where they are
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
                .unit = content_.unit};
    }

private:
    Content content_;
    core::CounterPyramid pyramid_;
};

struct RankSeries {
    core::RankIndexPtr rank;  // kept, as maps know it by its address
    std::vector<SeriesLine> lines;  // empty: nothing is known
    std::string failed;  // the last analysis that failed and why; the lines of the others are there
};
using RankSeriesPtr = std::shared_ptr<const RankSeries>;
using SeriesByRank = std::map<const core::RankIndex*, RankSeriesPtr>;

// Any thread; O(events of the rank). Lines that the trace has as counters of its own are left out. Fails when
// cancelled, or when the rank's selection cannot be made.
core::Result<RankSeriesPtr> build_rank_series(const core::Run&, std::size_t slot, const core::JobContext&);

}  // namespace ui
