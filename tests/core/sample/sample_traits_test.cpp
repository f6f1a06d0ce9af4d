// Planted shards, experts, 8-bit kernels, recomputation and an unknown device are found as the sample's truth states.
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

constexpr int kRanks = 8, kSteps = 3, kLayers = 4;

struct TraitSample {
    explicit TraitSample(const SampleFaults& faults) {
        SampleOptions options;
        options.ranks = kRanks;
        options.steps = kSteps;
        options.layers = kLayers;
        options.straggler = kNoStraggler;
        options.faults = faults;
        REQUIRE(write_sample_run(folder.path(), options, {}));
        truth = Json::parse(std::ifstream(folder.path() / "truth.json"));
        LoadProgress progress;
        const std::filesystem::path path = folder.path();
        const Result<RunPtr> loaded = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(loaded);
        run = *loaded;
    }
    TempFolder folder;
    Json truth;
    RunPtr run;
};

// Rows of `id` in which a text column has the value.
std::vector<std::size_t> rows_where(const Table& table, std::string_view column, std::string_view value) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, table.find_column(column)) && table.text(row, table.find_column(column)) == value)
            rows.push_back(row);
    return rows;
}

std::set<int> ranks_with(const Run& run, std::string_view finding) {
    const Answer findings = answer_of(run, "findings", "", {{"least", "0"}});
    std::set<int> ranks;
    for (const std::size_t row : rows_where(findings.main(), "finding", finding))
        ranks.insert(RankKey::unpacked(findings.main().integer(row, findings.main().find_column("rank"))).number);
    return ranks;
}

// ns per step, of what-to-do.
std::int64_t saved_by(const Run& run, std::string_view finding) {
    const Answer deeds = answer_of(run, "what-to-do", "", {{"least", "0"}});
    const std::vector<std::size_t> rows = rows_where(deeds.main(), "what", finding);
    REQUIRE(rows.size() == 1);
    return deeds.main().integer(rows[0], deeds.main().find_column("saved"));
}

// Sum of one operator and precision, over all ranks and steps.
std::int64_t sum_of_operator(const Run& run, std::string_view name, std::string_view precision,
                             std::string_view measure) {
    const Answer answer = answer_of(run, "op-efficiency");
    const Table& table = answer.main();
    std::int64_t sum = 0;
    for (const std::size_t row : rows_where(table, "operator", name))
        if (table.text(row, table.find_column("precision")) == precision)
            sum += table.integer(row, table.find_column(measure));
    return sum;
}

}  // namespace

TEST_CASE("planted shards are gathered and scattered as often as the truth says, and one of them late") {
    const TraitSample sample(SampleFaults{.sharded = true});
    const Json& truth = sample.truth["planted"]["fsdp"];
    const Answer groups = answer_of(*sample.run, "parallel-groups");
    CHECK(rows_where(groups.main(), "dimension", "FSDP").size() == 2);  // of 4 ranks each
    CHECK(answer_of(*sample.run, "ddp-buckets").main().rows() == 0);
    const Answer fsdp = answer_of(*sample.run, "fsdp");
    const Table& steps = *fsdp.find("steps");
    REQUIRE(steps.rows() == kRanks * kSteps);
    for (std::size_t row = 0; row < steps.rows(); ++row) {
        CHECK(steps.integer(row, steps.find_column("gathers")) == truth["all_gathers_per_step"]);
        CHECK(steps.integer(row, steps.find_column("scatters")) == truth["reduce_scatters_per_step"]);
        CHECK(steps.text(row, steps.find_column("sharded")) == truth["sharded"].get<std::string>());
    }
    const std::int64_t late_layer = truth["layer_gathered_late"];
    const Table& table = fsdp.main();
    std::size_t seen = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        // In the forward pass shards are gathered in the order of layers; nothing is computed before the first.
        const std::int64_t layer = table.integer(row, table.find_column("collective"));
        if (layer == 0 || layer >= kLayers) continue;
        INFO("layer " << layer << " of row " << row);
        CHECK(table.text(row, table.find_column("prefetch")) == (layer == late_layer ? "late" : "hit"));
        if (layer == late_layer)
            CHECK(table.integer(row, table.find_column("stall")) * 10 >
                  table.integer(row, table.find_column("duration")) * 9);
        ++seen;
    }
    CHECK(seen == kRanks * kSteps * (kLayers - 1));
    CHECK(ranks_with(*sample.run, "prefetch-late").size() == kRanks);
    CHECK(saved_by(*sample.run, "prefetch-late") > 100'000);
}

TEST_CASE("a sharded run sends half as much again as one that reduces gradients") {
    const TraitSample sharded(SampleFaults{.sharded = true}), reduced(SampleFaults{});
    const Table fsdp = answer_of(*sharded.run, "fsdp").main();
    REQUIRE(fsdp.rows() > 0);
    const std::int64_t layer = fsdp.integer(0, fsdp.find_column("bytes"));
    // How often each rank sends the parameters of a layer in each step; an all-reduce counts twice.
    std::int64_t sharded_times = 0, reduced_times = 0;
    for (std::size_t row = 0; row < fsdp.rows(); ++row)
        if (fsdp.integer(row, fsdp.find_column("bytes")) == layer) ++sharded_times;
    for (const Json& collective : reduced.truth["collectives"])
        if (collective["operation"] == "allreduce" && collective["bytes"] == layer)
            reduced_times += 2 * static_cast<std::int64_t>(collective["members"].size());
    CHECK(sharded_times == 3 * kRanks * kSteps * kLayers);
    CHECK(reduced_times == 2 * kRanks * kSteps * kLayers);
}

TEST_CASE("planted experts take what the truth says, and the full ones are named") {
    const TraitSample sample(SampleFaults{.experts = true});
    const Json& truth = sample.truth["planted"]["experts"];
    const Answer groups = answer_of(*sample.run, "parallel-groups");
    CHECK(rows_where(groups.main(), "dimension", "EP").size() == 2);
    const Answer experts = answer_of(*sample.run, "experts");
    const Table& table = experts.main();
    CHECK(std::cmp_equal(table.rows(), kRanks * kSteps * truth["exchanges_per_step"].get<int>()));
    const double excess = truth["percent_of_an_even_share"].get<double>() / 100 - 1;
    std::set<int> fullest;
    for (const std::size_t row : rows_where(table, "kind", "dispatch")) {
        CHECK(table.number(row, table.find_column("imbalance")) == doctest::Approx(excess).epsilon(0.001));
        if (table.number(row, table.find_column("tokens_share")) > 0.3)
            fullest.insert(RankKey::unpacked(table.integer(row, 0)).number);
    }
    CHECK(fullest == truth["ranks_chosen_too_often"].get<std::set<int>>());
    for (const std::size_t row : rows_where(table, "kind", "combine"))
        CHECK(table.number(row, table.find_column("imbalance")) == doctest::Approx(0).epsilon(0.001));
    CHECK(ranks_with(*sample.run, "expert-imbalance").size() == kRanks);
    CHECK(saved_by(*sample.run, "expert-imbalance") > 50'000);
}

TEST_CASE("products in 8 bits have the FLOP that the truth says") {
    const TraitSample sample(SampleFaults{.fp8 = true});
    const Json& truth = sample.truth["planted"]["fp8"];
    const std::int64_t all = kRanks * kSteps * truth["flop_per_step"].get<std::int64_t>();
    CHECK(sum_of_operator(*sample.run, "aten::_scaled_mm", "fp8", "flop") == all);
    CHECK(sum_of_operator(*sample.run, "aten::mm", "fp8", "flop") == 0);
    CHECK(sum_of_operator(*sample.run, "aten::mm", "bf16", "flop") > all);
}

TEST_CASE("layers that the backward pass recomputes show in FLOP and as a finding, on every rank") {
    const TraitSample sample(SampleFaults{.recompute = true});
    const Json& truth = sample.truth["planted"]["recompute"];
    const std::int64_t again = kRanks * kSteps * truth["product_flop_per_step"].get<std::int64_t>();
    const std::string products = truth["products"];
    CHECK(sum_of_operator(*sample.run, products, "bf16", "recomputed_flop") == again);
    CHECK(ranks_with(*sample.run, "recompute").size() == kRanks);
    const TraitSample plain(SampleFaults{});
    CHECK(sum_of_operator(*plain.run, products, "bf16", "recomputed_flop") == 0);
    CHECK(sum_of_operator(*sample.run, products, "bf16", "flop") ==
          sum_of_operator(*plain.run, products, "bf16", "flop") + again);
    CHECK(ranks_with(*plain.run, "recompute").empty());
}

TEST_CASE("an unknown device has FLOP, but no peak and no share of one") {
    const TraitSample sample(SampleFaults{.unknown_device = true}), known(SampleFaults{});
    CHECK(sample.run->rank(0).trace().info.devices.front().name ==
          sample.truth["planted"]["unknown_device"]["name"].get<std::string>());
    const Answer unknown = answer_of(*sample.run, "mfu"), mfu = answer_of(*known.run, "mfu");
    REQUIRE(unknown.main().rows() == mfu.main().rows());
    for (std::size_t row = 0; row < mfu.main().rows(); ++row) {
        const std::size_t flop = mfu.main().find_column("flop");
        CHECK(unknown.main().integer(row, flop) == mfu.main().integer(row, flop));
        for (const std::string_view column : {"hfu", "mfu", "peak", "floor"}) {
            CHECK(unknown.main().absent(row, unknown.main().find_column(column)));
            CHECK_FALSE(mfu.main().absent(row, mfu.main().find_column(column)));
        }
    }
    CHECK_FALSE(unknown.excluded.empty());
    CHECK(ranks_with(*sample.run, "slow-matrix").empty());
}

TEST_CASE("traits come together, and what a run cannot have is refused") {
    SampleFaults all{.sharded = true, .experts = true, .fp8 = true, .recompute = true, .unknown_device = true};
    const TraitSample sample(all);
    const Json& planted = sample.truth["planted"];
    CHECK(sum_of_operator(*sample.run, "aten::_scaled_mm", "fp8", "flop") ==
          kRanks * kSteps * planted["fp8"]["flop_per_step"].get<std::int64_t>());
    CHECK(sum_of_operator(*sample.run, "aten::_scaled_mm", "fp8", "recomputed_flop") ==
          kRanks * kSteps * planted["recompute"]["product_flop_per_step"].get<std::int64_t>());
    const Answer experts = answer_of(*sample.run, "experts");
    CHECK(std::cmp_equal(experts.main().rows(), kRanks * kSteps * planted["experts"]["exchanges_per_step"].get<int>()));
    SampleOptions options;
    options.ranks = 2;
    options.faults.sharded = true;
    const TempFolder folder;
    const Result<SampleSummary> alone = write_sample_run(folder.path(), options, {});
    REQUIRE_FALSE(alone);
    CHECK(alone.error().message.find("at least 2 ranks") != std::string::npos);
    options.ranks = 8;
    options.stages = 2;
    CHECK_FALSE(write_sample_run(folder.path(), options, {}));
}
