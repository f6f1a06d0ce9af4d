#pragma once
// Finding events by name or argument: a bar over the plot's top right corner, open while state.find_open. It searches
// as long as the bar or the panel of what is found is there, on the pool; what was found last stays marked until the
// next is there, without its numbers under another text. Enter and F3 walk. Of two runs each timeline searches its own,
// the baseline's draws the bar for both, and walking goes through the run that the mouse was on last: linked views take
// the other one along. Main thread only.

#include "core/query/find_events.hpp"
#include "ui/model/panel.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ui {

struct Box;
struct TimelineFrame;

class FindBar {
public:
    // Before the lanes are drawn, and where there is no room for them, as a panel shows it, too: asks for what is to be
    // found, takes what has been, walks when told to.
    void update(Frame&, UiState&, const core::RunPtr&);
    // other: of the other run of a comparison, or null.
    void draw(TimelineFrame&, const FindBar* other);
    // Null while the bar is closed, nothing is typed or nothing is known yet.
    const core::FoundEventsPtr& found() const { return found_; }
    bool busy() const { return static_cast<bool>(job_) || news_; }
    void describe(nlohmann::json& shown, core::EventRef selected) const;

private:
    void ask(Frame&, UiState&, const core::RunPtr&, const core::FindText&);
    void stop();
    void tell(FindStatus&) const;
    double progress() const;  // 0..1, through arguments
    void take_result();
    void walk(Frame&, UiState&);
    void draw_text_box(TimelineFrame&, const Box&);
    void draw_buttons(TimelineFrame&, const Box&, float y);
    void draw_answers(const TimelineFrame&, const Box&, const FindBar* other) const;
    std::string format_answer() const;
    bool is_of_asked() const { return found_ && found_text_ == asked_; }
    bool offers_stop() const { return job_ && asked_.reads_arguments(); }
    float buttons_width(const Box&) const;

    std::string asked_text_;
    core::FindText asked_;
    core::EventRef selected_;  // in the last frame
    core::Filter asked_filter_;
    std::uint64_t asked_run_ = 0;  // 0: nothing was asked
    core::Job<core::FoundEventsPtr> job_;
    core::FoundEventsPtr found_;
    core::FindText found_text_;  // that found_ is of
    std::string error_;
    bool stopped_ = false;  // by the user
    bool refocus_ = false;
    bool news_ = false;  // arrived in the last frame: the bar may have been drawn before
};

}  // namespace ui
