#pragma once
// Text of a scope, which is O(ranks · rows), cached until an input changes. No ImGui.

#include "core/analysis/engine/scope.hpp"
#include "ui/model/weak_key.hpp"

#include <string>

namespace ui {

class ScopeText {
public:
    // Empty without a run.
    const std::string& ask(const core::RunPtr&, const core::Filter&, const core::ScopePart&);

private:
    WeakKey<core::Run> run_;
    core::Filter filter_;
    core::ScopePart part_;
    std::string text_;
};

}  // namespace ui
