// The import report against what the files' diagnostics say.

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

}  // namespace

TEST_CASE("the import report counts records and names the ranks of each kind of diagnostic") {
    const core::RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").build(),
                                     TraceFixture().kernel(0, 10, "gemm", 7, 5).kernel(20, 10, "gemm", 7, 6).build()});
    const core::Diagnostics all = run->all_diagnostics();
    REQUIRE_FALSE(all.empty());
    const PanelDriver panel("import", run);
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["files"] == 2);
    CHECK(shown["records"] == 3);
    CHECK(shown["records_dropped"] == 0);
    REQUIRE(shown["diagnostics"].size() == all.entries().size());
    for (const nlohmann::json& entry : shown["diagnostics"]) {
        CHECK(entry["count"] == all.count(entry["kind"].get<std::string>()));
        for (const nlohmann::json& rank : entry["ranks"]) CHECK((rank == "0" || rank == "1"));
    }
}

TEST_CASE("a run that was read as it is has an empty report") {
    const PanelDriver panel("import", run_of({TraceFixture().cpu(0, 10, "aten::mm").build()}));
    CHECK(panel.shown()["diagnostics"].empty());
}
