#pragma once
// Carries marks and bookmarks into the session's history, one step for each change of them, and back after undo and
// redo. A note that is typed is one change. Main thread only.

#include "ui/model/state.hpp"

#include <map>

namespace ui {

class KeptMarksKeeper {
public:
    using States = core::BySide<UiState*>;

    // Before a frame: what undo or redo brought back is there again.
    void follow(core::Session&, States);
    // After a frame. as_steps: hands have changed them, not another run or a session file.
    void note(core::Session&, States, bool as_steps);

private:
    std::uint64_t number_of(const Marks&);

    core::BySide<std::uint64_t> noted_{};
    std::map<std::uint64_t, Marks> known_;  // by the numbers of the history
    std::uint64_t last_ = 0;                // that was given
    std::uint64_t gesture_ = 0;
    std::uint64_t commits_ = 0;             // of the session, when they were noted last
    std::optional<std::size_t> typed_;      // whose note the last change was to
};

}  // namespace ui
