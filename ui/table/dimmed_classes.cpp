#include "ui/table/dimmed_classes.hpp"

#include "ui/model/filter_clicks.hpp"

#include <algorithm>

namespace ui {
namespace {

core::ClassSet collect_classes(const core::BySide<core::AnswerPtr>& answers) {
    unsigned present = 0;
    for (const core::Side side : core::kSides) {
        if (!answers[side]) continue;
        const core::Table& kernels = answers[side]->main();
        const std::size_t column = kernels.find_column("class");
        if (column >= kernels.columns().size()) continue;
        for (std::size_t row = 0; row < kernels.rows(); ++row)
            for (const core::KernelClass one :
                 {core::KernelClass::Compute, core::KernelClass::Communication, core::KernelClass::Memory})
                if (kernels.text(row, column) == core::name_of(one)) present |= core::set_of(one);
    }
    return static_cast<core::ClassSet>(present);
}

}  // namespace

core::ClassSet DimmedClasses::ask(Frame& frame, std::string_view who) {
    pending_ = false;
    const core::ClassSet by_class = left_out_classes(frame.session.filter());
    if (!frame.session.filter().chooses_some_events()) return by_class;
    core::BySide<core::AnswerPtr> answers;
    for (const core::Side side : sides_of(frame)) {
        const core::Request request = ui::ask(frame.of(side), who, "kernels");
        pending_ |= request.pending();
        answers[side] = request.fresh ? request.answer : nullptr;
    }
    const bool known = std::ranges::all_of(sides_of(frame), [&](core::Side side) { return answers[side] != nullptr; });
    if (!known) return by_class;
    if (answers != answers_) {
        present_ = collect_classes(answers);
        answers_ = answers;
    }
    constexpr unsigned kAllClasses = (1u << core::kKernelClasses) - 1;
    return static_cast<core::ClassSet>(by_class | (kAllClasses & ~unsigned{present_}));
}

}  // namespace ui
