// Files of an installed Lockstep.

#include "tests/app/cli.hpp"
#include "tests/places.hpp"

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

TEST_CASE("installing gives the program, its man page, completion, desktop entry, file type and documents") {
    const TempFolder folder;
    const fs::path build = fs::path(core::testing::lockstep_binary()).parent_path(), to = folder.path() / "usr";
    const Outcome installed =
        run_shell("cmake --install " + quoted(build.string()) + " --prefix " + quoted(to.string()));
    INFO(installed.err);
    REQUIRE(installed.status == 0);
    const Outcome version = run_shell(quoted((to / "bin/lockstep").string()) + " --version");
    CHECK(version.out == lockstep({"--version"}).out);
    for (const char* const file :
         {"share/applications/lockstep.desktop", "share/mime/packages/lockstep.xml",
          "share/icons/hicolor/scalable/apps/lockstep.svg", "share/bash-completion/completions/lockstep",
          "share/doc/lockstep/copyright", "share/doc/lockstep/docs/guide.md",
          "share/lockstep/python/lockstep/__init__.py", "share/lockstep/python/pyproject.toml"}) {
        INFO(file);
        CHECK(fs::file_size(to / file) > 0);
    }
    const Outcome page = run_shell("gzip -dc " + quoted((to / "share/man/man1/lockstep.1.gz").string()));
    CHECK(page.out.starts_with(".TH LOCKSTEP 1"));
    const Outcome help = lockstep({"--help"});
    std::istringstream lines(help.out);
    std::size_t commands = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  ") || line.starts_with("   ")) continue;
        const std::string command = line.substr(2, line.find(' ', 2) - 2);
        INFO(command);
        CHECK(page.out.find(".SS " + command + "\n") != std::string::npos);
        ++commands;
    }
    CHECK(commands > 10);
}

TEST_CASE("completion offers commands, options and analyses as the program lists them") {
    const std::string setup = "PATH=" + quoted(fs::path(core::testing::lockstep_binary()).parent_path().string()) +
                              ":$PATH; source " +
                              quoted((core::testing::source_folder() / "assets/desktop/lockstep.bash").string()) + "; ";
    const auto complete = [&](const std::string& words, int at) {
        const std::string script = setup + "COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                                   "; _lockstep; echo \"${COMPREPLY[*]}\"";
        return run_shell("bash -c " + quoted(script)).out;
    };
    CHECK(complete("lockstep ana", 1).find("analyze") != std::string::npos);
    CHECK(complete("lockstep analyze strag", 2) == "stragglers straggler-causes\n");
    CHECK(complete("lockstep diff --nam", 2).find("--names") != std::string::npos);
    CHECK(complete("lockstep diff --analysis kernel-im", 3) == "kernel-imbalance\n");
}
