#pragma once
// Traces of operators with arguments, for tests of FLOP.

#include "core/analysis/efficiency/device_peaks.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

namespace core::testing {

struct OperatorFixture : TraceFixture {
    // Sets arguments of the operator just added; values as JSON.
    OperatorFixture& with(std::string_view sizes, std::string_view types = "", std::string_view values = "") {
        arg(Arg::InputDims, sizes);
        if (!types.empty()) arg(Arg::InputTypes, types);
        if (!values.empty())
            batch().text_store.add(batch().events.back().order, 0,
                                   R"({"Concrete Inputs": )" + std::string(values) + "}", "");
        return *this;
    }
    OperatorFixture& op(std::int64_t start_ns, std::int64_t duration_ns, std::string_view name, int thread = 100) {
        cpu(start_ns, duration_ns, name, thread);
        return *this;
    }
    // A launch at `start_ns` and its kernel.
    OperatorFixture& gpu(std::int64_t start_ns, std::int64_t kernel_start_ns, std::int64_t kernel_ns,
                         std::string_view kernel_name) {
        launch(start_ns, 1, ++correlation_);
        kernel(kernel_start_ns, kernel_ns, kernel_name, 7, correlation_);
        return *this;
    }
    OperatorFixture& device(std::string_view name, std::int64_t memory_bytes = 80'000'000'000) {
        info().devices.push_back({static_cast<std::int64_t>(info().devices.size()), std::string(name), memory_bytes});
        return *this;
    }

private:
    std::int64_t correlation_ = 0;
};

inline constexpr std::string_view kHalves = R"(["c10::BFloat16", "c10::BFloat16"])";

}  // namespace core::testing
