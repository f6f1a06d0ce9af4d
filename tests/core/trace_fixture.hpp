#pragma once
// Traces in one line per event, for tests.
//   RankTracePtr t = TraceFixture().cpu(0, 10, "aten::mm").launch(2, 1, 7).kernel(20, 5, "gemm", 7).build();

#include "core/index/run.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <cassert>
#include <string>

namespace core::testing {

class TraceFixture {
public:
    struct Place {
        std::string pid = "100";
        std::string tid = "100";
    };

    TraceFixture& event(std::int64_t start_ns, std::int64_t duration_ns, std::string_view name,
                        std::string_view category, const Place& place) {
        EventRow row{};
        row.start_ns = start_ns;
        row.duration_ns = duration_ns;
        row.name = batch_.pool.intern(name);
        row.category = batch_.pool.intern(category);
        row.pid = batch_.pool.intern(place.pid);
        row.tid = batch_.pool.intern(place.tid);
        row.order = next_order_++;
        row.phase = Phase::Complete;
        batch_.events.push_back(row);
        ++batch_.records.complete;
        return *this;
    }
    TraceFixture& phase(Phase phase) {  // of the event just added
        batch_.events.back().phase = phase;
        --batch_.records.complete;
        ++(phase == Phase::Instant ? batch_.records.instants : batch_.records.paired);
        return *this;
    }
    TraceFixture& arg(Arg arg, std::int64_t value) {
        batch_.integers[static_cast<std::size_t>(arg)].push_back({last_row(), value});
        return *this;
    }
    TraceFixture& arg(Arg arg, std::string_view value) {
        batch_.texts[static_cast<std::size_t>(arg)].push_back({last_row(), batch_.pool.intern(value)});
        if (arg == Arg::CollectiveName) batch_.events.back().has_collective = true;
        return *this;
    }
    TraceFixture& cpu(std::int64_t start_ns, std::int64_t duration_ns, std::string_view name, int thread = 100) {
        return event(start_ns, duration_ns, name, "cpu_op", {"100", std::to_string(thread)});
    }
    TraceFixture& step(std::int64_t start_ns, std::int64_t duration_ns, int number) {
        return event(start_ns, duration_ns, "ProfilerStep#" + std::to_string(number), "user_annotation", {});
    }
    TraceFixture& launch(std::int64_t start_ns, std::int64_t duration_ns, std::int64_t correlation) {
        return event(start_ns, duration_ns, "cudaLaunchKernel", "cuda_runtime", {}).arg(Arg::Correlation, correlation);
    }
    // correlation −1: none.
    TraceFixture& kernel(std::int64_t start_ns, std::int64_t duration_ns, std::string_view name, int stream = 7,
                         std::int64_t correlation = -1, std::string_view category = "kernel") {
        event(start_ns, duration_ns, name, category, {"0", std::to_string(stream)}).arg(Arg::Stream, stream);
        return correlation < 0 ? *this : arg(Arg::Correlation, correlation);
    }
    TraceFixture& flow(FlowPhase phase, std::int64_t time_ns, std::uint64_t id, const Place& place,
                       std::string_view category = "ac2g", bool bind_enclosing = true) {
        FlowRow row{};
        row.time_ns = time_ns;
        row.category = batch_.pool.intern(category);
        row.name = row.category;
        row.pid = batch_.pool.intern(place.pid);
        row.tid = batch_.pool.intern(place.tid);
        row.id = id;
        row.phase = phase;
        row.bind_enclosing = bind_enclosing;
        row.order = next_order_++;
        batch_.flows.push_back(row);
        ++batch_.records.flows;
        return *this;
    }
    TraceFixture& rank(int number) {
        info_.rank = number;
        return *this;
    }
    EventBatch& batch() { return batch_; }
    RankInfo& info() { return info_; }

    RankTracePtr build() {
        batch_.records.total = next_order_;
        TraceBuilder builder;
        builder.append(std::move(batch_));
        Result<RankTracePtr> trace = std::move(builder).finish(info_, {}, {});
        assert(trace);
        return *trace;
    }

private:
    std::uint32_t last_row() const { return static_cast<std::uint32_t>(batch_.events.size() - 1); }
    EventBatch batch_;
    RankInfo info_;
    std::uint32_t next_order_ = 0;
};

// A run of these traces, as ranks 0, 1, … unless they say otherwise.
inline RunPtr run_of(const std::vector<RankTracePtr>& traces, const ClassRules& rules = ClassRules::standard()) {
    RunParts parts;
    parts.name = "fixture";
    parts.rules = rules;
    parts.names = std::make_shared<InternedNames>();
    for (const RankTracePtr& trace : traces) {
        RankSlot slot;
        slot.key.number = trace->info.rank.value_or(static_cast<int>(parts.ranks.size()));
        slot.index = std::make_shared<const RankIndex>(trace, rules);
        slot.names = parts.names->build_table(trace->names);
        parts.ranks.push_back(std::move(slot));
    }
    return std::make_shared<const Run>(std::move(parts));
}

// The first event of this name, or kNoEvent.
inline EventId find_named(const RankTrace& trace, std::string_view name) {
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (trace.name_text(EventId{e}) == name) return EventId{e};
    }
    return kNoEvent;
}

}  // namespace core::testing
