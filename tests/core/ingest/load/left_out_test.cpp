// Files of a folder that are recognised but not read.

#include "core/ingest/load/left_out.hpp"

#include "core/doctor/losses.hpp"
#include "core/ingest/load/archive_names.hpp"
#include "core/ingest/load/text_kinds.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/ingest/pickle/pickle_writer.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

std::string rank_file() {
    return R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [{"ph": "X", "cat": "kernel", )"
           R"("name": "a", "pid": 1, "tid": 1, "ts": 10, "dur": 5}]})";
}

std::string number(std::uint64_t value, int bytes) { return little_endian(value, bytes); }

// A ZIP of stored files, each with its name as contents.
std::string zip_of(const std::vector<std::string>& names) {
    std::string files, directory;
    for (const std::string& name : names) {
        const std::string sizes = number(0, 4) + number(name.size(), 4) + number(name.size(), 4);
        const std::string at = number(files.size(), 4);
        files +=
            "PK\x03\x04" + number(20, 2) + number(0, 8) + sizes + number(name.size(), 2) + number(0, 2) + name + name;
        directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(0, 8) + sizes + number(name.size(), 2) +
                     number(0, 12) + at + name;
    }
    return files + directory + "PK\x05\x06" + number(0, 4) + number(names.size(), 2) + number(names.size(), 2) +
           number(directory.size(), 4) + number(files.size(), 4) + number(0, 2);
}

std::string tar_of(const std::vector<std::string>& names) {
    std::string archive;
    for (const std::string& name : names) {
        std::string header = name;
        header.resize(124, '\0');
        header += "00000000010";  // 8 bytes
        header.resize(257, '\0');
        header += "ustar";
        header.resize(512, '\0');
        std::string contents = "contents";
        contents.resize(512, '\0');
        archive += header + contents;
    }
    return archive + std::string(1024, '\0');
}

std::vector<LeftOut> left_out_of(const ScratchFolder& folder) {
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    REQUIRE(found.has_value());
    return find_left_out(*found);
}

RunPtr open(const ScratchFolder& folder) {
    const std::vector paths{folder.path()};
    LoadProgress progress;
    Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, JobContext{});
    REQUIRE(run.has_value());
    return *run;
}

std::string first_of(const Diagnostics& diagnostics, std::string_view kind) {
    for (const Diagnostic& entry : diagnostics.entries())
        if (entry.kind->id == kind) return entry.first;
    return {};
}

}  // namespace

TEST_CASE("profiles in a folder that are not read are a loss, each kind with its files and the next step") {
    const ScratchFolder folder;
    folder.write("rank0.json", rank_file());
    folder.write("a.nsys-rep", "NSYS");
    folder.write("sub/b.nsys-rep.gz", "anything");
    folder.write("rank1.pt.trace.zip", zip_of({"traces/", "traces/rank1.json"}));
    folder.write("host.xplane.pb", "damaged");
    folder.write("report.ncu-rep", std::string("NVR\0abc", 7));
    folder.write("rank9.json.xz", std::string("\xFD"
                                              "7zXZ\0",
                                              6));
    folder.write("old.tar", tar_of({"rank2.json.gz"}));
    folder.write("raw.qdstrm", "x");
    folder.write("rank4.data", R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "a"}]})");
    const RunPtr run = open(folder);
    CHECK(run->ranks().size() == 1);
    CHECK(run->diagnostics().count("profile-left-out") == 9);
    const std::string text = first_of(run->diagnostics(), "profile-left-out");
    for (const std::string_view part :
         {"2 Nsight Systems reports (a.nsys-rep, b.nsys-rep.gz): for each, convert it with `nsys export -t sqlite "
          "--include-blobs=true ",
          "1 ZIP archive (rank1.pt.trace.zip): unpack it", "1 damaged xplane profile (host.xplane.pb)",
          "(report.ncu-rep)", "1 xz file (rank9.json.xz): decompress it", "1 TAR archive (old.tar)", "(raw.qdstrm)",
          "1 trace under another name (rank4.data): open it by its name"})
        CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in " << text);
    const std::shared_ptr<const Losses> losses = find_losses(*run);
    CHECK(losses->left_out == 9);
    CHECK(losses->headline() == "9 profiles are left out");
    REQUIRE(losses->entries.size() == 1);
    CHECK(losses->entries.front().text().starts_with("9 profiles in the folder not read: 2 Nsight Systems reports"));
    CHECK(diagnostic_kind("profile-left-out").incomplete);
}

TEST_CASE("a file named like a trace that is another profile is left out in the same words") {
    const ScratchFolder folder;
    folder.write("rank0.json", rank_file());
    folder.write("1_results.json", R"({"rocprofiler-sdk-tool": [{"metadata": {}}]})");
    folder.write("config.json", R"({"hidden": 1})");
    const RunPtr run = open(folder);
    CHECK(run->diagnostics().count("profile-left-out") == 1);
    CHECK(
        first_of(run->diagnostics(), "profile-left-out").starts_with("1 rocprofv3 result (1_results.json): write it"));
    CHECK(run->diagnostics().count("not-a-trace") == 1);
}

TEST_CASE("another form of a recording that is read is a note") {
    const ScratchFolder folder;
    folder.write("rank0.trace.json", rank_file());
    folder.write("rank0.json.bak", R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "a"}]})");
    const RunPtr run = open(folder);
    CHECK(run->diagnostics().count("profile-left-out") == 0);
    CHECK(run->diagnostics().count("file-left-out") == 1);
    CHECK(first_of(run->diagnostics(), "file-left-out").find("rank0.json.bak") != std::string::npos);
    CHECK(find_losses(*run)->empty());
}

TEST_CASE("files that nobody takes for profiles are no note") {
    const ScratchFolder folder;
    folder.write("rank0.json", rank_file());
    folder.write("train.py", "print('ProcessGroupNCCL')");
    folder.write("notes.txt", "hello");
    folder.write("model.pt", zip_of({"archive/data.pkl", "archive/data/0"}));
    folder.write("weights.zip", zip_of({"weights.bin"}));
    folder.write("sources.tar", tar_of({"src/main.py"}));
    folder.write("schema.proto", "syntax = \"proto3\";");
    folder.write("loss.csv", "step,loss\n1,2\n");
    folder.write("blob.bin", std::string("\x01\x02\x03", 3));
    folder.write("empty.out", "");
    folder.write("long.txt", "{\"a\": [" + std::string(std::size_t{1} << 17, ' ') + "1]}");
    CHECK(left_out_of(folder).empty());
    CHECK(open(folder)->diagnostics().entries().empty());
}

TEST_CASE("an unknown pickle is a note with what it is") {
    const ScratchFolder folder;
    folder.write("rank0.json", rank_file());
    folder.write("args.pkl", pickled({{"lr", 1}}));
    const RunPtr run = open(folder);
    CHECK(first_of(run->diagnostics(), "file-left-out").starts_with("1 Python pickle (args.pkl): Lockstep reads"));
    CHECK(run->diagnostics().count("profile-left-out") == 0);
}

TEST_CASE("a folder without a trace says what lies there and what to do, with paths that a shell takes") {
    const ScratchFolder folder;
    const auto file = folder.write("my run/a.nsys-rep", "NSYS");
    folder.write("notes.txt", "hello");
    const Result<RunPtr> run = [&] {
        LoadProgress progress;
        return load_run(std::vector{folder.path()}, LoadOptions{}, progress, JobContext{});
    }();
    REQUIRE_FALSE(run.has_value());
    CHECK(run.error().message.ends_with(
        "; found 1 Nsight Systems report (a.nsys-rep): convert it with `nsys export -t "
        "sqlite --include-blobs=true '" +
        file.string() + "'`, which --nsys-export runs, and open the .sqlite file; and 1 text file"));
}

TEST_CASE("names in archives are listed, and none is believed that is not there") {
    const ScratchFolder folder;
    const std::string zip = zip_of({"a.json", "b/c.txt"});
    CHECK(list_zip(folder.write("whole.zip", zip)) == std::vector<std::string>{"a.json", "b/c.txt"});
    for (std::size_t size = 0; size < zip.size(); ++size)
        CHECK(list_zip(folder.write("cut.zip", zip.substr(0, size))).empty());
    for (std::size_t at = 0; at < zip.size(); ++at) {
        std::string damaged = zip;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
        CHECK(list_zip(folder.write("damaged.zip", damaged)).size() <= 2);
    }
    CHECK(list_tar(tar_of({"a.json", "b.json"})) == std::vector<std::string>{"a.json", "b.json"});
    CHECK(list_tar(tar_of({"a.json"}).substr(0, 600)) == std::vector<std::string>{"a.json"});
    CHECK(list_tar("short").empty());
}

TEST_CASE("text that begins with a bracket and a number is no JSON") {
    for (const std::string_view list : {"[1, 2]", "[1, 2]\n", "[-1.5e3", "[12,"}) CHECK(begins_number_list(list));
    for (const std::string_view text : {"[2026-03-01 10:00:00,000] [INFO] x", "[1,0]<stdout>: x", "[0]: loss", "["})
        CHECK_FALSE(begins_number_list(text));
}
