#include "core/store/assemble/split_ranks.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"
#include "core/store/assemble/device_rows.hpp"
#include "core/store/assemble/rank_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace core {
namespace {

struct NamesOfFile {
    std::map<NameId, std::string_view> processes;
    std::map<std::pair<NameId, NameId>, std::string_view> threads;  // by (pid, tid)
};

NamesOfFile collect_names(const Staged& staged) {
    NamesOfFile names;
    for (const MetadataRow& row : staged.metadata) {
        const std::string_view text = staged.pool.text(row.text);
        if (row.kind == MetadataKind::ProcessName) names.processes[row.pid] = text;
        if (row.kind == MetadataKind::ThreadName) names.threads[{row.pid, row.tid}] = text;
    }
    return names;
}

std::vector<bool> find_threads_with_events(const Staged& staged) {
    std::vector<bool> has_events(staged.threads.size());
    for (const std::uint32_t thread : staged.thread_of_event) has_events[thread] = true;
    return has_events;
}

// By thread; empty for threads without events. Nothing if a thread that has events names no rank.
std::optional<std::vector<RankPosition>> find_positions(const Staged& staged, const std::vector<bool>& has_events,
                                                        std::string& example) {
    const NamesOfFile names = collect_names(staged);
    std::map<NameId, RankPosition> of_process;
    std::vector<RankPosition> positions(staged.threads.size());
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        if (!has_events[t]) continue;
        const ThreadKey& key = staged.threads[t];
        const auto process = names.processes.find(key.pid);
        const auto thread = names.threads.find({key.pid, key.tid});
        std::string_view process_text = staged.pool.text(key.pid);
        const std::string_view thread_text = thread == names.threads.end() ? staged.pool.text(key.tid) : thread->second;
        const auto [of, is_new] = of_process.try_emplace(key.pid);
        if (is_new) of->second = parse_rank_position(process_text);
        if (process != names.processes.end() && parse_rank_position(process_text).empty()) {
            process_text = process->second;
            if (is_new) of->second = parse_rank_position(process_text);
        }
        positions[t] = parse_rank_position(thread_text);
        if (example.empty()) {
            constexpr std::size_t kMostBytes = 64;
            if (!of->second.empty()) example = "\"" + shorten_utf8(process_text, kMostBytes) + "\"";
            if (!of->second.empty() && !positions[t].empty()) example += ", ";
            if (!positions[t].empty()) example += "\"" + shorten_utf8(thread_text, kMostBytes) + "\"";
        }
        positions[t].insert(of->second.begin(), of->second.end());
        if (positions[t].empty()) return std::nullopt;
    }
    return positions;
}

// The number behind "rank": or "pp_rank":, in an event's arguments.
std::optional<std::int64_t> find_rank_argument(std::string_view arguments) {
    constexpr std::string_view kKey = "rank\"";
    for (std::size_t at = arguments.find(kKey); at != std::string_view::npos; at = arguments.find(kKey, at + 1)) {
        if (at == 0 || (arguments[at - 1] != '"' && arguments[at - 1] != '_')) continue;
        std::size_t begin = at + kKey.size();
        while (begin < arguments.size() && (arguments[begin] == ' ' || arguments[begin] == ':')) ++begin;
        std::size_t end = begin;
        while (end < arguments.size() && arguments[end] >= '0' && arguments[end] <= '9') ++end;
        if (end > begin && end - begin < 8) return std::stoll(std::string(arguments.substr(begin, end - begin)));
    }
    return std::nullopt;
}

std::optional<std::int32_t> parse_small_pid(std::string_view pid) {
    if (pid.empty() || pid.size() > 6) return std::nullopt;
    if (!std::ranges::all_of(pid, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    return std::stoi(std::string(pid));
}

// Processes without names that are numbered from 0 without a gap, and whose events say that they are ranks: an argument
// "rank" or "..._rank" that is the process's number on some event of each process, and never another one.
std::optional<std::vector<RankPosition>> find_unnamed_ranks(const Staged& staged, const std::vector<bool>& has_events) {
    constexpr std::size_t kMostRowsOfProcess = 256;
    constexpr std::size_t kMostRows = 1 << 16;
    for (const MetadataRow& row : staged.metadata)
        if (row.kind == MetadataKind::ProcessName || row.kind == MetadataKind::ThreadName) return std::nullopt;
    std::set<std::int32_t> ranks;
    std::vector<std::int32_t> rank_of_thread(staged.threads.size(), -1);
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        if (!has_events[t]) continue;
        const std::optional<std::int32_t> rank = parse_small_pid(staged.pool.text(staged.threads[t].pid));
        if (!rank || ranks.size() > kMostRanksOfFile) return std::nullopt;
        ranks.insert(rank_of_thread[t] = *rank);
    }
    if (ranks.size() < 2 || *ranks.begin() != 0 || *ranks.rbegin() + 1 != static_cast<std::int32_t>(ranks.size()))
        return std::nullopt;
    RecentTexts texts(staged.text_store.blocks(), staged.text_store.packed());
    std::vector<std::size_t> looked_at(ranks.size());
    std::set<std::int32_t> said;
    for (std::size_t row = 0; row < std::min(staged.events.size(), kMostRows); ++row) {
        const std::int32_t rank = rank_of_thread[staged.thread_of_event[row]];
        if (looked_at[static_cast<std::size_t>(rank)]++ >= kMostRowsOfProcess) continue;
        const Result<EventText> text = texts.find(staged.events[row].order);
        const std::optional<std::int64_t> number = text ? find_rank_argument(text->arguments) : std::nullopt;
        if (number && *number != rank) return std::nullopt;
        if (number) said.insert(rank);
    }
    if (said != ranks) return std::nullopt;
    std::vector<RankPosition> positions(staged.threads.size());
    for (std::size_t t = 0; t < positions.size(); ++t)
        if (rank_of_thread[t] >= 0) positions[t].emplace("", rank_of_thread[t]);
    return positions;
}

// "83_0", "0_0", "84_1", "1_1": tools that merge files put the number of the file behind the pid, or before it. The
// numbers must be 0, 1, 2, … without a gap, and each must have two processes or more: a host's and a device's.
std::optional<std::vector<RankPosition>> find_numbered_pids(const Staged& staged, const std::vector<bool>& has_events,
                                                            std::string& example) {
    const auto find_part = [](std::string_view pid, bool behind) -> std::optional<std::int32_t> {
        const std::size_t mark = pid.find_first_of("_:.-");
        if (mark == std::string_view::npos || mark == 0) return std::nullopt;
        const std::optional<std::int32_t> own = parse_small_pid(pid.substr(0, mark));
        const std::string_view rest = pid.substr(mark + 1);
        const bool is_number = !rest.empty() && rest.size() <= 10 && std::ranges::all_of(rest, is_digit);
        const bool begins_with_number = std::ranges::all_of(pid.substr(0, mark), is_digit) && mark <= 10;
        if (!is_number || !begins_with_number) return std::nullopt;
        return behind ? parse_small_pid(rest) : own;
    };
    for (const bool behind : {true, false}) {
        std::vector<RankPosition> positions(staged.threads.size());
        std::map<std::int32_t, std::set<NameId>> processes;
        bool all = true;
        for (std::size_t t = 0; t < staged.threads.size() && all; ++t) {
            if (!has_events[t]) continue;
            const std::string_view pid = staged.pool.text(staged.threads[t].pid);
            const std::optional<std::int32_t> part = find_part(pid, behind);
            all = part && processes.size() <= kMostRanksOfFile;
            if (!all) break;
            if (processes.empty()) example = "the number in the process \"" + std::string(pid) + "\"";
            processes[*part].insert(staged.threads[t].pid);
            positions[t].emplace("", *part);
        }
        const bool is_whole = all && processes.size() > 1 && processes.begin()->first == 0 &&
                              processes.rbegin()->first + 1 == static_cast<std::int32_t>(processes.size());
        if (is_whole && std::ranges::all_of(processes, [](const auto& part) { return part.second.size() > 1; }))
            return positions;
    }
    return std::nullopt;
}

// Each GPU of XLA's hosts is a rank ("/device:GPU:3"); so is each process where arrows lead from every host's process
// to one device of its own. Threads of others are shared.
std::optional<std::vector<RankPosition>> find_device_ranks(const Staged& staged, const std::vector<bool>& has_events,
                                                           std::string& example) {
    const DeviceShape shape = find_device_shape(staged);
    if (shape.devices.size() < 2) return std::nullopt;
    const NamesOfFile names = collect_names(staged);
    const auto name_of = [&](NameId pid) {
        const auto found = names.processes.find(pid);
        return found == names.processes.end() ? staged.pool.text(pid) : found->second;
    };
    const bool is_xla = std::ranges::all_of(
        shape.devices, [&](const auto& device) { return name_of(device.first).starts_with("/device:"); });
    std::map<NameId, std::uint32_t> parts;
    if (is_xla) {
        std::set<std::int32_t> numbers;
        for (const auto& [pid, device] : shape.devices) {
            if (!numbers.insert(device).second) return std::nullopt;
            parts[pid] = static_cast<std::uint32_t>(device);
        }
    } else {
        parts = group_by_device(staged, shape);
    }
    if (parts.empty()) return std::nullopt;
    example = is_xla ? "\"" + std::string(name_of(shape.devices.begin()->first)) + "\"" : "arrows to one device each";
    std::vector<RankPosition> positions(staged.threads.size());
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        const auto part = parts.find(staged.threads[t].pid);
        if (has_events[t] && part != parts.end()) positions[t].emplace("", static_cast<std::int32_t>(part->second));
    }
    return positions;
}

class RankSplitter {
public:
    RankSplitter(Staged&& staged, const RankSplit& split)
        : from_(std::move(staged)), split_(split), parts_(split.ranks.size()) {}

    std::vector<Staged> run() {
        place_threads();
        move_texts();
        copy_shared_steps();
        move_events();
        for (std::size_t arg = 0; arg < kArgCount; ++arg) {
            move_argument(arg, &Staged::integers);
            move_argument(arg, &Staged::texts);
        }
        move_rest();
        count_records();
        for (Staged& part : parts_) {
            part.step_marks = from_.step_marks;
            intern_names(part);
        }
        return std::move(parts_);
    }

private:
    Staged& part_of(std::uint32_t thread) { return parts_[split_.part_of_thread[thread]]; }

    void place_threads() {
        thread_in_part_.resize(from_.threads.size());
        for (std::uint32_t t = 0; t < from_.threads.size(); ++t) {
            Staged& part = part_of(t);
            thread_in_part_[t] = static_cast<std::uint32_t>(part.threads.size());
            part.threads.push_back(from_.threads[t]);
            parts_of_process_[from_.threads[t].pid].insert(split_.part_of_thread[t]);
        }
    }

    void move_texts() {
        RecentTexts texts(from_.text_store.blocks(), from_.text_store.packed());
        for (std::size_t row = 0; row < from_.events.size(); ++row) {
            const std::uint32_t order = from_.events[row].order;
            const Result<EventText> text = texts.find(order);
            if (!text) continue;  // an event without arguments
            part_of(from_.thread_of_event[row])
                .text_store.add(order, text->source_offset, text->arguments, text->extra);
        }
        from_.text_store = {};
        for (Staged& part : parts_) part.text_store.close();
    }

    // Steps of threads that the ranks share: each rank but the first, which has the thread, gets them as well.
    void copy_shared_steps() {
        for (const NumberedStep& step : from_.numbered_steps) {
            const std::uint32_t thread = from_.thread_of_event[step.row];
            if (!split_.by_device || !split_.is_shared[thread]) continue;
            for (std::uint32_t p = 1; p < parts_.size(); ++p) {
                Staged& part = parts_[p];
                const auto [at, is_new] =
                    shared_threads_[p].try_emplace(thread, static_cast<std::uint32_t>(part.threads.size()));
                if (is_new) part.threads.push_back(from_.threads[thread]);
                if (is_new) parts_of_process_[from_.threads[thread].pid].insert(p);
                part.numbered_steps.push_back({static_cast<std::uint32_t>(part.events.size()), step.number});
                part.times.start_ns.push_back(from_.times.start_ns[step.row]);
                part.times.duration_ns.push_back(from_.times.duration_ns[step.row]);
                part.thread_of_event.push_back(at->second);
                part.events.push_back(from_.events[step.row]);
                ++copies_;
            }
        }
    }

    void move_steps() {
        for (const NumberedStep& step : from_.numbered_steps)
            parts_[part_of_row_[step.row]].numbered_steps.push_back({row_in_part_[step.row], step.number});
    }

    void move_events() {
        row_in_part_.resize(from_.events.size());
        part_of_row_.resize(from_.events.size());
        std::size_t async = 0;
        for (std::uint32_t row = 0; row < from_.events.size(); ++row) {
            const std::uint32_t thread = from_.thread_of_event[row];
            Staged& part = part_of(thread);
            const StagedEvent& event = from_.events[row];
            row_in_part_[row] = static_cast<std::uint32_t>(part.events.size());
            part_of_row_[row] = split_.part_of_thread[thread];
            if (async < from_.async_rows.size() && from_.async_rows[async] == row) {
                part.async_rows.push_back(row_in_part_[row]);
                part.async_ids.push_back(from_.async_ids[async++]);
            }
            part.has_pairs |= event.phase != Phase::Complete && event.phase != Phase::Instant;
            part.times.start_ns.push_back(from_.times.start_ns[row]);
            part.times.duration_ns.push_back(from_.times.duration_ns[row]);
            part.thread_of_event.push_back(thread_in_part_[thread]);
            part.events.push_back(event);
        }
        move_steps();
        from_.times = {};
        release(from_.thread_of_event);
        release(from_.events);
    }

    template <class Columns>
    void move_argument(std::size_t arg, Columns Staged::*columns) {
        auto& column = (from_.*columns)[arg];
        for (std::size_t i = 0; i < column.rows.size(); ++i) {
            const std::uint32_t row = column.rows[i];
            auto& to = (parts_[part_of_row_[row]].*columns)[arg];
            to.rows.push_back(row_in_part_[row]);
            to.values.push_back(column.values[i]);
        }
        column = {};
    }

    // Counters, names and sort indices of a process go to all ranks that have threads of it, or to the first rank.
    const std::set<std::uint32_t>& parts_of(NameId pid) const {
        static const std::set<std::uint32_t> kFirst = {0};
        const auto found = parts_of_process_.find(pid);
        return found == parts_of_process_.end() ? kFirst : found->second;
    }

    void move_rest() {
        for (Staged& part : parts_) {
            part.categories = from_.categories;
            part.flow_kinds = from_.flow_kinds;
        }
        for (StagedFlow flow : from_.flows) {
            Staged& part = part_of(flow.thread);
            flow.thread = thread_in_part_[flow.thread];
            part.flows.push_back(flow);
        }
        release(from_.flows);
        for (const CounterRow& counter : from_.counters)
            parts_[*parts_of(counter.pid).begin()].counters.push_back(counter);
        for (const MetadataRow& row : from_.metadata)
            for (const std::uint32_t part : parts_of(row.pid)) parts_[part].metadata.push_back(row);
        parts_.front().diagnostics = std::move(from_.diagnostics);
    }

    void count_records() {
        RecordCounts rest = from_.records;
        for (Staged& part : parts_) {
            RecordCounts& records = part.records;
            for (const StagedEvent& event : part.events) {
                const bool is_pair = event.phase != Phase::Complete && event.phase != Phase::Instant;
                ++(is_pair ? records.paired : event.phase == Phase::Instant ? records.instants : records.complete);
            }
            rest.complete -= records.complete;
            rest.paired -= records.paired;
            rest.instants -= records.instants;
            records.total = part.events.size();
            rest.total -= records.total;
        }
        rest.complete += copies_;
        rest.total += copies_;
        RecordCounts& first = parts_.front().records;
        first.total += rest.total;
        first.complete += rest.complete;
        first.paired += rest.paired;
        first.instants += rest.instants;
        first.counters = rest.counters;
        first.flows = rest.flows;
        first.metadata = rest.metadata;
        first.dropped = rest.dropped;
    }

    // Ids of the file's pool become ids of the part's own.
    void intern_names(Staged& part) {
        ids_.resize(from_.pool.size());
        known_in_.resize(from_.pool.size(), nullptr);
        const auto intern = [&](NameId& id) {
            const std::size_t at = index_of(id);
            if (known_in_[at] != &part) ids_[at] = part.pool.intern(from_.pool.text(id));
            known_in_[at] = &part;
            id = ids_[at];
        };
        for (StagedEvent& event : part.events) intern(event.name);
        for (ThreadKey& thread : part.threads) {
            intern(thread.pid);
            intern(thread.tid);
        }
        for (CategoryEntry& category : part.categories) intern(category.text);
        for (NameId& id : part.async_ids) intern(id);
        for (auto& column : part.texts)
            for (NameId& value : column.values) intern(value);
        for (FlowKind& kind : part.flow_kinds) {
            intern(kind.category);
            intern(kind.name);
        }
        for (CounterRow& counter : part.counters) {
            intern(counter.pid);
            intern(counter.name);
            intern(counter.series);
        }
        for (MetadataRow& row : part.metadata) {
            intern(row.pid);
            intern(row.tid);
            intern(row.text);
        }
    }

    Staged from_;
    const RankSplit& split_;
    std::vector<Staged> parts_;
    std::vector<std::uint32_t> thread_in_part_;
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> shared_threads_;  // by part and thread of the file
    std::size_t copies_ = 0;  // of events
    PageVector<std::uint32_t> row_in_part_;
    PageVector<std::uint32_t> part_of_row_;
    std::map<NameId, std::set<std::uint32_t>> parts_of_process_;
    std::vector<NameId> ids_;  // by id of the file's pool: the id in the part's …
    std::vector<const Staged*> known_in_;  // … that this names
};

// Threads without events (arrows, names) go to the first rank of their process.
void place_other_threads(const Staged& staged, const std::vector<bool>& has_events,
                         std::vector<std::uint32_t>& part_of_thread) {
    std::map<NameId, std::uint32_t> first_of_process;
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        if (!has_events[t]) continue;
        const auto [of, is_new] = first_of_process.try_emplace(staged.threads[t].pid, part_of_thread[t]);
        if (!is_new) of->second = std::min(of->second, part_of_thread[t]);
    }
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        if (has_events[t]) continue;
        const auto of = first_of_process.find(staged.threads[t].pid);
        part_of_thread[t] = of == first_of_process.end() ? 0 : of->second;
    }
}

}  // namespace

std::optional<RankSplit> find_ranks_in_file(const Staged& staged, std::optional<std::int32_t> stated) {
    std::vector<bool> has_events = find_threads_with_events(staged);
    std::string example;
    bool by_device = false;
    std::optional<std::vector<RankPosition>> positions = find_positions(staged, has_events, example);
    if (!positions) positions = find_numbered_pids(staged, has_events, example);
    if (!positions && !stated) {
        positions = find_device_ranks(staged, has_events, example);
        by_device = positions.has_value();
    }
    if (!positions && !stated) {
        example = "the argument \"rank\" of events";
        positions = find_unnamed_ranks(staged, has_events);
    }
    if (!positions) return std::nullopt;
    std::vector<RankPosition> named;
    std::vector<bool> is_shared(staged.threads.size(), false);
    for (std::size_t t = 0; t < positions->size(); ++t) {
        is_shared[t] = has_events[t] && (*positions)[t].empty();
        has_events[t] = has_events[t] && !(*positions)[t].empty();
        if (has_events[t]) named.push_back((*positions)[t]);
    }
    const std::optional<std::vector<std::int32_t>> numbers = number_ranks(named);
    if (!numbers) return std::nullopt;
    RankSplit split;
    split.ranks = *numbers;
    std::ranges::sort(split.ranks);
    const auto repeated = std::ranges::unique(split.ranks);
    split.ranks.erase(repeated.begin(), repeated.end());
    if (split.ranks.size() < 2 || split.ranks.size() > kMostRanksOfFile) return std::nullopt;
    if (stated && !std::ranges::binary_search(split.ranks, *stated)) return std::nullopt;
    split.part_of_thread.resize(staged.threads.size());
    for (std::size_t t = 0, n = 0; t < split.part_of_thread.size(); ++t) {
        if (!has_events[t]) continue;
        const auto part = std::ranges::lower_bound(split.ranks, (*numbers)[n++]);
        split.part_of_thread[t] = static_cast<std::uint32_t>(part - split.ranks.begin());
    }
    place_other_threads(staged, has_events, split.part_of_thread);
    split.how = example;
    split.by_device = by_device;
    split.is_shared = std::move(is_shared);
    return split;
}

std::optional<std::int32_t> find_only_rank(const Staged& staged) {
    const std::vector<bool> has_events = find_threads_with_events(staged);
    std::string example;
    const std::optional<std::vector<RankPosition>> positions = find_positions(staged, has_events, example);
    std::optional<std::int32_t> only;
    for (std::size_t t = 0; positions && t < positions->size(); ++t) {
        if (!has_events[t]) continue;
        const auto number = (*positions)[t].find("");
        if (number == (*positions)[t].end() || (only && *only != number->second)) return std::nullopt;
        only = number->second;
    }
    return only;
}

std::vector<Staged> split_by_rank(Staged staged, const RankSplit& split) {
    return RankSplitter(std::move(staged), split).run();
}

}  // namespace core
