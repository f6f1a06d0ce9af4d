// Intended differences from Holistic Trace Analysis (HTA) for operators and annotations: its
// number, ours, and the reason.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

struct Sum {
    std::int64_t count = 0;
    double time = 0;  // microseconds
};

bool agree(const Sum& a, const Sum& b) { return a.count == b.count && std::abs(a.time - b.time) <= 0.5; }

// Sum over the kernels of an annotation; HTA uses "" for kernels without one.
Sum annotation_of(const Run& run, std::string_view annotation, std::string_view filter = "step:complete") {
    const Table table = answer_of(run, "kernels-by-annotation", filter).main();
    Sum sum;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 1) != annotation) continue;
        sum.count += table.integer(row, 3);
        sum.time += us(table.integer(row, 4));
    }
    return sum;
}

Sum annotation_of_hta(const std::string& dataset, std::string_view annotation) {
    for (const auto& row :
         golden_rows(golden(dataset, "gpu_kernels_with_user_annotations.rank0").at("per_annotation"))) {
        if (row.at("s_user_annotation") == annotation)
            return {row.at("count").get<std::int64_t>(), row.at("sum").get<double>()};
    }
    return {};
}

// Sum below the calls of an operator in HTA's call graph, which identifies events by position in the file.
Sum sum_in_call_graph(const std::string& dataset, const RankTrace& trace, std::string_view name) {
    const Json events = golden(dataset, "call_graph_fixed_end").at("0").at("events");
    std::set<std::int64_t> places;
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        const bool is_call = trace.category_kind(EventId{e}) == Category::CpuOp;
        if (is_call && trace.name_text(EventId{e}) == name) places.insert(trace.order[e]);
    }
    Sum sum;
    for (std::size_t i = 0; i < events.at("index").size(); ++i) {
        if (!places.contains(events.at("index")[i].get<std::int64_t>())) continue;
        sum.count += events.at("num_kernels")[i].get<std::int64_t>();
        sum.time += events.at("kernel_dur_sum")[i].get<double>();
    }
    return sum;
}

// count and kernel_time of the most frequent kernel sequence.
Sum first_sequence(const Run& run, std::string_view filter) {
    const Table table = answer_of(run, "kernel-sequences", filter).main();
    REQUIRE(table.rows() > 0);
    return {table.integer(0, 2), us(table.integer(0, 3))};
}

Sum first_sequence_of_hta(const std::string& dataset, const std::string& key) {
    const auto row = golden_rows(golden(dataset, "frequent_cuda_kernel_sequences").at(key)).at(0);
    return {row.at("count").get<std::int64_t>(), row.at("GPU kernel duration (us)").get<double>()};
}

Sum sum_of_operator(const Run& run, std::string_view name, std::string_view filter = "step:complete") {
    const Table table = answer_of(run, "operators", filter).main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 0) == name)
            return {table.integer(row, table.find_column("kernels")),
                    us(table.integer(row, table.find_column("kernel_time")))};
    }
    return {};
}

}  // namespace

TEST_CASE("annotations that run late on the GPU keep their kernels: HTA drops those that begin after its cut") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/ns_resolution_trace");
    CHECK(agree(annotation_of_hta("ns_resolution_trace", "Optimizer.step#SGD.step"), {27, 3'317.966}));
    CHECK(agree(annotation_of(*run, "Optimizer.step#SGD.step"), {36, 4'428.744}));
    CHECK(agree(annotation_of_hta("ns_resolution_trace", "## backward ##"), {18, 69.311}));
    CHECK(agree(annotation_of(*run, "## backward ##"), {24, 91.775}));
    // In HTA the kernels we add have no annotation: the totals are equal.
    CHECK(agree(annotation_of_hta("ns_resolution_trace", ""), {2'991, 254'433.315}));
    CHECK(agree(annotation_of(*run, "(unannotated)"), {2'976, 253'300.073}));
}

TEST_CASE("annotations keep their whole name: HTA drops text in brackets") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("TraceLens/b200_eager_rank0of8");
    CHECK(agree(annotation_of_hta("tl_b200_eager", "execute_context_1_generation_0"), {927, 11'641.823}));
    CHECK(agree(annotation_of(*run, "execute_context_1(888_788544)_generation_0(0)"), {927, 11'641.823}));
}

TEST_CASE("GPU events on ROCm's default stream 0 belong to their launches: HTA's call graph ignores them") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/amd_trace");
    const RankTrace& trace = run->rank(0).trace();
    CHECK(agree(sum_in_call_graph("amd_trace", trace, "aten::linear"), {0, 0}));
    CHECK(agree(sum_of_operator(*run, "aten::linear"), {2, 24.48}));
}

TEST_CASE("synchronisation rows are not kernels of an operator: HTA counts the wait for the waiting operator") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/cuda_event_sync/event_sync_trace.json.gz");
    const RankTrace& trace = run->rank(0).trace();
    CHECK(agree(sum_in_call_graph("cp_event_sync", trace, "aten::item"), {2, 7}));
    CHECK(agree(sum_of_operator(*run, "aten::item"), {1, 2}));
}

TEST_CASE("a Triton operator with a stream launches its kernel: HTA counts the operator as GPU work") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/triton_example");
    const RankTrace& trace = run->rank(0).trace();
    CHECK(agree(sum_in_call_graph("triton_example", trace, "triton_poi_fused_add_cos_sin_0"), {0, 0}));
    CHECK(agree(sum_of_operator(*run, "triton_poi_fused_add_cos_sin_0"), {1, 1.76}));
}

TEST_CASE("HTA gives spans since 1970 after a normal load, and 0 without a kernel; ours are spans or absent") {
    if (!goldens_are_here()) return;
    const Json loaded = golden("dlrm_8rank", "call_graph").at("0").at("sums");
    CHECK(loaded.at("kernel_span").get<double>() > 1.6e18);
    CHECK(golden("dlrm_8rank", "call_graph_fixed_end").at("0").at("sums").at("kernel_span") == 78'381);
    const Table table = answer_of(*load_corpus_run("param/dlrm_8rank"), "operator-calls", "rank:0").main();
    std::size_t without = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        CHECK((table.integer(row, 6) == 0) == table.absent(row, 8));
        without += table.absent(row, 8) ? 1 : 0;
        CHECK(table.integer(row, 8) < 1'000'000'000);
    }
    CHECK(without > 0);
}

TEST_CASE("a step mark contains what its own thread launched: HTA adds the backward thread") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("param/dlrm_8rank");
    CHECK(agree(first_sequence_of_hta("dlrm_8rank", "ProfilerStep|1"), {1, 6'851}));
    CHECK(agree(first_sequence(*run, "rank:0 name:ProfilerStep"), {1, 4'030}));
    const Table backward = answer_of(*run, "kernel-sequences", "rank:0 name:autograd::engine", {{"least", "1"}}).main();
    std::int64_t time = 0;
    for (std::size_t row = 0; row < backward.rows(); ++row) time += backward.integer(row, 3);
    CHECK(us(time) == 6'851 - 4'030);
}

TEST_CASE("every outermost operator counts at any depth: HTA uses only the least depth of the trace") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/gpu_user_annotation");
    CHECK(agree(first_sequence(*run, "step:complete name:aten::"), {40, 80}));
    // HTA keeps those of the 40 outermost calls of aten::add_ that are at the least depth.
    for (const auto& row :
         golden_rows(golden("with_gpu_user_annotation", "frequent_cuda_kernel_sequences").at("aten::|1"))) {
        if (row.at("pattern").get<std::string>().starts_with("aten::add_|")) CHECK(row.at("count") == 4);
    }
}
