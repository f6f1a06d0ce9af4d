#include "ui/timeline/parts/find_bar.hpp"

#include "core/base/format.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/text_focus.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kFindWidth = 620;  // sizes at scale 1
constexpr float kHeight = 36;
constexpr float kTextWidth = 200;
constexpr float kButtons = 132;
constexpr float kSwitch = 88;
constexpr float kListWidth = 48;    // width of the list button, part of kButtons
constexpr float kLeastFull = 500;   // narrower bars omit the switch and the list, to leave room for the count
constexpr float kNarrowShare = 0.4f;  // share of a narrow bar for the text

bool is_narrow(const Box& box) { return box.width() < px(kLeastFull); }

float text_box_width(const Box& box) {
    return std::floor(std::min(px(kTextWidth), box.width() * (is_narrow(box) ? kNarrowShare : 0.5f)));
}

}  // namespace

void FindBar::update(Frame& frame, FindStatus& status, SideRequests& asked) {
    const core::RunPtr& run = frame.run();
    news_ = false;
    selected_ = frame.view().selected;
    stop_wanted_ |= std::exchange(asked.stop_find, false);
    const UiChoices& choices = frame.choices();
    if (!wants_find(choices)) {
        job_ = {};
        found_.reset();
        error_.clear();
        stopped_ = false;
        asked_run_ = 0;
        asked_text_.clear();
        asked_ = {};
        asked.find_steps = 0;
        status = {};
        return;
    }
    const core::FindText text = core::parse_find_text(choices.find_text, choices.find_arguments);
    const bool is_new = asked_run_ != run->id() || asked_text_ != choices.find_text || !(asked_ == text) ||
                        !(asked_filter_ == frame.filter());
    if (is_new) ask(frame, run, text);
    if (stop_wanted_ && job_) stop();
    poll_result();
    write_status(status);
    // Steps wait for the search to end, so that typing and pressing Enter at once goes to a result of the new text.
    if (asked.find_steps != 0 && !job_) walk(frame, std::exchange(asked.find_steps, 0));
}

void FindBar::ask(Frame& frame, const core::RunPtr& run, const core::FindText& text) {
    if (asked_run_ != run->id()) found_.reset();  // its slots belong to another run
    const bool is_other_search = asked_run_ == 0 || asked_text_ != frame.choices().find_text || !(asked_ == text);
    if (is_other_search) stop_wanted_ = stopped_ = false;
    asked_run_ = run->id();
    asked_text_ = frame.choices().find_text;
    asked_ = text;
    asked_filter_ = frame.filter();
    error_.clear();
    if (stopped_) return stop();  // a stopped search restarts only with another text
    core::FindQuery query{.run = run, .text = asked_, .filter = asked_filter_, .selections = {}};
    // Selections that panels have already built are reused; the search builds the others.
    for (std::size_t slot = 0; slot < run->ranks().size(); ++slot)
        query.selections.push_back(frame.results.find_selection(run, slot, asked_filter_));
    job_ = core::Job<core::FoundEventsPtr>::start(frame.session.pool(), [query](const core::JobContext& context) {
        return core::FoundEvents::search(query, context);
    });
}

// Results of another text must not appear as this one's.
void FindBar::stop() {
    job_ = {};
    found_.reset();
    stopped_ = news_ = true;
}

double FindBar::progress() const {
    if (!job_ || !asked_.reads_arguments()) return 0;
    const std::uint64_t total = job_.progress().total;
    return total == 0 ? 0.0 : static_cast<double>(job_.progress().done) / static_cast<double>(total);
}

void FindBar::write_status(FindStatus& status) const {
    status = {.found = is_of_asked() ? found_ : nullptr,
              .text = asked_text_,
              .error = stopped_ ? "Stopped" : error_,
              .searching = static_cast<bool>(job_),
              .progress = progress()};
}

void FindBar::poll_result() {
    const auto* result = job_ ? job_.poll() : nullptr;
    if (result == nullptr) return;
    news_ = true;
    found_text_ = asked_;
    found_ = *result ? **result : nullptr;
    error_ = *result ? std::string() : result->error().message;
    job_ = {};
}

void FindBar::walk(Frame& frame, int steps) {
    if (!found_ || found_->count() == 0) return;
    core::EventRef at = frame.view().selected;
    for (int i = 0; i < std::abs(steps); ++i) {
        const core::EventRef first = at.valid() ? at : found_->first_from(frame.view().time.t0);
        if (steps < 0)
            at = found_->previous_before(first);
        else
            at = at.valid() ? found_->next_after(at) : first;
    }
    frame.intents.push_back(SelectEvent{at, true});
}

void FindBar::draw(TimelineFrame& f, const FindBar* other) {
    if (!f.choices().find_open) return;
    const float width = std::floor(std::min(px(kFindWidth), f.plot.width() - px(16)));
    // If the rows are lower than the bar, it covers the ruler instead of what is below the timeline.
    const ImVec2 min{f.plot.max.x - width - px(8), std::min(f.plot.min.y + px(8), f.plot.max.y - px(kHeight))};
    const Box box{min, {min.x + width, min.y + px(kHeight)}};
    ImGui::SetCursorScreenPos(box.min);
    ImGui::BeginChild("find", {box.width(), box.height()}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    {
        const ItemScope scope("find");
        ImDrawList* list = ImGui::GetWindowDrawList();
        fill(list, box.min, box.max, color::palette().raised);
        list->AddRect(box.min, box.max, color::palette().faint, 0, 0, 1);
        draw_text_box(f, box);
        draw_answers(f, box, other);
    }
    ImGui::EndChild();
}

void FindBar::draw_text_box(TimelineFrame& f, const Box& box) {
    const float y = box.min.y + std::floor((box.height() - ImGui::GetFrameHeight()) / 2);
    ImGui::SetCursorScreenPos({box.min.x + px(6), y});
    if (std::exchange(f.asked.focus_find, false) || std::exchange(refocus_, false)) focus_text("##text");
    ImGui::PushStyleColor(ImGuiCol_FrameBg, color::palette().background);
    std::string text = f.choices().find_text;
    const bool entered = input_text("##text", "text, /regex/, arg:key=value", text, text_box_width(box),
                                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (text != f.choices().find_text) f.frame.intents.push_back(SetFindText{std::move(text)});
    ImGui::PopStyleColor();
    if (entered) {
        if (ImGui::GetIO().KeyCtrl)
            f.frame.intents.push_back(ShowPanel{"found"});
        else
            f.frame.intents.push_back(FindStep{ImGui::GetIO().KeyShift ? -1 : 1});
        refocus_ = true;  // Enter leaves the text field: focus it again
    }
    if (ImGui::IsItemDeactivated() && compat::is_key_down(GLFW_KEY_ESCAPE)) f.frame.intents.push_back(CloseFind{});
    if (!is_narrow(box)) {
        ImGui::SameLine(0, px(4));
        bool on = f.choices().find_arguments;
        if (toggle("Arguments##arguments", &on)) f.frame.intents.push_back(SearchArguments{on});
        tooltip("Searches arguments too, which takes longer");
    }
    draw_buttons(f, box, y);
}

void FindBar::draw_buttons(TimelineFrame& f, const Box& box, float y) {
    ImGui::SetCursorScreenPos({box.max.x - buttons_width(box), y});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), ImGui::GetStyle().FramePadding.y});
    if (offers_stop()) {
        if (quiet_button("Stop##stop")) f.frame.intents.push_back(StopFind{});
        tooltip("Stops searching arguments");
    } else if (!is_narrow(box)) {
        if (quiet_button("List##list")) f.frame.intents.push_back(ShowPanel{"found"});
        tooltip("Totals and all results, in a panel   Ctrl+Enter");
    }
    ImGui::SetCursorScreenPos({box.max.x - px(kButtons - kListWidth), y});
    if (quiet_button("\xE2\x86\x91##previous")) f.frame.intents.push_back(FindStep{-1});
    tooltip("Previous found event   Shift+F3");
    ImGui::SameLine(0, 0);
    if (quiet_button("\xE2\x86\x93##next")) f.frame.intents.push_back(FindStep{1});
    tooltip("Next found event   F3");
    ImGui::SameLine(0, 0);
    if (quiet_button("\xC3\x97##close")) f.frame.intents.push_back(CloseFind{});
    tooltip("Close   Esc");
    ImGui::PopStyleVar();
}

std::string FindBar::format_answer() const {
    if (!error_.empty()) return error_;
    if (stopped_) return "Stopped";
    if (job_ && asked_.reads_arguments())
        return "Arguments: " + std::to_string(static_cast<int>(100 * progress())) + " %";
    if (!is_of_asked()) return busy() ? "Searching\xE2\x80\xA6" : "";
    if (found_->count() == 0) return asked_filter_.empty() ? "No such event" : "No such event in the filter";
    std::string words = core::format_count(found_->count());
    if (found_->contains(selected_)) words = core::format_count(found_->position_of(selected_) + 1) + " of " + words;
    return words + " \xC2\xB7 total " + core::format_duration(found_->total());
}

float FindBar::buttons_width(const Box& box) const {
    return offers_stop() || !is_narrow(box) ? px(kButtons) : px(kButtons - kListWidth);
}

// One line, or one per run.
void FindBar::draw_answers(const TimelineFrame& f, const Box& box, const FindBar* other) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    float left = box.min.x + px(6) + text_box_width(box) + (is_narrow(box) ? 0 : px(kSwitch)) + px(10);
    const float right = box.max.x - buttons_width(box) - px(4);
    const float middle = box.min.y + std::floor((box.height() - small_style().size_px) / 2) - px(1);
    if (other != nullptr) left += px(6);
    for (const FindBar* bar : {this, other}) {
        if (bar == nullptr) continue;
        const float y = other == nullptr ? middle : middle + (bar == this ? -px(7) : px(7));
        const core::Side side = bar == this ? f.frame.side : core::Side::Candidate;
        if (other != nullptr)
            list->AddRectFilled({left - px(6), y + px(1)}, {left - px(3), y + px(13)}, color::of_side(side));
        const std::string words = bar->format_answer();
        const ImU32 color = !bar->error_.empty() ? color::palette().error
                            : bar->busy()        ? color::palette().muted
                                                 : color::palette().text;
        const bool cut = draw_text(list, small_style(), {left, y}, color, words, right - left);
        if (cut && ImGui::IsMouseHoveringRect({left, y}, {right, y + px(14)})) ImGui::SetTooltip("%s", words.c_str());
    }
}

void FindBar::describe(nlohmann::json& shown, core::EventRef selected) const {
    shown = {{"text", asked_text_},
             {"arguments", asked_.reads_arguments()},
             {"searching", static_cast<bool>(job_)},
             {"stopped", stopped_}};
    if (!error_.empty()) shown["error"] = error_;
    if (!is_of_asked()) return;
    shown["found"] = found_->count();
    shown["total_ns"] = found_->total().count();
    if (found_->contains(selected)) shown["index"] = found_->position_of(selected);
}

}  // namespace ui
