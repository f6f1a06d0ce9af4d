// The Python package in app/python does its first tasks with the built program. Skipped without Python 3.

#include "tests/app/cli.hpp"
#include "tests/places.hpp"

using namespace app::testing;

TEST_CASE("a notebook opens a run, asks for tables, events and pictures, and compares two runs") {
    if (run_shell("python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'").status != 0) {
        MESSAGE("skipped: no Python 3.9 or newer");
        return;
    }
    const core::testing::TempFolder folder;
    const std::string before = (folder.path() / "before").string(), after = (folder.path() / "after").string();
    for (const auto& [path, variant] : {std::pair(before, "baseline"), std::pair(after, "candidate")})
        REQUIRE(
            lockstep({"sample", path, "--ranks", "2", "--steps", "5", "--layers", "2", "--variant", variant, "--quiet"})
                .status == 0);
    const std::filesystem::path source = core::testing::source_folder();
    const Outcome outcome = run_shell("PYTHONDONTWRITEBYTECODE=1 LOCKSTEP=" + quoted(core::testing::lockstep_binary()) +
                                      " PYTHONPATH=" + quoted((source / "app/python").string()) + " python3 " +
                                      quoted((source / "tests/app/python/package_check.py").string()) + " " +
                                      quoted(before) + " " + quoted(after) + " shot");
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.ends_with("done\n"));
}
