// FLOP, coverage and utilisation against the answers of an independent program: integers exactly.

#include "core/analysis/efficiency/rank_work.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

struct Case {
    fs::path trace;  // within the corpus
    Json answer;
};

// One per file of golden/efficiency/<repository>__<folder>.json.
std::vector<Case> efficiency_cases() {
    std::vector<Case> cases;
    const fs::path folder = golden_folder() / "efficiency";
    if (!goldens_are_here() || !fs::is_directory(folder)) return cases;
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".json") paths.push_back(entry.path());
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
        const std::string name = path.stem().string();
        const std::size_t border = name.find("__");
        if (border == std::string::npos || name.starts_with("statistics__")) continue;
        const fs::path run = fs::path(name.substr(0, border)) / name.substr(border + 2);
        for (Json& answer : Json::parse(text_of_file(path))) {
            const fs::path trace = run / answer.at("file").get<std::string>();
            if (fs::file_size(corpus_folder() / trace) <= largest_of_corpus())
                cases.push_back({trace, std::move(answer)});
        }
    }
    return cases;
}

struct OperatorSum {
    std::int64_t calls = 0, executed = 0, flop = 0, time = 0;
    bool operator==(const OperatorSum&) const = default;
};

std::ostream& operator<<(std::ostream& out, const OperatorSum& sum) {
    return out << sum.calls << " calls, " << sum.executed << " executed, " << sum.flop << " FLOP, " << sum.time
               << " ns";
}

}  // namespace

TEST_CASE("FLOP, calls and times of every operator are those of an independent program") {
    for (const Case& one : efficiency_cases()) {
        CAPTURE(one.trace.string());
        const RunPtr run = load_corpus_run(one.trace);
        const RankTrace& trace = run->rank(0).trace();
        const RankWorkPtr work = work_of(*run->rank(0).index, {});
        std::map<std::string, OperatorSum> ours, theirs;
        for (const WorkCall& call : work->calls) {
            OperatorSum& sum = ours[std::string(trace.name_text(call.event))];
            ++sum.calls;
            if (call.gpu_events == 0) continue;
            ++sum.executed;
            sum.flop += work->work_of(call).flop;
            sum.time += call.gpu_time.count();
        }
        for (const auto& [name, sum] : one.answer.at("operators").items())
            theirs[name] = {sum.at("calls"), sum.at("executed"), sum.at("flop"), sum.at("time")};
        for (const auto& [name, sum] : theirs) {
            CAPTURE(name);
            CHECK(ours[name] == sum);
        }
        CHECK(ours.size() == theirs.size());
        std::set<std::string> unknown, listed_unknown;
        for (const NameId name : work->uncounted) unknown.emplace(trace.text(name));
        for (const Json& name : one.answer.at("unknown_listed")) listed_unknown.insert(name);
        CHECK(unknown == listed_unknown);
    }
}

TEST_CASE("compute time by coverage is that of an independent program") {
    for (const Case& one : efficiency_cases()) {
        CAPTURE(one.trace.string());
        const RunPtr run = load_corpus_run(one.trace);
        std::map<std::string, std::int64_t> ours;
        const Table table = answer_of(*run, "flop-coverage").main();
        for (std::size_t row = 0; row < table.rows(); ++row)
            ours[std::string(table.text(row, table.find_column("kind")))] +=
                table.integer(row, table.find_column("time"));
        CHECK(ours == one.answer.at("coverage").get<std::map<std::string, std::int64_t>>());
    }
}

TEST_CASE("rows of op-efficiency are those of an independent program") {
    for (const Case& one : efficiency_cases()) {
        CAPTURE(one.trace.string());
        const RunPtr run = load_corpus_run(one.trace);
        const Table table = answer_of(*run, "op-efficiency").main();
        const auto without_blanks = [](std::string text) {
            std::erase(text, ' ');
            return text;
        };
        const auto key_of = [&](std::size_t row) {
            std::string inputs = without_blanks(std::string(table.text(row, table.find_column("inputs"))));
            if (const std::size_t types = inputs.find("]["); types != std::string::npos) inputs.resize(types + 1);
            return std::string(table.text(row, table.find_column("operator"))) + inputs +
                   std::string(table.text(row, table.find_column("precision")));
        };
        std::map<std::string, std::vector<std::size_t>> rows;
        for (std::size_t row = 0; row < table.rows(); ++row) rows[key_of(row)].push_back(row);
        for (const Json& theirs : one.answer.at("rows")) {
            const std::string key = theirs.at("operator").get<std::string>() +
                                    without_blanks(theirs.at("inputs").get<std::string>()) +
                                    theirs.at("precision").get<std::string>();
            CAPTURE(key);
            const auto found = rows.find(key);
            REQUIRE(found != rows.end());
            const std::size_t row = found->second.front();
            if (found->second.size() > 1) continue;  // apart by type here
            for (const char* const column :
                 {"calls", "executed", "flop", "model_flop", "recomputed_flop", "time", "unseen_flop"})
                CHECK_MESSAGE(table.integer(row, table.find_column(column)) == theirs.at(column).get<std::int64_t>(),
                              column);
            // The answer reads a gradient of the input that was not computed: see docs/differences-from-hta.md.
            const bool first_backward = key.starts_with("aten::cudnn_convolution_backward[[32,3,");
            if (!first_backward && !table.absent(row, table.find_column("bytes")))
                CHECK(table.integer(row, table.find_column("bytes")) == theirs.at("bytes").get<std::int64_t>());
            const auto near = [&](const char* ours, const char* name) {
                if (first_backward || !theirs.contains(name) || theirs.at(name).is_null()) return;
                const double value = table.number(row, table.find_column(ours));
                if (std::isnan(value)) return;  // absent here where bytes are unknown
                CHECK_MESSAGE(value == doctest::Approx(theirs.at(name).get<double>()).epsilon(1e-9), ours);
            };
            near("flop_rate", "flop_rate");
            near("intensity", "intensity");
            near("compute_share", "compute_share");
            near("roof_share", "roof_share");
            near("floor", "floor_ns");
        }
    }
}

TEST_CASE("utilisation per step is that of an independent program") {
    for (const Case& one : efficiency_cases()) {
        CAPTURE(one.trace.string());
        const RunPtr run = load_corpus_run(one.trace);
        const Table by_step = answer_of(*run, "mfu").main(),
                    whole = answer_of(*run, "mfu", "", {{"window", "gpu"}}).main();
        for (const Json& theirs : one.answer.at("mfu")) {
            const bool all = theirs.at("step").is_string();
            CAPTURE(theirs.at("step").dump());
            const Table& table = all ? whole : by_step;
            std::optional<std::size_t> row;
            for (std::size_t at = 0; at < table.rows(); ++at) {
                if (table.integer(at, 1) == (all ? -1 : theirs.at("step").get<std::int64_t>())) row = at;
            }
            REQUIRE(row);
            CHECK(table.integer(*row, table.find_column("duration")) == theirs.at("duration").get<std::int64_t>());
            if (table.absent(*row, table.find_column("flop"))) {  // unknown here, 0 there
                CHECK(theirs.at("flop") == 0);
                continue;
            }
            for (const char* const column : {"flop", "recomputed_flop", "model_flop"})
                CHECK_MESSAGE(table.integer(*row, table.find_column(column)) == theirs.at(column).get<std::int64_t>(),
                              column);
            for (const char* const column : {"hfu", "mfu"}) {
                if (!theirs.contains(column) || theirs.at(column).is_null()) continue;
                CHECK_MESSAGE(table.number(*row, table.find_column(column)) ==
                                  doctest::Approx(theirs.at(column).get<double>()).epsilon(1e-9),
                              column);
            }
            if (theirs.contains("floor_ns") && !theirs.at("floor_ns").is_null())
                CHECK(table.integer(*row, table.find_column("floor")) == theirs.at("floor_ns").get<std::int64_t>());
        }
    }
}

TEST_CASE("the same model has the same FLOP on both vendors' devices") {
    if (!goldens_are_here()) return;
    const auto flop_of = [](const std::string& file) {
        const Table table = answer_of(*load_corpus_run(fs::path("TraceLens") / file), "op-efficiency").main();
        std::int64_t sum = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, table.find_column("flop"));
        return sum;
    };
    const std::string qwen = "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
    CHECK(flop_of("h100_vs_mi300_qwen/h100_" + qwen) == 5'760'281'775'040);
    CHECK(flop_of("h100_vs_mi300_qwen/mi300_" + qwen) == 5'760'281'775'040);
    for (const std::string name : {"Falconsai_nsfw_image_detection__1016002", "gaunernst_bert-small-uncased__1016001"})
        CHECK(flop_of("h100_vs_mi300_small/h100_" + name + ".json.gz") ==
              flop_of("h100_vs_mi300_small/mi300_" + name + ".json.gz"));
}
