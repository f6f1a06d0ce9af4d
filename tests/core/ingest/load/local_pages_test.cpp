#include "core/ingest/load/local_pages.hpp"

#include "core/ingest/index_file/index_places.hpp"
#include "tests/core/ingest/load/summary_beside.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

std::string why_not(const SummaryBeside& run, std::size_t slot) {
    const auto whole = open_whole_rank(run.summary->rank(slot), *run.summary->parts().pages, run.summary->rules(), {});
    return whole ? std::string() : whole.error().message;
}

}  // namespace

TEST_CASE("the index file of a trace is that of its name with the most folders in common") {
    const std::vector<fs::path> files = {"/lap/run/a/trace.json.lockstep-index", "/lap/run/b/trace.json.lockstep-index",
                                         "/lap/run/rank3.json.lockstep-index"};
    CHECK(find_index_file("/data/a/trace.json", files) == 0U);
    CHECK(find_index_file("/data/b/trace.json", files) == 1U);
    CHECK(find_index_file("/elsewhere/rank3.json", files) == 2U);
    CHECK_FALSE(find_index_file("/data/c/trace.json", files));  // either could be it
    CHECK_FALSE(find_index_file("/data/a/rank4.json", files));
    CHECK_FALSE(find_index_file("", files));
    const std::vector<fs::path> deeper = {"/x/b/t.json.lockstep-index", "/y/b/t.json.lockstep-index",
                                          "/z/a/b/t.json.lockstep-index"};
    CHECK(find_index_file("/data/a/b/t.json", deeper) == 2U);
    const std::vector<fs::path> twins = {"/x/b/t.json.lockstep-index", "/y/b/t.json.lockstep-index",
                                         "/z/c/t.json.lockstep-index"};
    CHECK_FALSE(find_index_file("/data/a/b/t.json", twins));
}

TEST_CASE_FIXTURE(SummaryBeside, "a rank of a summary is whole again by its index file") {
    for (std::size_t slot = 0; slot < summary->ranks().size(); ++slot) {
        const auto whole = open_whole_rank(summary->rank(slot), *summary->parts().pages, summary->rules(), {});
        REQUIRE_MESSAGE(whole, (whole ? std::string() : whole.error().message));
        const RankTrace& trace = whole->index->trace();
        CHECK(trace.size() == full->rank(slot).trace().size());
        CHECK(trace.size() > summary->rank(slot).trace().size());
        CHECK(trace.window == full->rank(slot).trace().window);
        CHECK(whole->bytes == fs::file_size(index_file_of(slot)));
    }
}

TEST_CASE_FIXTURE(SummaryBeside, "an index file of another trace or state is refused, and the reason says so") {
    REQUIRE(why_not(*this, 1).empty());
    SUBCASE("of another rank") {
        fs::copy_file(index_file_of(2), index_file_of(1), fs::copy_options::overwrite_existing);
        CHECK(why_not(*this, 1).find("not of the trace that the summary was made of") != std::string::npos);
    }
    SUBCASE("damaged") {
        fs::resize_file(index_file_of(1), fs::file_size(index_file_of(1)) / 2);
        CHECK_FALSE(why_not(*this, 1).empty());
    }
    SUBCASE("gone, with the trace") {
        fs::remove(index_file_of(1));
        CHECK(why_not(*this, 1).find(index_file_of(1).filename().string() + " is not below") != std::string::npos);
        CHECK(why_not(*this, 2).empty());
    }
    SUBCASE("beside the trace, where the summary's folder has none") {
        fs::path beside = full->rank(1).trace().info.path;
        fs::rename(index_file_of(1), beside += ".lockstep-index");
        CHECK(why_not(*this, 1).empty());
    }
}
