#include "ui/timeline/parts/occurrence_walk.hpp"

#include <utility>

namespace ui {

void OccurrenceWalk::update(Frame& frame, SideRequests& asked) {
    const core::EventRef selected = frame.view().selected;
    const std::optional<core::Occurrence> which = std::exchange(asked.occurrence, std::nullopt);
    if (which && selected.valid()) {
        const core::RunPtr& run = frame.run();
        run_ = run;
        from_ = selected;
        core::OccurrenceQuery query{
            .run = run, .from = selected, .which = *which, .filter = frame.filter(), .selections = {}};
        for (std::size_t slot = 0; slot < run->ranks().size(); ++slot)
            query.selections.push_back(frame.results.find_selection(run, slot, query.filter));
        job_ = core::Job<core::EventRef>::start(
            frame.session.pool(), [query](const core::JobContext& context) { return find_occurrence(query, context); });
    }
    if (job_ && (!(run_ == frame.run()) || from_ != selected)) job_ = {};  // belongs to another run or event
    const auto* found = job_ ? job_.poll() : nullptr;
    if (found == nullptr) return;
    if (*found && (*found)->valid()) frame.intents.push_back(SelectEvent{**found, true});
    job_ = {};
}

}  // namespace ui
