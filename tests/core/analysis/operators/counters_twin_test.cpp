// `counters` against a naive version that knows the operators around each launch because it wrote
// them.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/core/trace_fixture.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

struct CounterLaunch {
    std::int64_t time;
    std::vector<std::string> operators;  // around it, outermost first
};
struct CounterRange {
    std::int64_t begin;
    std::string kernel;
    std::map<std::string, int> values;
};
struct CounterModel {
    TraceFixture fixture;
    std::vector<CounterLaunch> launches;
    std::vector<CounterRange> ranges;
};
constexpr std::int64_t kRangeLength = 7;

// Nested operators with calls between them; no two events share a time.
void add_operators(CounterModel& model, Dice& dice, int thread, std::int64_t begin, std::int64_t end,
                   std::vector<std::string>& open) {
    constexpr const char* kCalls[] = {"cudaLaunchKernel", "hipExtLaunchKernel", "cudaGraphLaunch", "cudaMemcpyAsync"};
    const auto place = TraceFixture::Place{"100", std::to_string(thread)};
    while (end - begin > 12 && dice.roll(0, 4) > 0) {
        const std::int64_t from = begin + 2 * dice.roll(1, 3);
        if (dice.roll(0, 1)) {
            const int call = dice.roll(0, 3);
            const bool driver = dice.roll(0, 3) == 0;
            model.fixture.event(from, 1, kCalls[call], driver ? "cuda_driver" : "cuda_runtime", place);
            if (call < 2) model.launches.push_back({from, open});
            begin = from + 2;
            continue;
        }
        const std::int64_t to = std::min<std::int64_t>(end - 1, from + dice.roll(4, 200));
        const std::string name = std::string("op ") + static_cast<char>('a' + dice.roll(0, 2));
        const bool is_note = dice.roll(0, 5) == 0;  // does not name a row
        model.fixture.event(from, to - from, name, is_note ? "user_annotation" : "cpu_op", place);
        if (!is_note) open.push_back(name);
        if (open.size() < 5) add_operators(model, dice, thread, from, to, open);
        if (!is_note) open.pop_back();
        begin = to + 2;
    }
}

void add_range(CounterModel& model, Dice& dice, std::int64_t begin) {
    CounterRange range{begin, dice.roll(0, 1) ? "gemm" : "relu", {}};
    std::string arguments = "{\"note\": \"x\", \"stream\": 7";
    for (const char* counter : {"flop.sum", "load.sum", "store.sum"}) {
        if (dice.roll(0, 2) == 0) continue;
        range.values[counter] = dice.roll(-5, 50);
        arguments += ", \"" + std::string(counter) + "\": " + std::to_string(range.values[counter]);
    }
    model.fixture.event(begin, kRangeLength, range.kernel, "cuda_profiler_range", {"0", "0"});
    model.fixture.batch().text_store.add(model.fixture.batch().events.back().order, 0, arguments + "}", "");
    model.ranges.push_back(std::move(range));
}

// Even times on one thread, odd ones on the other, so launches have a unique order.
CounterModel random_counters(Dice& dice, int rank) {
    CounterModel model;
    model.fixture.rank(rank);
    model.fixture.event(0, 2'000, "everything", "cpu_marker", {"100", "1"});  // makes run time equal rank time
    std::vector<std::string> open;
    for (const int thread : {100, 101}) add_operators(model, dice, thread, thread - 100, 300, open);
    std::ranges::sort(model.launches, {}, &CounterLaunch::time);
    std::size_t count = model.launches.size();
    if (dice.roll(0, 3) == 0) count += static_cast<std::size_t>(dice.roll(1, 2));
    for (std::size_t i = 0; i < count; ++i) add_range(model, dice, 1 + 10 * static_cast<std::int64_t>(i));
    return model;
}

std::string name_of_stack(const std::vector<std::string>& operators, const std::string& naming) {
    if (operators.empty()) return "(unknown)";
    if (naming == "innermost") return operators.back();
    if (naming == "outermost") return operators.front();
    std::string name;
    for (const std::string& one : operators) name += (name.empty() ? "" : " > ") + one;
    return name;
}

struct CounterQuery {
    std::string naming;
    std::int64_t from, to;  // of the filter
    std::string kernel;     // of the filter; empty: any
    bool takes(const CounterRange& range) const {
        return range.begin < to && range.begin + kRangeLength > from && (kernel.empty() || kernel == range.kernel);
    }
    std::string filter() const {
        return "time:" + std::to_string(from) + "ns.." + std::to_string(to) + "ns" +
               (kernel.empty() ? "" : " name:" + kernel);
    }
};

using CounterSums = std::map<std::string, std::pair<std::int64_t, double>>;  // operator kernel counter

void add_twin(const CounterModel& model, const CounterQuery& query, CounterSums& sums) {
    const bool pairs = model.launches.size() == model.ranges.size();
    for (std::size_t i = 0; i < model.ranges.size(); ++i) {
        const CounterRange& range = model.ranges[i];
        if (!query.takes(range)) continue;
        const std::string name = pairs ? name_of_stack(model.launches[i].operators, query.naming) : "(unknown)";
        for (const auto& [counter, value] : range.values) {
            auto& [count, total] = sums[name + " " + range.kernel + " " + counter];
            ++count;
            total += value;
        }
    }
}

Rows rows_of_sums(const CounterSums& sums) {
    Rows rows;
    for (const auto& [key, sum] : sums)
        rows.push_back(key + " " + std::to_string(sum.first) + " " + std::to_string(sum.second) + " " +
                       std::to_string(sum.second / static_cast<double>(sum.first)));
    return rows;
}

}  // namespace

TEST_CASE("hardware counters agree with a naive version that knows the open operators") {
    Dice dice(77);
    std::size_t rows = 0;
    for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        constexpr const char* kNamings[] = {"innermost", "outermost", "stack"};
        CounterQuery query{kNamings[dice.roll(0, 2)], 0, 2'000, ""};
        if (dice.roll(0, 2) == 0) query.from = dice.roll(0, 200);
        if (dice.roll(0, 2) == 0) query.to = query.from + dice.roll(1, 300);
        if (dice.roll(0, 3) == 0) query.kernel = "gemm";
        std::vector<RankTracePtr> traces;
        CounterSums expected;
        const int ranks = dice.roll(1, 3);
        for (int rank = 0; rank < ranks; ++rank) {
            CounterModel model = random_counters(dice, rank);
            add_twin(model, query, expected);
            traces.push_back(model.fixture.build());
        }
        const Answer answer = answer_of(*run_of(traces), "counters", query.filter(), {{"operator", query.naming}});
        const Table& table = answer.main();
        CHECK(sorted(rows_of(table)) == sorted(rows_of_sums(expected)));
        const std::size_t counter = table.find_column("counter"), total = table.find_column("total");
        for (std::size_t row = 1; row < table.rows(); ++row) {
            if (table.text(row, counter) == table.text(row - 1, counter))
                CHECK(table.number(row, total) <= table.number(row - 1, total));
            else
                CHECK(table.text(row, counter) > table.text(row - 1, counter));
        }
        rows += table.rows();
    }
    CHECK(rows > 1000);
}
