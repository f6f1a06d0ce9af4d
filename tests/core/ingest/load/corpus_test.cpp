// Expected result for every file of the trace corpus, which is next to the checkout or in LOCKSTEP_CORPUS.

#include "tests/corpus.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

using namespace core;

namespace {

// path, "opens" or "refused"; then ranks, records and events of all of them, or words of the refusal.
struct Expected {
    bool opens = false;
    std::uint64_t ranks = 0;
    std::uint64_t records = 0;
    std::uint64_t events = 0;
    std::string words;
};

std::map<std::string, Expected> read_table() {
    std::map<std::string, Expected> table;
    std::ifstream file(core::testing::source_folder() / "tests/golden/corpus.tsv");
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::vector<std::string> cells;
        std::istringstream cut(line);
        for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
        REQUIRE(cells.size() == 5);
        Expected expected;
        expected.opens = cells[1] == "opens";
        if (expected.opens) {
            expected.ranks = std::stoull(cells[2]);
            expected.records = std::stoull(cells[3]);
            expected.events = std::stoull(cells[4]);
        } else {
            expected.words = cells[4];
        }
        table[cells[0]] = expected;
    }
    return table;
}

}  // namespace

TEST_CASE("every file of the corpus opens with its records and events, or is refused with words that help") {
    if (!core::testing::corpus_is_here()) return;
    const std::map<std::string, Expected> table = read_table();
    CHECK(table.size() == 192);
    std::set<std::string> seen;
    for (const std::filesystem::path& path : core::testing::corpus_files()) {
        const std::string name = std::filesystem::relative(path, core::testing::corpus_folder()).generic_string();
        seen.insert(name);
        INFO(name);
        const auto expected = table.find(name);
        REQUIRE(expected != table.end());
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::vector{path}, {}, progress, {});
        REQUIRE(run.has_value() == expected->second.opens);
        if (!run) {
            CHECK(run.error().message.find(expected->second.words) != std::string::npos);
            continue;
        }
        CHECK((*run)->ranks().size() == expected->second.ranks);
        std::uint64_t records = 0, events = 0;
        for (const RankSlot& rank : (*run)->ranks()) {
            const RecordCounts& counts = rank.trace().info.records;
            CHECK(core::testing::sum_of_parts(counts) == counts.total);
            records += counts.total;
            events += rank.trace().size();
        }
        CHECK(records == expected->second.records);
        CHECK(events == expected->second.events);
    }
    if (!core::testing::is_whole_corpus()) return;
    for (const auto& [name, expected] : table) CHECK_MESSAGE(seen.contains(name), name);
}
