// Parts of a chart of all work that a filter by class dims.

#include "ui/table/answer_chart.hpp"

#include <doctest/doctest.h>

using core::KernelClass;

TEST_CASE("parts of the classes that the filter leaves out are dimmed, and idle time with any") {
    core::ChartModel model;
    model.parts = {"compute", "exposed_communication", "exposed_memory", "idle", "other"};
    const core::ClassSet communication = core::set_of(KernelClass::Communication);
    const auto dimmed = static_cast<core::ClassSet>(communication | core::set_of(KernelClass::Memory));
    for (std::size_t part = 0; part < model.parts.size(); ++part) {
        CAPTURE(model.parts[part]);
        CHECK_FALSE(ui::is_dimmed_part(model, part, 0));
        CHECK(ui::is_dimmed_part(model, part, dimmed) == (part >= 1 && part <= 3));
        CHECK(ui::is_dimmed_part(model, part, communication) == (part == 1 || part == 3));
    }
    model.parts = {"compute", "communication+memory", "compute+communication", "idle"};
    model.parts_are_sets = true;
    model.split = 1;
    CHECK_FALSE(ui::is_dimmed_part(model, 0, dimmed));
    CHECK(ui::is_dimmed_part(model, 1, dimmed));
    CHECK_FALSE(ui::is_dimmed_part(model, 1, communication));
    CHECK_FALSE(ui::is_dimmed_part(model, 2, dimmed));
    CHECK(ui::is_dimmed_part(model, 3, dimmed));
}
