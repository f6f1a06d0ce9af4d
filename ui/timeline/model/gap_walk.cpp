#include "ui/timeline/model/gap_walk.hpp"

#include "ui/model/gap_evidence.hpp"
#include "ui/table/ask.hpp"

#include <algorithm>
#include <utility>

namespace ui {
namespace {

// The table row of the gap marked as the area; none if the area is something else.
std::optional<std::ptrdiff_t> find_marked(const core::Run& run, const core::Table& gaps, const View& view) {
    if (!view.area) return std::nullopt;
    for (std::size_t row = 0; row < gaps.rows(); ++row) {
        const std::optional<RowPlace> place = place_of(run, gaps, row);
        if (place && place->range == *view.area && place->rows == view.area_rows)
            return static_cast<std::ptrdiff_t>(row);
    }
    return std::nullopt;
}

}  // namespace

void GapWalk::update(Frame& frame, SideRequests& asked) {
    const core::RunPtr& run = frame.run();
    if (const int more = std::exchange(asked.gap_steps, 0); more != 0) {
        steps_ += more;
        of_run_ = run->id();
    }
    if (steps_ == 0) return;
    if (of_run_ != run->id()) {
        steps_ = 0;
        return;
    }
    const core::Request request = ask(frame, "gap-walk", "idle-gaps");
    if (request.pending()) return;
    const int steps = std::exchange(steps_, 0);
    if (!request.answer || request.answer->main().rows() == 0) return;
    const core::Table& gaps = request.answer->main();
    const std::optional<std::ptrdiff_t> marked = find_marked(*run, gaps, frame.view());
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(gaps.rows()) - 1;
    const std::ptrdiff_t to = marked ? std::clamp<std::ptrdiff_t>(*marked + steps, 0, last) : 0;
    std::optional<RowPlace> place = place_of(*run, gaps, static_cast<std::size_t>(to));
    if (place) show_evidence(*run, *std::move(place), frame.intents);
}

}  // namespace ui
