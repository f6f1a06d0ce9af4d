// Operators, modules and FLOP of replayed kernels against the answers of an independent program: integers exactly.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include "core/graphs/graph_attribution.hpp"
#include "core/ingest/load/load_run.hpp"

#include <set>

using namespace core;
using namespace core::testing;

namespace {

using Times = std::map<std::string, std::int64_t>;

struct Pair {
    std::string_view answer;
    fs::path folder;
};

// Pairs of a run and its captures that are here, with answers.
std::vector<Pair> pairs_here() {
    std::vector<Pair> here;
    for (const Pair& pair :
         {Pair{"sglang_decode", corpus_folder() / "TraceLens" / "sglang_decode"},
          Pair{"xdit_flux_aiter_sage", golden_folder().parent_path() / "graphs" / "xdit_flux_graph_pair"}})
        if (goldens_are_here() && fs::exists(golden_folder() / "graphs" / (std::string(pair.answer) + ".json")) &&
            fs::is_directory(pair.folder))
            here.push_back(pair);
    if (here.empty()) MESSAGE("no pairs of runs and captures here: skipped");
    return here;
}

Times times_of(const Answer& answer, std::string_view name, std::string_view time) {
    const Table& table = answer.main();
    Times times;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string key(table.text(row, table.find_column(name)));
        key = key.substr(key.rfind('/') + 1);  // the innermost module
        const std::int64_t one = table.integer(row, table.find_column(time));
        if (one > 0) times[key] += one;
    }
    return times;
}

Times times_of(const Json& answer) {
    Times times;
    for (const auto& [name, sums] : answer.items()) times[name] = sums.at(1).get<std::int64_t>();
    return times;
}

}  // namespace

TEST_CASE("operators and modules of replayed kernels are those of an independent join") {
    for (const Pair& pair : pairs_here()) {
        CAPTURE(pair.answer);
        const Json answer =
            Json::parse(text_of_file(golden_folder() / "graphs" / (std::string(pair.answer) + ".json")));
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::vector{pair.folder}, {}, progress, {});
        REQUIRE(run);
        REQUIRE((*run)->ranks().size() == 1);
        CHECK(times_of(answer_of(**run, "operators"), "operator", "self_kernel_time") ==
              times_of(answer.at("by_operator")));
        CHECK(times_of(answer_of(**run, "modules"), "module", "self_kernel_time") == times_of(answer.at("by_module")));
        // The other program counts products alone.
        const Answer efficiency = answer_of(**run, "op-efficiency");
        const std::set<std::string_view> products = {"aten::mm", "aten::addmm", "aten::bmm"};
        std::int64_t flop = 0;
        for (std::size_t row = 0; row < efficiency.main().rows(); ++row)
            if (products.contains(efficiency.main().text(row, 1)))
                flop += efficiency.main().integer(row, efficiency.main().find_column("flop"));
        CHECK(flop == answer.at("totals").at("flop").get<std::int64_t>());
        const auto graphs = graph_attribution_of(*(*run)->rank(0).index, {});
        REQUIRE(graphs->replays.replays.size() == answer.at("replays").size());
        for (std::uint32_t r = 0; r < graphs->replays.replays.size(); ++r) {
            const bool certain = answer.at("replays").at(r).at("how") == "certain";
            CHECK(graphs->template_of_replay(r)->certainty == (certain ? Certainty::Certain : Certainty::Probable));
        }
    }
}
