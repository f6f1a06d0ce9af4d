#include "ui/model/panels/waterfall_model.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core::testing;
using core::BySide;
using core::Side;
using ui::WaterfallBar;
using ui::WaterfallModel;

namespace {

core::StepChange change_of(std::int64_t baseline, std::initializer_list<core::PartChange> parts) {
    core::StepChange change;
    change.parts = parts;
    change.mean = {baseline, baseline};
    for (const core::PartChange& part : change.parts) change.mean.candidate += part.change();
    return change;
}

core::PartChange part(core::StepPart kind, std::int64_t baseline, std::int64_t candidate) {
    return {kind, kind == core::StepPart::Kernel ? "gemm" : "", {}, {true, true}, {baseline, candidate}};
}

core::RunPtr run_with_steps(std::initializer_list<std::int64_t> lengths, int rank = 0) {
    TraceFixture fixture;
    fixture.rank(rank);
    std::int64_t begin = 0;
    int number = 1;
    for (const std::int64_t length : lengths) {
        fixture.step(begin, length, number++).kernel(begin, length / 2, "gemm");
        begin += length;
    }
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("every bar begins where the one before ended, and the last step is the candidate's") {
    const WaterfallModel model = WaterfallModel::of(
        change_of(1000, {part(core::StepPart::Kernel, 500, 530), part(core::StepPart::ExposedCommunication, 200, 150),
                         part(core::StepPart::Idle, 300, 300)}));
    REQUIRE(model.bars.size() == 5);
    CHECK(model.bars.front().kind == WaterfallBar::Kind::Whole);
    std::int64_t at = model.bars.front().to_ns;
    for (std::size_t i = 1; i + 1 < model.bars.size(); ++i) {
        CHECK(model.bars[i].from_ns == at);
        at = model.bars[i].to_ns;
    }
    CHECK(at == model.bars.back().to_ns);
    CHECK(model.bars[1].title == "gemm");
    CHECK(model.bars[2].title == "Exposed communication");
    CHECK(model.most_ns == 1030);
}

TEST_CASE("small changes have the plot to themselves, large ones are seen from 0") {
    const WaterfallModel small =
        WaterfallModel::of(change_of(1'000'000, {part(core::StepPart::Idle, 500'000, 500'100)}));
    CHECK(small.least_ns > 900'000);
    CHECK(small.least_ns < 1'000'000);
    CHECK(WaterfallModel::of(change_of(1000, {part(core::StepPart::Idle, 900, 100)})).least_ns == 0);
    const WaterfallModel flat = WaterfallModel::of(change_of(0, {part(core::StepPart::Idle, 0, 0)}));
    CHECK(flat.least_ns == 0);
    CHECK(flat.most_ns == 0);
}

TEST_CASE("a kernel that one run lacks says whose it is") {
    core::PartChange added = part(core::StepPart::Kernel, 0, 40);
    added.present = {false, true};
    const WaterfallModel model = WaterfallModel::of(change_of(100, {added}));
    CHECK(model.bars[1].only == Side::Candidate);
}

TEST_CASE("the step that changed most is found among those that both runs have") {
    const core::RunPtr baseline = run_with_steps({100, 100, 100});
    const core::RunPtr candidate = run_with_steps({110, 60});
    const core::Answer first = answer_of(*baseline, "steps");
    const core::Answer second = answer_of(*candidate, "steps");
    const auto found =
        ui::find_most_changed_step({&first.main(), &second.main()}, core::align_runs(*baseline, *candidate));
    REQUIRE(found);
    CHECK(found->number == BySide<std::int64_t>{2, 2});
    CHECK(found->change() == -40);
    const core::RunPtr none = run_of({TraceFixture().kernel(0, 5, "gemm").build()});
    const core::Answer nothing = answer_of(*none, "steps");
    CHECK_FALSE(ui::find_most_changed_step({&first.main(), &nothing.main()}, core::align_runs(*baseline, *none)));
}
