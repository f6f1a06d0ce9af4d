#include "core/store/assemble/trace_builder.hpp"

#include "core/base/format.hpp"
#include "core/store/assemble/adopt_call_ids.hpp"
#include "core/store/assemble/assemble_trace.hpp"
#include "core/store/assemble/device_rows.hpp"
#include "core/store/assemble/split_processes.hpp"
#include "core/store/assemble/split_ranks.hpp"
#include "core/store/assemble/split_writers.hpp"
#include "core/store/make_room.hpp"
#include "core/store/staged_events.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace core {

struct TraceBuilder::State {
    Staged staged;
    std::map<std::string, std::int32_t> ranks_of_processes;
    std::unordered_map<std::uint64_t, std::uint32_t> thread_of;    // pid id << 32 | tid id
    std::unordered_map<std::uint32_t, std::uint16_t> category_at;  // name id → into categories
    std::unordered_map<std::uint64_t, std::uint32_t> flow_kind_of;  // category id << 32 | name id

    // Meaning of one text of the current batch.
    struct BatchText {
        NameId name;                    // id in the pool of all batches
        NameId pid = kNoName;           // as the tid of a thread of this process (batch ids) …
        std::uint32_t thread = kNoRow;  // … it is this one
        std::int32_t category = -1;     // into categories, once known
    };
    std::vector<BatchText> texts;

    NameId name(NameId id) const { return texts[index_of(id)].name; }
    std::uint32_t thread(NameId pid, NameId tid);
    std::uint16_t category(NameId id);
    std::uint16_t add_category(NameId text);
    std::uint16_t joined_category(NameId text);
    std::uint32_t flow_kind(const FlowRow& flow);
    void read_pool(const StringPool& pool);
    void append_events(const EventBatch& batch);
    void append_arguments(const EventBatch& batch);
    void append_flows(const EventBatch& batch);
    void append_rest(EventBatch& batch);
};

namespace {

std::uint64_t pair_key(NameId a, NameId b) { return static_cast<std::uint64_t>(index_of(a)) << 32 | index_of(b); }

// Appends uninitialised elements for the caller to write.
template <class T>
std::span<T> extend(PageVector<T>& column, std::size_t more) {
    column.resize(column.size() + more);
    return std::span(column).last(more);
}

}  // namespace

TraceBuilder::TraceBuilder() : state_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() = default;
TraceBuilder::TraceBuilder(TraceBuilder&&) noexcept = default;
TraceBuilder& TraceBuilder::operator=(TraceBuilder&&) noexcept = default;

void TraceBuilder::State::read_pool(const StringPool& pool) {
    texts.clear();
    for (std::uint32_t i = 0; i < pool.size(); ++i) {
        texts.push_back({.name = staged.pool.intern(pool.text(NameId{i}))});
    }
}

std::uint32_t TraceBuilder::State::thread(NameId pid, NameId tid) {
    BatchText& text = texts[index_of(tid)];
    if (text.pid == pid) return text.thread;
    const ThreadKey key{name(pid), text.name};
    const auto next = static_cast<std::uint32_t>(staged.threads.size());
    const auto [it, is_new] = thread_of.try_emplace(pair_key(key.pid, key.tid), next);
    if (is_new) staged.threads.push_back(key);
    text.pid = pid;
    text.thread = it->second;
    return text.thread;
}

std::uint16_t TraceBuilder::State::category(NameId id) {
    BatchText& text = texts[index_of(id)];
    if (text.category < 0) text.category = add_category(text.name);
    return static_cast<std::uint16_t>(text.category);
}

// Categories beyond the column's range share the last entry, but there is room for each that has a meaning.
std::uint16_t TraceBuilder::State::add_category(NameId text) {
    const auto found = category_at.find(static_cast<std::uint32_t>(text));
    if (found != category_at.end()) return found->second;
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
    constexpr std::size_t kRoom = 256;  // for those with a meaning
    const Category kind = category_of(staged.pool.text(text));
    if (staged.categories.size() >= (kind == Category::Other ? kMost - kRoom : kMost)) {
        staged.diagnostics.add("categories-joined", "\"" + std::string(staged.pool.text(text)) + "\"");
        return joined_category(text);
    }
    const auto at = static_cast<std::uint16_t>(staged.categories.size());
    staged.categories.push_back({text, kind});
    category_at.emplace(static_cast<std::uint32_t>(text), at);
    return at;
}

// Categories beyond the last number share this one, without a meaning.
std::uint16_t TraceBuilder::State::joined_category(NameId text) {
    std::size_t at = staged.categories.size() - 1;
    while (at > 0 && staged.categories[at].kind != Category::Other) --at;
    category_at.emplace(static_cast<std::uint32_t>(text), static_cast<std::uint16_t>(at));
    return static_cast<std::uint16_t>(at);
}

std::uint32_t TraceBuilder::State::flow_kind(const FlowRow& flow) {
    const FlowKind kind{name(flow.category), name(flow.name)};
    const auto next = static_cast<std::uint32_t>(staged.flow_kinds.size());
    const auto [it, is_new] = flow_kind_of.try_emplace(pair_key(kind.category, kind.name), next);
    if (is_new) staged.flow_kinds.push_back(kind);
    return it->second;
}

void TraceBuilder::State::append_events(const EventBatch& batch) {
    const auto first_order = static_cast<std::uint32_t>(staged.records.total);
    auto row = static_cast<std::uint32_t>(staged.events.size());
    auto start_ns = extend(staged.times.start_ns, batch.events.size()).begin();
    auto duration_ns = extend(staged.times.duration_ns, batch.events.size()).begin();
    auto thread_of_event = extend(staged.thread_of_event, batch.events.size()).begin();
    auto to = extend(staged.events, batch.events.size()).begin();
    for (const EventRow& event : batch.events) {
        std::uint8_t flags = event.has_collective ? kHasCollective : std::uint8_t{0};
        if (event.phase == Phase::Instant)
            flags |= kInstant;
        else if (event.phase != Phase::Complete)
            staged.has_pairs = true;
        if (event.phase == Phase::AsyncBegin || event.phase == Phase::AsyncEnd) {
            flags |= kAsync;
            staged.async_rows.push_back(row);
            staged.async_ids.push_back(name(event.id));
        }
        *start_ns++ = event.start_ns;
        *duration_ns++ = event.phase == Phase::Complete ? event.duration_ns : 0;
        *thread_of_event++ = thread(event.pid, event.tid);
        *to++ = {name(event.name), first_order + event.order, category(event.category), flags, event.phase};
        ++row;
    }
}

void TraceBuilder::State::append_arguments(const EventBatch& batch) {
    const auto first_row = static_cast<std::uint32_t>(staged.events.size());
    const auto append = [&](const auto& from, auto& to, const auto& value_of) {
        const auto rows = extend(to.rows, from.size());
        const auto values = extend(to.values, from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            rows[i] = first_row + from[i].row;
            values[i] = value_of(from[i].value);
        }
    };
    for (std::size_t a = 0; a < kArgCount; ++a) {
        append(batch.integers[a], staged.integers[a], [](std::int64_t value) { return value; });
        append(batch.texts[a], staged.texts[a], [&](NameId value) { return name(value); });
    }
}

void TraceBuilder::State::append_flows(const EventBatch& batch) {
    const auto first_order = static_cast<std::uint32_t>(staged.records.total);
    FlowKind last{kNoName, kNoName};  // batch ids
    std::uint32_t kind = 0;
    auto to = extend(staged.flows, batch.flows.size()).begin();
    for (const FlowRow& flow : batch.flows) {
        if (last != FlowKind{flow.category, flow.name}) {
            last = {flow.category, flow.name};
            kind = flow_kind(flow);
        }
        *to++ = {flow.time_ns,       flow.id, kind, thread(flow.pid, flow.tid), first_order + flow.order, flow.phase,
                 flow.bind_enclosing};
    }
}

void TraceBuilder::State::append_rest(EventBatch& batch) {
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
    staged.text_store.append(std::move(batch.text_store), static_cast<std::uint32_t>(staged.records.total));
}

void TraceBuilder::append(EventBatch&& batch) {
    Staged& staged = state_->staged;
    // Positions count from the rows and records of earlier batches; flows number the threads first.
    state_->read_pool(batch.pool);
    state_->append_arguments(batch);
    state_->append_flows(batch);
    state_->append_rest(batch);
    state_->append_events(batch);
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
    const auto make_room_for_both = [&](auto& argument) {
        make_room(argument.rows, share);
        make_room(argument.values, share);
    };
    try {
        make_room(staged.times.start_ns, share);
        make_room(staged.times.duration_ns, share);
        make_room(staged.events, share);
        make_room(staged.thread_of_event, share);
        for (auto& argument : staged.integers) make_room_for_both(argument);
        for (auto& argument : staged.texts) make_room_for_both(argument);
        make_room(staged.flows, share);
        make_room(staged.counters, share);
        staged.text_store.expect_rest(share);
    } catch (const std::bad_alloc&) {
        return;  // an excessive hint is not an error
    }
}

void TraceBuilder::divide_by_process(std::map<std::string, std::int32_t> ranks) {
    state_->ranks_of_processes = std::move(ranks);
}

void TraceBuilder::mark_steps(std::string name) { state_->staged.step_marks = std::move(name); }

Result<Staged> TraceBuilder::take_staged(Diagnostics diagnostics) {
    Staged staged = std::move(state_->staged);
    state_.reset();
    constexpr std::uint64_t kMostRecords = std::numeric_limits<std::uint32_t>::max() - 1;
    if (staged.records.total > kMostRecords) {
        return Error{ErrorCode::BadInput, "more than 4,294,967,294 records in one file: split it"};
    }
    diagnostics.merge(staged.diagnostics, "");
    staged.diagnostics = std::move(diagnostics);
    staged.text_store.close();
    staged.numbered_steps = find_numbered_steps(staged);
    adopt_call_ids(staged);
    return staged;
}

Result<RankTracePtr> TraceBuilder::finish(RankInfo info, Diagnostics diagnostics, const JobContext& job) && {
    Result<Staged> staged = take_staged(std::move(diagnostics));
    if (!staged) return std::move(staged).error();
    return assemble_trace(std::move(*staged), std::move(info), job);
}

Result<std::vector<RankTracePtr>> TraceBuilder::finish_ranks(RankInfo info, Diagnostics diagnostics,
                                                             const JobContext& job) && {
    const std::map<std::string, std::int32_t> ranks_of_processes = std::move(state_->ranks_of_processes);
    Result<Staged> staged = take_staged(std::move(diagnostics));
    if (!staged) return std::move(staged).error();
    std::optional<RankSplit> split;
    if (!info.rank) split = split_by_process(*staged, ranks_of_processes);
    if (!split) split = find_ranks_in_file(*staged, info.rank);
    if (!split) {
        WriterSplit writers = find_writers_in_file(*staged);
        if (!writers.refusal.empty()) return Error{ErrorCode::BadInput, std::move(writers.refusal)};
        split = std::move(writers.split);
    }
    if (!split && !info.rank) info.rank = find_only_rank(*staged);
    std::vector<Staged> parts;
    if (split) {
        staged->diagnostics.add("ranks-in-one-file",
                                format_plural(split->ranks.size(), "rank", "ranks") + ", told apart by " + split->how);
        parts = split_by_rank(std::move(*staged), *split);
        if (split->by_device)
            for (Staged& part : parts) part.diagnostics.add("device-ranks", split->how);
    } else {
        parts.push_back(std::move(*staged));
    }
    std::vector<RankTracePtr> traces;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (split) info.rank = split->ranks[i];
        Result<RankTracePtr> trace = assemble_trace(std::move(parts[i]), info, job);
        if (!trace) return std::move(trace).error();
        traces.push_back(std::move(*trace));
        info.metadata_json.clear();  // of the file: said once
        info.file_bytes = info.json_bytes = 0;
    }
    return traces;
}

}  // namespace core
