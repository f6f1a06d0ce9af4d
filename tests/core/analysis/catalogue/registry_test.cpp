// Every registered analysis on every fixture, and on every run of the corpus if present: common
// properties (schema, keys, exports) and the sums of DEFINITIONS.

#include "core/export/csv.hpp"
#include "core/export/json.hpp"
#include "core/export/text_table.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

struct Fixture {
    std::string name;
    RunPtr run;
};

RunPtr load_sample() {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 4;
    options.steps = 3;
    options.layers = 2;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    LoadProgress progress;
    const fs::path paths[] = {folder.path()};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

std::vector<Fixture> fixtures() {
    return {{"empty trace", run_of({TraceFixture().build()})},
            {"no ranks", run_of({})},
            {"one GPU event", run_of({TraceFixture().kernel(100, 50, "gemm").build()})},
            {"one GPU event of no length", run_of({TraceFixture().kernel(100, 0, "gemm").build()})},
            {"one CPU event", run_of({TraceFixture().cpu(5, 10, "aten::mm").build()})},
            {"CPU only, with steps",
             run_of({TraceFixture().step(0, 100, 1).step(100, 100, 2).cpu(5, 10, "aten::mm").build()})},
            {"a rank with and one without GPU",
             run_of({TraceFixture().kernel(0, 9, "gemm").build(), TraceFixture().cpu(0, 5, "aten::mm").build()})},
            {"absurd times", run_of({TraceFixture()
                                         .kernel(-4'000'000'000'000'000'000, 4'000'000'000'000'000'000, "gemm")
                                         .kernel(0, 4'000'000'000'000'000'000, "gemm", 8)
                                         .kernel(5, 4'000'000'000'000'000'000, "gemm", 9)
                                         .build()})},
            {"sample", load_sample()}};
}

void check_schema(const Analysis& analysis) {
    CHECK(std::ranges::all_of(analysis.id, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); }));
    CHECK_FALSE(analysis.title.empty());
    CHECK_FALSE(analysis.summary.empty());
    CHECK(analysis.definition.join_lines().size() > 100);
    const std::vector<Column> columns = analysis.columns();
    std::set<std::string> names;
    bool measures_began = false;
    for (const Column& column : columns) {
        INFO(column.name);
        CHECK(names.insert(column.name).second);
        CHECK_FALSE(column.meaning.empty());
        CHECK_FALSE((column.role == Role::Key && measures_began));
        measures_began = measures_began || column.role != Role::Key;
        CHECK((column.unit != Unit::Rank || column.facet == Facet::Rank));
        CHECK((column.role != Role::Measure || column.unit != Unit::Text));
    }
    CHECK(columns.front().role == Role::Key);
    for (const std::string_view measure : analysis.chart.measures) CHECK(names.contains(std::string(measure)));
    if (analysis.chart.kind != ChartKind::None) CHECK(names.contains(std::string(analysis.chart.category)));
    if (!analysis.chart.series.empty()) CHECK(names.contains(std::string(analysis.chart.series)));
    const auto is_lead = [&](const Column& column) {
        return column.name == analysis.lead && column.role == Role::Measure;
    };
    CHECK((analysis.lead.empty() || std::ranges::any_of(columns, is_lead)));
    for (const Column& column : columns) CHECK((!column.adds_up || column.role == Role::Measure));
    for (const Param& param : analysis.params) {
        CHECK((param.least <= param.standard && param.standard <= param.most));
        CHECK((param.choices.empty() || param.most + 1 == std::ssize(param.choices)));
    }
}

// One check per table: the corpus has millions of rows.
void check_keys_unique(const Table& table) {
    std::unordered_set<std::string> seen;
    std::size_t absent = 0;
    std::string twice;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string key;
        for (std::size_t c = 0; c < table.columns().size() && table.columns()[c].role == Role::Key; ++c) {
            absent += table.absent(row, c) ? 1U : 0U;
            key += format_cell_exact(table, row, c) + '\x1f';
        }
        if (const auto [known, is_new] = seen.insert(std::move(key)); !is_new && twice.empty()) twice = *known;
    }
    CHECK(absent == 0);
    CHECK(twice == "");
}

// Checks rows of a CSV text and fields per row; quoted fields count once.
void check_csv(const std::string& csv, const Table& table) {
    std::size_t rows = 0, fields = 1, wrong = 0;
    bool quoted = false;
    for (const char c : csv) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == ',') ++fields;
        if (c != '\n') continue;
        wrong += fields == table.columns().size() ? 0U : 1U;
        fields = 1;
        ++rows;
    }
    CHECK(wrong == 0);
    CHECK(rows == table.rows() + 1);
    CHECK_FALSE(quoted);
}

void check_exports(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                   const Answer& answer) {
    const Json json = Json::parse(to_json(analysis, run, filter, params, answer));
    CHECK(json["rows"].size() == answer.main().rows());
    CHECK(json["columns"].size() == answer.main().columns().size());
    check_csv(to_csv(answer.main()), answer.main());
    const std::string text = to_text_table(answer.main());
    CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == answer.main().rows() + 1);
}

// A run summary knows by them which columns its answers have.
void check_secondary_tables(const Analysis& analysis, const Answer& answer) {
    for (const NamedTable& named : std::span(answer.tables).subspan(1)) {
        INFO(named.name);
        const auto declared = std::ranges::find(analysis.tables, named.name, &SecondaryTable::name);
        REQUIRE(declared != analysis.tables.end());
        CHECK(named.table.columns() == declared->columns());
    }
}

// The exports of large runs, which are most of the work, are checked without a filter only.
void check_answer(const Analysis& analysis, const Run& run, const std::string& filter_text, const GivenParams& given) {
    INFO(analysis.id, " ", filter_text);
    const Answer answer = answer_of(run, analysis.id, filter_text, given);
    const std::vector<Column> columns = analysis.columns();
    REQUIRE(answer.main().columns().size() == columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) CHECK(answer.main().columns()[c].name == columns[c].name);
    check_keys_unique(answer.main());
    if (given.empty()) check_secondary_tables(analysis, answer);
    if (filter_text.empty() || answer.main().rows() < 1'000)
        check_exports(analysis, run, *parse_filter(filter_text), *make_params(analysis, given), answer);
}

std::vector<std::string> filters_for(const Run& run) {
    const std::int64_t span = run.window().length().count();
    const std::string half = std::to_string(span / 2) + "ns";
    return {"",         "step:complete",       "step:1",
            "stream:7", "class:communication", "name:nothing_is_called_this",
            "rank:0",   "time:" + half + "..", "step:complete class:compute time:.." + half};
}

// A choice may only apply to some runs; the refusal names it.
bool refuses(const Analysis& analysis, const Run& run, const Param& param, std::string_view choice) {
    const GivenParams given = {{std::string(param.name), std::string(choice)}};
    const Result<Answer> answer = run_analysis(analysis, run, {}, *make_params(analysis, given), 2, {});
    return !answer && answer.error().message.starts_with(std::string(param.name) + ": only of ");
}

void check_all(const Fixture& fixture) {
    INFO(fixture.name);
    for (const Analysis& analysis : all_analyses()) {
        for (const std::string& filter : filters_for(*fixture.run)) check_answer(analysis, *fixture.run, filter, {});
        for (const Param& param : analysis.params) {
            for (const std::string_view choice : param.choices) {
                if (refuses(analysis, *fixture.run, param, choice)) continue;
                check_answer(analysis, *fixture.run, "", {{std::string(param.name), std::string(choice)}});
            }
        }
    }
}

std::int64_t sum_of(const Table& table, std::string_view column) {
    const std::size_t c = table.find_column(column);
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, c);
    return sum;
}

void check_parts(const Table& table, std::string_view whole) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, table.find_column("compute"))) continue;
        std::int64_t parts = 0;
        for (const std::string_view part : {"compute", "exposed_communication", "exposed_memory", "idle"}) {
            const std::int64_t time = table.integer(row, table.find_column(part));
            CHECK(time >= 0);
            parts += time;
        }
        CHECK(parts == table.integer(row, table.find_column(whole)));
    }
}

std::set<std::int64_t> streams_of(const Run& run) {
    std::set<std::int64_t> streams;
    for (const RankSlot& rank : run.ranks()) {
        for (const Track& track : rank.trace().tracks) {
            if (track.kind == TrackKind::Stream) streams.insert(track.stream);
        }
    }
    return streams;
}

void check_breakdowns(const Run& run) {
    for (const std::string& filter : filters_for(run)) {
        INFO(filter);
        const Table breakdown = answer_of(run, "temporal-breakdown", filter).main();
        check_parts(breakdown, "window");
        check_parts(answer_of(run, "temporal-breakdown", filter, {{"window", "steps"}}).main(), "window");
        check_parts(answer_of(run, "steps", filter).main(), "duration");
        CHECK(sum_of(answer_of(run, "kernel-types", filter).main(), "time") == sum_of(breakdown, "window"));
        const Table overlap = answer_of(run, "overlap", filter).main();
        CHECK(sum_of(overlap, "overlapped") + sum_of(overlap, "exposed") == sum_of(overlap, "communication"));
        CHECK(sum_of(overlap, "exposed") == sum_of(breakdown, "exposed_communication"));
        CHECK(sum_of(answer_of(run, "device-idle", filter).main(), "time") == sum_of(breakdown, "idle"));
    }
}

// Stretches of a path add up to its window, and unscaled events gain nothing.
void check_paths(const Run& run) {
    for (const std::string& filter : filters_for(run)) {
        INFO(filter);
        const Answer answer = answer_of(run, "critical-path", filter);
        CHECK(sum_of(answer.main(), "time") == sum_of(answer.tables[1].table, "length"));
        CHECK(sum_of(answer.tables[1].table, "gain") == 0);
    }
}

// Three adjacent windows add up to the whole.
void check_time_windows(const Run& run) {
    const std::int64_t span = run.window().length().count();
    const std::string first = std::to_string(span / 3) + "ns", second = std::to_string(span / 3 * 2) + "ns";
    const std::string windows[] = {"time:.." + first, "time:" + first + ".." + second, "time:" + second + ".."};
    for (const auto& [id, columns] : std::map<std::string, std::vector<std::string>>{
             {"temporal-breakdown", {"window", "compute", "exposed_communication", "exposed_memory", "idle"}},
             {"overlap", {"communication", "overlapped", "exposed"}},
             {"kernel-types", {"time"}},
             {"kernels", {"total"}},
             {"memory-bandwidth", {"bytes", "time"}},
             {"idle-breakdown", {"time"}},
             {"device-idle", {"time"}},
             {"operators", {"total", "self", "kernel_time", "self_kernel_time"}},
             {"annotations", {"total"}},
             {"kernels-by-annotation", {"total"}}}) {
        const Table whole = answer_of(run, id).main();
        std::vector<Table> parts;
        for (const std::string& window : windows) parts.push_back(answer_of(run, id, window).main());
        for (const std::string& column : columns) {
            INFO(id, " ", column);
            CHECK(sum_of(parts[0], column) + sum_of(parts[1], column) + sum_of(parts[2], column) ==
                  sum_of(whole, column));
        }
    }
}

// A graph may run on several streams, so calls need not add up; launched work does.
void check_launches_by_stream(const Run& run) {
    for (const std::string column : {"gpu", "events"}) {
        std::int64_t sum = 0;
        for (const std::int64_t stream : streams_of(run))
            sum += sum_of(answer_of(run, "launches", "stream:" + std::to_string(stream)).main(), column);
        CHECK(sum == sum_of(answer_of(run, "launches").main(), column));
    }
    CHECK(sum_of(answer_of(run, "launch-summary").main(), "launches") ==
          static_cast<std::int64_t>(answer_of(run, "launches").main().rows()));
}

void check_streams(const Run& run) {
    std::int64_t count = 0, total = 0;
    for (const std::int64_t stream : streams_of(run)) {
        const Table table = answer_of(run, "kernels", "stream:" + std::to_string(stream)).main();
        count += sum_of(table, "count");
        total += sum_of(table, "total");
    }
    const Table whole = answer_of(run, "kernels").main();
    CHECK(count == sum_of(whole, "count"));
    CHECK(total == sum_of(whole, "total"));
    std::size_t events = 0;
    for (const RankSlot& rank : run.ranks()) events += rank.trace().gpu_events.size();
    CHECK(static_cast<std::size_t>(sum_of(whole, "count")) == events);
    check_launches_by_stream(run);
}

// Every GPU event has at most one operator and one annotation.
void check_attribution(const Run& run) {
    for (const std::string& filter : filters_for(run)) {
        INFO(filter);
        const Table kernels = answer_of(run, "kernels", filter).main();
        const std::int64_t total = sum_of(kernels, "total");
        CHECK(sum_of(answer_of(run, "operators", filter).main(), "self_kernel_time") == total);
        CHECK(sum_of(answer_of(run, "operators", filter, {{"by", "inputs"}}).main(), "self_kernel_time") == total);
        const Table by_annotation = answer_of(run, "kernels-by-annotation", filter).main();
        CHECK(sum_of(by_annotation, "total") == total);
        CHECK(sum_of(by_annotation, "count") == sum_of(kernels, "count"));
    }
}

void check_sums(const Fixture& fixture) {
    INFO(fixture.name);
    check_breakdowns(*fixture.run);
    check_paths(*fixture.run);
    check_time_windows(*fixture.run);
    check_streams(*fixture.run);
    check_attribution(*fixture.run);
}

}  // namespace

TEST_CASE("every analysis has a valid schema for commands, panels and exports") {
    std::set<std::string_view> ids;
    for (const Analysis& analysis : all_analyses()) {
        INFO(analysis.id);
        CHECK(ids.insert(analysis.id).second);
        check_schema(analysis);
    }
}

TEST_CASE("every analysis answers on every fixture with unique keys and valid exports") {
    for (const Fixture& fixture : fixtures()) check_all(fixture);
}

TEST_CASE("parts add up to their window, windows to the run, streams to the rank") {
    for (const Fixture& fixture : fixtures()) {
        if (fixture.name != "absurd times") check_sums(fixture);
    }
}

TEST_CASE("the same holds for every run of the corpus that opens") {
    if (!corpus_is_here()) return;
    if (!may_take_minutes()) return;
    std::size_t opened = 0;
    for (const fs::path& folder : corpus_runs()) {
        LoadProgress progress;
        const fs::path paths[] = {folder};
        const Result<RunPtr> run = load_run(paths, {}, progress, {});
        if (!run) continue;
        ++opened;
        check_all({folder.string(), *run});
        check_sums({folder.string(), *run});
    }
    CHECK(opened > (is_whole_corpus() ? 40 : 10));
}
