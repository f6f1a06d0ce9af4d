#include "ui/model/row_choices.hpp"

#include <algorithm>
#include <map>

namespace ui {
namespace {

std::string_view word_of(core::TrackKind kind) {
    switch (kind) {
        case core::TrackKind::Thread:
            return "thread";
        case core::TrackKind::Stream:
            return "stream";
        case core::TrackKind::StreamAnnotations:
            return "annotations";
        case core::TrackKind::StreamSync:
            return "waits";
        case core::TrackKind::Async:
            return "async";
        case core::TrackKind::Instants:
            return "instants";
    }
    return {};
}

// Removes digits, because process and thread numbers differ between ranks and runs.
std::string drop_digits(std::string_view text) {
    std::string rest;
    for (const char c : text)
        if (c < '0' || c > '9') rest += c;
    return rest;
}

// Device number by process; empty for a rank with one device.
std::vector<std::string> name_devices(const core::RankTrace& trace) {
    std::vector<std::string> names(trace.processes.size());
    const auto is_device = [](const core::Process& process) { return process.device >= 0; };
    if (std::ranges::count_if(trace.processes, is_device) < 2) return names;
    std::size_t devices = 0;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (is_device(trace.processes[i])) names[i] = "GPU " + std::to_string(++devices) + " ";
    return names;
}

}  // namespace

std::vector<std::string> name_tracks(const core::RankTrace& trace) {
    const std::vector<std::string> devices = name_devices(trace);
    std::map<std::string, std::size_t> seen;
    std::vector<std::string> names;
    for (const core::Track& track : trace.tracks) {
        std::string name = devices[track.process];
        name.append(word_of(track.kind)).append(" ");
        name += track.stream >= 0 ? std::to_string(track.stream) : drop_digits(trace.text(track.name));
        const std::size_t count = ++seen[name];
        names.push_back(count == 1 ? std::move(name) : name + " \xC2\xB7 " + std::to_string(count));
    }
    return names;
}

std::vector<std::string> name_counters(const core::RankTrace& trace) {
    std::map<std::string, std::size_t> seen;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < trace.counters.size(); ++i) {
        const core::CounterTrack& counter = trace.counters[i];
        const bool same =
            i > 0 && trace.counters[i - 1].name == counter.name && trace.counters[i - 1].process == counter.process;
        if (same) {
            names.push_back(names.back());
            continue;
        }
        std::string name = "counter " + std::string(trace.text(counter.name));
        const std::size_t count = ++seen[name];
        names.push_back(count == 1 ? std::move(name) : name + " \xC2\xB7 " + std::to_string(count));
    }
    return names;
}

bool holds_events(const core::RankTrace& trace, const core::Track& track) {
    for (std::uint32_t i = 0; i < track.lane_count; ++i) {
        const core::Lane& lane = trace.lanes[track.first_lane + i];
        if (lane.first < lane.last) return true;
    }
    return false;
}

bool has_track(std::span<const RowName> rows, std::int64_t rank, std::string_view track) {
    return std::ranges::any_of(
        rows, [&](const RowName& row) { return (row.rank == kEveryRank || row.rank == rank) && row.track == track; });
}

TrackChoice choose_tracks(const core::Run& run, std::span<const RowName> rows, std::span<const std::int64_t> names) {
    TrackChoice choice;
    if (rows.empty()) return choice;
    choice.tracks.resize(run.ranks().size());
    choice.counters.resize(run.ranks().size());
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        const core::RankSlot& rank = run.rank(slot);
        const std::int64_t name = slot < names.size() ? names[slot] : rank.key.packed();
        const auto is_meant = [&](const RowName& row) { return row.rank == kEveryRank || row.rank == name; };
        if (std::ranges::none_of(rows, is_meant)) continue;
        const core::RankTrace& trace = rank.trace();
        const std::vector<std::string> tracks = name_tracks(trace);
        std::vector<bool>& chosen = choice.tracks[slot];
        chosen.resize(tracks.size());
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            chosen[i] = has_track(rows, name, tracks[i]);
            if (chosen[i] && holds_events(trace, trace.tracks[i])) ++choice.count;
        }
        for (const std::string& counter : name_counters(trace))
            choice.counters[slot].push_back(has_track(rows, name, counter));
    }
    return choice;
}

void add_row(std::vector<RowName>& rows, const RowName& row) {
    if (row.rank == kEveryRank)
        std::erase_if(rows, [&](const RowName& other) { return other.track == row.track; });
    else if (has_track(rows, row.rank, row.track))
        return;
    rows.insert(std::ranges::lower_bound(rows, row), row);
}

void remove_row(std::vector<RowName>& rows, std::int64_t rank, std::string_view track) {
    std::erase_if(
        rows, [&](const RowName& row) { return (row.rank == kEveryRank || row.rank == rank) && row.track == track; });
}

}  // namespace ui
