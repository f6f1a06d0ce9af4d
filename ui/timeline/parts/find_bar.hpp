#pragma once
// Finding events by name or argument: a bar over the plot's top right corner, open while choices.find_open. It searches
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
    // Requests a search, takes results, and walks if asked to. Call before the lanes are drawn, also without room for
    // them, because a panel shows the results too.
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
    void tell(FindStatus&) const;
    double progress() const;  // 0..1, through the arguments
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
    core::EventRef selected_;  // in the last frame
    core::Filter asked_filter_;
    std::uint64_t asked_run_ = 0;  // 0: nothing requested
    core::Job<core::FoundEventsPtr> job_;
    core::FoundEventsPtr found_;
    core::FindText found_text_;  // search text of found_
    std::string error_;
    bool stop_wanted_ = false;  // by the user, until something else is searched for
    bool stopped_ = false;  // a search was
    bool refocus_ = false;
    bool news_ = false;  // results arrived in the last frame, maybe after the bar was drawn
};

}  // namespace ui
