// Cost of queries over many events on an open run, in elapsed and processor seconds: bench_sql_bench [EVENTS], by
// default 16 million in four ranks

#include "core/query/filter.hpp"
#include "core/sql/sql_query.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

namespace {

constexpr std::size_t kRanks = 4;
constexpr std::size_t kBatch = std::size_t{1} << 20;
constexpr std::uint32_t kNames = 400;

core::EventBatch make_batch(std::size_t count, std::size_t first, std::mt19937& random) {
    core::EventBatch batch;
    const core::NameId kernel = batch.pool.intern("kernel"), call = batch.pool.intern("cpu_op");
    const core::NameId gpu = batch.pool.intern("0"), host = batch.pool.intern("100"), stream = batch.pool.intern("7");
    std::vector<core::NameId> names;
    for (std::uint32_t i = 0; i < kNames; ++i)
        names.push_back(
            batch.pool.intern("void at::native::elementwise_kernel<" + std::to_string(i) + ">(int, float*)"));
    for (std::size_t i = 0; i < count; ++i) {
        core::EventRow row{};
        const bool on_gpu = i % 2 == 0;
        row.start_ns = static_cast<std::int64_t>((first + i) * 1000);
        row.duration_ns = 100 + static_cast<std::int64_t>(random() % 800);
        row.name = names[random() % kNames];
        row.category = on_gpu ? kernel : call;
        row.pid = on_gpu ? gpu : host;
        row.tid = on_gpu ? stream : host;
        row.order = static_cast<std::uint32_t>(i);
        row.phase = core::Phase::Complete;
        batch.events.push_back(row);
    }
    batch.records.total = batch.records.complete = count;
    return batch;
}

core::RunPtr make_run(std::size_t events) {
    core::RunParts parts;
    parts.names = std::make_shared<core::InternedNames>();
    std::mt19937 random(1);
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        core::TraceBuilder builder;
        for (std::size_t first = 0; first < events / kRanks; first += kBatch)
            builder.append(make_batch(std::min(kBatch, events / kRanks - first), first, random));
        const core::Result<core::RankTracePtr> trace = std::move(builder).finish(core::RankInfo{}, {}, {});
        if (!trace) return nullptr;
        core::RankSlot slot;
        slot.key.number = static_cast<std::int32_t>(rank);
        slot.index = std::make_shared<const core::RankIndex>(*trace, parts.rules);
        slot.names = parts.names->build_table((*trace)->names);
        parts.ranks.push_back(std::move(slot));
    }
    return std::make_shared<const core::Run>(std::move(parts));
}

void measure(const core::Run& run, const char* query, bool use_totals) {
    const core::Filter filter;
    core::SqlOptions options;
    options.threads = 2;
    options.use_totals = use_totals;
    const auto began = std::chrono::steady_clock::now();
    const std::clock_t worked = std::clock();
    const core::Result<core::SqlAnswer> answer = core::run_sql(run, filter, query, options, {});
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const double processor = static_cast<double>(std::clock() - worked) / static_cast<double>(CLOCKS_PER_SEC);
    std::printf("%7.3f s, %7.3f s of processor time, %8zu rows%s  %s\n", wall, processor,
                answer ? answer->table.rows() : 0, answer && answer->from_totals ? ", totals" : "        ", query);
    if (!answer) std::printf("  %s\n", answer.error().message.c_str());
}

}  // namespace

int main(int count, char** arguments) {
    const long events = count > 1 ? std::atol(arguments[1]) : 16'000'000;
    if (events < 1) {
        std::fprintf(stderr, "sql_bench: needs a number of events above 0\n");
        return 1;
    }
    const core::RunPtr run = make_run(static_cast<std::size_t>(events));
    if (!run) return 1;
    std::printf("%zu events\n", run->event_count());
    constexpr const char* kByName = "select name, sum(dur) from events group by name";
    measure(*run, kByName, true);   // makes the totals
    measure(*run, kByName, true);
    measure(*run, kByName, false);
    measure(*run, "select count(*) from events where step = 3", false);
    measure(*run, "select sum(dur) from events", false);
    measure(*run, "select * from events where rank = 2 and ts between 1000000 and 1100000", false);
    measure(*run, "select k.name, k.dur from kernels k where k.dur > 898 order by k.dur desc limit 10", false);
    return 0;
}
