#pragma once
// Classes of which the filter chooses nothing. Charts of all work keep their lengths under a filter by class, name,
// duration or group, and dim these classes.

#include "core/index/class_rules.hpp"
#include "ui/table/ask.hpp"

#include <string_view>

namespace ui {

class DimmedClasses {
public:
    // Of the sides that the panel draws. What names, durations and groups leave out is known once `kernels` has
    // answered; until then what the class terms leave out. who: unique among panels.
    core::ClassSet ask(Frame&, std::string_view who);
    bool busy() const { return pending_; }

private:
    core::BySide<core::AnswerPtr> answers_;
    core::ClassSet present_ = 0;  // in answers_
    bool pending_ = false;
};

}  // namespace ui
