#pragma once
// Small random runs with steps, and a naive sum over every nanosecond, against which `step-parts`
// and the waterfall are tested.

#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace core::testing {

struct RandomKernel {
    int start, duration, stream;
    KernelClass kernel_class;
    std::string name;
    std::string launched_by;  // empty: no operator
};

struct RandomRank {
    std::vector<RandomKernel> kernels;
    std::vector<std::pair<int, int>> steps;  // begin, end
};

inline RandomRank random_rank(std::mt19937& engine) {
    const auto roll = [&](int least, int most) { return std::uniform_int_distribution(least, most)(engine); };
    RandomRank rank;
    for (int i = 0, begin = roll(0, 30); i < roll(1, 4); ++i) {
        const int end = begin + roll(1, 80);
        rank.steps.emplace_back(begin, end);
        begin = end + (roll(0, 1) ? roll(0, 20) : 0);
    }
    const std::string names[3][3] = {{"gemm_64x64", "gemm_128x64", "relu"},
                                     {"ncclAllReduce", "ncclSend", "ncclSend"},
                                     {"Memcpy DtoH", "Memset", "Memset"}};
    const std::string operators[] = {"", "aten::mm", "aten::relu"};
    for (int i = roll(1, 20); i > 0; --i) {
        const int kernel_class = roll(0, 2);
        rank.kernels.push_back({roll(0, 200), roll(0, 5) ? roll(1, 60) : 0, roll(7, 9),
                                static_cast<KernelClass>(kernel_class), names[kernel_class][roll(0, 2)],
                                operators[roll(0, 2)]});
    }
    return rank;
}

// Operators run on their own thread before time 0, one per kernel.
inline RankTracePtr trace_of(const RandomRank& rank, int number) {
    TraceFixture fixture;
    fixture.rank(number);
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        fixture.step(rank.steps[i].first, rank.steps[i].second - rank.steps[i].first, static_cast<int>(i));
    }
    int correlation = 1;
    for (const RandomKernel& kernel : rank.kernels) {
        const std::int64_t before = -10 * correlation;
        if (!kernel.launched_by.empty()) fixture.cpu(before, 8, kernel.launched_by).launch(before + 1, 1, correlation);
        const char* const category = kernel.kernel_class != KernelClass::Memory ? "kernel"
                                     : kernel.name == "Memset"                  ? "gpu_memset"
                                                                                : "gpu_memcpy";
        fixture.kernel(kernel.start, kernel.duration, kernel.name, kernel.stream, correlation++, category);
    }
    return fixture.build();
}

// "compute|operator|kernel" or the part's name → nanoseconds over all steps.
inline std::map<std::string, std::int64_t> sweep(const RandomRank& rank) {
    std::map<std::string, std::int64_t> parts;
    for (const auto& [begin, end] : rank.steps) {
        for (int t = begin; t < end; ++t) {
            const RandomKernel* first = nullptr;
            bool communicates = false, copies = false;
            for (const RandomKernel& kernel : rank.kernels) {
                if (t < kernel.start || t >= kernel.start + kernel.duration) continue;
                communicates |= kernel.kernel_class == KernelClass::Communication;
                copies |= kernel.kernel_class == KernelClass::Memory;
                if (kernel.kernel_class != KernelClass::Compute) continue;
                const bool earlier = first && (kernel.start < first->start ||
                                               (kernel.start == first->start && kernel.duration > first->duration));
                if (!first || earlier) first = &kernel;
            }
            const std::string by = first && !first->launched_by.empty() ? first->launched_by : "(unattributed)";
            ++parts[first          ? "compute|" + by + "|" + first->name
                    : communicates ? "exposed_communication||"
                    : copies       ? "exposed_memory||"
                                   : "idle||"];
        }
    }
    return parts;
}

}  // namespace core::testing
