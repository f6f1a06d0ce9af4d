#pragma once
// Difference between two batches, ignoring how texts are packed.

#include "core/store/event_batch.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace core::testing {

inline auto fields_of(const EventRow& row) {
    return std::tuple(row.start_ns, row.duration_ns, row.name, row.category, row.pid, row.tid, row.id, row.order,
                      row.phase, row.has_collective);
}
inline auto fields_of(const ArgInteger& arg) { return std::tuple(arg.row, arg.value); }
inline auto fields_of(const ArgName& arg) { return std::tuple(arg.row, arg.value); }
inline auto fields_of(const FlowRow& row) {
    return std::tuple(row.time_ns, row.category, row.name, row.pid, row.tid, row.id, row.phase, row.bind_enclosing,
                      row.order);
}
inline auto fields_of(const CounterRow& row) {
    return std::tuple(row.time_ns, row.pid, row.name, row.series, row.value);
}
inline auto fields_of(const MetadataRow& row) { return std::tuple(row.kind, row.pid, row.tid, row.text, row.number); }
inline auto fields_of(const RecordCounts& n) {
    return std::tuple(n.total, n.complete, n.paired, n.instants, n.counters, n.flows, n.metadata, n.dropped);
}
inline auto fields_of(const Diagnostic& found) { return std::tuple(found.kind, found.count, found.first); }

template <class Rows>
bool are_same(const Rows& a, const Rows& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return fields_of(x) == fields_of(y); });
}

inline bool has_same_text(const EventBatch& a, const EventBatch& b, std::uint32_t order) {
    const Result<EventText> x = find_event_text(a.text_store.blocks(), a.text_store.packed(), order);
    const Result<EventText> y = find_event_text(b.text_store.blocks(), b.text_store.packed(), order);
    if (!x || !y) return false;
    return x->arguments == y->arguments && x->extra == y->extra && x->source_offset == y->source_offset;
}

// Empty if there is no difference. Compares every `text_step`-th text.
inline std::string find_difference(const EventBatch& a, const EventBatch& b, std::size_t text_step = 1) {
    if (!std::ranges::equal(a.pool.offsets(), b.pool.offsets())) return "names";
    if (!std::ranges::equal(a.pool.bytes(), b.pool.bytes())) return "names";
    if (!are_same(a.events, b.events)) return "events";
    for (std::size_t arg = 0; arg < kArgCount; ++arg) {
        if (!are_same(a.integers[arg], b.integers[arg])) return "integers " + std::to_string(arg);
        if (!are_same(a.texts[arg], b.texts[arg])) return "texts " + std::to_string(arg);
    }
    if (!are_same(a.flows, b.flows)) return "flows";
    if (!are_same(a.counters, b.counters)) return "counters";
    if (!are_same(a.metadata, b.metadata)) return "metadata";
    if (fields_of(a.records) != fields_of(b.records)) return "records";
    if (!are_same(a.diagnostics.entries(), b.diagnostics.entries())) return "diagnostics";
    for (std::size_t i = 0; i < a.events.size(); i += text_step) {
        if (!has_same_text(a, b, a.events[i].order)) return "text of record " + std::to_string(a.events[i].order);
    }
    return "";
}

}  // namespace core::testing
