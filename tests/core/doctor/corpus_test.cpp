// Every run of the trace corpus can be examined; it lies beside the checkout or where LOCKSTEP_CORPUS says.

#include "core/doctor/doctor.hpp"
#include "core/ingest/load_run.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

using namespace core;

TEST_CASE("the doctor examines every run of the corpus, and every example can be shown") {
    const char* const given = std::getenv("LOCKSTEP_CORPUS");
    const std::filesystem::path corpus = given != nullptr
                                             ? std::filesystem::path(given)
                                             : std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "../shared/traces";
    if (!std::filesystem::exists(corpus)) {
        MESSAGE("skipped: no trace corpus at ", corpus.string());
        return;
    }
    std::size_t examined = 0;
    for (const auto& project : std::filesystem::directory_iterator(corpus)) {
        if (!project.is_directory()) continue;
        for (const auto& folder : std::filesystem::directory_iterator(project.path())) {
            INFO(folder.path().string());
            LoadProgress progress;
            const std::vector<std::filesystem::path> paths = {folder.path()};
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
            if (folder.path().filename() == "a2a_optimizer_3")
                CHECK(ids == std::set<std::string_view>{"kernels-before-launch", "kernels-without-launch"});
        }
    }
    CHECK(examined > 40);
}
