#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/golden/goldens.hpp"

using namespace core;
using namespace core::testing;

namespace {

OperatorFixture& add_module(OperatorFixture& fixture, std::int64_t start_ns, std::int64_t duration_ns,
                            std::string_view name) {
    fixture.event(start_ns, duration_ns, name, "python_function", {"100", "100"});
    return fixture;
}

// Net_0 contains Linear_0 and Linear_1, each with one product; the backward of the first; one kernel outside.
RankTracePtr small_net() {
    OperatorFixture fixture;
    add_module(fixture, 0, 100, "nn.Module: Net_0");
    add_module(fixture, 10, 30, "nn.Module: Linear_0");
    fixture.op(12, 20, "aten::mm").with("[[2, 2], [2, 2]]").arg(Arg::SequenceNumber, 1);
    fixture.gpu(14, 1'000, 10, "gemm");
    add_module(fixture, 50, 30, "nn.Module: Linear_1");
    fixture.op(52, 20, "aten::mm").with("[[2, 2], [2, 2]]").gpu(54, 2'000, 20, "gemm");
    fixture.gpu(90, 3'000, 5, "glue");
    fixture.op(200, 50, "autograd::engine::evaluate_function: MmBackward0").arg(Arg::SequenceNumber, 1);
    fixture.op(210, 20, "aten::mm").with("[[2, 2], [2, 2]]").gpu(214, 4'000, 40, "gemm");
    fixture.gpu(300, 5'000, 7, "alone");
    return fixture.build();
}

// "module calls kernel_time self forward backward flop" per row.
Rows rows_by(std::string_view by, std::string_view depth = "99") {
    const Table table =
        answer_of(*run_of({small_net()}), "modules", "", {{"by", std::string(by)}, {"depth", std::string(depth)}})
            .main();
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string text;
        for (const char* const column :
             {"module", "calls", "kernel_time", "self_kernel_time", "forward", "backward", "flop"}) {
            const std::size_t c = table.find_column(column);
            if (!text.empty()) text += ' ';
            text += table.absent(row, c)                    ? "-"
                    : table.columns()[c].unit == Unit::Text ? std::string(table.text(row, c))
                                                            : std::to_string(table.integer(row, c));
        }
        rows.push_back(text);
    }
    return rows;
}

std::int64_t value_of(const Table& table, std::string_view module, std::string_view column) {
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, 1) == module) return table.integer(row, table.find_column(column));
    return -1;
}

}  // namespace

TEST_CASE("a module has the work below it, forward and, by sequence number, backward") {
    CHECK(rows_by("path") == Rows{"Net_0 1 75 5 35 40 48", "Net_0/Linear_0 1 50 50 10 40 32",
                                  "Net_0/Linear_1 1 20 20 20 0 16", "(unattributed) 0 7 7 7 0 -"});
    CHECK(rows_by("class") == Rows{"Linear 2 70 70 30 40 48", "Net 1 5 5 5 0 -", "(unattributed) 0 7 7 7 0 -"});
}

TEST_CASE("modules of a class that occur four times below one parent are layers, with all that is in them") {
    const auto layers_of = [](int count) {
        OperatorFixture fixture;
        add_module(fixture, 0, 1'000, "nn.Module: Net_0");
        for (int i = 0; i < count; ++i) {
            add_module(fixture, 10 + 100 * i, 90, "nn.Module: Block_" + std::to_string(i));
            add_module(fixture, 20 + 100 * i, 30, "nn.Module: Linear_" + std::to_string(i));
            fixture.op(22 + 100 * i, 20, "aten::mm").with("[[2, 2], [2, 2]]");
            fixture.gpu(24 + 100 * i, 2'000 + 100 * i, 10 + i, "gemm");
            fixture.gpu(60 + 100 * i, 2'050 + 100 * i, 5, "glue");
        }
        fixture.gpu(900, 5'000, 7, "head");
        const Table table = answer_of(*run_of({fixture.build()}), "modules", "", {{"by", "layer"}}).main();
        Rows rows;
        for (std::size_t row = 0; row < table.rows(); ++row)
            rows.push_back(std::string(table.text(row, 1)) + " " +
                           std::to_string(table.integer(row, table.find_column("calls"))) + " " +
                           std::to_string(table.integer(row, table.find_column("kernel_time"))));
        return rows;
    };
    CHECK(layers_of(4) == Rows{"Net_0/Block_0 1 15", "Net_0/Block_1 1 16", "Net_0/Block_2 1 17", "Net_0/Block_3 1 18",
                               "(other modules) 1 7"});
    CHECK(layers_of(3) == Rows{"(other modules) 7 55"});
}

TEST_CASE("modules below the depth count to those around them") {
    CHECK(rows_by("path", "1") == Rows{"Net_0 1 75 75 35 40 48", "(unattributed) 0 7 7 7 0 -"});
}

TEST_CASE("own times add up to the GPU time of the rank") {
    const RunPtr run = run_of({small_net()});
    const Table table = answer_of(*run, "modules").main(), kernels = answer_of(*run, "kernels").main();
    std::int64_t self = 0, total = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
        self += table.integer(row, table.find_column("self_kernel_time"));
    for (std::size_t row = 0; row < kernels.rows(); ++row) total += kernels.integer(row, kernels.find_column("total"));
    CHECK(self == total);
}

TEST_CASE("traces without modules are distinguished by their annotations") {
    OperatorFixture fixture;
    fixture.event(0, 100, "encoder", "user_annotation", {"100", "100"});
    fixture.event(20, 10, "Optimizer.step#SGD.step", "user_annotation", {"100", "100"});
    fixture.gpu(22, 1'000, 10, "kernel");
    const Table table = answer_of(*run_of({fixture.build()}), "modules").main();
    CHECK(value_of(table, "encoder", "kernel_time") == 10);
    CHECK(table.rows() == 1);
}

TEST_CASE("a real model's layers take the time that their kernels take") {
    if (!goldens_are_here() || !is_whole_corpus()) return;
    const RunPtr run = load_corpus_run("TraceLens/h100_vs_mi300_qwen/h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
    const Table table = answer_of(*run, "modules").main();
    CHECK(value_of(table, "(unattributed)", "kernel_time") == 13'741'827);
    const Table top = answer_of(*run, "modules", "", {{"depth", "99"}}).main();
    std::int64_t model = 0;
    for (std::size_t row = 0; row < top.rows(); ++row)
        if (top.text(row, 1).ends_with("Qwen2Model_0")) model = top.integer(row, top.find_column("kernel_time"));
    CHECK(model == 31'905'473);
}
