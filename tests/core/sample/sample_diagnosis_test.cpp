// The measure of a diagnosis on small runs of our own: each cause planted in each layout, and the same runs without. A
// plant that costs enough is the first finding and the first row of what-to-do, names the culprits, all and only, and
// its gain is that of the run without it. Nobody is blamed where nothing is planted. Labelled runs of others:
// tests/app/diagnosis_test.cpp.

#include "core/collectives/choose_clocks.hpp"
#include "core/diff/align/step_sample.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "core/stats/moments.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"

#include <array>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

constexpr double kLeastPlant = 0.03;   // of the step: a smaller plant need not come first
constexpr double kOfGain = 0.25, kOfStep = 0.02;  // tolerance of a gain: the larger of the two
constexpr double kBlame = 0.02;  // of the step: a row below accuses nobody

using RankNumbers = std::set<std::int32_t>;

struct Layout {
    const char* name;
    int tensor_parallel = 1;
    int stages = 1;
    bool sharded = false;
};
constexpr std::array<Layout, 4> kLayouts = {{{.name = "data parallel"},
                                             {.name = "tensor groups", .tensor_parallel = 2},
                                             {.name = "pipeline", .stages = 2},
                                             {.name = "sharded", .sharded = true}}};

class DiagnosedSample {
public:
    DiagnosedSample(const Layout& layout, StragglerCause cause, const RankNumbers& late) {
        SampleOptions options;
        options.ranks = 4;
        options.steps = 4;
        options.layers = 2;
        options.tensor_parallel = layout.tensor_parallel;
        options.stages = layout.stages;
        options.faults.sharded = layout.sharded;
        options.cause = cause;
        options.straggler = late.empty() ? kNoStraggler : *late.begin();
        for (const std::int32_t rank : late)
            if (rank != options.straggler) options.further_stragglers.push_back(rank);
        REQUIRE(write_sample_run(folder_.path(), options, {}));
        LoadProgress progress;
        const std::filesystem::path path = folder_.path();
        const Result<RunPtr> loaded = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(loaded);
        run_ = with_clocks(*loaded, ClockChoice::Auto);
        findings_ = answer_of(*run_, "findings");
        what_to_do_ = answer_of(*run_, "what-to-do");
    }

    double step_ns() const { return stats::measure(collect_step_sample(*run_, {}).values()).mean; }
    std::string_view first_finding() const { return kinds().text(0, kinds().find_column("finding")); }
    std::string_view first_row() const { return what_to_do_.main().text(0, 0); }
    double saved_ns() const {
        const Table& rows = what_to_do_.main();
        return rows.number(0, rows.find_column("saved"));
    }
    RankNumbers ranks_of(std::string_view finding) const {
        const Table& rows = findings_.main();
        RankNumbers ranks;
        for (std::size_t row = 0; row < rows.rows(); ++row)
            if (rows.text(row, rows.find_column("finding")) == finding)
                ranks.insert(RankKey::unpacked(rows.integer(row, rows.find_column("rank"))).number);
        return ranks;
    }

    // Ranks that a grave finding, or a row of what-to-do that saves something, says are at fault.
    RankNumbers blamed() const {
        RankNumbers ranks;
        const std::array<std::string_view, 3> accusing = {"late-rank", "unbalanced-kernels", "desynchronised"};
        for (std::size_t row = 0; row < kinds().rows(); ++row) {
            const std::string_view finding = kinds().text(row, kinds().find_column("finding"));
            const bool accuses = std::ranges::find(accusing, finding) != accusing.end();
            if (accuses && kinds().text(row, kinds().find_column("severity")) != "low") ranks.merge(ranks_of(finding));
        }
        const Table& rows = what_to_do_.main();
        for (std::size_t row = 0; row < rows.rows(); ++row) {
            const std::size_t share = rows.find_column("saved_share");
            const bool accuses = std::ranges::find(accusing, rows.text(row, 0)) != accusing.end();
            if (accuses && !rows.absent(row, share) && rows.number(row, share) > kBlame)
                ranks.merge(ranks_of(rows.text(row, 0)));
        }
        return ranks;
    }

    // Savings are never below nothing, nor above the step.
    void check_signs() const {
        const Table& rows = what_to_do_.main();
        const std::size_t saved = rows.find_column("saved");
        for (std::size_t row = 0; row < rows.rows(); ++row) {
            if (rows.absent(row, saved)) continue;
            CHECK(rows.number(row, saved) >= 0);
            CHECK(rows.number(row, saved) <= step_ns() * 1.01);
        }
    }

private:
    const Table& kinds() const { return *findings_.find("kinds"); }

    TempFolder folder_;
    RunPtr run_;
    Answer findings_, what_to_do_;
};

void check_plant(const Layout& layout, StragglerCause cause, const RankNumbers& late, double healthy_ns) {
    INFO(layout.name << ", " << kCausesOfStragglers[static_cast<std::size_t>(cause)]);
    const DiagnosedSample sample(layout, cause, late);
    const double step = sample.step_ns(), gain = step - healthy_ns;
    CHECK(gain > 0);
    sample.check_signs();
    for (const std::int32_t rank : sample.blamed()) CHECK(late.contains(rank));
    if (gain < kLeastPlant * step) return;
    REQUIRE((sample.first_finding() == "late-rank" || sample.first_finding() == "unbalanced-kernels"));
    CHECK(sample.ranks_of(sample.first_finding()) == late);
    CHECK(sample.first_row() == sample.first_finding());
    CHECK(std::abs(sample.saved_ns() - gain) <= std::max(kOfGain * gain, kOfStep * step));
}

}  // namespace

TEST_CASE("each planted cause is the first finding, of its rank alone, with the gain of the run without it") {
    for (const Layout& layout : kLayouts) {
        const DiagnosedSample healthy(layout, StragglerCause::DataLoading, {});
        for (std::size_t cause = 0; cause < std::size(kCausesOfStragglers); ++cause)
            check_plant(layout, static_cast<StragglerCause>(cause), {3}, healthy.step_ns());
    }
}

TEST_CASE("two ranks that are late for one cause are named together") {
    for (const Layout& layout : {kLayouts[0], kLayouts[3]}) {
        const DiagnosedSample healthy(layout, StragglerCause::SlowerKernels, {});
        check_plant(layout, StragglerCause::SlowerKernels, {1, 3}, healthy.step_ns());
        check_plant(layout, StragglerCause::MoreWork, {1, 3}, healthy.step_ns());
    }
}

TEST_CASE("in a run without a plant nobody is blamed") {
    for (const Layout& layout : kLayouts) {
        INFO(layout.name);
        const DiagnosedSample healthy(layout, StragglerCause::DataLoading, {});
        CHECK(healthy.blamed().empty());
        healthy.check_signs();
    }
}
