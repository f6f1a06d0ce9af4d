// The sample's analyses against what its writer planted, to the nanosecond.

#include "tests/core/analysis/engine/sample_with_truth.hpp"

#include <algorithm>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

void check_breakdown(const Sample& sample) {
    const Table breakdown = answer_of(*sample.run, "temporal-breakdown").main();
    const Table overlap = answer_of(*sample.run, "overlap").main();
    REQUIRE(breakdown.rows() == sample.truth["ranks"].size());
    for (const Json& truth : sample.truth["ranks"]) {
        const std::int64_t rank = truth["rank"].get<std::int64_t>();
        INFO("rank ", rank);
        const Json& numbers = truth["breakdown"];
        for (const char* const column : {"window", "compute", "exposed_communication", "exposed_memory", "idle"}) {
            INFO(column);
            CHECK(value_of(breakdown, column, rank) == numbers[std::string(column) + "_ns"].get<std::int64_t>());
        }
        CHECK(value_of(overlap, "communication", rank) == numbers["communication_ns"].get<std::int64_t>());
        CHECK(value_of(overlap, "overlapped", rank) == numbers["overlap_ns"].get<std::int64_t>());
    }
}

void check_kernel_types(const Sample& sample) {
    const Table table = answer_of(*sample.run, "kernel-types").main();
    std::size_t rows = 0;
    for (const Json& truth : sample.truth["ranks"]) rows += truth["breakdown"]["kernel_types_ns"].size();
    REQUIRE(table.rows() == rows);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto rank = static_cast<std::size_t>(RankKey::unpacked(table.integer(row, 0)).number);
        const std::string classes(table.text(row, 1));
        INFO("rank ", rank, " ", classes);
        CHECK(table.integer(row, 2) ==
              sample.truth["ranks"][rank]["breakdown"]["kernel_types_ns"][classes].get<std::int64_t>());
    }
}

void check_kernels(const Sample& sample) {
    const Table table = answer_of(*sample.run, "kernels").main();
    std::map<std::pair<std::int64_t, std::string>, std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        rows[{RankKey::unpacked(table.integer(row, 0)).number, std::string(table.text(row, 2))}] = row;
    }
    std::size_t seen = 0;
    for (const Json& kernel : sample.truth["kernels"]) {
        for (const Json& truth : kernel["ranks"]) {
            const std::string name = kernel["name"].get<std::string>();
            INFO("rank ", truth["rank"].get<int>(), " ", name);
            const auto found = rows.find({truth["rank"].get<std::int64_t>(), name});
            REQUIRE(found != rows.end());
            const auto value = [&](std::string_view column) {
                return table.integer(found->second, table.find_column(column));
            };
            CHECK(table.text(found->second, 1) == kernel["class"].get<std::string>());
            CHECK(value("count") == truth["count"].get<std::int64_t>());
            CHECK(value("total") == truth["total_ns"].get<std::int64_t>());
            CHECK(value("min") == truth["min_ns"].get<std::int64_t>());
            CHECK(value("max") == truth["max_ns"].get<std::int64_t>());
            ++seen;
        }
    }
    CHECK(seen == rows.size());
}

void check_steps(const Sample& sample) {
    const Table table = answer_of(*sample.run, "steps").main();
    const std::int64_t base = sample.truth["base_time_ns"].get<std::int64_t>();
    REQUIRE(table.rows() == sample.truth["steps"].size());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const RankKey rank = RankKey::unpacked(table.integer(row, 0));
        const auto truth = std::ranges::find_if(sample.truth["steps"], [&](const Json& step) {
            return step["rank"] == rank.number && step["step"] == table.integer(row, 1);
        });
        REQUIRE(truth != sample.truth["steps"].end());
        INFO("rank ", rank.number, " step ", table.integer(row, 1));
        const RankTime start = rank_time(base + (*truth)["start_ns"].get<std::int64_t>());
        const RankSlot& slot = sample.run->rank(static_cast<std::size_t>(rank.number));
        CHECK(table.integer(row, 2) == (slot.to_run(start) - sample.run->origin()).count());
        for (const char* const column : {"duration", "compute", "exposed_communication", "exposed_memory", "idle"}) {
            INFO(column);
            CHECK(table.integer(row, table.find_column(column)) ==
                  (*truth)[std::string(column) + "_ns"].get<std::int64_t>());
        }
    }
}

void check_all(const Sample& sample) {
    check_breakdown(sample);
    check_kernel_types(sample);
    check_kernels(sample);
    check_steps(sample);
}

std::set<std::string> kernel_names(const Sample& sample) {
    const Table table = answer_of(*sample.run, "kernels").main();
    std::set<std::string> names;
    for (std::size_t row = 0; row < table.rows(); ++row) names.insert(std::string(table.text(row, 2)));
    return names;
}

std::int64_t mean_of_kernel(const Sample& sample, const std::string& name) {
    const Table table = answer_of(*sample.run, "kernel-imbalance").main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 1) == name) return table.integer(row, table.find_column("mean"));
    }
    FAIL(name);
    return 0;
}

const Json& difference(const Sample& sample, const char* kind) {
    for (const Json& one : sample.truth["differences_from_baseline"]) {
        if (one["kind"] == kind) return one;
    }
    FAIL(kind);
    return sample.truth;
}

}  // namespace

TEST_CASE("the analyses of the sample find exactly what was planted") { check_all(make_sample(false)); }

TEST_CASE("the analyses of the candidate find what was planted there, and its differences from the baseline") {
    const Sample baseline = make_sample(false);
    const Sample candidate = make_sample(true);
    check_all(candidate);

    const Json& slower = difference(candidate, "slower_kernel");
    const std::string kernel = slower["kernel"].get<std::string>();
    const double ratio =
        static_cast<double>(mean_of_kernel(candidate, kernel)) / static_cast<double>(mean_of_kernel(baseline, kernel));
    CHECK(ratio == doctest::Approx(slower["percent_of_baseline"].get<double>() / 100).epsilon(0.01));

    const Json& fused = difference(candidate, "fused_kernels");
    for (const Json& name : fused["removed"]) {
        CHECK(kernel_names(baseline).contains(name.get<std::string>()));
        CHECK_FALSE(kernel_names(candidate).contains(name.get<std::string>()));
    }
    for (const Json& name : fused["added"]) {
        CHECK_FALSE(kernel_names(baseline).contains(name.get<std::string>()));
        CHECK(kernel_names(candidate).contains(name.get<std::string>()));
    }

    const auto overlapped = [](const Sample& sample) {
        const Table table = answer_of(*sample.run, "overlap").main();
        std::int64_t sum = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, table.find_column("overlapped"));
        return sum;
    };
    CHECK(overlapped(candidate) > overlapped(baseline));
}

TEST_CASE("the planted imbalance is found") {
    const Sample sample = make_sample(false);
    REQUIRE(sample.truth["planted"].contains("imbalance"));
    const Json& planted = sample.truth["planted"]["imbalance"];
    const Table table = answer_of(*sample.run, "kernel-imbalance").main();
    double largest = 0;
    std::string most;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double imbalance = table.number(row, table.find_column("imbalance"));
        if (table.text(row, 0) != "compute" || !(imbalance > largest)) continue;
        largest = imbalance;
        most = table.text(row, 1);
    }
    CHECK(most == planted["kernel"].get<std::string>());
}

TEST_CASE("the planted straggler leads, with its cause, before the rank that inherits its lateness") {
    const Sample sample = make_sample(false);
    const Json& planted = sample.truth["planted"]["straggler"];
    const Table stragglers = answer_of(*sample.run, "stragglers").main();
    const auto rank_of = [](const Table& table, std::size_t row, std::string_view column) {
        return RankKey::unpacked(table.integer(row, table.find_column(column))).number;
    };
    CHECK(rank_of(stragglers, 0, "rank") == planted["rank"].get<int>());
    CHECK(stragglers.text(0, stragglers.find_column("cause")) == "data loading");
    const std::size_t rooted = stragglers.find_column("wait_rooted");
    for (std::size_t row = 1; row < stragglers.rows(); ++row)
        CHECK(stragglers.integer(row, rooted) < stragglers.integer(0, rooted) / 4);
    const Table findings = answer_of(*sample.run, "findings").main();
    CHECK(findings.text(0, 0) == "late-rank");
    CHECK(rank_of(findings, 0, "rank") == planted["rank"].get<int>());
}

TEST_CASE("the critical path of the straggler shows its delay and the possible gain") {
    const Sample sample = make_sample(false);
    const Json& planted = sample.truth["planted"]["straggler"];
    const std::string straggler = "rank:" + planted["rank"].dump() + " step:11";
    const auto stall = planted["stall_ns_per_step"].get<std::int64_t>();
    const auto loading = [&](const std::string& filter) {
        const Table table = answer_of(*sample.run, "critical-path", filter).main();
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (table.text(row, 0) == "data_loading") return table.integer(row, 1);
        return std::int64_t{0};
    };
    const std::int64_t more = loading(straggler) - loading("rank:0 step:11");
    CHECK(more > stall * 99 / 100);
    CHECK(more < stall * 101 / 100);
    const Table without =
        answer_of(*sample.run, "critical-path", straggler + " name:/^enumerate/", {{"chosen", "0"}}).tables[1].table;
    CHECK(without.integer(0, without.find_column("gain")) == loading(straggler));
}

TEST_CASE("the planted problems are among the findings, on their ranks") {
    const Sample sample = make_sample(false);
    const Json& planted = sample.truth["planted"];
    const Table table = answer_of(*sample.run, "findings", "", {{"least", "0"}}).main();
    const auto first = [&](std::string_view finding) {
        std::size_t row = 0;
        while (row < table.rows() && table.text(row, 0) != finding) ++row;
        REQUIRE(row < table.rows());
        return row;
    };
    const auto rank_of = [&](std::size_t row) { return RankKey::unpacked(table.integer(row, 1)).number; };
    CHECK(rank_of(first("late-rank")) == planted["straggler"]["rank"].get<int>());
    const std::size_t unbalanced = first("unbalanced-kernels");
    CHECK(rank_of(unbalanced) == planted["imbalance"]["rank"].get<int>());
    CHECK(
        table.text(unbalanced, table.find_column("evidence")).find(planted["imbalance"]["kernel"].get<std::string>()) !=
        std::string_view::npos);
}
