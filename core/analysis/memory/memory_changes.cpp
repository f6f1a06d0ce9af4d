#include "core/analysis/memory/memory_changes.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/store/call_stack.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace core {
namespace {

constexpr std::string_view kBeforeChanges = "(allocated before these events)";
constexpr std::string_view kNoPlace = "(no operator)";
constexpr std::size_t kDeepestCalls = 1024;  // open calls that are looked through for one allocation

// Sort key: time, then position in the file.
auto moment_of(const RankTrace& trace, EventId e) {
    return std::pair(trace.start[index_of(e)], trace.order[index_of(e)]);
}

std::string device_of(const RankTrace& trace, EventId e) {
    constexpr std::int64_t kCpu = 0;
    const std::int64_t device = trace.integer(Arg::Device, e).value_or(-1);
    if (trace.integer(Arg::DeviceType, e).value_or(kCpu) == kCpu) return "CPU";
    return device < 0 ? "GPU" : "GPU " + std::to_string(device);
}

std::vector<EventId> events_of(const RankTrace& trace, const Track& track) {
    std::vector<EventId> events;
    for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
        for (std::size_t i = index_of(trace.lanes[l].first); i < index_of(trace.lanes[l].last); ++i)
            events.push_back(EventId{static_cast<std::uint32_t>(i)});
    }
    return events;
}

bool is_python_call(const RankTrace& trace, EventId e) { return trace.category_kind(e) == Category::PythonFunction; }

// Operators and Python calls of the thread to which a track of instants belongs, by start, outer before inner.
std::vector<EventId> calls_beside(const RankTrace& trace, const Track& moments) {
    std::vector<EventId> calls;
    for (const Track& track : trace.tracks) {
        if (track.kind != TrackKind::Thread || track.process != moments.process || track.tid != moments.tid) continue;
        calls = events_of(trace, track);
    }
    std::erase_if(calls, [&](EventId e) { return !is_operator(trace, e) && !is_python_call(trace, e); });
    std::ranges::sort(calls, {}, [&](EventId e) {
        return std::tuple(trace.start[index_of(e)], -trace.duration[index_of(e)], trace.order[index_of(e)]);
    });
    return calls;
}

// Which names are Python calls of user code; each is parsed once.
class UserCalls {
public:
    explicit UserCalls(const RankTrace& trace) : trace_(trace) {}
    bool contains(NameId name) {
        const auto [known, is_new] = known_.try_emplace(index_of(name), false);
        if (is_new) {
            const std::optional<std::string> frame = frame_of_python_call(trace_.text(name));
            known->second = frame && owner_of_frame(*frame) == FrameOwner::User;
        }
        return known->second;
    }

private:
    const RankTrace& trace_;
    std::unordered_map<std::size_t, bool> known_;
};

// Finds the open calls at times queried in increasing order.
class OpenCalls {
public:
    OpenCalls(const RankTrace& trace, const Track& moments, UserCalls& user)
        : trace_(trace), user_(user), calls_(calls_beside(trace, moments)) {}

    void name_at(RankTime t, MemoryChange& change) {
        for (; next_ < calls_.size() && trace_.start[index_of(calls_[next_])] <= t; ++next_) {
            close_until(trace_.start[index_of(calls_[next_])]);
            open_.push_back(calls_[next_]);
        }
        close_until(t);
        const std::size_t outermost = open_.size() - std::min(open_.size(), kDeepestCalls);
        for (std::size_t i = open_.size(); i-- > outermost;) {
            const NameId name = trace_.name[index_of(open_[i])];
            if (is_operator(trace_, open_[i])) {
                if (change.cause == kNoName) change.cause = name;
                change.call = name;
            } else if (user_.contains(name)) {
                change.frame = name;
                return;
            }
        }
    }

private:
    void close_until(RankTime t) {
        while (!open_.empty() && trace_.end(open_.back()) <= t) open_.pop_back();
    }

    const RankTrace& trace_;
    UserCalls& user_;
    std::vector<EventId> calls_;
    std::size_t next_ = 0;
    std::vector<EventId> open_;
};

void add_track(const RankView& view, const Track& track, UserCalls& user,
               std::map<std::string, MemoryChanges>& devices) {
    const RankTrace& trace = view.trace();
    std::vector<EventId> moments = events_of(trace, track);
    std::erase_if(moments, [&](EventId e) {
        return trace.name_text(e) != kMemoryEvent || !trace.integer(Arg::Bytes, e) || !view.passes(e);
    });
    if (moments.empty()) return;
    std::ranges::sort(moments, {}, [&](EventId e) { return moment_of(trace, e); });
    OpenCalls calls(trace, track, user);
    for (const EventId e : moments) {
        MemoryChange& change = devices[device_of(trace, e)].emplace_back();
        change.event = e;
        change.bytes = *trace.integer(Arg::Bytes, e);
        change.address = trace.integer(Arg::Addr, e);
        change.allocated = trace.integer(Arg::TotalAllocated, e);
        change.reserved = trace.integer(Arg::TotalReserved, e);
        calls.name_at(trace.start[index_of(e)], change);
    }
}

std::string site_of_change(const RankTrace& trace, const MemoryChange& change) {
    constexpr std::string_view kOperators = "aten::", kBackward = "autograd::engine::evaluate_function: ";
    std::string_view call = change.call == kNoName ? std::string_view() : trace.text(change.call);
    for (const std::string_view prefix : {kOperators, kBackward})
        if (call.size() > prefix.size() && call.starts_with(prefix)) call.remove_prefix(prefix.size());
    if (change.frame == kNoName) return std::string(call.empty() ? kNoPlace : call);
    std::string frame = frame_of_python_call(trace.text(change.frame)).value_or(std::string());
    if (call.empty()) return frame;
    return std::string(call) + " \xC2\xB7 " + std::string(place_of_frame(frame));
}

// Position after the change with the greatest total; without totals, with the greatest growth.
std::size_t find_peak(const MemoryChanges& changes) {
    std::optional<std::int64_t> most;
    std::size_t peak = 0;
    Wide growth = 0, most_growth = 0;
    std::size_t grown = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        growth += changes[i].bytes;
        if (growth > most_growth) {
            most_growth = growth;
            grown = i + 1;
        }
        if (!changes[i].allocated || (most && *changes[i].allocated <= *most)) continue;
        most = changes[i].allocated;
        peak = i + 1;
    }
    return most ? peak : grown;
}

}  // namespace

Result<std::map<std::string, MemoryChanges>> collect_memory_changes(const RankView& view, const JobContext& context) {
    const RankTrace& trace = view.trace();
    std::map<std::string, MemoryChanges> devices;
    UserCalls user(trace);
    for (const Track& track : trace.tracks) {
        if (context.cancelled()) return cancelled_error();
        if (track.kind == TrackKind::Instants) add_track(view, track, user, devices);
    }
    for (auto& [device, changes] : devices)
        std::ranges::sort(changes, {}, [&](const MemoryChange& change) { return moment_of(trace, change.event); });
    return devices;
}

MemorySites find_sites_at_peak(const RankTrace& trace, const MemoryChanges& changes) {
    std::unordered_map<std::int64_t, const MemoryChange*> live;
    const std::size_t peak = find_peak(changes);
    for (std::size_t i = 0; i < peak; ++i) {
        const MemoryChange& change = changes[i];
        if (!change.address) continue;
        if (change.bytes > 0)
            live.insert_or_assign(*change.address, &change);
        else
            live.erase(*change.address);
    }
    MemorySites at_peak;
    if (live.empty()) return at_peak;
    std::map<std::string, MemorySite> by_name;
    std::map<std::tuple<NameId, NameId>, MemorySite*> by_place;
    Wide known = 0;
    for (const auto& [address, change] : live) {
        MemorySite*& site = by_place[{change->call, change->frame}];
        if (!site) {
            const std::string name = site_of_change(trace, *change);
            site = &by_name[name];
            site->site = name;
        }
        site->bytes = clamped(Wide{site->bytes} + change->bytes);
        ++site->blocks;
        site->largest = std::max(site->largest, change->bytes);
        known += change->bytes;
    }
    for (auto& [name, site] : by_name) at_peak.sites.push_back(std::move(site));
    at_peak.all = clamped(known);
    if (const std::optional<std::int64_t>& total = changes[peak - 1].allocated; total && *total > at_peak.all) {
        const std::int64_t before = clamped(Wide{*total} - known);
        at_peak.sites.push_back({.site = std::string(kBeforeChanges), .bytes = before, .blocks = 0, .largest = 0});
        at_peak.all = *total;
    }
    std::ranges::stable_sort(at_peak.sites, {}, [](const MemorySite& site) { return -site.bytes; });
    return at_peak;
}

}  // namespace core
