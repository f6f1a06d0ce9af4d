#include "ui/model/panels/communication/pipeline_model.hpp"

#include "core/session/paged_run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace ui {
namespace {

using LaneKey = std::pair<std::int64_t, std::int64_t>;  // step, packed rank

struct RawSpan {
    double begin = 0, duration = 0;
};

// Reads a table's columns by name.
class RowReader {
public:
    RowReader(const core::Table& table, std::size_t row) : table_(table), row_(row) {}
    std::optional<std::int64_t> integer(std::string_view name) const {
        const std::size_t at = table_.find_column(name);
        return table_.absent(row_, at) ? std::nullopt : std::optional(table_.integer(row_, at));
    }
    std::optional<double> number(std::string_view name) const {
        const std::size_t at = table_.find_column(name);
        return table_.absent(row_, at) ? std::nullopt : std::optional(table_.number(row_, at));
    }
    std::string_view text(std::string_view name) const { return table_.text(row_, table_.find_column(name)); }

private:
    const core::Table& table_;
    std::size_t row_;
};

// Numbers stretches as microbatches if each pass has as many as there are messages.
void number_microbatches(PipelineLane& lane) {
    std::size_t forward = 0, backward = 0;
    const auto is_backward = [](const PipelineStretch& one) { return one.kind == StretchKind::Backward; };
    const auto last = std::find_if(lane.work.rbegin(), lane.work.rend(), is_backward);
    if (last != lane.work.rend())
        for (auto after = last.base(); after != lane.work.end(); ++after) after->kind = StretchKind::After;
    for (PipelineStretch& one : lane.work)
        if (one.kind != StretchKind::After) one.number = ++(is_backward(one) ? backward : forward);
    const auto count = static_cast<std::size_t>(lane.microbatches.value_or(0));
    if (count > 0 && forward == count && backward == count) return;
    for (PipelineStretch& one : lane.work) one.number = 0;
}

// Moves all lanes so that the first begins at 0.
void shift_to_begin(PipelineStep& step) {
    double first = std::numeric_limits<double>::max(), last = 0;
    const auto extend = [&](double begin, double duration) {
        first = std::min(first, begin);
        last = std::max(last, begin + duration);
    };
    for (const PipelineLane& lane : step.lanes) {
        for (const PipelineStretch& one : lane.work) extend(one.begin, one.duration);
        for (const PipelineReceive& one : lane.receives) extend(one.begin, one.duration);
    }
    if (last <= first) return;
    step.begin = first;
    step.length = last - first;
    for (PipelineLane& lane : step.lanes) {
        for (PipelineStretch& one : lane.work) one.begin -= first;
        for (PipelineReceive& one : lane.receives) one.begin -= first;
    }
}

std::map<LaneKey, PipelineLane> read_lanes(const core::Table& main) {
    std::map<LaneKey, PipelineLane> lanes;
    for (std::size_t row = 0; row < main.rows(); ++row) {
        const RowReader read(main, row);
        const std::int64_t rank = *read.integer("rank");
        lanes[{*read.integer("step"), rank}] = {.rank = core::RankKey::unpacked(rank),
                                                .stage = read.integer("stage").value_or(0),
                                                .bubble_share = read.number("bubble_share"),
                                                .theory = read.number("theory"),
                                                .microbatches = read.integer("microbatches")};
    }
    return lanes;
}

}  // namespace

std::optional<double> PipelineStep::mean_bubble() const {
    double sum = 0, count = 0;
    for (const PipelineLane& lane : lanes) {
        if (!lane.bubble_share) continue;
        sum += *lane.bubble_share;
        count += 1;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

PipelineModel PipelineModel::of(const core::Run& run, const core::Answer& answer) {
    std::map<LaneKey, PipelineLane> lanes = read_lanes(answer.main());
    const auto find_lane = [&](const RowReader& read) -> PipelineLane* {
        const std::optional<std::int64_t> step = read.integer("step");
        const auto found = step ? lanes.find({*step, *read.integer("rank")}) : lanes.end();
        return found == lanes.end() ? nullptr : &found->second;
    };
    if (const core::Table* const work = answer.find("work"))
        for (std::size_t row = 0; row < work->rows(); ++row) {
            const RowReader read(*work, row);
            if (PipelineLane* const lane = find_lane(read))
                lane->work.push_back(
                    {.begin = *read.number("begin"),
                     .duration = *read.number("duration"),
                     .kind = read.text("pass") == "backward" ? StretchKind::Backward : StretchKind::Forward});
        }
    if (const core::Table* const messages = answer.find("messages"))
        for (std::size_t row = 0; row < messages->rows(); ++row) {
            const RowReader read(*messages, row);
            PipelineLane* const lane = find_lane(read);
            if (!lane || read.text("operation") == "send") continue;
            lane->receives.push_back({.begin = *read.number("begin"),
                                      .duration = *read.number("duration"),
                                      .peer = read.integer("peer"),
                                      .event = core::find_told_event(run, lane->rank, read.integer("event"))});
        }
    std::map<std::int64_t, PipelineStep> steps;
    for (auto& [key, lane] : lanes) {
        number_microbatches(lane);
        PipelineStep& step = steps[key.first];
        step.number = key.first;
        step.lanes.push_back(std::move(lane));
    }
    PipelineModel model;
    for (auto& [number, step] : steps) {
        std::ranges::stable_sort(step.lanes, {},
                                 [](const PipelineLane& lane) { return std::pair(lane.stage, lane.rank); });
        shift_to_begin(step);
        model.steps.push_back(std::move(step));
    }
    return model;
}

}  // namespace ui
