// Every analysis' partials and answers as bytes and back.

#include "core/analysis/run/answer_bytes.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/exchange_partials.hpp"
#include "core/export/json.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/cluster/thread_channels.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <random>

using namespace core;
using core::testing::TempFolder;
using core::testing::ThreadChannels;
namespace fs = std::filesystem;

namespace {

RunPtr load_sample() {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 6;
    options.steps = 3;
    options.layers = 2;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    LoadProgress progress;
    const fs::path paths[] = {folder.path()};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

std::string bytes_of(const Answer& answer) {
    ByteWriter out;
    AnswerWriter().write(out, answer);
    return std::move(out).take();
}

Result<Answer> read_back(std::string_view bytes) {
    ByteReader in(bytes);
    Result<Answer> answer = AnswerReader().read(in);
    if (answer && !in.at_end()) return Error{ErrorCode::Internal, "bytes are left"};
    return answer;
}

void check_equal(const Table& table, const Table& other) {
    REQUIRE(table.columns() == other.columns());
    REQUIRE(table.rows() == other.rows());
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        for (std::size_t row = 0; row < table.rows(); ++row) {
            REQUIRE(table.absent(row, c) == other.absent(row, c));
            const Cell cell = table.cell(row, c), same = other.cell(row, c);
            const double* const number = std::get_if<double>(&cell);
            if (number)
                REQUIRE(std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(std::get<double>(same)));
            else
                REQUIRE((cell == same));
        }
    }
}

void check_equal(const Answer& answer, const Answer& other) {
    REQUIRE(answer.tables.size() == other.tables.size());
    for (std::size_t i = 0; i < answer.tables.size(); ++i) {
        CHECK(answer.tables[i].name == other.tables[i].name);
        check_equal(answer.tables[i].table, other.tables[i].table);
    }
    REQUIRE(answer.series.size() == other.series.size());
    for (std::size_t i = 0; i < answer.series.size(); ++i) {
        const Series &one = answer.series[i], &two = other.series[i];
        CHECK((one.name == two.name && one.slot == two.slot && one.unit == two.unit));
        CHECK((one.time == two.time && one.value == two.value));
    }
    REQUIRE(answer.marks.size() == other.marks.size());
    for (std::size_t i = 0; i < answer.marks.size(); ++i) {
        CHECK(answer.marks[i].event == other.marks[i].event);
        CHECK(answer.marks[i].label == other.marks[i].label);
        CHECK(answer.marks[i].place == other.marks[i].place);
    }
    REQUIRE(answer.excluded.size() == other.excluded.size());
    for (std::size_t i = 0; i < answer.excluded.size(); ++i) {
        CHECK(answer.excluded[i].what == other.excluded[i].what);
        CHECK(answer.excluded[i].count == other.excluded[i].count);
    }
}

Answer small_answer() {
    Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
                 {"name", Unit::Text, Role::Info, Facet::Kernel, "a text"},
                 {"time", Unit::Ns, Role::Measure, Facet::None, "a time", true},
                 {"share", Unit::Ratio, Role::Measure, Facet::None, "a share", false, "time", Better::More}});
    table.add_row({std::int64_t{0}, std::string_view("gemm"), std::int64_t{-5}, 0.25});
    table.add_row({std::int64_t{1024}, Cell(), Cell(), Cell()});
    table.add_row({std::int64_t{2048}, std::string_view("gemm"), std::int64_t{7}, -0.0});
    Answer answer{{{"main", table}, {"beside", table}}, {}, {}, {}};
    answer.series.push_back({"queue", 3, Unit::Count, {run_time(-1), run_time(5)}, {0.5, 2}});
    answer.marks.push_back({{1, EventId{7}}, "here", RunRange{run_time(1), run_time(2)}});
    answer.marks.push_back({{}, "nowhere", std::nullopt});
    answer.excluded.push_back({"events", 12});
    return answer;
}

}  // namespace

TEST_CASE("an answer is read as it was written: tables, absent cells, series, marks, exclusions") {
    const Answer answer = small_answer();
    const Result<Answer> again = read_back(bytes_of(answer));
    REQUIRE(again);
    check_equal(answer, *again);
    const Answer none{};
    const Result<Answer> still_none = read_back(bytes_of(none));
    REQUIRE(still_none);
    CHECK(still_none->tables.empty());
}

TEST_CASE("columns that occur again are written once") {
    const Answer answer = small_answer();
    ByteWriter out;
    AnswerWriter writer;
    writer.write(out, answer);
    const std::size_t first = out.size();
    writer.write(out, answer);
    std::size_t of_columns = 0;
    for (const Column& column : answer.main().columns()) of_columns += column.name.size() + column.meaning.size();
    CHECK(out.size() - first < first - of_columns);
    const std::string bytes = std::move(out).take();
    ByteReader in(bytes);
    AnswerReader reader;
    for (int i = 0; i < 2; ++i) {
        const Result<Answer> again = reader.read(in);
        REQUIRE(again);
        check_equal(answer, *again);
    }
}

TEST_CASE("bytes that are cut or damaged are refused or give some answer, within bounds") {
    const std::string bytes = bytes_of(small_answer());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_FALSE(read_back(std::string_view(bytes).substr(0, length)));
    std::mt19937 random(26);
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = bytes;
        for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() & 0xFF);
        if (const Result<Answer> answer = read_back(damaged)) CHECK(answer->resident_bytes() < (1 << 20));
    }
}

TEST_CASE("partials and answers of every analysis survive being written and read") {
    const RunPtr run = load_sample();
    const Filter filter;
    for (const Analysis& analysis : all_analyses()) {
        CAPTURE(std::string(analysis.id));
        const Result<Params> params = make_params(analysis, {});
        REQUIRE(params);
        const PartialsTask task{.analysis = analysis,
                                .run = *run,
                                .filter = filter,
                                .params = *params,
                                .slots = slots_of(*run, filter),
                                .threads = 1};
        std::vector<const Partial*> before, after;
        std::vector<Partial> kept;
        const std::vector<Result<Partial>> partials = compute_partials(task, {});
        kept.reserve(partials.size());
        for (const Result<Partial>& partial : partials) {
            REQUIRE(partial);
            Result<Partial> again = read_back(bytes_of(*partial));
            REQUIRE(again);
            check_equal(*partial, *again);
            before.push_back(&*partial);
            kept.push_back(*std::move(again));
            after.push_back(&kept.back());
        }
        const Result<Answer> one = merge_partials(analysis, before, *run, *params, {});
        const Result<Answer> two = merge_partials(analysis, after, *run, *params, {});
        REQUIRE(one);
        REQUIRE(two);
        CHECK(to_json(analysis, *run, filter, *params, *one) == to_json(analysis, *run, filter, *params, *two));
    }
}

TEST_CASE("processes that share the ranks get the partials of one, in its order") {
    const RunPtr run = load_sample();
    for (const std::string text : {"", "rank:1-4", "class:communication step:2"}) {
        const Result<Filter> filter = parse_filter(text);
        REQUIRE(filter);
        for (const std::string_view id : {"temporal-breakdown", "kernels", "stragglers", "critical-path"}) {
            const Analysis* const analysis = find_analysis(id);
            REQUIRE(analysis);
            CAPTURE(text);
            CAPTURE(std::string(id));
            const Result<Params> params = make_params(*analysis, {});
            const PartialsTask task{.analysis = *analysis,
                                    .run = *run,
                                    .filter = *filter,
                                    .params = *params,
                                    .slots = slots_of(*run, *filter),
                                    .threads = 2};
            const std::vector<Result<Partial>> alone = compute_partials(task, {});
            std::optional<std::vector<Result<Partial>>> shared;
            std::atomic<int> empty{0};
            ThreadChannels::run(3, [&](Team& team) {
                Result<std::vector<Result<Partial>>> partials = exchange_partials(team, task, {});
                if (partials && team.is_first())
                    shared = *std::move(partials);
                else if (partials && partials->empty())
                    ++empty;
            });
            CHECK(empty == 2);
            REQUIRE(shared);
            REQUIRE(shared->size() == alone.size());
            for (std::size_t i = 0; i < alone.size(); ++i) {
                REQUIRE(alone[i].has_value() == (*shared)[i].has_value());
                if (alone[i])
                    check_equal(*alone[i], *(*shared)[i]);
                else
                    CHECK(alone[i].error().message == (*shared)[i].error().message);
            }
        }
    }
}

TEST_CASE("partials of several analyses are shared at once, and each is had by its analysis") {
    const RunPtr run = load_sample();
    const Filter all;
    const std::vector<std::string_view> ids{"kernels", "verdict", "stragglers"};
    std::vector<Params> params;
    for (const std::string_view id : ids) params.push_back(*make_params(*find_analysis(id), {}));
    std::vector<PartialsTask> tasks;
    for (std::size_t i = 0; i < ids.size(); ++i)
        tasks.push_back({.analysis = *find_analysis(ids[i]),
                         .run = *run,
                         .filter = all,
                         .params = params[i],
                         .slots = slots_of(*run, all),
                         .threads = 1});
    std::optional<ExchangedPartials> shared;
    std::atomic<int> empty{0};
    ThreadChannels::run(3, [&](Team& team) {
        Result<ExchangedPartials> partials = ExchangedPartials::compute_all(team, tasks, {});
        if (partials && team.is_first())
            shared = *std::move(partials);
        else if (partials && !partials->compute(tasks.front(), {}))
            ++empty;
    });
    CHECK(empty == 2);
    REQUIRE(shared);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        CAPTURE(std::string(ids[i]));
        const Result<Answer> one = run_analysis(tasks[i].analysis, *run, all, params[i], 1, {});
        const Result<Answer> other = run_analysis(tasks[i].analysis, *run, all, params[i], 1, *shared, {});
        REQUIRE(one);
        REQUIRE(other);
        CHECK(to_json(tasks[i].analysis, *run, all, params[i], *one) ==
              to_json(tasks[i].analysis, *run, all, params[i], *other));
    }
    const Params none = *make_params(*find_analysis("overlap"), {});
    CHECK_FALSE(run_analysis(*find_analysis("overlap"), *run, all, none, 1, *shared, {}));
}

TEST_CASE("a question is decoded as it was asked; a broken one is refused") {
    const PartialsQuestion question{.run = 3, .analysis = "kernels", .params = {1, -2}, .filter = "rank:1"};
    const std::string bytes = encode_question(question);
    const Result<PartialsQuestion> again = decode_question(bytes);
    REQUIRE(again);
    CHECK(*again == question);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_FALSE(decode_question(std::string_view(bytes).substr(0, length)));
}
