#include "ui/charts/compared_lines.hpp"

#include <doctest/doctest.h>

TEST_CASE("in narrow columns the change is shown once, then the baseline is dropped, to keep room for the label") {
    const ui::ComparedColumns wide = ui::lay_out_compared(500);
    CHECK(wide.ratio == 500);
    CHECK(wide.change < wide.ratio);
    CHECK(wide.baseline > 0);
    const ui::ComparedColumns narrow = ui::lay_out_compared(300);
    CHECK(narrow.ratio == 0);
    CHECK(narrow.change == 300);
    CHECK(narrow.baseline > 0);
    const ui::ComparedColumns least = ui::lay_out_compared(240);
    CHECK(least.ratio == 0);
    CHECK(least.baseline == 0);
    CHECK(least.candidate < least.change);
    for (float width = 210; width < 700; width += 1) {
        const ui::ComparedColumns columns = ui::lay_out_compared(width);
        CAPTURE(width);
        CHECK(columns.label >= 70);
        CHECK(columns.label <= (columns.baseline > 0 ? columns.baseline : columns.candidate) - 60);
    }
}
