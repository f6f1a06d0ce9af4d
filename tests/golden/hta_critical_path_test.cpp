// The critical path against Holistic Trace Analysis (HTA): equal times where both follow the same
// links; elsewhere both numbers and the reason. HTA ignores waits, so only parts are comparable.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <numeric>

using namespace core;
using namespace core::testing;

namespace {

// Microseconds by bound.
using Parts = std::map<std::string, double>;

Parts parts_of_hta(const std::string& dataset, const std::string& path = "critical_path.0",
                   bool launches_always = true) {
    const Json answer =
        golden(dataset, path).at(launches_always ? "zero_weight_launch=True" : "zero_weight_launch=False");
    Parts parts;
    for (const auto& row : golden_rows(answer.at("breakdown_by_bound")))
        parts[row.at("bound_by").get<std::string>()] = row.at("sum").get<double>();
    return parts;
}

Answer path_through(const fs::path& inside_corpus, std::string_view filter = "") {
    return answer_of(*load_corpus_run(inside_corpus), "critical-path", filter);
}

Parts parts_of(const Answer& answer) {
    Parts parts;
    const Table& main = answer.main();
    for (std::size_t row = 0; row < main.rows(); ++row)
        parts[std::string(main.text(row, 0))] = us(main.integer(row, main.find_column("time")));
    return parts;
}

double sum(const Parts& parts) {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double all, const auto& part) { return all + part.second; });
}

double window_of(const Answer& answer) { return us(answer.tables[1].table.integer(0, 2)); }

bool near(double a, double b, double tolerance) { return a - b <= tolerance && b - a <= tolerance; }

}  // namespace

TEST_CASE("with synchronisation rows GPU work and delays equal HTA's; a call that queries an event counts") {
    if (!goldens_are_here()) return;
    Parts hta = parts_of_hta("cp_event_sync_multi_stream");
    Parts ours = parts_of(path_through("HolisticTraceAnalysis/cuda_event_sync/event_sync_multi_stream_trace.json.gz"));
    CHECK(ours["compute"] + ours["memory"] == hta["gpu_compute_bound"]);
    CHECK(ours["launch_delay"] == hta["gpu_kernel_launch_overhead"]);
    CHECK(ours["kernel_delay"] == hta["gpu_kernel_kernel_overhead"]);
    // cudaEventQuery does not wait: three calls of 16 us in total, which HTA ignores.
    CHECK(ours["cpu"] == hta["cpu_bound"] + 16);

    hta = parts_of_hta("cp_alexnet", "critical_path.1", false);
    ours = parts_of(path_through("HolisticTraceAnalysis/critical_path_alexnet"));
    CHECK(ours["compute"] + ours["memory"] == hta["gpu_compute_bound"]);
    CHECK(ours["launch_delay"] == hta["gpu_kernel_launch_overhead"]);
    CHECK(near(ours["kernel_delay"], hta["gpu_kernel_kernel_overhead"], 1));
    CHECK(near(ours["cpu"], hta["cpu_bound"], 60));  // of 43 s
}

TEST_CASE("the path spans its window: HTA omits time between operators, waits, and whatever it cannot link") {
    if (!goldens_are_here()) return;
    const Answer annotated = path_through("HolisticTraceAnalysis/gpu_user_annotation");
    CHECK(sum(parts_of_hta("with_gpu_user_annotation")) == 5'068);
    CHECK(window_of(annotated) == 9'990);
    CHECK(near(sum(parts_of(annotated)), 9'990, 1e-6));
    CHECK(parts_of(annotated)["host_other"] == 2'553);
}

TEST_CASE("HIP calls wait for the GPU: HTA knows none of them and finds only the CPU") {
    if (!goldens_are_here()) return;
    CHECK(parts_of_hta("amd_trace").count("gpu_compute_bound") == 0);
    Parts ours = parts_of(path_through("HolisticTraceAnalysis/amd_trace"));
    CHECK(near(ours["memory"], 38.161, 1e-6));
    CHECK(ours["sync_delay"] > 0);
}

TEST_CASE("without synchronisation rows waits are derived from end times: HTA finds only the CPU") {
    if (!goldens_are_here()) return;
    Parts hta = parts_of_hta("dlrm_8rank");
    CHECK(hta["cpu_bound"] / sum(hta) > 0.99);
    const Answer answer = path_through("param/dlrm_8rank", "rank:0");
    Parts ours = parts_of(answer);
    CHECK(near(ours["communication"] / window_of(answer), 0.22, 0.01));
    CHECK(near(ours["data_loading"], 1'101, 1));
}

TEST_CASE("launches lead to a busy GPU and back through its work: HTA stops after two kernels") {
    if (!goldens_are_here()) return;
    Parts hta = parts_of_hta("tl_mi300_resnet", "critical_path.0", false);
    CHECK(near(sum(hta), 15'862.361, 0.001));
    const Answer answer = path_through("TraceLens/mi300_resnet_ddp_rank0of8");
    CHECK(near(window_of(answer), 86'573.481, 0.001));
    CHECK(near(parts_of(answer)["communication"], 71'503.205, 0.001));
    CHECK(answer.marks.size() > 100);
}
