#pragma once
// A session with steps of undo of its query alone, as a window makes them of the query and its views.

#include "core/session/session.hpp"

#include <utility>

namespace core::testing {

class SessionWithSteps : public Session {
public:
    using Session::Session;

    bool update() {
        const bool changed = Session::update();
        record();
        return changed;
    }
    bool can_undo() {
        record();
        return steps_.can_undo();
    }
    bool can_redo() {
        record();
        return steps_.can_redo();
    }
    void undo() {
        record();
        steps_.undo();
        show(steps_.current());
    }
    void redo() {
        record();
        steps_.redo();
        show(steps_.current());
    }

private:
    void record() {
        for (QueryChange& change : take_changes()) {
            if (change.kind == QueryChange::Kind::Commit)
                steps_.commit(std::move(change.query), change.gesture);
            else if (change.kind == QueryChange::Kind::Replace)
                steps_.replace(std::move(change.query));
            else
                steps_.amend(std::move(change.query));
        }
        steps_.forget_from(HoldsTooManyRuns());
    }

    History<ViewQuery> steps_{ViewQuery{}};
};

}  // namespace core::testing
