#include "ui/model/panels/scope_text.hpp"

namespace ui {

const std::string& ScopeText::ask(const core::RunPtr& run, const core::Filter& filter, const core::ScopePart& part) {
    if (run_ == run && filter_ == filter && part_ == part) return text_;
    run_ = run;
    filter_ = filter;
    part_ = part;
    text_ = run ? core::describe_scope(*run, filter, part) : std::string();
    return text_;
}

}  // namespace ui
