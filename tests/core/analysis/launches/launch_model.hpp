#pragma once
// Small random traces of steps, launch calls and GPU events, with a naive evaluation of filters
// that uses none of the tested code; for the brute-force tests of launches, queues and gaps.

#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <climits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace core::testing {

inline constexpr int kModelSpan = 300;  // every event is in [0, kModelSpan)

class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    int roll(int least, int most) { return std::uniform_int_distribution(least, most)(engine_); }
    bool one_in(int n) { return roll(1, n) == 1; }

private:
    std::mt19937 engine_;
};

struct ModelStep {
    int number, begin, end;
};
struct ModelCall {
    int start, duration, thread;
    int end() const { return start + duration; }
    bool operator==(const ModelCall&) const = default;
};
struct ModelKernel {
    int start, duration, stream;
    int call;             // index into calls; −1: none
    bool has_correlation; // without a call: launched before the trace began
    KernelClass kernel_class;
    std::string name;
    int end() const { return start + duration; }
};
struct LaunchModel {
    std::vector<ModelStep> steps;
    std::vector<ModelCall> calls;
    std::vector<ModelKernel> kernels;  // by start, longer first

    const ModelCall* call_of(const ModelKernel& kernel) const {
        return kernel.call < 0 ? nullptr : &calls[static_cast<std::size_t>(kernel.call)];
    }
    // All kernels with a call on its stream, or on any if there is none on its own.
    bool precedes_launched(const ModelKernel& kernel) const {
        for (const bool same_stream : {true, false}) {
            int first = INT_MAX;
            for (const ModelKernel& other : kernels)
                if (other.call >= 0 && (!same_stream || other.stream == kernel.stream))
                    first = std::min(first, other.start);
            if (first != INT_MAX) return kernel.start < first;
        }
        return false;
    }
    const ModelStep* step_at(int time) const {
        const auto it =
            std::ranges::find_if(steps, [&](const ModelStep& s) { return s.begin <= time && time < s.end; });
        return it == steps.end() ? nullptr : &*it;
    }
};

inline LaunchModel random_launch_model(Dice& dice) {
    LaunchModel model;
    for (int begin = dice.roll(0, 40), number = dice.roll(0, 5); begin < kModelSpan - 20 && !dice.one_in(4); ++number) {
        const int end = std::min(kModelSpan, begin + dice.roll(10, 120));
        model.steps.push_back({number, begin, end});
        begin = end + (dice.one_in(2) ? dice.roll(0, 20) : 0);
    }
    int free_from[2] = {0, 0};  // calls of a thread do not overlap
    for (int i = dice.roll(0, 20); i > 0; --i) {
        const int thread = dice.roll(0, 1);
        const int start = free_from[thread] + dice.roll(0, 25);
        if (start > kModelSpan - 30) continue;
        model.calls.push_back({start, dice.one_in(5) ? 0 : dice.roll(1, 12), 100 + thread});
        free_from[thread] = model.calls.back().end() + 1;
    }
    constexpr const char* kNames[3][2] = {{"gemm", "relu"}, {"ncclAllReduce", "ncclSend"}, {"Memcpy DtoH", "Memset"}};
    const auto add = [&](int call, int earliest) {
        const int kernel_class = dice.roll(0, 2);
        const int start = std::min(earliest + dice.roll(0, 40), kModelSpan - 1);
        const int duration = dice.one_in(5) ? 0 : dice.roll(0, std::min(30, kModelSpan - start));
        model.kernels.push_back({start, duration, dice.roll(7, 9), call, dice.one_in(2),
                                 static_cast<KernelClass>(kernel_class), kNames[kernel_class][dice.roll(0, 1)]});
    };
    for (int i = dice.roll(0, 6); i > 0; --i) add(-1, dice.roll(0, dice.one_in(2) ? 30 : 250));
    for (int call = 0; call < static_cast<int>(model.calls.size()); ++call) {
        const int kernels = dice.one_in(4) ? dice.roll(2, 5) : dice.roll(0, 1);  // many: a graph
        const int earliest = std::max(0, model.calls[static_cast<std::size_t>(call)].start - (dice.one_in(8) ? 20 : 0));
        for (int i = 0; i < kernels; ++i) add(call, earliest);
    }
    std::ranges::stable_sort(model.kernels, {}, [](const ModelKernel& k) { return std::pair(k.start, -k.duration); });
    return model;
}

// Call i is named "call<i>", which identifies its row.
inline RankTracePtr build_trace(const LaunchModel& model) {
    TraceFixture fixture;
    fixture.cpu(0, kModelSpan, "everything", 1);  // makes run time equal rank time
    for (const ModelStep& step : model.steps) fixture.step(step.begin, step.end - step.begin, step.number);
    for (std::size_t i = 0; i < model.calls.size(); ++i) {
        const ModelCall& call = model.calls[i];
        fixture.event(call.start, call.duration, "call" + std::to_string(i), "cuda_runtime",
                      {"100", std::to_string(call.thread)});
        fixture.arg(Arg::Correlation, static_cast<std::int64_t>(i));
    }
    for (const ModelKernel& kernel : model.kernels) {
        const char* const category = kernel.kernel_class != KernelClass::Memory ? "kernel"
                                     : kernel.name == "Memset"                  ? "gpu_memset"
                                                                                : "gpu_memcpy";
        const int unknown = kernel.has_correlation ? 1000 : -1;
        fixture.kernel(kernel.start, kernel.duration, kernel.name, kernel.stream,
                       kernel.call < 0 ? unknown : kernel.call, category);
    }
    return fixture.build();
}

struct Chosen {
    std::optional<int> step, stream;
    std::optional<KernelClass> kernel_class;
    std::optional<std::pair<int, int>> time;

    std::string text() const {
        std::string words;
        if (step) words += " step:" + std::to_string(*step);
        if (stream) words += " stream:" + std::to_string(*stream);
        if (kernel_class) words += " class:" + std::string(name_of(*kernel_class));
        if (time) words += " time:" + std::to_string(time->first) + "ns.." + std::to_string(time->second) + "ns";
        return words;
    }
    int begin() const { return time ? time->first : 0; }
    int end() const { return time ? time->second : kModelSpan; }
    // Terms that set the window, and terms that select events.
    bool places(const LaunchModel& model, const ModelKernel& kernel) const {
        if (stream && kernel.stream != *stream) return false;
        if (!step) return true;
        const ModelCall* const call = model.call_of(kernel);
        if (!call && kernel.has_correlation && model.precedes_launched(kernel)) return false;
        const ModelStep* const of = model.step_at(call ? call->start : kernel.start);
        return of && of->number == *step;
    }
    bool takes(const ModelKernel& kernel) const { return !kernel_class || kernel.kernel_class == *kernel_class; }
    bool sees(const ModelKernel& kernel) const {
        if (!time) return true;
        if (kernel.duration == 0) return begin() <= kernel.start && kernel.start < end();
        return kernel.start < end() && begin() < kernel.end();
    }
};

inline Chosen random_choice(const LaunchModel& model, Dice& dice) {
    Chosen chosen;
    if (!model.steps.empty() && dice.one_in(4)) {
        chosen.step =
            model.steps[static_cast<std::size_t>(dice.roll(0, static_cast<int>(model.steps.size()) - 1))].number;
    }
    if (dice.one_in(4)) chosen.stream = dice.roll(7, 9);
    if (dice.one_in(4)) chosen.kernel_class = static_cast<KernelClass>(dice.roll(0, 2));
    if (dice.one_in(3)) {
        const int begin = dice.roll(0, kModelSpan - 1);
        chosen.time = {begin, dice.roll(begin + 1, kModelSpan)};
    }
    return chosen;
}

}  // namespace core::testing
