#include "core/store/assemble/track_layout.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace core {
namespace {

constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInvalidStream = 0xFFFFFFFF;  // what CUPTI writes for none
constexpr std::int64_t kMostDevices = 4096;  // a larger pid is a process, not a device

std::int64_t number_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : kNoNumber;
}

// "7" → 7, "stream 7 " → 7.
std::int64_t last_number_in(std::string_view text) {
    while (!text.empty() && (text.back() < '0' || text.back() > '9')) text.remove_suffix(1);
    std::size_t digits = 0;
    while (digits < text.size() && text[text.size() - 1 - digits] >= '0' && text[text.size() - 1 - digits] <= '9')
        ++digits;
    return digits == 0 ? kNoNumber : number_in(text.substr(text.size() - digits));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    return text;
}

struct ProcessFacts {
    NameId name{0};
    NameId labels{0};
    std::int64_t sort_index = kNoNumber;
};
struct ThreadFacts {
    NameId name{0};
    std::int64_t sort_index = kNoNumber;
};

class Layout {
public:
    Layout(Staged& staged, const JobContext& job) : staged_(staged), job_(job) {}

    TrackLayout run() {
        read_metadata();
        read_streams();
        place_events();
        if (job_.checkpoint()) return {};
        build_processes();
        describe_tracks();
        order_tracks();
        choose_flow_tracks();
        return std::move(layout_);
    }

private:
    static std::uint64_t key(NameId pid, NameId tid) {
        return static_cast<std::uint64_t>(index_of(pid)) << 32 | index_of(tid);
    }

    void read_metadata() {
        for (const MetadataRow& row : staged_.metadata) {
            ProcessFacts& process = processes_[row.pid];
            switch (row.kind) {
                case MetadataKind::ProcessName:
                    process.name = row.text;
                    break;
                case MetadataKind::ProcessLabels:
                    process.labels = row.text;
                    break;
                case MetadataKind::ProcessSortIndex:
                    process.sort_index = row.number;
                    break;
                case MetadataKind::ThreadName:
                    threads_[key(row.pid, row.tid)].name = row.text;
                    break;
                case MetadataKind::ThreadSortIndex:
                    threads_[key(row.pid, row.tid)].sort_index = row.number;
                    break;
            }
        }
    }

    // The stream that the GPU events of a thread name, if all name the same: MTIA's tids are not stream numbers.
    void read_streams() {
        stream_of_thread_.assign(staged_.threads.size(), kNoNumber);
        std::vector<bool> differ(staged_.threads.size(), false);
        const StagedArgument<std::int64_t>& streams = staged_.integers[static_cast<std::size_t>(Arg::Stream)];
        for (std::size_t i = 0; i < streams.rows.size(); ++i) {
            const std::uint32_t row = streams.rows[i];
            const std::int64_t stream = streams.values[i];
            if ((staged_.events[row].flags & kGpuEvent) == 0 || stream < 0 || stream >= kInvalidStream) continue;
            std::int64_t& known = stream_of_thread_[staged_.thread_of_event[row]];
            if (known != kNoNumber && known != stream) differ[staged_.thread_of_event[row]] = true;
            known = stream;
        }
        for (std::size_t t = 0; t < differ.size(); ++t)
            if (differ[t]) stream_of_thread_[t] = kNoNumber;
    }

    // Annotations and synchronisation rows of a stream share its tid but would hide its work: tracks of their own.
    TrackKind kind_of(const StagedEvent& event, std::uint32_t thread) const {
        if ((event.flags & kAsync) != 0) return TrackKind::Async;
        if ((event.flags & kInstant) != 0) return TrackKind::Instants;
        if ((event.flags & kGpuEvent) != 0) return TrackKind::Stream;
        const Category kind = staged_.categories[event.category].kind;
        if (kind == Category::Other && staged_.device_rows[thread] != DeviceThread::None)
            return staged_.device_rows[thread] == DeviceThread::Work ? TrackKind::StreamSync
                                                                     : TrackKind::StreamAnnotations;
        switch (kind) {
            case Category::GpuUserAnnotation:
                return TrackKind::StreamAnnotations;
            case Category::CudaSync:
            case Category::GpuOther:
                return TrackKind::StreamSync;
            default:
                return TrackKind::Thread;
        }
    }

    // Rows split into pieces for threads: pass one counts rows per track, pass two places them.
    struct Piece {
        std::size_t first;  // rows
        std::size_t last;
        std::vector<std::uint32_t> seen;  // track places in order of appearance
        std::vector<std::uint32_t> next;  // by place: row count, then the next free position in the track
    };

    void place_events() {
        std::vector<Piece> pieces = cut_rows();
        job_.parallel_for(pieces.size(), [&](std::size_t i) {
            Piece& piece = pieces[i];
            piece.next.assign(places(), 0);
            visit_rows(piece, [&](std::uint32_t, std::size_t place) {
                if (piece.next[place]++ == 0) piece.seen.push_back(static_cast<std::uint32_t>(place));
            });
        });
        if (job_.checkpoint()) return;
        const std::vector<std::uint32_t> track_at = begin_tracks(pieces);
        job_.parallel_for(pieces.size(), [&](std::size_t i) {
            visit_rows(pieces[i], [&](std::uint32_t row, std::size_t place) {
                layout_.tracks[track_at[place]].rows[pieces[i].next[place]++] = row;
            });
        });
    }

    // A track is one thread and one kind; its place numbers all possible pairs.
    static constexpr std::size_t kKinds = 6;
    std::size_t places() const { return staged_.threads.size() * kKinds; }

    std::vector<Piece> cut_rows() const {
        constexpr std::size_t kMostPieces = 8;
        const std::size_t rows = staged_.events.size();
        // Each piece counts by place, so few pieces when most places have few rows.
        const std::size_t count =
            std::clamp<std::size_t>(rows / (16 * places() + kEventsBetweenChecks), 1, kMostPieces);
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < count; ++i) pieces.push_back({rows * i / count, rows * (i + 1) / count, {}, {}});
        return pieces;
    }

    template <class Visit>
    void visit_rows(const Piece& piece, const Visit& visit) const {
        for (std::size_t row = piece.first; row < piece.last; ++row) {
            if ((row - piece.first) % kEventsBetweenChecks == 0 && job_.checkpoint()) return;
            const StagedEvent& event = staged_.events[row];
            if (!becomes_event(event.phase)) continue;
            const std::uint32_t thread = staged_.thread_of_event[row];
            visit(static_cast<std::uint32_t>(row), thread * kKinds + static_cast<std::size_t>(kind_of(event, thread)));
        }
    }

    // Creates the tracks in order of their first rows, sized for all rows, and the position of each piece in
    // them, by place.
    std::vector<std::uint32_t> begin_tracks(std::vector<Piece>& pieces) {
        std::vector<std::uint32_t> track_at(places(), kNoRow);
        std::vector<std::uint32_t> rows;  // by track, pieces so far
        for (Piece& piece : pieces) {
            for (const std::uint32_t place : piece.seen) {
                if (track_at[place] == kNoRow) {
                    track_at[place] = static_cast<std::uint32_t>(layout_.tracks.size());
                    const auto thread = static_cast<std::uint32_t>(place / kKinds);
                    const auto kind = static_cast<TrackKind>(place % kKinds);
                    layout_.tracks.push_back({.thread = thread,
                                              .kind = kind,
                                              .process = 0,
                                              .tid = staged_.threads[thread].tid,
                                              .name = NameId{0},
                                              .stream = -1,
                                              .sort_index = 0,
                                              .rows = {}});
                    rows.push_back(0);
                }
                std::uint32_t& so_far = rows[track_at[place]];
                so_far += std::exchange(piece.next[place], so_far);
            }
        }
        for (std::size_t t = 0; t < rows.size(); ++t) {
            layout_.tracks[t].rows.resize(rows[t]);
            layout_.event_count += rows[t];
        }
        return track_at;
    }

    void build_processes() {
        std::map<NameId, std::int32_t> device_of;  // −1: not a device
        for (const CounterRow& counter : staged_.counters) device_of.emplace(counter.pid, -1);
        for (const LaidTrack& track : layout_.tracks) {
            const NameId pid = staged_.threads[track.thread].pid;
            const auto it = device_of.emplace(pid, -1).first;
            const bool of_device = track.kind == TrackKind::Stream || track.kind == TrackKind::StreamAnnotations ||
                                   track.kind == TrackKind::StreamSync;
            const auto named = staged_.devices.find(pid);
            const std::int64_t number =
                named == staged_.devices.end() ? number_in(staged_.pool.text(pid)) : named->second;
            if (of_device && number >= 0 && number < kMostDevices)
                it->second = static_cast<std::int32_t>(number);
            else if (of_device && it->second < 0)
                it->second = 0;
        }
        std::vector<std::pair<NameId, std::int32_t>> order(device_of.begin(), device_of.end());
        const auto place = [&](const auto& entry) {
            const std::string_view pid = staged_.pool.text(entry.first);
            return std::tuple(entry.second >= 0, processes_[entry.first].sort_index, number_in(pid), pid);
        };
        std::ranges::sort(order, {}, place);
        for (const auto& [pid, device] : order) {
            const ProcessFacts& facts = processes_[pid];
            layout_.process_of_pid.emplace(static_cast<std::uint32_t>(pid),
                                           static_cast<std::uint32_t>(layout_.processes.size()));
            layout_.processes.push_back({.pid = pid,
                                         .name = facts.name,
                                         .labels = facts.labels,
                                         .sort_index = facts.sort_index,
                                         .device = device,
                                         .first_track = 0,
                                         .track_count = 0});
        }
    }

    void describe_tracks() {
        for (LaidTrack& track : layout_.tracks) {
            const ThreadKey thread = staged_.threads[track.thread];
            track.process = layout_.process_of_pid.at(static_cast<std::uint32_t>(thread.pid));
            const std::string tid(staged_.pool.text(thread.tid));
            const bool of_stream = track.kind == TrackKind::Stream || track.kind == TrackKind::StreamAnnotations ||
                                   track.kind == TrackKind::StreamSync;
            std::int64_t number = of_stream ? stream_of_thread_[track.thread] : kNoNumber;
            if (of_stream && number == kNoNumber) number = last_number_in(tid);
            track.stream = number == kNoNumber ? -1 : number;
            const auto facts = threads_.find(key(thread.pid, thread.tid));
            track.sort_index = facts == threads_.end() ? kNoNumber : facts->second.sort_index;
            std::string name;
            if (facts != threads_.end()) name = trimmed(staged_.pool.text(facts->second.name));
            if (name.empty() && !of_stream) name = number_in(tid) == kNoNumber ? tid : "thread " + tid;
            if (name.empty()) name = number_in(tid) == kNoNumber ? tid : "stream " + tid;
            track.name = staged_.pool.intern(name);
        }
    }

    void order_tracks() {
        const auto place = [&](const LaidTrack& track) {
            const std::string_view tid = staged_.pool.text(track.tid);
            return std::tuple(track.process, track.sort_index, last_number_in(tid), tid, track.kind);
        };
        std::ranges::stable_sort(layout_.tracks, {}, place);
        for (std::uint32_t t = 0; t < layout_.tracks.size(); ++t) {
            Process& process = layout_.processes[layout_.tracks[t].process];
            if (process.track_count++ == 0) process.first_track = t;
        }
    }

    // Flow arrows attach to a stream's work or a thread's calls.
    void choose_flow_tracks() {
        layout_.flow_track_of_thread.assign(staged_.threads.size(), std::numeric_limits<std::size_t>::max());
        for (std::size_t t = 0; t < layout_.tracks.size(); ++t) {
            const LaidTrack& track = layout_.tracks[t];
            std::size_t& chosen = layout_.flow_track_of_thread[track.thread];
            if (track.kind == TrackKind::Stream) chosen = t;
            if (track.kind == TrackKind::Thread && chosen == std::numeric_limits<std::size_t>::max()) chosen = t;
        }
    }

    Staged& staged_;
    const JobContext& job_;
    TrackLayout layout_;
    std::vector<std::int64_t> stream_of_thread_;
    std::map<NameId, ProcessFacts> processes_;
    std::unordered_map<std::uint64_t, ThreadFacts> threads_;
};

}  // namespace

TrackLayout build_track_layout(Staged& staged, const JobContext& job) { return Layout(staged, job).run(); }

}  // namespace core
