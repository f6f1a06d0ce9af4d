// Time of a search on one thread: by name in a synthetic run, or by name and arguments in a run
// that is read. Prints JSON; ratios are to the search for "gemm" among the names of the same run.
//   bench_find_bench [EVENTS] (default 16000000) | PATH

#include "core/ingest/load/load_run.hpp"
#include "core/query/find_events.hpp"
#include "core/query/found_summary.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using namespace core;

constexpr std::size_t kRanks = 8;
constexpr int kLanes = 40;
constexpr std::size_t kNames = 20'000;  // distinct, as a trace with Python calls has

RankTracePtr build_trace(std::size_t events, int rank) {
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
    EventBatch batch;
    std::vector<NameId> names;
    for (std::size_t i = 0; i < kNames; ++i)
        names.push_back(batch.pool.intern("torch/nn/modules/module_" + std::to_string(i) + ".py(1511): _call_impl"));
    for (std::size_t i = 0; i < 300; ++i)
        names.push_back(batch.pool.intern("void cutlass::gemm_kernel_" + std::to_string(i) + "<float>(Args)"));
    const NameId category = batch.pool.intern("cpu_op");
    const NameId pid = batch.pool.intern("1");
    for (std::size_t i = 0; i < events; ++i) {
        EventRow row{};
        row.start_ns = static_cast<std::int64_t>(i / kLanes) * 2'000;
        row.duration_ns = static_cast<std::int64_t>(random() % 2'000);
        row.name = names[static_cast<std::size_t>(random() % names.size())];
        row.category = category;
        row.pid = pid;
        row.tid = batch.pool.intern(std::to_string(i % kLanes));
        row.order = static_cast<std::uint32_t>(i);
        row.phase = Phase::Complete;
        batch.events.push_back(row);
    }
    batch.records.complete = batch.records.total = events;
    TraceBuilder builder;
    builder.append(std::move(batch));
    Result<RankTracePtr> trace = std::move(builder).finish({}, {}, {});
    if (!trace) std::abort();
    return *trace;
}

RunPtr build_run(std::size_t events) {
    RunParts parts;
    parts.names = std::make_shared<InternedNames>();
    for (std::size_t i = 0; i < kRanks; ++i) {
        RankSlot slot;
        slot.key.number = static_cast<std::int32_t>(i);
        slot.index = std::make_shared<const RankIndex>(build_trace(events / kRanks, slot.key.number), parts.rules);
        slot.names = parts.names->build_table(slot.trace().names);
        parts.ranks.push_back(std::move(slot));
    }
    return std::make_shared<const Run>(std::move(parts));
}

double ms_since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

void measure(const RunPtr& run, const char* text, double& of_names_ms, bool in_arguments = false) {
    const auto began = std::chrono::steady_clock::now();
    const Result<FoundEventsPtr> found = FoundEvents::search({run, parse_find_text(text, in_arguments), {}, {}}, {});
    const double search_ms = ms_since(began);
    if (!found) std::abort();
    const auto step_began = std::chrono::steady_clock::now();
    EventRef at = (*found)->first_from(run->origin());
    for (int i = 0; i < 100 && at.valid(); ++i) at = (*found)->next_after(at);
    const double step_ms = ms_since(step_began) / 100;
    const auto totals_began = std::chrono::steady_clock::now();
    if (!summarize_found(**found, {})) std::abort();
    const double totals_ms = ms_since(totals_began);
    if (of_names_ms == 0) of_names_ms = search_ms;
    std::printf(R"({"text": "%s", "in_arguments": %s, "events": %zu, "found": %zu, "search_ms": %.1f, "ratio": %.2f, )"
                R"("step_ms": %.3f, "totals_ms": %.1f})"
                "\n",
                text, in_arguments ? "true" : "false", run->event_count(), (*found)->count(), search_ms,
                search_ms / of_names_ms, step_ms, totals_ms);
}

}  // namespace

int main(int argc, char** argv) {
    double of_names_ms = 0;
    if (argc > 1 && std::strtoull(argv[1], nullptr, 10) == 0) {
        LoadProgress progress;
        const std::vector<std::filesystem::path> paths{argv[1]};
        const Result<RunPtr> run = load_run(paths, {}, progress, {});
        if (!run) std::abort();
        for (const char* text : {"gemm", "o", "nowhere", "/gemm_kernel_[0-9]+<float>/", "arg:Seq=12",
                                 "nccl arg:dtype=", "arg:\"External id\"=12", "arg:float"})
            measure(*run, text, of_names_ms);
        measure(*run, "float", of_names_ms, true);
        return 0;
    }
    const RunPtr run = build_run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 16'000'000);
    for (const char* text : {"gemm", "o", "nowhere", "/gemm_kernel_[0-9]+<float>/", "/^torch.*_call_impl$/"})
        measure(run, text, of_names_ms);
    return 0;
}
