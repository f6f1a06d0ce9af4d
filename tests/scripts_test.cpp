// Behaviour of the scripts without running their work: plans, usage, commit subjects.

#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct ShellResult {
    int status = -1;
    std::string text;  // stdout and stderr
};

ShellResult run_in_shell(const std::string& command) {
    ShellResult result;
    FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) result.text.append(buffer, size);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

std::string in_single_quotes(const fs::path& path) { return "'" + path.string() + "'"; }

ShellResult run_script(const std::string& script, const std::string& arguments) {
    return run_in_shell(in_single_quotes(core::testing::source_folder() / "scripts" / script) + " " + arguments);
}

std::string read_source_file(const fs::path& path) {
    std::ifstream in(core::testing::source_folder() / path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::map<std::string, int> plan_stages(const std::string& arguments) {
    const ShellResult plan = run_script("test.sh", "--plan " + arguments);
    REQUIRE(plan.status == 0);
    std::map<std::string, int> minutes;
    for (const std::string& line : split_lines(plan.text)) {
        const std::size_t space = line.find(' ');
        REQUIRE(space != std::string::npos);
        minutes[line.substr(0, space)] = std::stoi(line.substr(space));
    }
    return minutes;
}

class TempTree {
public:
    TempTree() {
        std::string path = (fs::temp_directory_path() / "lockstep-scripts-XXXXXX").string();
        REQUIRE(mkdtemp(path.data()) != nullptr);
        path_ = path;
    }
    TempTree(const TempTree&) = delete;
    TempTree& operator=(const TempTree&) = delete;
    ~TempTree() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

bool accepts_subject(const std::string& subject) {
    const TempTree folder;
    const fs::path message = folder.path() / "message";
    std::ofstream(message) << subject << "\n\nWhy.\n# a comment of git\n";
    return run_script("check_subjects.sh", "--message " + in_single_quotes(message)).status == 0;
}

// A clone whose scripts check the commits after the first one.
struct HistoryFixture {
    TempTree folder;
    fs::path origin = folder.path() / "origin";

    HistoryFixture() {
        fs::create_directories(origin / "scripts/hooks");
        fs::copy(core::testing::source_folder() / "scripts/check_subjects.sh", origin / "scripts");
        git("init --quiet .");
        commit("Whatever was written before");
        const std::string base = git("log -1 --format='%H %cI'").text;
        std::ofstream(origin / "scripts/hooks/checked_since") << base;
    }
    ShellResult git(const std::string& arguments) const {
        return run_in_shell("cd " + in_single_quotes(origin) +
                            " && git -c user.name=a -c user.email=a@b -c core.hooksPath=/dev/null " + arguments);
    }
    void commit(const std::string& subject) const {
        REQUIRE(git("commit --quiet --allow-empty -m '" + subject + "'").status == 0);
    }
    static ShellResult check(const fs::path& clone) {
        return run_in_shell(in_single_quotes(clone / "scripts/check_subjects.sh"));
    }
};

bool has_git() { return run_in_shell("git --version").status == 0; }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("test.sh runs the release tests by default and everything with full") {
    CHECK(plan_stages("").size() == 1);
    CHECK(plan_stages("").contains("release"));
    const std::map<std::string, int> full = plan_stages("full");
    for (const char* const stage : {"format", "history", "release", "tsan", "asan", "tidy", "fuzz", "benches"}) {
        INFO(stage);
        CHECK(full.contains(stage));
    }
    const std::map<std::string, int> nightly = plan_stages("nightly");
    for (const char* const stage : {"tsan-ui", "ubsan", "leaks", "debian13"}) {
        INFO(stage);
        CHECK(nightly.contains(stage));
        CHECK_FALSE(full.contains(stage));
    }
    CHECK(run_script("test.sh", "--plan no-such-stage").status == 2);
}

TEST_CASE("the time limits of a full run add up to less than 90 minutes") {
    int sum = 0;
    for (const auto& [stage, minutes] : plan_stages("full")) sum += minutes;
    CHECK(sum < 90);
}

TEST_CASE("the version has a commit if built from a git checkout, and none otherwise") {
    if (run_in_shell("cmake --version").status != 0 || !has_git()) return;
    const fs::path folder = fs::temp_directory_path() / ("lockstep-build-text-" + std::to_string(::getpid()));
    fs::create_directories(folder / "source");
    const std::string source = in_single_quotes(folder / "source");
    const auto text_of_build = [&] {
        const ShellResult made = run_in_shell(
            "cmake -DFILE=" + in_single_quotes(folder / "text.cpp") + " -DSOURCE=" + source + " -DBUILD=Release -P " +
            in_single_quotes(core::testing::source_folder() / "app/build_text.cmake"));
        REQUIRE_MESSAGE(made.status == 0, made.text);
        std::ifstream in(folder / "text.cpp");
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    };
    run_in_shell("git init -q " + in_single_quotes(folder));  // a repository around the sources is another's
    CHECK(text_of_build().find("kBuildText = \"Release\";") != std::string::npos);
    const ShellResult made =
        run_in_shell("cd " + source + " && git init -q && git -c user.name=a -c user.email=a@b.c " +
                     "commit -q --allow-empty -m first && git rev-parse --short=12 HEAD");
    REQUIRE_MESSAGE(made.status == 0, made.text);
    const std::string commit = split_lines(made.text).back();
    CHECK(text_of_build().find("kBuildText = \"commit " + commit + ", Release\";") != std::string::npos);
    fs::remove_all(folder);
}

TEST_CASE("debian13.sh says how it is used and refuses what it cannot do before it does anything") {
    const ShellResult help = run_script("debian13.sh", "--help");
    CHECK(help.status == 0);
    for (const char* const option : {"--mirror", "--keep", "--jobs", "--no-tests", "--minutes"}) {
        INFO(option);
        CHECK(contains(help.text, option));
    }
    for (const char* const arguments :
         {"--no-such-option", "--jobs", "--jobs 0", "--jobs two", "--minutes -1", "--keep ''"}) {
        INFO(arguments);
        CHECK(run_script("debian13.sh", arguments).status == 2);
    }
    const TempTree tools;  // a fake `id`, found before all but debootstrap
    const auto run_as = [&](const char* user) {
        std::ofstream(tools.path() / "id") << "#!/bin/sh\necho " << user << "\n";
        fs::permissions(tools.path() / "id", fs::perms::owner_all);
        return run_in_shell("PATH=" + in_single_quotes(tools.path()) + ":/usr/bin:/bin " +
                            in_single_quotes(core::testing::source_folder() / "scripts/debian13.sh") + " --keep " +
                            in_single_quotes(tools.path() / "chroot"));
    };
    const ShellResult user = run_as("1000");
    CHECK(user.status == 1);
    CHECK(contains(user.text, "must run as root"));
    if (!fs::exists("/usr/bin/debootstrap") && !fs::exists("/bin/debootstrap")) {
        const ShellResult root = run_as("0");
        CHECK(root.status == 1);
        CHECK(contains(root.text, "apt-get install debootstrap"));
    }
    CHECK_FALSE(fs::exists(tools.path() / "chroot"));
}

TEST_CASE("a system without its platform code is refused with the names of what is missing") {
    if (run_in_shell("cmake --version").status != 0) {
        MESSAGE("skipped: there is no cmake");
        return;
    }
    const TempTree folder;
    std::ofstream(folder.path() / "choose.cmake")
        << "include(\"" << (core::testing::source_folder() / "core/base/platform/sources.cmake").string()
        << "\")\nlockstep_platform_sources(sources)\nmessage(\"${sources}\")\n";
    const std::string script = " -P " + in_single_quotes(folder.path() / "choose.cmake");
    const ShellResult here = run_in_shell("cmake" + script);
    CHECK(here.status == 0);
    CHECK(contains(here.text, "core/base/platform/files_posix.cpp"));
    const ShellResult windows = run_in_shell("cmake -DWIN32=ON" + script);
    CHECK(windows.status != 0);
    CHECK(contains(windows.text, "core/base/platform/files_windows.cpp"));
    CHECK_FALSE(contains(windows.text, "_posix.cpp"));
}

TEST_CASE("platform code compiles where nothing says Linux") {
    if (run_in_shell("clang++-16 --version").status != 0) {
        MESSAGE("skipped: there is no clang++-16");
        return;
    }
    const ShellResult checked = run_script("portable.sh", "core/base/platform");
    INFO(checked.text);
    CHECK(checked.status == 0);
    CHECK(contains(checked.text, "sources checked, all compile"));
    CHECK_FALSE(contains(checked.text, "portable: 0 sources"));
}

TEST_CASE("continuous integration runs the test command of README.md in full") {
    CHECK(contains(read_source_file(".ci/run"), "exec scripts/test.sh full"));
    CHECK(contains(read_source_file("README.md"), "\nscripts/test.sh "));
}

TEST_CASE("check.sh plans the tests of the folders that the files are in") {
    const ShellResult plan = run_script(
        "check.sh", "--plan " + in_single_quotes(core::testing::source_folder() / "core/query/filter_text.cpp") + " " +
                        in_single_quotes(core::testing::source_folder() / "tests/ui/panels/panels_test.cpp") + " " +
                        in_single_quotes(core::testing::source_folder() / "README.md"));
    CHECK(plan.status == 0);
    CHECK(contains(plan.text, "lockstep_tree_tests"));
    CHECK(contains(plan.text, "lockstep_core_tests *tests/core/query/*_test.cpp"));
    CHECK(contains(plan.text, "lockstep_ui_tests *tests/ui/panels/*_test.cpp"));
    CHECK_FALSE(contains(plan.text, "lockstep_app_tests"));
    CHECK(contains(plan.text, "tidy core/query/filter_text.cpp\n"));
}

TEST_CASE("a commit subject is an area and an imperative phrase") {
    CHECK(accepts_subject("timeline: draw wait shares as hatching"));
    CHECK(accepts_subject("ui, core: move files into rooms without an include cycle"));
    CHECK(accepts_subject("Revert \"timeline: draw wait shares as hatching\""));
    CHECK(accepts_subject("a: " + std::string(69, 'b')));
    CHECK_FALSE(accepts_subject("a: " + std::string(70, 'b')));
    CHECK_FALSE(accepts_subject("What clang-tidy asks"));
    CHECK_FALSE(accepts_subject("timeline: Draw wait shares"));
    CHECK_FALSE(accepts_subject("timeline: added wait shares"));
    CHECK_FALSE(accepts_subject("timeline: the wait shares"));
    CHECK_FALSE(accepts_subject("timeline: draw wait shares."));
    CHECK_FALSE(accepts_subject("timeline:draw wait shares"));
}

TEST_CASE("commits since the first checked one must have good subjects") {
    if (!has_git()) {
        MESSAGE("skipped: there is no git");
        return;
    }
    const HistoryFixture history;
    history.commit("store: keep name ids");
    CHECK(history.check(history.origin).status == 0);
    CHECK(contains(history.check(history.origin).text, "1 checked, 0 wrong"));
    history.commit("Laid out");
    const ShellResult failed = history.check(history.origin);
    CHECK(failed.status == 1);
    CHECK(contains(failed.text, "Laid out"));
    CHECK(contains(failed.text, "2 checked, 1 wrong"));
}

TEST_CASE("in a shallow clone the date of the first checked commit decides") {
    if (!has_git()) {
        MESSAGE("skipped: there is no git");
        return;
    }
    const HistoryFixture history;
    REQUIRE(history.git("add scripts").status == 0);
    history.commit("store: keep name ids");
    history.commit("Laid out");
    const fs::path clone = history.folder.path() / "clone";
    REQUIRE(
        history
            .git("clone --quiet --depth 1 file://" + in_single_quotes(history.origin) + " " + in_single_quotes(clone))
            .status == 0);
    const ShellResult checked = history.check(clone);
    CHECK(checked.status == 1);
    CHECK(contains(checked.text, "is not in this clone"));
    CHECK(contains(checked.text, "1 checked, 1 wrong"));
}

TEST_CASE("without git the subjects are said not to be checked") {
    const TempTree folder;
    fs::create_directories(folder.path() / "scripts/hooks");
    fs::copy(core::testing::source_folder() / "scripts/check_subjects.sh", folder.path() / "scripts");
    const ShellResult checked = HistoryFixture::check(folder.path());
    CHECK(checked.status == 0);
    CHECK(contains(checked.text, "not checked"));
}
