#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <map>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::size_t kWithoutFlop = 10;  // columns

// linear [0,100) contains mm [10,60), which launches two kernels, and relu [60,90), which launches one.
TraceFixture nested_operators() {
    TraceFixture fixture;
    fixture.cpu(0, 100, "aten::linear").cpu(10, 50, "aten::mm").cpu(60, 30, "aten::relu");
    fixture.launch(20, 5, 1).launch(30, 5, 2).launch(70, 5, 3);
    fixture.kernel(200, 40, "gemm", 7, 1).kernel(250, 10, "reduce", 7, 2).kernel(230, 20, "relu", 8, 3);
    return fixture;
}

Rows operators_of(const RankTracePtr& trace, std::string_view filter = "", const GivenParams& params = {}) {
    return rows_of(answer_of(*run_of({trace}), "operators", filter, params).main(), kWithoutFlop);
}

struct Sums {
    std::int64_t calls = 0, total = 0, self = 0, kernels = 0, time = 0, own_time = 0, span = 0;
    bool passes = false;
};

// Filter of the random test; times in ns from the origin, which is the rank's own.
struct Choice {
    std::int64_t begin, end;
    std::string filter;
};

std::int64_t visible(std::int64_t begin, std::int64_t end, const Choice& choice) {
    return std::max<std::int64_t>(0, std::min(end, choice.end) - std::max(begin, choice.begin));
}

bool is_seen(std::int64_t begin, std::int64_t end, const Choice& choice) {
    if (begin == end) return choice.begin <= begin && begin < choice.end;
    return visible(begin, end, choice) > 0;
}

// Naive implementation of the definition, one event and nanosecond at a time.
class OperatorTwin {
public:
    OperatorTwin(const RankTrace& trace, const Choice& choice) : trace_(trace), choice_(choice) {}

    std::map<std::string, Sums> sums() const {
        std::map<std::string, Sums> found;
        for (std::uint32_t i = 0; i < trace_.size(); ++i) {
            const EventId e{i};
            if (trace_.category_kind(e) == Category::CpuOp) add_call(e, found[std::string(trace_.name_text(e))]);
        }
        std::erase_if(found, [](const auto& entry) { return entry.second.calls == 0 && entry.second.kernels == 0; });
        Sums& rest = found["(unattributed)"];
        for (const EventId e : trace_.gpu_events) {
            if (!takes(e) || nearest(e) != kNoEvent) continue;
            ++rest.kernels;
            rest.time += seen(e);
            rest.own_time += seen(e);
        }
        if (rest.kernels == 0) found.erase("(unattributed)");
        return found;
    }

private:
    std::int64_t start(EventId e) const { return ns_of(trace_.start[index_of(e)]); }
    std::int64_t end(EventId e) const { return ns_of(trace_.end(e)); }
    std::int64_t cut_end(EventId e) const {
        const EventId parent = trace_.parent[index_of(e)];
        return parent == kNoEvent ? end(e) : std::min(end(e), cut_end(parent));
    }
    std::int64_t seen(EventId e) const { return visible(start(e), end(e), choice_); }
    bool takes(EventId e) const {
        const bool by_class =
            choice_.filter.find("communication") == std::string::npos || trace_.name_text(e).starts_with("nccl");
        return by_class && is_seen(start(e), end(e), choice_);
    }
    bool lies_below(EventId e, EventId above) const {
        for (EventId at = trace_.parent[index_of(e)]; at != kNoEvent; at = trace_.parent[index_of(at)]) {
            if (at == above) return true;
        }
        return false;
    }
    EventId nearest(EventId e) const {
        EventId at = trace_.parent[index_of(e)];
        while (at != kNoEvent && trace_.category_kind(at) != Category::CpuOp) at = trace_.parent[index_of(at)];
        return at;
    }
    std::int64_t own_time(EventId call) const {
        std::int64_t own = 0;
        for (std::int64_t t = std::max(start(call), choice_.begin); t < std::min(cut_end(call), choice_.end); ++t) {
            bool covered = false;
            for (std::uint32_t i = 0; i < trace_.size(); ++i) {
                const EventId e{i};
                if (trace_.parent[i] != call || trace_.has(e, kGpuEvent)) continue;
                covered = covered || (start(e) <= t && t < cut_end(e));
            }
            own += covered ? 0 : 1;
        }
        return own;
    }
    void add_call(EventId call, Sums& sums) const {
        if (choice_.filter.find("class") == std::string::npos && is_seen(start(call), end(call), choice_)) {
            ++sums.calls;
            sums.total += seen(call);
            sums.self += own_time(call);
        }
        std::int64_t first = INT64_MAX, last = INT64_MIN;
        for (const EventId e : trace_.gpu_events) {
            if (!takes(e) || !lies_below(e, call)) continue;
            ++sums.kernels;
            sums.time += seen(e);
            if (nearest(e) == call) sums.own_time += seen(e);
            first = std::min(first, std::max(start(e), choice_.begin));
            last = std::max(last, std::max(start(e), std::min(end(e), choice_.end)));
        }
        if (first <= last) sums.span += last - first;
    }

    const RankTrace& trace_;
    const Choice& choice_;
};

std::string text_of(const std::string& name, const Sums& sums) {
    const auto number = [](bool there, std::int64_t n) { return " " + (there ? std::to_string(n) : "-"); };
    const bool has_calls = sums.calls > 0, has_span = sums.kernels > 0 && name != "(unattributed)";
    return name + " " + number(has_calls, sums.calls) + number(has_calls, sums.total) + number(has_calls, sums.self) +
           number(true, sums.kernels) + number(true, sums.time) + number(true, sums.own_time) +
           number(has_span, sums.span) + " " +
           (has_span && sums.span > 0 ? std::to_string(static_cast<double>(sums.time) / static_cast<double>(sums.span))
                                      : "-");
}

// Random events: nested, overlapping, of zero length; kernels with, without or with an unknown launch.
RankTracePtr random_trace(Dice& dice) {
    constexpr const char* kNames[] = {"aten::a", "aten::b", "aten::c"};
    TraceFixture fixture;
    fixture.event(0, 400, "everything", "user_annotation", {});
    const int events = dice.roll(0, 20);
    for (int i = 0; i < events; ++i) {
        const int start = dice.roll(0, 150), thread = dice.roll(100, 101);
        const int duration = dice.roll(0, 5) ? dice.roll(1, 80) : 0;
        if (dice.roll(0, 4) == 0)
            fixture.event(start, duration, "note", "user_annotation", {"100", std::to_string(thread)});
        else
            fixture.cpu(start, duration, kNames[dice.roll(0, 2)], thread);
    }
    const int kernels = dice.roll(0, 12);
    for (int k = 0; k < kernels; ++k) {
        const bool is_launched = dice.roll(0, 4) > 0;
        if (is_launched) fixture.launch(dice.roll(0, 150), dice.roll(0, 10), k);
        fixture.kernel(dice.roll(100, 350), dice.roll(0, 5) ? dice.roll(1, 40) : 0,
                       dice.roll(0, 2) ? "gemm" : "ncclAllReduce", dice.roll(7, 8), dice.roll(0, 5) ? k : -1);
    }
    return fixture.build();
}

Choice random_choice(Dice& dice) {
    Choice choice{0, 1000, ""};
    if (dice.roll(0, 2) == 0) {
        choice.begin = dice.roll(0, 200);
        choice.end = choice.begin + dice.roll(1, 150);
        choice.filter = "time:" + std::to_string(choice.begin) + "ns.." + std::to_string(choice.end) + "ns ";
    }
    if (dice.roll(0, 2) == 0) choice.filter += "class:communication";
    return choice;
}

}  // namespace

TEST_CASE("an operator has its own time and the GPU events of its callees") {
    CHECK(operators_of(nested_operators().build()) == Rows{"aten::mm  1 50 40 2 50 50 60 0.833333",
                                                           "aten::relu  1 30 25 1 20 20 20 1.000000",
                                                           "aten::linear  1 100 20 3 70 0 60 1.166667"});
}

TEST_CASE("GPU events without an operator have a row, so own GPU times add up to that of kernels") {
    TraceFixture fixture = nested_operators();
    fixture.launch(150, 5, 4).kernel(300, 7, "late", 7, 4).kernel(1, 3, "from before", 7, 99).kernel(310, 2, "lost");
    CHECK(operators_of(fixture.build()).back() == "(unattributed)  - - - 3 12 12 - -");
}

TEST_CASE("an operator inside one of the same name counts again: calls, time and GPU events") {
    const RankTracePtr trace = TraceFixture()
                                   .cpu(0, 100, "aten::to")
                                   .cpu(10, 50, "aten::to")
                                   .launch(20, 5, 1)
                                   .kernel(200, 40, "copy", 7, 1)
                                   .build();
    CHECK(operators_of(trace) == Rows{"aten::to  2 150 95 2 80 40 80 1.000000"});
}

TEST_CASE("a child that outlives its parent takes at most the parent's time") {
    const RankTracePtr trace = TraceFixture().cpu(0, 100, "outer").cpu(90, 30, "inner").build();
    CHECK(operators_of(trace) == Rows{"outer  1 100 90 0 0 0 - -", "inner  1 30 10 0 0 0 - -"});
}

TEST_CASE("operators of a backward thread are not children of the forward thread") {
    const RankTracePtr trace = TraceFixture()
                                   .cpu(0, 100, "loss.backward")
                                   .cpu(10, 50, "MmBackward", 200)
                                   .event(20, 5, "cudaLaunchKernel", "cuda_runtime", {"100", "200"})
                                   .arg(Arg::Correlation, 1)
                                   .kernel(200, 40, "gemm", 7, 1)
                                   .build();
    CHECK(operators_of(trace) == Rows{"MmBackward  1 50 45 1 40 40 40 1.000000", "loss.backward  1 100 100 0 0 0 - -"});
}

TEST_CASE("step marks, annotations and instants are not operators") {
    const RankTracePtr trace = TraceFixture()
                                   .step(0, 100, 1)
                                   .event(0, 50, "ProfilerStep#2", "cpu_op", {})
                                   .event(10, 5, "note", "user_annotation", {})
                                   .event(20, 0, "moment", "cpu_op", {})
                                   .phase(Phase::Instant)
                                   .build();
    CHECK(operators_of(trace).empty());
}

TEST_CASE("by inputs, calls with other shapes or types are separate") {
    TraceFixture fixture;
    for (const char* const dims : {"[[8,4],[4,2]]", "[[8,4],[4,2]]", "[[1,4],[4,2]]"})
        fixture.cpu(ns_of(RankTime{}) + static_cast<std::int64_t>(fixture.batch().events.size()) * 100, 50, "aten::mm")
            .arg(Arg::InputDims, dims)
            .arg(Arg::InputTypes, "[\"float\",\"float\"]");
    fixture.cpu(900, 10, "aten::mm");
    const RankTracePtr trace = fixture.build();
    CHECK(operators_of(trace) == Rows{"aten::mm  4 160 160 0 0 0 - -"});
    CHECK(operators_of(trace, "", {{"by", "inputs"}}) ==
          Rows{"aten::mm [[8,4],[4,2]] [\"float\",\"float\"] 2 100 100 0 0 0 - -",
               "aten::mm [[1,4],[4,2]] [\"float\",\"float\"] 1 50 50 0 0 0 - -", "aten::mm  1 10 10 0 0 0 - -"});
}

TEST_CASE("FLOP come with flop=yes, at the operator that owns them, summed over ranks") {
    const auto product = [](int rank) {
        OperatorFixture fixture;
        fixture.rank(rank);
        fixture.op(0, 100, "aten::linear").with("[[512, 1024], [1024, 1024]]", kHalves);
        fixture.op(10, 50, "aten::mm").with("[[512, 1024], [1024, 1024]]", kHalves).gpu(20, 200, 10'000, "gemm");
        fixture.op(200, 50, "aten::mm").with("[[2, 2], [2, 2]]", kHalves);  // launches nothing
        return fixture.build();
    };
    const RunPtr run = run_of({product(0), product(1)});
    const auto flop_of = [&](const GivenParams& params) {
        const Table table = answer_of(*run, "operators", "", params).main();
        Rows rows;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            std::string text(table.text(row, 0));
            for (const std::string_view column : {"flop", "flop_rate", "bandwidth"}) {
                const std::size_t c = table.find_column(column);
                text += " " +
                        (table.absent(row, c) ? "-" : std::to_string(static_cast<std::int64_t>(table.number(row, c))));
            }
            rows.push_back(text);
        }
        return sorted(rows);
    };
    // 2^30 FLOP and 4 MiB in 10 us on each rank.
    CHECK(flop_of({{"flop", "yes"}}) == Rows{"aten::linear - - -", "aten::mm 2147483648 107374182400000 419430400000"});
    CHECK(flop_of({}) == Rows{"aten::linear - - -", "aten::mm - - -"});
    CHECK(flop_of({{"flop", "yes"}, {"by", "inputs"}}) ==
          Rows{"aten::linear - - -", "aten::mm - - -", "aten::mm 2147483648 107374182400000 419430400000"});
}

TEST_CASE("operators of all ranks are summed") {
    const RunPtr run = run_of({nested_operators().rank(0).build(), nested_operators().rank(1).build()});
    CHECK(rows_of(answer_of(*run, "operators").main(), kWithoutFlop)[0] == "aten::mm  2 100 80 4 100 100 120 0.833333");
    CHECK(rows_of(answer_of(*run, "operators", "rank:1").main(), kWithoutFlop)[0] ==
          "aten::mm  1 50 40 2 50 50 60 0.833333");
}

TEST_CASE("a filter that only GPU events can pass makes CPU values absent") {
    CHECK(operators_of(nested_operators().build(), "stream:8") ==
          Rows{"aten::relu  - - - 1 20 20 20 1.000000", "aten::linear  - - - 1 20 0 20 1.000000"});
}

TEST_CASE("a name selects operators as well as kernels") {
    CHECK(operators_of(nested_operators().build(), "name:relu") ==
          Rows{"aten::relu  1 30 25 1 20 20 20 1.000000", "aten::linear  - - - 1 20 0 20 1.000000"});
}

TEST_CASE("random traces: operators agree with a naive sum over every nanosecond") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        INFO("seed ", seed);
        Dice dice(seed);
        const RankTracePtr trace = random_trace(dice);
        const Choice choice = random_choice(dice);
        INFO(choice.filter);
        Rows expected;
        std::int64_t own_time = 0;
        for (const auto& [name, sums] : OperatorTwin(*trace, choice).sums()) {
            expected.push_back(text_of(name, sums));
            own_time += sums.own_time;
        }
        Rows found = operators_of(trace, choice.filter);
        std::ranges::sort(expected);
        std::ranges::sort(found);
        CHECK(found == expected);
        const Table kernels = answer_of(*run_of({trace}), "kernels", choice.filter).main();
        std::int64_t total = 0;
        for (std::size_t row = 0; row < kernels.rows(); ++row) total += kernels.integer(row, 4);
        CHECK(own_time == total);
    }
}
