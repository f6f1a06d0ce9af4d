#pragma once
// Finding events by name: a bar over the plot's top right corner, open while state.find_open. Searches run on the
// pool; what was found last stays until the next is there. Enter and F3 walk. Main thread only.

#include "core/query/find_events.hpp"
#include "ui/panel.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ui {

struct Box;
struct TimelineFrame;

class FindBar {
public:
    // Before the lanes are drawn: asks for what is to be found, takes what has been, walks when told to.
    void update(TimelineFrame&);
    void draw(TimelineFrame&);
    // Null while the bar is closed, nothing is typed or nothing is known yet.
    const core::FoundEventsPtr& found() const { return found_; }
    bool busy() const { return static_cast<bool>(job_); }
    void describe(nlohmann::json& shown, core::EventRef selected) const;

private:
    void ask(const TimelineFrame&);
    void take_result();
    void walk(TimelineFrame&);
    void draw_text_box(TimelineFrame&, const Box&);
    void draw_answer(const TimelineFrame&, const Box&) const;
    std::string format_answer(core::EventRef selected) const;

    std::string text_;
    std::string asked_text_;
    core::Filter asked_filter_;
    std::uint64_t asked_run_ = 0;   // 0: nothing was asked
    core::Job<core::FoundEventsPtr> job_;
    core::FoundEventsPtr found_;
    std::string error_;
    bool refocus_ = false;
};

}  // namespace ui
