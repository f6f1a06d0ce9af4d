#pragma once
// Goes to another event with the selected event's name when the side is asked to: searches on the
// pool, then selects and shows it. Main thread only.

#include "ui/model/panel.hpp"
#include "ui/model/weak_key.hpp"

namespace ui {

class OccurrenceWalk {
public:
    void update(Frame&, SideRequests&);
    bool busy() const { return static_cast<bool>(job_); }

private:
    WeakKey<core::Run> run_;  // run being searched
    core::EventRef from_;
    core::Job<core::EventRef> job_;
};

}  // namespace ui
