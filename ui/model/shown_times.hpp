#pragma once
// Carries what is shown in time into the session's history, one step for each motion of the hands, and back after undo
// and redo. Main thread only.

#include "ui/model/state.hpp"

namespace ui {

class ShownTimesKeeper {
public:
    using States = core::BySide<UiState*>;

    // Before a frame: what undo or redo brought back is shown.
    void follow(core::Session&, States);
    // After a frame. What moves together with another step, as by a click that filters and shows, is undone with it. by_hand: nothing but hands has moved the views in it. seconds: since the frame before.
    void note(core::Session&, States, bool by_hand, double seconds);

private:
    core::ShownTimes noted_;
    std::uint64_t commits_ = 0;  // of the session, when it was noted last
    std::uint64_t gesture_ = 1;
    double rest_seconds_ = 0;
};

}  // namespace ui
