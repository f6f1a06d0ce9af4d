// Inputs written after public reports, and what is right to say of them: every expectation of ../shared/field, which
// ../shared/tools/check_field.py checks against the built binary. Skipped without that folder.

#include "tests/app/cli.hpp"

#include <regex>
#include <string>

using namespace app::testing;
namespace fs = std::filesystem;

TEST_CASE("of inputs after public reports the numbers are right, losses are said, and nothing untrue is") {
    const fs::path script = core::testing::source_folder().parent_path() / "shared" / "tools" / "check_field.py";
    if (!fs::exists(script)) {
        MESSAGE("skipped: no " << script.string());
        return;
    }
    const Outcome outcome =
        run_shell("LOCKSTEP=" + quoted(core::testing::lockstep_binary()) + " python3 " + quoted(script.string()));
    INFO(outcome.out, outcome.err);
    const std::regex kind(R"((F[0-9]+) ([0-9]+)/([0-9]+))");
    int kinds = 0;
    for (std::sregex_iterator it(outcome.out.begin(), outcome.out.end(), kind), end; it != end; ++it, ++kinds) {
        INFO((*it)[1].str());
        CHECK((*it)[2] == (*it)[3]);
    }
    CHECK(kinds == 18);
}
