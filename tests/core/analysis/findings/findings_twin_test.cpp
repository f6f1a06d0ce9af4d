// Findings on one rank against a twin that examines every nanosecond and every event of small random traces. Excluded:
// unused-memory (memory events and device sizes), and unbalanced-kernels and late-rank, which compare ranks;
// findings_test covers those.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/core/trace_fixture.hpp"

#include <array>
#include <map>
#include <numeric>

using namespace core;
using namespace core::testing;

namespace {

constexpr int kTwinSpan = 600;  // every kernel starts in [0, kTwinSpan)
constexpr int kTwinEnd = kTwinSpan + 200;
constexpr int kTwinRounds = 400;

struct TwinKernel {
    int start, duration;
    bool compute, communication;
    std::string_view name;
    bool single_precision;  // without tensor cores
    bool small_message;
    int call_start, call_duration;  // of its launch; −1: it has none
    int end() const { return start + duration; }
};
struct TwinCall {
    int start, duration;
    std::string_view name;
    bool syncs, allocates;
    int end() const { return start + duration; }
};
struct TwinRank {
    std::vector<TwinKernel> kernels;  // by start, which differ
    std::vector<TwinCall> calls;
    bool has_steps;  // two
    int second_step;
};

struct TwinName {
    std::string_view name;
    bool compute, communication, single_precision;
};
constexpr TwinName kTwinNames[] = {
    {"vectorized_elementwise_kernel", true, false, false},        {"ampere_sgemm_128x64_nn", true, false, true},
    {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn", true, false, false}, {"cutlass_simt_sgemm_128x64", true, false, true},
    {"ncclDevKernel_AllReduce_Sum_f32", false, true, false},      {"ncclDevKernel_AllGather", false, true, false},
    {"Memcpy DtoH (Device -> Pinned)", false, false, false}};
constexpr TwinCall kTwinCalls[] = {{0, 0, "cudaStreamSynchronize", true, false},
                                   {0, 0, "hipDeviceSynchronize", true, false},
                                   {0, 0, "cudaMalloc", false, true},
                                   {0, 0, "hipFree", false, true},
                                   {0, 0, "cudaEventRecord", false, false}};

// Some are crowded and some not, some mostly compute: each finding must appear in some and be absent from others.
TwinRank random_rank(Dice& dice) {
    TwinRank rank{{}, {}, dice.one_in(2), dice.roll(0, kTwinSpan)};
    std::vector<int> starts(kTwinSpan);
    std::iota(starts.begin(), starts.end(), 0);
    const int count = dice.roll(1, 45), longest = dice.roll(4, 60), last_name = dice.roll(0, 6);
    for (int i = 0; i < count; ++i) {
        std::swap(starts[static_cast<std::size_t>(i)], starts[static_cast<std::size_t>(dice.roll(i, kTwinSpan - 1))]);
        const TwinName& name = kTwinNames[dice.one_in(3) ? dice.roll(0, 6) : last_name];
        TwinKernel kernel{starts[static_cast<std::size_t>(i)],
                          dice.roll(1, longest),
                          name.compute,
                          name.communication,
                          name.name,
                          name.single_precision,
                          name.communication && !dice.one_in(4),
                          -1,
                          0};
        if (!dice.one_in(4)) {
            kernel.call_start = std::max(0, kernel.start - dice.roll(0, 60));
            kernel.call_duration = dice.roll(1, 40);
        }
        rank.kernels.push_back(kernel);
    }
    std::ranges::sort(rank.kernels, {}, &TwinKernel::start);
    for (int left = dice.roll(0, 10); left > 0; --left) {
        TwinCall call = kTwinCalls[dice.roll(0, 4)];
        call.start = dice.roll(0, kTwinSpan);
        call.duration = dice.roll(1, 80);
        rank.calls.push_back(call);
    }
    return rank;
}

RankTracePtr build_trace_of(const TwinRank& rank) {
    TraceFixture fixture;
    int thread = 200, correlation = 1;  // a thread for each call: they may overlap
    const auto call = [&](int start, int duration, std::string_view name) -> TraceFixture& {
        return fixture.event(start, duration, name, "cuda_runtime", {"100", std::to_string(thread++)});
    };
    if (rank.has_steps) fixture.step(0, rank.second_step, 1).step(rank.second_step, kTwinEnd - rank.second_step, 2);
    for (const TwinKernel& kernel : rank.kernels) {
        const bool copies = !kernel.compute && !kernel.communication;
        if (kernel.call_start >= 0)
            call(kernel.call_start, kernel.call_duration, "cudaLaunchKernel").arg(Arg::Correlation, correlation);
        fixture.kernel(kernel.start, kernel.duration, kernel.name, 7 + correlation, correlation,
                       copies ? "gpu_memcpy" : "kernel");
        if (kernel.communication)
            fixture.arg(Arg::InElements, kernel.small_message ? 65'536 : 65'537).arg(Arg::CollectiveDtype, "Float");
        ++correlation;
    }
    for (const TwinCall& one : rank.calls) call(one.start, one.duration, one.name);
    return fixture.build();
}

struct TwinGap {
    int begin, end;
};

// The rank's state, nanosecond by nanosecond.
struct Nanoseconds {
    std::array<bool, kTwinEnd> compute{}, communication{}, busy{};
    int begin = kTwinEnd, end = 0;  // of the GPU's work
    std::vector<TwinGap> gaps;

    explicit Nanoseconds(const TwinRank& rank) {
        for (const TwinKernel& kernel : rank.kernels) {
            begin = std::min(begin, kernel.start);
            end = std::max(end, kernel.end());
            for (auto t = static_cast<std::size_t>(kernel.start); t < static_cast<std::size_t>(kernel.end()); ++t) {
                busy[t] = true;
                compute[t] = compute[t] || kernel.compute;
                communication[t] = communication[t] || kernel.communication;
            }
        }
        for (int t = begin; t < end; ++t) {
            if (busy[static_cast<std::size_t>(t)]) continue;
            if (busy[static_cast<std::size_t>(t) - 1]) gaps.push_back({t, t});
            gaps.back().end = t + 1;
        }
    }
    template <class Holds>
    int count(const Holds& holds) const {
        int sum = 0;
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) sum += holds(t);
        return sum;
    }
    int window() const { return end - begin; }
};

using TwinFindings = std::map<std::string, std::int64_t>;  // what: how much could be gained

void find_overlaps(const Nanoseconds& ns, TwinFindings& found) {
    const int exposed = ns.count([&](std::size_t t) { return ns.communication[t] && !ns.compute[t]; });
    const int both = ns.count([&](std::size_t t) { return ns.communication[t] && ns.compute[t]; });
    const int compute = ns.count([&](std::size_t t) { return ns.compute[t]; });
    const int idle = ns.count([&](std::size_t t) { return !ns.busy[t]; });
    const int copies = ns.count([&](std::size_t t) { return ns.busy[t] && !ns.compute[t] && !ns.communication[t]; });
    const int less = std::min(compute, exposed + both);
    if (copies * 100 >= ns.window() * 15) found["exposed-copies"] = copies;
    if (exposed * 100 >= ns.window() * 15) found["exposed-communication"] = exposed;
    if (idle * 10 >= ns.window()) found["idle"] = idle;
    if (less * 10 >= ns.window() && both * 2 < less) found["low-overlap"] = less - both;
}

void find_kernels(const TwinRank& rank, const Nanoseconds& ns, TwinFindings& found) {
    int single_precision = 0, messages = 0, message_time = 0, launches = 0, is_short = 0, starved = 0;
    for (const TwinKernel& kernel : rank.kernels) {
        if (kernel.single_precision) single_precision += kernel.duration;
        if (kernel.small_message) {
            ++messages;
            message_time += kernel.duration;
        }
        if (kernel.call_start < 0) continue;
        ++launches;
        if (kernel.duration >= kernel.call_duration) continue;
        ++is_short;
        for (const TwinGap& gap : ns.gaps)
            if (gap.end == kernel.start && kernel.call_start > gap.begin) starved += gap.end - gap.begin;
    }
    if (single_precision > 0) found["no-tensor-cores"] = single_precision;
    const int exposed = ns.count([&](std::size_t t) { return ns.communication[t] && !ns.compute[t]; });
    if (messages >= 10) found["small-messages"] = std::min(message_time, exposed);
    if (launches >= 20 && is_short * 10 >= launches * 3) found["short-kernels"] = starved;
}

void find_calls(const TwinRank& rank, const Nanoseconds& ns, TwinFindings& found) {
    int drained = 0, drained_time = 0, allocating = 0;
    for (const TwinCall& call : rank.calls) {
        if (call.allocates && !rank.has_steps) allocating += call.duration;
        if (call.start < ns.begin || call.start >= ns.end) continue;
        if (call.allocates && rank.has_steps && call.start >= rank.second_step) allocating += call.duration;
        if (!call.syncs) continue;
        // The gap that begins while it waits and lasts until it returns, or longer.
        const auto gap = std::ranges::find_if(ns.gaps, [&](const TwinGap& one) {
            return one.begin > call.start && one.begin <= call.end() && one.end >= call.end();
        });
        if (gap == ns.gaps.end()) continue;
        ++drained;
        drained_time += gap->end - gap->begin;
    }
    if (drained >= 2) found["host-syncs"] = drained_time;
    if (allocating > 0) found["allocations"] = allocating;
}

TwinFindings find_by_hand(const TwinRank& rank) {
    const Nanoseconds ns(rank);
    TwinFindings found;
    find_overlaps(ns, found);
    find_kernels(rank, ns, found);
    find_calls(rank, ns, found);
    std::erase_if(found, [](const auto& one) { return one.second <= 0; });
    return found;
}

std::map<int, TwinFindings> find_by_analysis(const std::vector<TwinRank>& ranks) {
    std::vector<RankTracePtr> traces;
    for (const TwinRank& rank : ranks) traces.push_back(build_trace_of(rank));
    const Answer answer = answer_of(*run_of(traces), "findings", "", {{"least", "0"}});
    std::map<int, TwinFindings> found;
    for (const std::string_view name : {"main", "explained", "minor"}) {
        const Table* const table = answer.find(name);
        for (std::size_t row = 0; table != nullptr && row < table->rows(); ++row) {
            const std::string what(table->text(row, 0));
            if (what == "unbalanced-kernels" || what == "late-rank") continue;
            if (table->absent(row, table->find_column("gain"))) continue;  // a risk
            const int rank = std::stoi(format_rank(RankKey::unpacked(table->integer(row, 1))));
            found[rank][what] = table->integer(row, table->find_column("measured"));
        }
    }
    return found;
}

}  // namespace

TEST_CASE("what is found on a rank is what a look at every nanosecond finds") {
    std::map<std::string, int> times_found;
    int ranks_seen = 0;
    for (unsigned seed = 1; seed <= kTwinRounds; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        std::vector<TwinRank> ranks;
        for (int left = dice.roll(1, 3); left > 0; --left) ranks.push_back(random_rank(dice));
        std::map<int, TwinFindings> found = find_by_analysis(ranks);
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            const TwinFindings expected = find_by_hand(ranks[r]);
            CHECK(found[static_cast<int>(r)] == expected);
            for (const auto& [what, gain] : expected) ++times_found[what];
            ++ranks_seen;
        }
    }
    CHECK(times_found.size() == 9);
    for (const auto& [what, times] : times_found) {
        CAPTURE(what);
        CHECK(times >= 20);
        CHECK(times <= ranks_seen - 20);
    }
}
