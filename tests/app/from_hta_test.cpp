// Every command of docs/from-hta.md works as written.

#include "tests/app/cli.hpp"
#include "tests/places.hpp"

#include <vector>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

TEST_CASE("every command on the page for users of HTA works as written") {
    const TempFolder folder;
    const fs::path run = folder.path() / "RUN";
    REQUIRE(lockstep({"sample", run.string(), "--ranks", "2", "--steps", "3", "--layers", "2", "--quiet"}).status == 0);
    const std::string page = read_file(core::testing::source_folder() / "docs/from-hta.md");
    std::vector<std::string> commands;
    for (std::size_t at = page.find("`lockstep "); at != std::string::npos; at = page.find("`lockstep ", at + 1)) {
        const std::string command = page.substr(at + 10, page.find('`', at + 1) - at - 10);
        if (command.find(" RUN") != std::string::npos) commands.push_back(command);
    }
    CHECK(commands.size() >= 20);
    for (const std::string& command : commands) {
        const Outcome outcome = run_shell("cd " + quoted(folder.path().string()) + " && rm -rf traces && " +
                                          quoted(core::testing::lockstep_binary()) + " " + command);
        INFO(command, "\n", outcome.err);
        CHECK(outcome.status == 0);
    }
}
