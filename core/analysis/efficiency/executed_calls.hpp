#pragma once
// The calls of a rank that a filter chooses, for what divides FLOP by time. A call counts whole or not at all: with all
// its FLOP, bytes and GPU time, if the filter chooses any of its GPU events and its first one starts in the filter's
// time range.

#include "core/analysis/efficiency/rank_work.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <optional>
#include <vector>

namespace core {

struct ChosenCall {
    std::uint32_t call;  // into RankWork::calls
    bool executed;  // launched GPU work; others ran on the CPU, into a graph, or their records are lost
    std::optional<std::int64_t> step;  // that holds the operator's start
};

struct ChosenCalls {
    RankWorkPtr work;
    std::vector<ChosenCall> calls;
};

Result<ChosenCalls> choose_calls(const RankView&, const JobContext&);

// matrix / (matrix + uncounted) of the compute kernels that the filter chooses; absent without either.
struct Coverage {
    Wide matrix = 0, uncounted = 0;
    Cell cell() const { return ratio_cell(matrix, matrix + uncounted); }
    Coverage& operator+=(const Coverage& other) {
        matrix += other.matrix;
        uncounted += other.uncounted;
        return *this;
    }
};

}  // namespace core
