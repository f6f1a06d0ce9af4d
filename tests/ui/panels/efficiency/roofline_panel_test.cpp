// The panel Roofline and its model.

#include "core/query/filter_text.hpp"
#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"
#include "ui/model/panels/roofline_model.hpp"

namespace {

using core::testing::answer_of;
using core::testing::kHalves;
using core::testing::OperatorFixture;
using core::testing::run_of;
using ui::RooflineModel;
using ui::testing::PanelDriver;

// A product of 1024 x 1024 matrices, 2^31 FLOP on 6 MiB, and an elementwise operator.
core::RunPtr product(std::int64_t time, std::string_view device = "NVIDIA H100 80GB HBM3") {
    OperatorFixture fixture;
    fixture.device(device);
    fixture.op(0, 1'000, "aten::mm").with("[[1024, 1024], [1024, 1024]]", kHalves).gpu(10, 20'000, time, "gemm");
    fixture.op(2'000, 1'000, "aten::relu").with("[[1000000]]", R"(["float"])").gpu(2'010, 900'000, 10'000, "relu");
    return run_of({fixture.build()});
}

ui::RooflineSide side_of(const core::RunPtr& run) {
    return RooflineModel::side_of(*run, answer_of(*run, "op-efficiency", "", {{"of", "all"}}).main());
}

}  // namespace

TEST_CASE("an operator stands at its intensity and rate, below the roof of its precision") {
    const ui::RooflineSide side = side_of(product(10'000));
    REQUIRE(side.points.size() == 1);
    CHECK(side.points[0].name == "aten::mm");
    CHECK(side.points[0].intensity() == doctest::Approx(2147483648.0 / 6291456));
    CHECK(side.points[0].rate() == doctest::Approx(214.7e12).epsilon(0.001));
    REQUIRE(side.roofs.size() == 1);
    CHECK(side.roofs[0].precision == "bf16");
    CHECK(side.roofs[0].at(1) == *side.roofs[0].bytes_per_s);
    CHECK(side.roofs[0].at(1e6) == side.roofs[0].flop_per_s);
}

TEST_CASE("operators that only move data are not plotted but have a loss") {
    const ui::RooflineSide side = side_of(product(10'000));
    CHECK(side.left_out == doctest::Approx(0.5));
    CHECK(side.no_flop == doctest::Approx(0.5));
    REQUIRE(side.losses.size() == 2);
    CHECK(side.losses[0].name == "aten::mm");
    CHECK(side.losses[1].name == "aten::relu");
    CHECK(side.losses[1].bound == "memory");
}

TEST_CASE("an unknown device has points and no roof") {
    const ui::RooflineSide side = side_of(product(10'000, "Imaginary 9000"));
    CHECK(side.points.size() == 1);
    CHECK(side.roofs.empty());
    CHECK(side.unknown_devices == std::vector<std::string>{"Imaginary 9000"});
    CHECK(side.losses.empty());
}

TEST_CASE("equal operators and shapes of two runs are joined by an arrow") {
    const RooflineModel model = RooflineModel::of({side_of(product(10'000)), side_of(product(5'000))});
    REQUIRE(model.arrows.size() == 1);
    CHECK(model.sides.candidate->points[model.arrows[0].to].rate() ==
          doctest::Approx(2 * model.sides.baseline->points[model.arrows[0].from].rate()));
    CHECK(model.most_y >= 989e12);
}

TEST_CASE("a click on a point or on a loss filters by the operator, and the plot keeps the others") {
    PanelDriver panel("roofline", product(10'000), {1000, 400});
    CHECK(panel.shown()["baseline"]["points"] == 1);
    CHECK(panel.shown()["baseline"]["losses"].size() == 2);
    panel.click("point:0");
    CHECK(core::format_filter(panel.session.filter()).find("mm") != std::string::npos);
    panel.wait_idle();
    CHECK(panel.shown()["baseline"]["losses"].size() == 2);
}
