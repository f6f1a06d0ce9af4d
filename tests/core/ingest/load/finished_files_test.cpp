#include "core/ingest/load/finished_files.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/ingest/load/malformed_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

using Moment = FinishedFiles::Clock::time_point;

struct Watched {
    ScratchFolder folder;
    FinishedFiles files{{folder.path()}};
    Moment now{};
    // Names of finished files, then "|", then names of growing ones, after a while.
    std::string after(std::chrono::milliseconds time) {
        now += time;
        const FolderState look = files.look(now, JobContext{});
        std::string text;
        for (const auto& [path, state] : look.finished) text += path.filename().string() + " ";
        text += "|";
        for (const std::filesystem::path& path : look.growing) text += " " + path.filename().string();
        return text;
    }
};

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a file is settled once two looks a second apart found it unchanged and whole") {
    Watched watched;
    const std::string text = good_file();
    watched.folder.write("rank0.json", text.substr(0, 40));
    CHECK(watched.after(0ms) == "| rank0.json");
    CHECK(watched.after(5s) == "| rank0.json");  // unchanged, but without its end
    watched.folder.write("rank0.json", text);
    CHECK(watched.after(1s) == "| rank0.json");
    CHECK(watched.after(999ms) == "| rank0.json");
    CHECK(watched.after(1ms) == "rank0.json |");
    // Written again in place.
    watched.folder.write("rank0.json", text + "\n");
    CHECK(watched.after(1s) == "| rank0.json");
    CHECK(watched.after(1s) == "rank0.json |");
    std::filesystem::remove(watched.folder.path() / "rank0.json");
    CHECK(watched.after(1s) == "|");
}

TEST_CASE("temporary names, index files and files that aren't traces are neither finished nor growing") {
    Watched watched;
    for (const char* name : {"rank0.json.tmp", ".rank0.json", "rank0.json.part", "rank0.json~"})
        watched.folder.write(name, good_file());
    watched.folder.write("rank0.json.lockstep-index", "x");
    watched.folder.write("notes.txt", "nothing of NCCL");
    watched.folder.write("deep/iteration_10/rank0_trace.json.gz", gzip(good_file()));
    watched.after(0ms);
    CHECK(watched.after(2s) == "rank0_trace.json.gz |");
    // Renamed when it is finished, as Kineto does.
    std::filesystem::rename(watched.folder.path() / "rank0.json.tmp", watched.folder.path() / "rank0.json");
    CHECK(watched.after(1s) == "rank0_trace.json.gz | rank0.json");
    CHECK(watched.after(1s) == "rank0_trace.json.gz rank0.json |");
}

TEST_CASE("every kind of file is whole only with its own end") {
    const ScratchFolder folder;
    const auto whole = [&](std::string_view name, std::string_view bytes) {
        return is_complete_file(folder.write(name, bytes), JobContext{});
    };
    const std::string text = good_file(), packed = gzip(text);
    CHECK(whole("a.json", text + "\n\n"));
    CHECK_FALSE(whole("a.json", text.substr(0, text.size() - 1)));
    CHECK(whole("list.json", "[{}]"));
    CHECK(whole("open.json", "[{},\n{}\n"));
    CHECK_FALSE(whole("cut.json", "[{},\n{\"a\": "));
    CHECK(whole("a.json.gz", packed));
    CHECK_FALSE(whole("a.json.gz", packed.substr(0, packed.size() - 1)));  // its trailer
    CHECK_FALSE(whole("a.json.gz", gzip(text.substr(0, text.size() - 1))));
    CHECK_FALSE(whole("empty.json", ""));
    CHECK(whole("rank_0", std::string("\x80\x02}.", 4)));
    CHECK_FALSE(whole("rank_0", std::string("\x80\x02}", 3)));
    // 2 pages of 512 bytes.
    std::string database(1024, '\0');
    database.replace(0, 16, std::string("SQLite format 3\0", 16));
    database[16] = 2;
    database[31] = 2;
    CHECK(whole("a.sqlite", database));
    CHECK_FALSE(whole("a.sqlite", database.substr(0, 700)));
    folder.write("a.sqlite-journal", "x");
    CHECK_FALSE(whole("a.sqlite", database));
    CHECK(whole("nccl.log", "host:1:1 [0] NCCL INFO x"));
}
