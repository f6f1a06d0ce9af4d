// --nsys-export, with a stand-in for nsys on the PATH.

#include "tests/app/cli.hpp"

#include <doctest/doctest.h>

using namespace app::testing;

namespace {

// Runs lockstep with a folder of its own first on the PATH.
Outcome lockstep_with(const std::filesystem::path& tools, const std::string& words) {
    return run_shell("PATH=" + quoted(tools.string()) + ":/usr/bin:/bin " + quoted(core::testing::lockstep_binary()) +
                     " " + words);
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a report of Nsight Systems is exported on request, beside itself, and opened") {
    const core::testing::TempFolder folder;
    const std::filesystem::path report = folder.path() / "run" / "a b.nsys-rep", tools = folder.path() / "tools";
    write(report, "NVIDIA Tag");
    write(tools / "nsys",
          "#!/bin/sh\n[ \"$1 $2 $3 $4 $5\" = 'export -t sqlite --include-blobs=true -o' ] || exit 3\n"
          "[ -f \"$7\" ] || exit 4\n"
          "echo '[{\"ph\": \"X\", \"name\": \"a\", \"cat\": \"kernel\", \"pid\": 1, \"tid\": 1, \"ts\": "
          "1, \"dur\": 1}]' > \"$6\"\n");
    std::filesystem::permissions(tools / "nsys", std::filesystem::perms::owner_all);

    const Outcome refused = lockstep_with(tools, "info " + quoted(report.string()));
    CHECK(refused.status == 1);
    CHECK(refused.err.find("`nsys export -t sqlite --include-blobs=true '" + report.string() +
                           "'`, which --nsys-export runs") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "run" / "a b.sqlite"));

    const Outcome opened = lockstep_with(tools, "info --nsys-export " + quoted(report.string()));
    CHECK_MESSAGE(opened.status == 0, opened.err);
    CHECK(opened.out.find("a b.sqlite") != std::string::npos);
    const Outcome in_folder = lockstep_with(tools, "info --nsys-export " + quoted(report.parent_path().string()));
    CHECK_MESSAGE(in_folder.status == 0, in_folder.err);
}

TEST_CASE("an export that fails, or nsys that is not there, is an error with its words") {
    const core::testing::TempFolder folder;
    const std::filesystem::path report = folder.path() / "a.nsys-rep", tools = folder.path() / "tools";
    write(report, "NVIDIA Tag");
    std::filesystem::create_directories(tools);
    const Outcome absent = lockstep_with(tools, "info --nsys-export " + quoted(report.string()));
    CHECK(absent.status == 1);
    CHECK(absent.err.find("nsys cannot be started") != std::string::npos);
    write(tools / "nsys", "#!/bin/sh\necho 'not a report' >&2\nexit 1\n");
    std::filesystem::permissions(tools / "nsys", std::filesystem::perms::owner_all);
    const Outcome failed = lockstep_with(tools, "info --nsys-export " + quoted(report.string()));
    CHECK(failed.status == 1);
    CHECK(failed.err.find("nsys export failed: not a report") != std::string::npos);
}
