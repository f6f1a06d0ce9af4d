// Every run of the trace corpus, which is next to the checkout or in LOCKSTEP_CORPUS, can be examined.

#include "tests/corpus.hpp"
#include "core/doctor/doctor.hpp"
#include "core/ingest/load/load_run.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

using namespace core;

TEST_CASE("the doctor examines every run of the corpus, and every example can be shown") {
    if (!core::testing::corpus_is_here()) return;
    std::size_t examined = 0;
    for (const std::filesystem::path& folder : core::testing::corpus_runs()) {
        INFO(folder.string());
        LoadProgress progress;
        const std::vector<std::filesystem::path> paths = {folder};
        const Result<RunPtr> run = load_run(paths, {}, progress, {});
        if (!run) continue;
        const Result<DoctorReport> report = examine_run(**run, 2, {});
        REQUIRE(report.has_value());
        ++examined;
        std::set<std::string_view> ids;
        for (const DoctorFinding& finding : report->findings) {
            CHECK_FALSE(finding.text.empty());
            ids.insert(finding.rule->id);
            if (!finding.example.event.valid()) continue;
            REQUIRE(finding.example.event.slot < (*run)->ranks().size());
            const RankTrace& trace = (*run)->rank(finding.example.event.slot).trace();
            CHECK(index_of(finding.example.event.event) < trace.size());
        }
        CHECK(ids.size() == report->findings.size());
        if (folder.filename() == "a2a_optimizer_3")
            CHECK(ids == std::set<std::string_view>{"kernels-before-launch", "kernels-without-launch"});
    }
    CHECK(examined > (core::testing::is_whole_corpus() ? 40 : 10));
}
