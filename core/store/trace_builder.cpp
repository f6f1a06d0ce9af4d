#include "core/store/trace_builder.hpp"

#include "core/store/assemble_trace.hpp"
#include "core/store/staged_events.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace core {

struct TraceBuilder::State {
    Staged staged;
    std::unordered_map<std::uint64_t, std::uint32_t> thread_of;    // pid id << 32 | tid id
    std::unordered_map<std::uint32_t, std::uint16_t> category_at;  // name id → into categories

    std::uint32_t thread(NameId pid, NameId tid);
    std::uint16_t category(NameId text);
    void append_events(const EventBatch& batch, const std::vector<NameId>& names);
    void append_rest(EventBatch& batch, const std::vector<NameId>& names);
};

TraceBuilder::TraceBuilder() : state_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() = default;
TraceBuilder::TraceBuilder(TraceBuilder&&) noexcept = default;
TraceBuilder& TraceBuilder::operator=(TraceBuilder&&) noexcept = default;

std::uint32_t TraceBuilder::State::thread(NameId pid, NameId tid) {
    const std::uint64_t key = static_cast<std::uint64_t>(index_of(pid)) << 32 | index_of(tid);
    const auto [it, is_new] = thread_of.try_emplace(key, static_cast<std::uint32_t>(staged.threads.size()));
    if (is_new) staged.threads.push_back({pid, tid});
    return it->second;
}

// More distinct categories than the column can tell apart share the last entry.
std::uint16_t TraceBuilder::State::category(NameId text) {
    const auto found = category_at.find(static_cast<std::uint32_t>(text));
    if (found != category_at.end()) return found->second;
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
    if (staged.categories.size() == kMost) return static_cast<std::uint16_t>(kMost - 1);
    const auto at = static_cast<std::uint16_t>(staged.categories.size());
    staged.categories.push_back({text, category_of(staged.pool.text(text))});
    category_at.emplace(static_cast<std::uint32_t>(text), at);
    return at;
}

void TraceBuilder::State::append_events(const EventBatch& batch, const std::vector<NameId>& names) {
    const auto first_order = static_cast<std::uint32_t>(staged.records.total);
    EventRow last{};
    std::uint32_t last_thread = kNoRow;
    std::uint16_t last_category = 0;
    for (const EventRow& row : batch.events) {
        if (last_thread == kNoRow || row.pid != last.pid || row.tid != last.tid) {
            last_thread = thread(names[index_of(row.pid)], names[index_of(row.tid)]);
        }
        if (&row == batch.events.data() || row.category != last.category) {
            last_category = category(names[index_of(row.category)]);
        }
        last = row;
        std::uint8_t flags = row.has_collective ? kHasCollective : std::uint8_t{0};
        if (row.phase == Phase::Instant) flags |= kInstant;
        if (row.phase == Phase::AsyncBegin || row.phase == Phase::AsyncEnd) {
            flags |= kAsync;
            staged.async_rows.push_back(static_cast<std::uint32_t>(staged.events.size()));
            staged.async_ids.push_back(names[index_of(row.id)]);
        }
        staged.events.push_back({row.start_ns, row.phase == Phase::Complete ? row.duration_ns : 0,
                                 names[index_of(row.name)], last_thread, first_order + row.order, last_category, flags,
                                 row.phase});
    }
}

void TraceBuilder::State::append_rest(EventBatch& batch, const std::vector<NameId>& names) {
    const auto name = [&](NameId id) { return names[index_of(id)]; };
    const auto first_order = static_cast<std::uint32_t>(staged.records.total);
    const auto first_row = static_cast<std::uint32_t>(staged.events.size());
    for (std::size_t a = 0; a < kArgCount; ++a) {
        for (const ArgInteger& arg : batch.integers[a]) staged.integers[a].push_back({first_row + arg.row, arg.value});
        for (const ArgName& arg : batch.texts[a]) staged.texts[a].push_back({first_row + arg.row, name(arg.value)});
    }
    for (FlowRow flow : batch.flows) {
        flow.category = name(flow.category);
        flow.name = name(flow.name);
        flow.order += first_order;
        staged.flow_threads.push_back(thread(name(flow.pid), name(flow.tid)));
        staged.flows.push_back(flow);
    }
    for (CounterRow counter : batch.counters) {
        counter.pid = name(counter.pid);
        counter.name = name(counter.name);
        counter.series = name(counter.series);
        staged.counters.push_back(counter);
    }
    for (MetadataRow row : batch.metadata) {
        row.pid = name(row.pid);
        row.tid = name(row.tid);
        row.text = name(row.text);
        staged.metadata.push_back(row);
    }
    staged.text_store.append(std::move(batch.text_store), first_order);
}

void TraceBuilder::append(EventBatch&& batch) {
    Staged& staged = state_->staged;
    std::vector<NameId> names(batch.pool.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i] = staged.pool.intern(batch.pool.text(NameId{static_cast<std::uint32_t>(i)}));
    }
    state_->append_rest(batch, names);  // first: it counts from the rows and records before this batch
    state_->append_events(batch, names);
    RecordCounts& sum = staged.records;
    const RecordCounts& more = batch.records;
    sum.total += more.total;
    sum.complete += more.complete;
    sum.paired += more.paired;
    sum.instants += more.instants;
    sum.counters += more.counters;
    sum.flows += more.flows;
    sum.metadata += more.metadata;
    sum.dropped += more.dropped;
    staged.diagnostics.merge(batch.diagnostics, "");
}

void TraceBuilder::expect_rest(double share) {
    if (!(share > 0.0001) || share >= 1) return;
    Staged& staged = state_->staged;
    const auto make_room = [&](auto& column) {
        column.reserve(static_cast<std::size_t>(static_cast<double>(column.size()) / share * 1.05));
    };
    try {
        make_room(staged.events);
        for (auto& column : staged.integers) make_room(column);
        for (auto& column : staged.texts) make_room(column);
        make_room(staged.flows);
        make_room(staged.flow_threads);
        make_room(staged.counters);
        staged.text_store.expect_rest(share);
    } catch (const std::bad_alloc&) {
        return;  // a hint that asks for too much is no failure
    }
}

Result<RankTracePtr> TraceBuilder::finish(RankInfo info, Diagnostics diagnostics, const JobContext& job) && {
    Staged staged = std::move(state_->staged);
    state_.reset();
    constexpr std::uint64_t kMostRecords = std::numeric_limits<std::uint32_t>::max() - 1;
    if (staged.records.total > kMostRecords) {
        return Error{ErrorCode::BadInput, "more than 4,294,967,294 records in one file: split it"};
    }
    diagnostics.merge(staged.diagnostics, "");
    staged.diagnostics = std::move(diagnostics);
    return assemble_trace(std::move(staged), std::move(info), job);
}

}  // namespace core
