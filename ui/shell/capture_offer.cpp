#include "ui/shell/capture_offer.hpp"

#include "core/diff/align/run_parts.hpp"
#include "core/query/filter_edit.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr float kOfferHeight = 30;  // at scale 1
constexpr std::size_t kMostOffered = 3;

core::Filter filter_of_capture(const Frame& frame, std::int32_t capture) {
    return core::with_term(frame.session.filter(), core::CaptureTerm{{capture}});
}

}  // namespace

float CaptureOffer::height(const Frame& frame) const {
    const core::RunPtr& run = frame.session.run();
    const bool offered = run && !frame.session.comparing() && run->name() != declined_ &&
                         !core::find_term<core::CaptureTerm>(frame.session.filter()) &&
                         core::collect_captures(*run).size() > 1;
    return offered ? px(kOfferHeight) : 0;
}

void CaptureOffer::draw(Frame& frame, ImVec2 min, float width) {
    const core::Run& run = *frame.session.run();
    const ItemScope scope("captures");
    const ImVec2 max{min.x + width, min.y + px(kOfferHeight)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, min, max, color::mix(color::palette().panel, color::palette().accent, 0.12f));
    fill(list, {min.x, max.y - 1}, max, color::palette().line);
    const std::string words = core::describe_captures(run);
    record_rect("##words:" + words, min, max, false);
    ImGui::PushID("captures");
    ImGui::SetCursorScreenPos({min.x + px(12), min.y + px(3)});
    ImGui::AlignTextToFramePadding();
    text(words, color::palette().text);
    ImGui::SameLine(0, px(12));
    if (button("Compare##compare")) frame.intents.push_back(CompareInside{InsideKind::Captures, {}, {}});
    tooltip("The first as baseline, the second as candidate, side by side and in every table");
    const std::vector<std::int32_t> captures = core::collect_captures(run);
    for (std::size_t i = 0; i < std::min(captures.size(), kMostOffered); ++i) {
        const std::string letter = core::format_capture(captures[i]);
        ImGui::SameLine(0, px(8));
        if (button(("Only " + letter + "##only-" + letter).c_str()))
            frame.intents.push_back(SetFilter{filter_of_capture(frame, captures[i])});
        tooltip("Filter: capture:" + letter);
    }
    ImGui::SameLine(0, px(8));
    if (button("Windows of one run##keep")) {
        declined_ = run.name();
        frame.intents.push_back(CutGaps{true});
    }
    tooltip("On one axis, without the time between them; the ruler says where and how much is cut");
    ImGui::PopID();
}

}  // namespace ui
