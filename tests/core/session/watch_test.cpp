// A folder that a job writes to while it is open.

#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/session/session_with_steps.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::chrono::milliseconds kQuiet{20};

std::string trace_text(int rank, int kernels, long first_us = 1000) {
    std::string text =
        R"({"distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": 2}, "traceEvents": [)";
    for (int i = 0; i < kernels; ++i)
        text += R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": )" +
                std::to_string(first_us + 10L * i) + R"(, "dur": 5, "args": {"device": 0, "stream": 7}},)";
    text.back() = ']';
    return text + "}";
}

struct Watching {
    ScratchFolder folder;
    SessionWithSteps session{2};
    Watching() {
        session.set_index_files(IndexFiles::Use);
        session.watch({folder.path()}, kQuiet);
    }
    template <class Condition>
    bool until(const Condition& condition) {
        for (int i = 0; i < 4'000; ++i) {
            session.update();
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
        }
        return false;
    }
    // Enough polls to make any file count as finished, without that.
    void look_for_long() {
        const auto end = std::chrono::steady_clock::now() + 20 * kQuiet;
        until([&] { return std::chrono::steady_clock::now() > end; });
    }
    const FolderState& look() const { return session.watched()->look; }
    std::string ranks() const {
        std::string text;
        if (!session.run()) return "none";
        for (const RankSlot& rank : session.run()->ranks())
            text += format_rank(rank.key) + ":" + std::to_string(rank.trace().size()) + " ";
        return text;
    }
    bool has_index(std::string_view name) const {
        return std::filesystem::exists(folder.path() / (std::string(name) + ".lockstep-index"));
    }
};

}  // namespace

TEST_CASE("ranks appear as their files are finished; what is being written is neither read nor indexed") {
    Watching w;
    w.look_for_long();
    CHECK(w.ranks() == "none");
    const std::string first = trace_text(0, 3);
    w.folder.write("rank0.json", first.substr(0, first.size() / 2));
    REQUIRE(w.until([&] { return w.look().growing.size() == 1; }));
    w.look_for_long();
    CHECK(w.ranks() == "none");
    CHECK_FALSE(w.has_index("rank0.json"));
    w.folder.write("rank0.json", first);
    REQUIRE(w.until([&] { return w.ranks() == "0:3 "; }));
    REQUIRE(w.until([&] { return w.has_index("rank0.json"); }));
    const RankIndexPtr before = w.session.run()->rank(0).index;
    // Written under another name, then renamed, as Kineto does.
    w.folder.write("rank1.json.tmp", trace_text(1, 4));
    w.look_for_long();
    CHECK(w.ranks() == "0:3 ");
    std::filesystem::rename(w.folder.path() / "rank1.json.tmp", w.folder.path() / "rank1.json");
    REQUIRE(w.until([&] { return w.ranks() == "0:3 1:4 "; }));
    CHECK(w.session.run()->rank(0).index == before);  // not read again
    CHECK_FALSE(w.session.can_undo());                // nothing the user did
}

TEST_CASE("a later window joins its rank, and a replaced file is read again") {
    Watching w;
    w.folder.write("host_100.1.pt.trace.json", trace_text(0, 3));
    REQUIRE(w.until([&] { return w.ranks() == "0:3 "; }));
    w.folder.write("host_100.2.pt.trace.json", trace_text(0, 5, 9'000'000));
    REQUIRE(w.until([&] { return w.ranks() == "0:3 0\u00B7b:5 "; }));
    w.folder.write("host_100.1.pt.trace.json", trace_text(0, 8));
    REQUIRE(w.until([&] { return w.ranks() == "0:8 0\u00B7b:5 "; }));
    // Interrupted by its writer: the run stays as it is.
    w.folder.write("host_100.3.pt.trace.json", trace_text(0, 2).substr(0, 100));
    REQUIRE(w.until([&] { return w.look().growing.size() == 1; }));
    CHECK(w.ranks() == "0:8 0\u00B7b:5 ");
    CHECK(w.session.load()->error().empty());
}
