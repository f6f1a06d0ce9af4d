#include "core/store/staged_events.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace core {
namespace {

struct OpenBegins {
    std::vector<std::uint32_t> rows;  // innermost last
};

std::string describe(const Staged& staged, std::uint32_t row) {
    const StagedEvent& event = staged.events[row];
    const ThreadKey& thread = staged.threads[staged.thread_of_event[row]];
    return "record " + std::to_string(event.order) + ": \"" + std::string(staged.pool.text(event.name)) +
           "\" of thread " + std::string(staged.pool.text(thread.tid));
}

void close(Staged& staged, std::uint32_t begin, std::uint32_t end) {
    StagedTimes& times = staged.times;
    times.duration_ns[begin] = std::max<std::int64_t>(0, times.start_ns[end] - times.start_ns[begin]);
    staged.events[begin].flags |= kFromPair;
    staged.pairs.push_back({begin, end});
}

// An end without a name ends whatever is open.
void report_other_name(Staged& staged, std::uint32_t begin, std::uint32_t end) {
    const NameId name = staged.events[end].name;
    if (name == NameId{0} || name == staged.events[begin].name) return;
    const bool first = staged.diagnostics.is_first("end-name-differs");
    staged.diagnostics.add("end-name-differs", first
                                                   ? describe(staged, end) + " ends \"" +
                                                         std::string(staged.pool.text(staged.events[begin].name)) + "\""
                                                   : "");
}

void drop_end(Staged& staged, std::uint32_t row) {
    staged.diagnostics.add("end-without-begin", describe(staged, row));
    --staged.records.paired;
    ++staged.records.dropped;
}

// A begin whose end is missing lasts to the end of the trace.
void close_unclosed(Staged& staged, const std::vector<std::uint32_t>& rows, std::int64_t trace_end_ns) {
    for (const std::uint32_t row : rows) {
        StagedTimes& times = staged.times;
        times.duration_ns[row] = std::max<std::int64_t>(0, trace_end_ns - times.start_ns[row]);
        staged.events[row].flags |= kFromPair | kUnclosed;
        staged.diagnostics.add("begin-without-end", describe(staged, row));
    }
}

// The rows of one kind of pair, in time order (file order at ties).
std::vector<std::uint32_t> rows_by_time(const Staged& staged, Phase begin, Phase end) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < staged.events.size(); ++row) {
        const Phase phase = staged.events[row].phase;
        if (phase == begin || phase == end) rows.push_back(row);
    }
    std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return staged.times.start_ns[row]; });
    return rows;
}

void pair_threads(Staged& staged, std::int64_t trace_end_ns) {
    std::vector<OpenBegins> open(staged.threads.size());
    for (const std::uint32_t row : rows_by_time(staged, Phase::Begin, Phase::End)) {
        std::vector<std::uint32_t>& begins = open[staged.thread_of_event[row]].rows;
        if (staged.events[row].phase == Phase::Begin) {
            begins.push_back(row);
        } else if (begins.empty()) {
            drop_end(staged, row);
        } else {
            report_other_name(staged, begins.back(), row);
            close(staged, begins.back(), row);
            begins.pop_back();
        }
    }
    for (const OpenBegins& begins : open) close_unclosed(staged, begins.rows, trace_end_ns);
}

// Asynchronous pairs match by category and id: an end closes the innermost begin of its name, or the innermost
// of all if it has no name.
void pair_async(Staged& staged, std::int64_t trace_end_ns) {
    std::unordered_map<std::uint32_t, NameId> id_of;
    for (std::size_t i = 0; i < staged.async_rows.size(); ++i) id_of[staged.async_rows[i]] = staged.async_ids[i];
    std::map<std::pair<std::uint16_t, NameId>, std::map<NameId, OpenBegins>> open;
    for (const std::uint32_t row : rows_by_time(staged, Phase::AsyncBegin, Phase::AsyncEnd)) {
        const StagedEvent& event = staged.events[row];
        auto& by_name = open[{event.category, id_of[row]}];
        if (event.phase == Phase::AsyncBegin) {
            by_name[event.name].rows.push_back(row);
            continue;
        }
        auto it = by_name.find(event.name);
        if (event.name == NameId{0} && it == by_name.end() && by_name.size() == 1) it = by_name.begin();
        if (it == by_name.end()) {
            drop_end(staged, row);
            continue;
        }
        close(staged, it->second.rows.back(), row);
        it->second.rows.pop_back();
        if (it->second.rows.empty()) by_name.erase(it);
    }
    for (const auto& [key, by_name] : open) {
        for (const auto& [name, begins] : by_name) close_unclosed(staged, begins.rows, trace_end_ns);
    }
}

}  // namespace

void pair_events(Staged& staged) {
    if (!staged.has_pairs) return;
    std::int64_t trace_end_ns = std::numeric_limits<std::int64_t>::min();
    for (std::size_t row = 0; row < staged.events.size(); ++row)
        trace_end_ns = std::max(trace_end_ns, staged.times.end_ns(row));
    pair_threads(staged, trace_end_ns);
    pair_async(staged, trace_end_ns);
    std::ranges::sort(staged.pairs, {}, &PairedEnd::begin_row);
}

}  // namespace core
