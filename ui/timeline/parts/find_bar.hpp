#pragma once
// Finds events by name or argument: a bar over the plot's top right corner, open while
// choices.find_open. Searches on the pool as long as the bar or the results panel is open; the last
// results stay marked until the next arrive, without their numbers if the text differs. Enter and
// F3 walk. With two runs, each timeline searches its own, the baseline's draws the bar for both,
// and walking uses the run that the mouse was last on: linked views follow it. Main thread only.

#include "core/query/find_events.hpp"
#include "ui/model/panel.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ui {

struct Box;
struct TimelineFrame;

class FindBar {
public:
    // Requests a search, receives results, and walks if requested. Call before the lanes are drawn, also if there is no
    // room for them, because a panel shows the results too.
    void update(Frame&, FindStatus&, SideRequests&);
    // other: the other run's find bar in a comparison, or null.
    void draw(TimelineFrame&, const FindBar* other);
    // Null while the bar is closed, the text is empty, or nothing is known yet.
    const core::FoundEventsPtr& found() const { return found_; }
    bool busy() const { return static_cast<bool>(job_) || news_; }
    void describe(nlohmann::json& shown, core::EventRef selected) const;

private:
    void ask(Frame&, const core::RunPtr&, const core::FindText&);
    void stop();
    void write_status(FindStatus&) const;
    double progress() const;  // 0..1, of searching the arguments
    void poll_result();
    void walk(Frame&, int steps);
    void draw_text_box(TimelineFrame&, const Box&);
    void draw_buttons(TimelineFrame&, const Box&, float y);
    void draw_answers(const TimelineFrame&, const Box&, const FindBar* other) const;
    std::string format_answer() const;
    bool is_of_asked() const { return found_ && found_text_ == asked_; }
    bool offers_stop() const { return job_ && asked_.reads_arguments(); }
    float buttons_width(const Box&) const;

    std::string asked_text_;
    core::FindText asked_;
    core::EventRef selected_;  // of the last frame
    core::Filter asked_filter_;
    std::uint64_t asked_run_ = 0;  // 0: nothing requested
    core::Job<core::FoundEventsPtr> job_;
    core::FoundEventsPtr found_;
    core::FindText found_text_;  // search text of found_
    std::string error_;
    bool stop_wanted_ = false;  // the user stopped it; holds until another search
    bool stopped_ = false;  // a search was stopped
    bool refocus_ = false;
    bool news_ = false;  // results arrived in the last frame, maybe after the bar was drawn
};

}  // namespace ui
