#include "ui/table/ask.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/writer_advice.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/store/string_table.hpp"
#include "ui/style/text.hpp"

#include <algorithm>

namespace ui {
namespace {

// Each side has its own slot, because both sides of a comparison ask in the same frame.
std::uint64_t slot_of(const Frame& frame, std::string_view who) {
    return core::hash_text(who) + static_cast<std::uint64_t>(frame.side);
}

}  // namespace

std::span<const core::Side> sides_of(const Frame& frame) {
    return std::span(core::kSides).first(frame.candidate ? 2 : 1);
}

const core::RunAlignment& alignment_of(const Frame& frame) {
    static const core::RunAlignment kNone;
    return frame.candidate && frame.session.alignment() ? *frame.session.alignment() : kNone;
}

std::string note_missing_ranks(const Frame& frame) {
    const core::Session& session = frame.session;
    if (!session.alignment()) return {};
    core::BySide<const core::Run*> runs;
    core::BySide<core::Filter> filters;
    for (const core::Side side : core::kSides) {
        runs[side] = session.run(side).get();
        filters[side] = frame.kept ? frame.kept->of[side] : session.filter(side);
    }
    const std::optional<core::Side> only = core::find_only_side(runs, filters);
    return only && *only != frame.side ? core::note_only_side(runs, filters) : std::string();
}

void empty_gpu_state(const Frame& frame) {
    const bool any = std::ranges::any_of(core::kSides, [&](core::Side side) {
        return frame.session.run(side) && has_gpu_events(*frame.session.run(side));
    });
    if (any)
        return empty_state("No GPU event passes the filter",
                           "Loosen the filter, or press Ctrl+Z to undo the last change.");
    const bool has_events = frame.run() && frame.run()->event_count() > 0;
    empty_state("No GPU events", has_events ? "Analyses shows operators and annotations, the timeline threads. " +
                                                  std::string(core::advice_for(*frame.run()).gpu_work)
                                            : "The traces contain no events. Import shows what was read.");
}

core::Params standard_params(const core::Analysis& analysis) {
    core::Params params;
    for (const core::Param& param : analysis.params) params.push_back(param.standard);
    return params;
}

core::Request ask(Frame& frame, std::string_view who, const core::Analysis& analysis, const core::Params& params) {
    return frame.results.request(slot_of(frame, who), analysis, frame.run(), frame.filter(), params);
}

core::BySide<core::Request> ask_both(Frame& frame, std::string_view who, const core::Analysis& analysis,
                                     const core::Params& params) {
    return {ask(frame.of(core::Side::Baseline), who, analysis, params),
            ask(frame.of(core::Side::Candidate), who, analysis, params)};
}

core::BySide<core::Request> ask_both(Frame& frame, std::string_view who, std::string_view analysis_id) {
    return {ask(frame.of(core::Side::Baseline), who, analysis_id),
            ask(frame.of(core::Side::Candidate), who, analysis_id)};
}

core::Request ask(Frame& frame, std::string_view who, std::string_view analysis_id) {
    return ask(frame, who, analysis_id, frame.filter());
}

core::Request ask(Frame& frame, std::string_view who, std::string_view analysis_id, const core::Filter& filter) {
    const core::Analysis* analysis = core::find_analysis(analysis_id);
    if (!analysis)
        return {.answer = nullptr,
                .fresh = false,
                .progress = 0,
                .error = "there is no analysis " + std::string(analysis_id)};
    return frame.results.request(slot_of(frame, who), *analysis, frame.run(), filter, standard_params(*analysis));
}

core::Request ask_for_selection(Frame& frame, std::string_view who, const core::Filter& filter) {
    return frame.results.request_selection(slot_of(frame, who), frame.run(), filter);
}

}  // namespace ui
