// Answers that are stored next to index files: found again for the same question of the same run only.

#include "core/analysis/run/stored_answers.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/analysis/run/answer_bytes.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/small_file.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace core;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

RunPtr open(const fs::path& folder, IndexFiles files = IndexFiles::Use) {
    LoadOptions options;
    options.index_files = files;
    LoadProgress progress;
    const fs::path paths[] = {folder};
    Result<RunPtr> run = load_run(paths, options, progress, {});
    REQUIRE(run);
    return *run;
}

struct SampleFolder {
    TempFolder folder{};
    SampleFolder() {
        SampleOptions options;
        options.ranks = 2;
        options.steps = 3;
        options.layers = 2;
        REQUIRE(write_sample_run(folder.path(), options, {}));
    }
    fs::path answers() const {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
            if (entry.path().extension() == ".lockstep-answers") return entry.path();
        return {};
    }
};

const Analysis& analysis(std::string_view id) {
    const Analysis* const found = find_analysis(id);
    REQUIRE(found);
    return *found;
}

Params standard_of(const Analysis& of) { return *make_params(of, {}); }

std::shared_ptr<StoredAnswers> stored_of(const Run& run, std::string_view id) {
    return stored_answers_of(run, analysis(id), {}, standard_of(analysis(id)));
}

Result<Answer> compute(const Run& run, const Analysis& of) { return run_analysis(of, run, {}, standard_of(of), 2, {}); }

std::string packed(const Answer& answer) {
    ByteWriter out;
    AnswerWriter().write(out, answer);
    return std::move(out).take();
}

// As another program would find it.
bool is_found(const fs::path& folder, std::string_view id) {
    const RunPtr run = open(folder);
    const std::shared_ptr<StoredAnswers> stored = stored_of(*run, id);
    return stored && stored->find(*run, analysis(id)).has_value();
}

constexpr std::string_view kId = "temporal-breakdown";

void store_one(const fs::path& folder) {
    const RunPtr run = open(folder);
    const Result<Answer> answer = compute(*run, analysis(kId));
    REQUIRE(answer);
    stored_of(*run, kId)->store(*run, analysis(kId), *answer);
}

void write_bytes(const fs::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

TEST_CASE("the answer of every analysis is found again as it was computed") {
    const SampleFolder sample;
    const RunPtr first = open(sample.folder.path());
    std::map<std::string_view, std::string> computed;
    for (const Analysis& of : all_analyses()) {
        const Result<Answer> answer = compute(*first, of);
        if (!answer) continue;
        computed[of.id] = packed(*answer);
        stored_of(*first, of.id)->store(*first, of, *answer);
    }
    const RunPtr again = open(sample.folder.path());
    std::size_t found = 0;
    for (const Analysis& of : all_analyses()) {
        if (!computed.contains(of.id)) continue;
        CAPTURE(of.id);
        const std::optional<Answer> answer = stored_of(*again, of.id)->find(*again, of);
        CHECK(answer.has_value());
        if (!answer) continue;
        CHECK(packed(*answer) == computed[of.id]);
        ++found;
    }
    CHECK(found > 50);
    CHECK(!sample.answers().empty());
}

TEST_CASE("a filter, other parameters, or a run without index files are not for stored answers") {
    const SampleFolder sample;
    const RunPtr run = open(sample.folder.path());
    const Analysis& of = analysis("idle-gaps");
    Params params = standard_of(of);
    REQUIRE(!params.empty());
    CHECK(stored_answers_of(*run, of, {}, params));
    CHECK(!stored_answers_of(*run, of, *parse_filter("rank:0"), params));
    params.front() += 1;
    CHECK(!stored_answers_of(*run, of, {}, params));
    const RunPtr without = open(sample.folder.path(), IndexFiles::Ignore);
    CHECK(!stored_answers_of(*without, of, {}, standard_of(of)));
}

TEST_CASE("stored answers are not used after anything that they depend on has changed") {
    const SampleFolder sample;
    const fs::path& folder = sample.folder.path();
    store_one(folder);
    REQUIRE(is_found(folder, kId));
    CHECK(!is_found(folder, "findings"));
    SUBCASE("a trace") {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".json")
                fs::last_write_time(entry.path(), entry.last_write_time() + std::chrono::seconds(3));
        CHECK(!is_found(folder, kId));
    }
    SUBCASE("a further file, as a log of the GPUs can be") {
        write_bytes(folder / "smi.csv", "timestamp, index\n");
        CHECK(!is_found(folder, kId));
    }
    SUBCASE("what the user set") {
        Limits limits;
        REQUIRE(!limits.add("host.warn=0.9"));
        replace_file_limits(limits);
        CHECK(!is_found(folder, kId));
        replace_file_limits({});
        CHECK(is_found(folder, kId));
    }
    SUBCASE("the clocks") {
        const RunPtr run = open(folder);
        RunParts moved = run->parts();
        moved.ranks[1].clock.offset += Duration{1000};
        const Run other(std::move(moved));
        CHECK(!stored_of(other, kId)->find(other, analysis(kId)));
    }
    SUBCASE("the ranks that it has") {
        const RunPtr run = open(folder);
        RunParts fewer = run->parts();
        fewer.ranks.pop_back();
        const Run other(std::move(fewer));
        CHECK(!stored_of(other, kId)->find(other, analysis(kId)));
    }
}

TEST_CASE("a damaged file of stored answers is as good as none") {
    const SampleFolder sample;
    const fs::path& folder = sample.folder.path();
    store_one(folder);
    const fs::path file = sample.answers();
    const Result<std::string> whole = read_small_file(file);
    REQUIRE(whole);
    for (std::size_t at = 0; at < whole->size(); at += 1 + whole->size() / 60) {
        std::string bytes = *whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
        write_bytes(file, bytes);
        CAPTURE(at);
        CHECK(!is_found(folder, kId));
        write_bytes(file, whole->substr(0, at));
        CHECK(!is_found(folder, kId));
    }
    write_bytes(file, *whole);
    CHECK(is_found(folder, kId));
}

TEST_CASE("a stored answer that names events which no rank has is not used") {
    const SampleFolder sample;
    const RunPtr run = open(sample.folder.path());
    const Analysis& of = analysis("findings");
    Result<Answer> answer = compute(*run, of);
    REQUIRE(answer);
    answer->marks.push_back({{0, EventId{0}}, "first"});
    stored_of(*run, of.id)->store(*run, of, *answer);
    CHECK(stored_of(*run, of.id)->find(*run, of));
    answer->marks.back().event.event = EventId{static_cast<std::uint32_t>(run->rank(0).trace().size())};
    stored_of(*run, of.id)->store(*run, of, *answer);
    CHECK(!stored_of(*run, of.id)->find(*run, of));
    answer->marks.back().event = {static_cast<std::uint32_t>(run->ranks().size()), EventId{0}};
    stored_of(*run, of.id)->store(*run, of, *answer);
    CHECK(!stored_of(*run, of.id)->find(*run, of));
}

TEST_CASE("stored answers never replace what a link leads to") {
    const SampleFolder sample;
    const fs::path& folder = sample.folder.path();
    store_one(folder);
    const fs::path file = sample.answers();
    fs::remove(file);
    const TempFolder elsewhere;
    const fs::path target = elsewhere.path() / "letter.txt";
    write_bytes(target, "dear all");
    fs::create_symlink(target, file);
    store_one(folder);
    CHECK(*read_small_file(target) == "dear all");
}
