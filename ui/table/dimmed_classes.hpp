#pragma once
// Classes of which the filter accepts nothing. Charts of all work keep their lengths under a filter
// by class, name, duration or group, and dim these classes.

#include "core/index/class_rules.hpp"
#include "ui/table/ask.hpp"

#include <string_view>

namespace ui {

class DimmedClasses {
public:
    // For the sides that the panel draws. Effects of names, durations and groups are known once `kernels` has answered;
    // until then only class terms count. who: unique among panels.
    core::ClassSet ask(Frame&, std::string_view who);
    bool busy() const { return pending_; }

private:
    core::BySide<core::AnswerPtr> answers_;
    core::ClassSet present_ = 0;  // in answers_
    bool pending_ = false;
};

}  // namespace ui
