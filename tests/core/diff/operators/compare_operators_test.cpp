// Operators of two aligned steps: finds exactly the planted edits, on synthetic and on real traces.

#include "core/diff/operators/compare_operators.hpp"

#include "core/diff/operators/op_by_op.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/golden/goldens.hpp"

#include <doctest/doctest.h>

#include <ctime>

using namespace core;
using namespace core::testing;

namespace {

// One thread of operators, each with the kernels that it launches, in ProfilerStep#1; step 0 is the warm-up.
class StepOfOperators {
public:
    StepOfOperators() { fixture_.rank(0).step(0, 1000, 0).step(1000, 1'000'000, 1).step(1'001'000, 1000, 2); }
    StepOfOperators& op(std::string_view name, const std::vector<std::string>& kernels = {},
                        std::string_view inputs = "[[8,4]]") {
        fixture_.cpu(at_, 100, name).arg(Arg::InputDims, inputs);
        for (const std::string& kernel : kernels) {
            at_ += 10;
            fixture_.launch(at_, 2, correlation_).kernel(at_ + 500, 7, kernel, 7, correlation_);
            ++correlation_;
        }
        at_ += 200;
        return *this;
    }
    StepOfOperators& module(std::string_view name, std::int64_t length) {
        fixture_.event(at_ - 5, length, "nn.Module: " + std::string(name), "python_function", {"100", "100"});
        return *this;
    }
    RunPtr run() { return run_of({fixture_.build()}); }

private:
    TraceFixture fixture_;
    std::int64_t at_ = 2000;
    int correlation_ = 1;
};

OperatorComparison compare(const RunPtr& baseline, const RunPtr& candidate, const NameRules& rules = {}) {
    Result<OperatorComparison> compared =
        compare_operators({baseline.get(), candidate.get()}, align_runs(*baseline, *candidate), {}, rules, {});
    REQUIRE_MESSAGE(compared, (compared ? "" : compared.error().message));
    return *std::move(compared);
}

std::vector<std::string> edits_of(const OperatorComparison& compared, const BySide<const Run*>& runs) {
    std::vector<std::string> texts;
    const Comparison table = to_comparison(compared, runs, false);
    for (std::size_t row = 0; row < table.table.rows(); ++row)
        texts.push_back(std::string(table.table.text(row, 1)) + " " + std::string(table.table.text(row, 3)) + " " +
                        std::string(table.table.text(row, 4)));
    return texts;
}

}  // namespace

TEST_CASE("inserted, removed, replaced and changed operators are found in order, and nothing else") {
    const RunPtr baseline = StepOfOperators()
                                .op("aten::embedding", {"gather"})
                                .op("aten::mm", {"gemm_64x64"})
                                .op("aten::add", {"add"})
                                .op("aten::relu", {"relu"})
                                .op("aten::mm", {"gemm_64x64"})
                                .op("aten::layer_norm", {"mean", "norm"})
                                .op("aten::dropout", {"mask"})
                                .op("aten::mm", {"gemm_f32"}, "[[8,4]]")
                                .run();
    const RunPtr candidate = StepOfOperators()
                                 .op("aten::embedding", {"gather"})
                                 .op("aten::mm", {"gemm_128x64"})
                                 .op("fused_add_relu", {"fused"})
                                 .op("aten::mm", {"gemm_64x64"}, "[[16,4]]")
                                 .op("aten::layer_norm", {"fused_norm"})
                                 .op("aten::mm", {"gemm_f16"})
                                 .op("aten::sum", {"reduce"})
                                 .run();
    const OperatorComparison compared = compare(baseline, candidate);
    const BySide<const Run*> runs{baseline.get(), candidate.get()};
    CHECK(edits_of(compared, runs) ==
          std::vector<std::string>{
              "changed aten::mm other tuning: gemm_64x64 \xE2\x86\x92 gemm_128x64",
              "replaced aten::add \xE2\x86\x92 fused_add_relu other kernel: add \xE2\x86\x92 fused",
              "removed aten::relu ", "changed aten::mm inputs [[8,4]] \xE2\x86\x92 [[16,4]]",
              "changed aten::layer_norm fewer kernels: mean; norm \xE2\x86\x92 fused_norm", "removed aten::dropout ",
              "changed aten::mm other type: gemm_f32 \xE2\x86\x92 gemm_f16", "inserted aten::sum "});
    CHECK(describe_operators(compared) ==
          "8 operators against 7: 1 the same, 4 changed, 1 replaced, 1 inserted, 2 removed");
    CHECK(compared.notes.front() == "step 1 of rank 0 against step 1 of rank 0");
}

TEST_CASE("rows point to the operators of both runs, and kernels are those of their launches") {
    const RunPtr baseline = StepOfOperators().op("aten::mm", {"a", "b"}).run();
    const RunPtr candidate = StepOfOperators().op("aten::relu").op("aten::mm", {"c"}).run();
    const OperatorComparison compared = compare(baseline, candidate);
    const Comparison table = to_comparison(compared, {baseline.get(), candidate.get()}, true);
    REQUIRE(table.table.rows() == 2);
    CHECK(table.sources[0].baseline.empty());
    CHECK(table.sources[1].baseline == std::vector<std::size_t>{0});
    CHECK(table.sources[1].candidate == std::vector<std::size_t>{1});
    CHECK(table.table.text(1, table.table.find_column("launched.baseline")) == "a; b");
    CHECK(table.table.integer(1, table.table.find_column("kernel_time.change")) == -7);
    const Comparison kernels = to_kernel_comparison(compared, {baseline.get(), candidate.get()}, false);
    REQUIRE(kernels.table.rows() == 1);
    CHECK(kernels.table.text(0, 1) == "fewer kernels");
    CHECK(kernels.table.text(0, 2) == "a; b");
    CHECK(kernels.table.text(0, 3) == "c");
}

TEST_CASE("a separate module is not mistaken for another module's operator") {
    const auto with = [](bool has_extra) {
        StepOfOperators step;
        step.module("Embedding_0", 150).op("aten::mm");
        if (has_extra) step.module("Adapter_0", 150).op("aten::mm");
        step.module("Linear_0", 150).op("aten::mm");
        return step.run();
    };
    const RunPtr baseline = with(false), candidate = with(true);
    const OperatorComparison compared = compare(baseline, candidate);
    const Comparison table = to_comparison(compared, {baseline.get(), candidate.get()}, false);
    REQUIRE(table.table.rows() == 1);
    CHECK(table.table.text(0, 1) == "inserted");
    CHECK(table.table.text(0, 2) == "Adapter_0");
}

TEST_CASE("names that pair by hand are the same operator and the same kernel") {
    const RunPtr baseline = StepOfOperators().op("aten::mm", {"gemm"}).run();
    const RunPtr candidate = StepOfOperators().op("my::mm", {"nvjet"}).run();
    CHECK(compare(baseline, candidate).count(OperatorEdit::Replaced) == 1);
    const NameRules rules{.matching = NameMatching::Exact, .pairs = {{"aten::mm", "my::mm"}, {"gemm", "nvjet"}}};
    CHECK(compare(baseline, candidate, rules).count(OperatorEdit::Same) == 1);
}

TEST_CASE("kernels are distinguished by tuning, by type and by name") {
    using Names = std::vector<std::string_view>;
    const NamePairing exact;
    CHECK(compare_kernels(Names{"a"}, Names{"a"}, exact) == KernelEdit::Same);
    CHECK(compare_kernels(Names{}, Names{}, exact) == KernelEdit::Same);
    CHECK(compare_kernels(Names{"ampere_sgemm_128x64_tn"}, Names{"ampere_sgemm_64x64_tn"}, exact) ==
          KernelEdit::Tuning);
    CHECK(compare_kernels(Names{"ampere_sgemm_128x64_tn"}, Names{"ampere_hgemm_64x64_tn"}, exact) == KernelEdit::Type);
    CHECK(compare_kernels(Names{"add<float>"}, Names{"add<c10::BFloat16>"}, exact) == KernelEdit::Type);
    CHECK(compare_kernels(Names{"add<float>"}, Names{"mul<float>"}, exact) == KernelEdit::Other);
    CHECK(compare_kernels(Names{"a", "b"}, Names{"ab"}, exact) == KernelEdit::Fewer);
    CHECK(compare_kernels(Names{}, Names{"a"}, exact) == KernelEdit::More);
}

TEST_CASE("an instance number belongs to the module's class, another number does not") {
    CHECK(module_class("Linear_12") == "Linear");
    CHECK(module_class("Linear") == "Linear");
    CHECK(module_class("Conv_2d") == "Conv_2d");
    CHECK(module_class("_1") == "_1");
    CHECK(module_class("") == "");
}

TEST_CASE("steps without operators are refused by name") {
    const RunPtr baseline = StepOfOperators().op("aten::mm").run(), candidate = StepOfOperators().run();
    const Result<OperatorComparison> compared =
        compare_operators({baseline.get(), candidate.get()}, align_runs(*baseline, *candidate), {}, {}, {});
    REQUIRE_FALSE(compared);
    CHECK(compared.error().message == "candidate: step 1 of rank 0 has no operators: there is nothing to align");
}

TEST_CASE("a hundred thousand operators are aligned with as many others (the time is said)") {
    const auto step = [](int seed) {
        TraceFixture fixture;
        fixture.rank(0).step(0, 1, 0).step(10, 100'000'000, 1).step(200'000'000, 1, 2);
        for (int i = 0; i < 100'000; ++i)
            fixture.cpu(20 + 100 * i, 50, "aten::op" + std::to_string((i * 7919 + i / 37 * seed) % 300));
        return run_of({fixture.build()});
    };
    const RunPtr baseline = step(1), candidate = step(5);
    const std::clock_t before = std::clock();
    const OperatorComparison compared = compare(baseline, candidate);
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    MESSAGE("aligned in " << seconds << " s: " << describe_operators(compared));
    CHECK(compared.count(OperatorEdit::Same) < 100'000);
    CHECK(compared.count(OperatorEdit::Same) > 300);
}
