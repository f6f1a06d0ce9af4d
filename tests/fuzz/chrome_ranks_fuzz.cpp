// Any bytes as a Chrome trace that may hold several ranks: its records are divided among them, none twice.

#include "core/ingest/kineto/kineto_file.hpp"
#include "tests/fuzz/trace_files.hpp"

#include <set>

namespace {

std::string named(int pid, std::string_view name) {
    return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) + R"(,"args":{"name":")" +
           std::string(name) + R"("}},)";
}

std::string event(std::string_view pid, int ts, std::string_view name, std::string_view more = {}) {
    return R"({"ph":"X","ts":)" + std::to_string(ts) + R"(,"dur":2,"tid":7,"pid":)" + std::string(pid) +
           R"(,"name":")" + std::string(name) + '"' + std::string(more) + "},";
}

std::string arrow(char phase, int pid, int ts) {
    return R"({"ph":")" + std::string(1, phase) + R"(","id":3,"cat":"ac2g","name":"ac2g","bp":"e","tid":7,"pid":)" +
           std::to_string(pid) + R"(,"ts":)" + std::to_string(ts) + "},";
}

std::string trace(const std::string& events) { return R"({"traceEvents":[)" + events + "{}]}"; }

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    const std::string launch = R"(,"cat":"cuda_runtime","args":{"correlation":5})";
    const std::string kernel = R"(,"cat":"kernel","args":{"correlation":5,"stream":7,"device":0})";
    return {trace(named(1, "[TP00-DP01] 83") + named(2, "[TP01-DP01] 84") + event("1", 1, "a") + event("2", 2, "b")),
            trace(event("\"83_0\"", 1, "cudaLaunchKernel", launch) + event("\"0_0\"", 2, "gemm", kernel) +
                  event("\"84_1\"", 1, "cudaLaunchKernel", launch) + event("\"1_1\"", 2, "gemm", kernel)),
            trace(named(1, "/device:GPU:0") + named(2, "/device:GPU:1") + named(3, "/host:CPU") + event("1", 1, "k") +
                  event("2", 2, "k") + event("3", 1, "train", R"(,"args":{"step_num":"4"})")),
            trace(named(1, "RANK 0 HOST") + named(2, "RANK 0 DEVICE 0") + named(3, "RANK 1 HOST") +
                  event("1", 1, "launch") + event("2", 2, "k") + event("3", 1, "launch") + arrow('s', 1, 1) +
                  arrow('f', 2, 2)),
            trace(event("10", 1, "cudaLaunchKernel", launch) + event("11", 1, "cudaLaunchKernel", launch) +
                  event("0", 2, "gemm", kernel) + event("1", 2, "gemm", kernel)),
            trace(event("0", 1, "f", R"(,"args":{"pp_rank":0})") + event("1", 2, "f", R"(,"args":{"pp_rank":1})"))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    core::LoadProgress progress;
    const std::vector<core::RankTracePtr> ranks =
        fuzz::read_ranks(core::open_kineto_file(fuzz::write_trace("merged.json", text), progress));
    std::set<std::optional<int>> numbers;
    std::uint64_t records = 0, steps = 0;
    for (const core::RankTracePtr& rank : ranks) {
        if (ranks.size() > 1 && !rank->info.rank) fuzz::fail("a rank of several without a number");
        numbers.insert(rank->info.rank);
        records += rank->info.records.total;
        steps += rank->steps.size();
    }
    if (numbers.size() != ranks.size()) fuzz::fail("two ranks have one number");
    // Steps of a host that ranks share are copied to each.
    if (records > size + steps + ranks.size()) fuzz::fail("more records than bytes");
    return 0;
}
