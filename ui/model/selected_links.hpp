#pragma once
// The links of the selected event, computed once for the timeline's arrows and the details.
// Selecting another event or run cancels work under way. Main thread only. No ImGui.

#include "ui/model/deferred.hpp"
#include "ui/model/link_model.hpp"
#include "ui/model/weak_key.hpp"

namespace ui {

using LinksPtr = std::shared_ptr<const EventLinks>;

class SelectedLinks {
public:
    // Null until known. Asking again with the same event is free.
    LinksPtr ask(core::JobPool& pool, const core::RunPtr& run, core::EventRef event) {
        const LinksPtr made = made_.ask(
            pool, {run, event}, [run, event](const core::JobContext& job) { return collect_links(*run, event, job); });
        return made_.fresh() ? made : nullptr;
    }
    void forget() { made_ = {}; }
    bool fresh() const { return made_.fresh(); }

private:
    struct Key {
        WeakKey<core::Run> run;
        core::EventRef event;
        bool operator==(const Key&) const = default;
    };
    Deferred<Key, EventLinks> made_;
};

}  // namespace ui
