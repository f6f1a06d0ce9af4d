#pragma once
// Queries over small runs, for tests: answers as text, one row per line, cells separated by '|', absent ones '-'.

#include "core/query/filter_text.hpp"
#include "core/sql/sql_query.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <string>

namespace core::testing {

inline SqlAnswer query(const Run& run, std::string_view text, const SqlOptions& options = {},
                       std::string_view filter = {}) {
    const Result<Filter> parsed = parse_filter(filter);
    REQUIRE(parsed);
    const Result<SqlAnswer> answer = run_sql(run, *parsed, text, options, {});
    INFO(text);
    REQUIRE_MESSAGE(answer.has_value(), (answer ? "" : answer.error().message));
    return *answer;
}

inline std::string rows_of(const SqlAnswer& answer) {
    std::string text;
    for (std::size_t row = 0; row < answer.table.rows(); ++row) {
        for (std::size_t c = 0; c < answer.table.columns().size(); ++c) {
            const Cell cell = answer.table.cell(row, c);
            if (c > 0) text += '|';
            if (const auto* const held = std::get_if<std::string_view>(&cell))
                text += *held;
            else if (const auto* const integer = std::get_if<std::int64_t>(&cell))
                text += std::to_string(*integer);
            else if (std::holds_alternative<double>(cell))
                text += format_cell_exact(answer.table, row, c);
            else
                text += '-';
        }
        text += '\n';
    }
    return text;
}

inline std::string rows_of(const Run& run, std::string_view text, std::string_view filter = {}) {
    return rows_of(query(run, text, {}, filter));
}

inline std::string error_of(const Run& run, std::string_view text, const SqlOptions& options = {}) {
    const Filter filter;
    const Result<SqlAnswer> answer = run_sql(run, filter, text, options, {});
    return answer ? "no error" : answer.error().message;
}

// Two ranks: a step, an operator that launches two kernels, and one of the communication.
inline RankTracePtr small_rank(int rank, std::int64_t late = 0) {
    return TraceFixture()
        .rank(rank)
        .step(100 + late, 400, 1)
        .cpu(110 + late, 100, "aten::mm")
        .launch(120 + late, 10, 1)
        .launch(140 + late, 10, 2)
        .kernel(200 + late, 50, "gemm", 7, 1)
        .kernel(260 + late, 30, "ncclDevKernel_AllReduce", 20, 2)
        .kernel(300 + late, 5, "Memset", 7, -1, "gpu_memset")
        .build();
}

inline RunPtr small_run() { return run_of({small_rank(0), small_rank(1, 7)}); }

}  // namespace core::testing
