#include "ui/shell/filter_chips.hpp"

#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ui {
namespace {

constexpr float kChip = 84;  // sizes at scale 1
constexpr float kGap = 4;
constexpr float kListWidth = 200;
constexpr std::size_t kMostRows = 12;
constexpr std::size_t kChips = 5;

// Text of a chip after its title: the value of its term as in the filter's text, or nothing.
template <class Term>
std::string chosen_text(const core::Filter& filter) {
    const Term* term = core::find_term<Term>(filter);
    if (!term) return {};
    core::Filter alone;
    alone.terms.push_back({false, *term});
    const std::string text = core::format_filter(alone);
    return text.substr(text.find(':') + 1);
}

// True while its popup is open; then EndPopup() is the caller's.
bool begin_chip(const char* title, const std::string& chosen) {
    const std::string label = std::string("##chip-") + title;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{px(kChip), ImGui::GetFrameHeight()};
    const bool open = ImGui::IsPopupOpen(title);
    if (invisible_button(label.c_str(), size)) ImGui::OpenPopup(title);
    record_item(label);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{at.x + size.x, at.y + size.y};
    const ImU32 back =
        !chosen.empty() ? color::mix(color::palette().raised, color::palette().accent, 0.22f) : color::palette().raised;
    list->AddRectFilled(at, end, hovered || open ? color::mix(back, color::palette().text, 0.1f) : back, px(4));
    const float y = at.y + std::floor((size.y - ui_style().size_px) / 2) - px(1);
    const float room = size.x - px(24);
    std::string words = chosen.empty() ? std::string(title) : std::string(title) + " " + chosen;
    if (text_width(ui_style(), words) > room) words = chosen;
    draw_text(list, ui_style(), {at.x + px(8), y}, chosen.empty() ? color::palette().muted : color::palette().text,
              words, room);
    const ImVec2 tip{end.x - px(11), at.y + std::floor(size.y / 2) + px(2)};
    list->AddTriangleFilled({tip.x - px(3), tip.y - px(4)}, {tip.x + px(3), tip.y - px(4)}, tip,
                            color::palette().muted);
    if (!chosen.empty() && !open) tooltip(std::string(title) + ": " + chosen);
    ImGui::SetNextWindowPos({at.x, end.y + px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup(title);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    return shown;
}

struct Choice {
    std::string label;
    ImU32 swatch = 0;
};

// Made as they come into view: there may be very many.
struct Choices {
    std::size_t count;
    std::function<Choice(std::size_t)> at;
};

// A list of ticks. Returns whether `on` was changed.
bool draw_choices(const Choices& choices, std::vector<bool>& on) {
    bool changed = false;
    const float row = ImGui::GetFrameHeightWithSpacing();
    const std::size_t rows = std::min(choices.count, kMostRows);
    ImGui::BeginChild("list", {px(kListWidth), static_cast<float>(rows) * row}, false);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(choices.count), row);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const Choice choice = choices.at(at);
            ImGui::PushID(i);
            bool ticked = on[at];
            if (checkbox(("##tick:" + choice.label).c_str(), &ticked)) {
                on[at] = ticked;
                changed = true;
            }
            ImGui::SameLine(0, px(8));
            if (choice.swatch != 0) {
                const ImVec2 p = ImGui::GetCursorScreenPos();
                const float top = p.y + std::floor((ImGui::GetFrameHeight() - px(10)) / 2);
                ImGui::GetWindowDrawList()->AddRectFilled({p.x, top}, {p.x + px(10), top + px(10)}, choice.swatch,
                                                          px(2));
                ImGui::SetCursorScreenPos({p.x + px(16), p.y});
            }
            ImGui::AlignTextToFramePadding();
            if (selectable(choice.label.c_str(), false)) {
                std::fill(on.begin(), on.end(), false);
                on[at] = true;
                changed = true;
            }
            tooltip("Only " + choice.label);
            ImGui::PopID();
        }
    }
    ImGui::EndChild();
    return changed;
}

void set(Frame& frame, core::Filter filter) { frame.intents.push_back(SetFilter{std::move(filter)}); }

// "All" above a list; with nothing ticked the choice stands as it was.
template <class Term>
void offer_choices(Frame& frame, const Choices& choices, std::vector<bool> on,
                   const std::function<Term(const std::vector<bool>&)>& make) {
    const core::Filter& filter = frame.session.filter();
    if (choices.count == 0) {
        muted_text("The run has none");
        return;
    }
    if (quiet_button("All##all")) set(frame, core::without_term<Term>(filter));
    if (!draw_choices(choices, on)) return;
    const auto ticked = std::ranges::count(on, true);
    if (ticked == static_cast<std::ptrdiff_t>(on.size()))
        set(frame, core::without_term<Term>(filter));
    else if (ticked > 0)
        set(frame, core::with_term(filter, make(on)));
}

template <class Term>
void offer_numbers(Frame& frame, const char* one, const std::vector<std::int64_t>& known) {
    const Term* term = core::find_term<Term>(frame.session.filter());
    const Choices choices{known.size(),
                          [&](std::size_t i) { return Choice{std::string(one) + " " + std::to_string(known[i])}; }};
    std::vector<bool> on;
    for (const std::int64_t number : known) on.push_back(!term || core::contains_number(term->numbers, number));
    offer_choices<Term>(frame, choices, on, [&](const std::vector<bool>& ticked) {
        std::vector<std::int64_t> numbers;
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (ticked[i]) numbers.push_back(known[i]);
        }
        Term made{};
        made.numbers = core::ranges_of(numbers, known);
        return made;
    });
}

void offer_steps(Frame& frame, const std::vector<std::int64_t>& known) {
    const core::Filter& filter = frame.session.filter();
    const auto* term = core::find_term<core::StepTerm>(filter);
    bool complete = term && term->complete;
    if (checkbox("Complete steps##complete", &complete))
        set(frame,
            complete ? core::with_term(filter, core::StepTerm{true, {}}) : core::without_term<core::StepTerm>(filter));
    offer_numbers<core::StepTerm>(frame, "Step", known);
}

void offer_classes(Frame& frame) {
    constexpr core::KernelClass kClasses[] = {core::KernelClass::Compute, core::KernelClass::Communication,
                                              core::KernelClass::Memory};
    const auto* term = core::find_term<core::ClassTerm>(frame.session.filter());
    const Choices choices{std::size(kClasses), [&](std::size_t i) {
                              return Choice{std::string(core::name_of(kClasses[i])), color::of_class(kClasses[i])};
                          }};
    std::vector<bool> on;
    for (const core::KernelClass c : kClasses) on.push_back(!term || (term->classes & core::set_of(c)) != 0);
    offer_choices<core::ClassTerm>(frame, choices, on, [&](const std::vector<bool>& ticked) {
        core::ClassTerm made{};
        for (std::size_t i = 0; i < ticked.size(); ++i) {
            if (ticked[i]) made.classes |= core::set_of(kClasses[i]);
        }
        return made;
    });
}

void offer_time(Frame& frame) {
    const core::Filter& filter = frame.session.filter();
    if (!frame.run()) return;
    const auto keep = [&](core::RunRange range) {
        set(frame, core::with_term(filter, frame.session.time_term(frame.side, range)));
        ImGui::CloseCurrentPopup();
    };
    muted_text("Only events in");
    const bool any_area = frame.view().area.has_value();
    if (any_area && selectable("The area marked on the timeline##area", false)) keep(*frame.view().area);
    if (!any_area) ImGui::TextDisabled("%s", "The area marked on the timeline");
    if (selectable("What is visible now##visible", false)) keep(frame.view().time.range());
    if (!core::find_term<core::TimeTerm>(filter)) return;
    if (selectable("All of the run##all", false)) set(frame, core::without_term<core::TimeTerm>(filter));
}

}  // namespace

float chips_width() { return px(8) + static_cast<float>(kChips) * (px(kChip) + px(kGap)); }

void draw_filter_chips(Frame& frame, const core::FilterVocabulary& words) {
    const core::Filter& filter = frame.session.filter();
    const auto chip = [](const char* title, const std::string& chosen, const auto& content) {
        if (begin_chip(title, chosen)) {
            const ItemScope scope(title);
            close_on_escape();
            content();
            ImGui::EndPopup();
        }
    };
    const auto next = [] { ImGui::SameLine(0, px(kGap)); };
    chip("Ranks", chosen_text<core::RankTerm>(filter),
         [&] { offer_numbers<core::RankTerm>(frame, "Rank", words.ranks); });
    next();
    chip("Steps", chosen_text<core::StepTerm>(filter), [&] { offer_steps(frame, words.steps); });
    next();
    chip("Streams", chosen_text<core::StreamTerm>(filter),
         [&] { offer_numbers<core::StreamTerm>(frame, "Stream", words.streams); });
    next();
    chip("Classes", chosen_text<core::ClassTerm>(filter), [&] { offer_classes(frame); });
    next();
    chip("Time", chosen_text<core::TimeTerm>(filter), [&] { offer_time(frame); });
}

}  // namespace ui
