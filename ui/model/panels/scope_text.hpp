#pragma once
// The words of a scope, kept while nothing that they depend on changes: they are O(ranks · rows). No ImGui.

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
