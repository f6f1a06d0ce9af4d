#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <map>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kCpu = 0, kCuda = 1;

void memory(TraceFixture& fixture, std::int64_t time_ns, std::int64_t bytes, std::int64_t type, std::int64_t device,
            std::optional<std::int64_t> allocated = {}, std::optional<std::int64_t> reserved = {}) {
    fixture.event(time_ns, 0, "[memory]", "cpu_instant_event", {}).phase(Phase::Instant);
    fixture.arg(Arg::Bytes, bytes).arg(Arg::DeviceType, type).arg(Arg::Device, device);
    if (allocated) fixture.arg(Arg::TotalAllocated, *allocated);
    if (reserved) fixture.arg(Arg::TotalReserved, *reserved);
}

TraceFixture allocations() {
    TraceFixture fixture;
    fixture.cpu(0, 100, "aten::conv2d").cpu(10, 20, "aten::empty");
    memory(fixture, 12, 512, kCuda, 0, 1512, 4096);
    memory(fixture, 40, 1024, kCuda, 0, 2536, 4096);
    memory(fixture, 50, -512, kCuda, 0, 2024, 4096);
    memory(fixture, 200, 64, kCpu, -1, 64, 0);
    memory(fixture, 210, 8, kCuda, 1, 8, 2048);
    return fixture;
}

Answer memory_of(const RankTracePtr& trace, std::string_view filter = "") {
    return answer_of(*run_of({trace}), "memory-timeline", filter);
}

}  // namespace

TEST_CASE("peaks, growth, and numbers of allocations and frees per device") {
    CHECK(rows_of(memory_of(allocations().build()).main()) ==
          Rows{"0 CPU 64 - 64 1 64 0", "0 GPU 0 2536 4096 1536 2 1536 1", "0 GPU 1 8 2048 8 1 8 0"});
}

TEST_CASE("allocations by the innermost operator around them, largest first") {
    const Answer answer = memory_of(allocations().build());
    REQUIRE(answer.tables.size() == 3);
    CHECK(answer.tables[1].name == "operators");
    CHECK(rows_of(answer.tables[1].table) == Rows{"0 CPU (no operator) 1 64 64", "0 GPU 0 aten::conv2d 1 1024 1024",
                                                  "0 GPU 0 aten::empty 1 512 512", "0 GPU 1 (no operator) 1 8 8"});
}

TEST_CASE("the peak is put down to the operator and the Python call nearest to user code") {
    TraceFixture fixture;
    const auto python = [&](std::int64_t start, std::int64_t length, std::string_view name) {
        fixture.event(start, length, name, "python_function", {});
    };
    python(0, 1000, "threading.py(1002): _bootstrap");
    python(10, 900, "src/loss.py(22): forward");
    python(20, 800, "torch/nn/functional.py(3059): cross_entropy");
    fixture.cpu(30, 100, "aten::cross_entropy_loss").cpu(40, 20, "aten::log_softmax").cpu(200, 50, "aten::mul");
    fixture.cpu(950, 20, "autograd::engine::evaluate_function: MulBackward0");
    const auto change = [&](std::int64_t time, std::int64_t bytes, std::int64_t address, std::int64_t total) {
        memory(fixture, time, bytes, kCuda, 0, total, 1 << 20);
        fixture.arg(Arg::Addr, address);
    };
    change(45, 4096, 1, 5096);
    change(50, 512, 2, 5608);
    change(55, -512, 2, 5096);
    change(210, 2048, 3, 7144);
    change(955, 1024, 4, 8168);
    change(960, -4096, 1, 4072);
    const Answer answer = memory_of(fixture.build());
    CHECK(rows_of(*answer.find("at_peak")) == Rows{"0 GPU 0 cross_entropy_loss \u00B7 loss.py:22 4096 0.501469 1 4096",
                                                   "0 GPU 0 mul \u00B7 loss.py:22 2048 0.250735 1 2048",
                                                   "0 GPU 0 MulBackward0 1024 0.125367 1 1024",
                                                   "0 GPU 0 (allocated before these events) 1000 0.122429 - -"});
}

TEST_CASE("series of allocated and reserved, in run time") {
    const Answer answer = memory_of(allocations().build());
    REQUIRE(answer.series.size() == 5);  // the CPU has no reserved series
    CHECK(answer.series[1].name == "allocated GPU 0");
    CHECK(answer.series[1].unit == Unit::Bytes);
    CHECK(answer.series[1].time == std::vector<RunTime>{run_time(12), run_time(40), run_time(50)});
    CHECK(answer.series[1].value == std::vector<double>{1512, 2536, 2024});
    CHECK(answer.series[2].name == "reserved GPU 0");
}

TEST_CASE("traces without totals have only growth") {
    TraceFixture fixture;
    memory(fixture, 10, -100, kCuda, 0);
    memory(fixture, 20, 300, kCuda, 0);
    memory(fixture, 30, -250, kCuda, 0);
    const Answer answer = memory_of(fixture.build());
    CHECK(rows_of(answer.main()) == Rows{"0 GPU 0 - - 200 1 300 2"});
    REQUIRE(answer.series.size() == 1);
    CHECK(answer.series[0].name == "growth GPU 0");
    CHECK(answer.series[0].value == std::vector<double>{-100, 200, -50});
}

TEST_CASE("filters select events by time and step") {
    TraceFixture fixture = allocations();
    fixture.step(0, 45, 1).step(45, 100, 2);
    const RankTracePtr trace = fixture.build();
    CHECK(rows_of(memory_of(trace, "step:1").main()) == Rows{"0 GPU 0 2536 4096 1536 2 1536 0"});
    CHECK(rows_of(memory_of(trace, "time:45ns..205ns").main()) ==
          Rows{"0 CPU 64 - 64 1 64 0", "0 GPU 0 2024 4096 0 0 0 1"});
}

TEST_CASE("a trace without memory events has no rows and says so") {
    const Answer answer = memory_of(TraceFixture().cpu(0, 5, "[memory]").build());
    CHECK(answer.main().rows() == 0);
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what == "ranks without a selected [memory] event");
}

TEST_CASE("random allocations: the innermost operator agrees with testing every operator") {
    std::mt19937 dice(11);
    const auto roll = [&](int least, int most) { return std::uniform_int_distribution(least, most)(dice); };
    for (int round = 0; round < 200; ++round) {
        TraceFixture fixture;
        struct Operator {
            int start, end;
            std::string name;
        };
        std::vector<Operator> operators;
        for (int i = roll(0, 12); i > 0; --i) {
            const int start = roll(0, 80);
            operators.push_back({start, start + roll(0, 40), "op " + std::to_string(i)});
            fixture.cpu(start, operators.back().end - start, operators.back().name);
        }
        // Innermost: of the operators open at t, the latest to start, then the shortest, then the later in the file.
        const auto innermost = [&](int t) {
            const Operator* best = nullptr;
            for (const Operator& one : operators) {
                if (t < one.start || one.end <= t) continue;
                if (!best || std::pair(one.start, -one.end) >= std::pair(best->start, -best->end)) best = &one;
            }
            return best ? best->name : "(no operator)";
        };
        std::map<std::string, std::int64_t> expected;
        for (int i = roll(0, 20); i > 0; --i) {
            const int t = roll(0, 120), bytes = roll(1, 1000);
            memory(fixture, t, bytes, kCuda, 0);
            expected[innermost(t)] += bytes;
        }
        const Table table = memory_of(fixture.build()).tables[1].table;
        std::map<std::string, std::int64_t> found;
        for (std::size_t row = 0; row < table.rows(); ++row)
            found[std::string(table.text(row, 2))] = table.integer(row, 4);
        CHECK(found == expected);
    }
}
