#pragma once
// Goes to another event of the selected one's name when state.occurrence asks for it: found on the pool, then selected
// and shown. Main thread only.

#include "ui/model/panel.hpp"
#include "ui/model/weak_key.hpp"

namespace ui {

class OccurrenceWalk {
public:
    void update(Frame&, UiState&);
    bool busy() const { return static_cast<bool>(job_); }

private:
    WeakKey<core::Run> run_;  // that is looked through
    core::EventRef from_;
    core::Job<core::EventRef> job_;
};

}  // namespace ui
