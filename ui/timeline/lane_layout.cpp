#include "ui/timeline/lane_layout.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ui {
namespace {

constexpr std::uint32_t kClosedThreadLanes = 6;  // rows of a call stack that are shown before it is opened
constexpr std::uint32_t kClosedStreamLanes = 4;
constexpr std::size_t kFewRanks = 2;
constexpr std::size_t kManyRanks = 32;           // beyond, only the first opens by itself
constexpr float kLowestRank = 12;                // at scale 1: its name can still be read

bool holds_events(const core::RankTrace& trace, const core::Track& track) {
    for (std::uint32_t i = 0; i < track.lane_count; ++i) {
        const core::Lane& lane = trace.lanes[track.first_lane + i];
        if (lane.first < lane.last) return true;
    }
    return false;
}

bool is_gpu_track(const core::RankTrace& trace, const core::Track& track) {
    return track.kind == core::TrackKind::Stream || track.kind == core::TrackKind::StreamAnnotations ||
           track.kind == core::TrackKind::StreamSync || trace.processes[track.process].device >= 0;
}

// Tracks of one rank, sorted into the groups they are shown in.
struct Groups {
    std::vector<std::uint32_t> devices;   // processes with streams
    std::vector<std::uint32_t> streams;
    std::vector<std::uint32_t> marks;     // annotations and synchronisation of streams
    std::vector<std::uint32_t> cpu;
};

Groups collect_groups(const core::RankTrace& trace) {
    Groups groups;
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
        const core::Track& track = trace.tracks[i];
        if (!holds_events(trace, track)) continue;
        if (!is_gpu_track(trace, track))
            groups.cpu.push_back(i);
        else if (track.kind != core::TrackKind::Stream)
            groups.marks.push_back(i);
        else {
            groups.streams.push_back(i);
            if (groups.devices.empty() || groups.devices.back() != track.process)
                groups.devices.push_back(track.process);
        }
    }
    return groups;
}

// Counters with how many series each has: those of one counter lie together.
struct CounterRow {
    std::uint32_t first;
    std::uint32_t series;
};

std::vector<CounterRow> collect_counters(const core::RankTrace& trace) {
    std::vector<CounterRow> rows;
    for (std::uint32_t i = 0; i < trace.counters.size(); ++i) {
        const core::CounterTrack& counter = trace.counters[i];
        const bool same =
            i > 0 && trace.counters[i - 1].name == counter.name && trace.counters[i - 1].process == counter.process;
        if (!same) rows.push_back({i, 0});
        ++rows.back().series;
    }
    return rows;
}

bool opens_by_itself(Opening opening, RowKind kind, std::uint32_t slot) {
    switch (kind) {
        case RowKind::Rank:
            return opening != Opening::Closed && (opening != Opening::FirstStreams || slot == 0);
        case RowKind::Device:
            return true;
        case RowKind::Marks:
        case RowKind::Cpu:
        case RowKind::Counters:
            return opening == Opening::Everything;
        case RowKind::Lane:
        case RowKind::Counter:
        case RowKind::Series:
        case RowKind::Group:
            return false;
    }
    return false;
}

std::uint32_t closed_lanes(const core::Track& track) {
    return track.kind == core::TrackKind::Stream ? kClosedStreamLanes : kClosedThreadLanes;
}

class Builder {
public:
    Builder(const core::Run& run, const RowChoices& choices, Opening opening, const RowSizes& sizes,
            const SeriesByRank& series, std::vector<LayoutRow>& rows)
        : run_(run), choices_(choices), opening_(opening), sizes_(sizes), series_(series), rows_(rows) {}

    void add_rank(std::uint32_t slot) {
        slot_ = slot;
        trace_ = &run_.rank(slot).trace();
        if (!add_group(RowKind::Rank, 0, 0, 0, sizes_.rank)) return;
        const std::size_t rank_row = rows_.size() - 1;
        const Groups groups = collect_groups(*trace_);
        add_streams(groups);
        add_series();
        const auto count_if_closed = [&](RowKind kind, std::size_t members) {
            if (members == 0) return std::uint32_t{0};
            if (!is_open(kind, 0)) return static_cast<std::uint32_t>(members);
            add_group(kind, 1, 0, members, sizes_.group);
            return std::uint32_t{0};
        };
        const auto add_track_group = [&](RowKind kind, std::span<const std::uint32_t> tracks) {
            const std::uint32_t closed = count_if_closed(kind, tracks.size());
            if (closed == 0) add_tracks(tracks, 2);
            return closed;
        };
        const std::uint32_t marks = add_track_group(RowKind::Marks, groups.marks);
        const std::uint32_t cpu = add_track_group(RowKind::Cpu, groups.cpu);
        const std::vector<CounterRow> counter_rows = collect_counters(*trace_);
        const std::uint32_t counters = count_if_closed(RowKind::Counters, counter_rows.size());
        if (counters == 0) add_counters(counter_rows);
        rows_[rank_row].closed_marks = marks;
        rows_[rank_row].closed_cpu = cpu;
        rows_[rank_row].closed_counters = counters;
        y_ += sizes_.rank_gap;
    }
    void add_heading(const RankOrder::Section& section, std::size_t index) {
        slot_ = section.slots.front();
        const float heading = section.folded ? std::max(sizes_.group, sizes_.rank) : sizes_.group;
        const float height = section.title.empty() ? sizes_.separator : heading;
        LayoutRow& row = add_row(RowKind::Group, 0, static_cast<std::uint32_t>(index), height);
        row.title = &section.title;
        row.count = static_cast<std::uint32_t>(section.slots.size());
        row.slots = &section.slots;
        row.opens = !section.title.empty();
        row.open = !section.folded;
    }
    float height() const { return y_; }

private:
    bool is_open(RowKind kind, std::uint32_t item) const {
        return ui::is_open(choices_, opening_, {run_.rank(slot_).key.packed(), kind, item}, slot_);
    }

    LayoutRow& add_row(RowKind kind, std::uint8_t depth, std::uint32_t item, float height) {
        LayoutRow row;
        row.kind = kind;
        row.depth = depth;
        row.slot = slot_;
        row.item = item;
        row.y = y_;
        row.height = height;
        y_ += height;
        return rows_.emplace_back(row);
    }

    bool add_group(RowKind kind, std::uint8_t depth, std::uint32_t item, std::size_t count, float height) {
        LayoutRow& row = add_row(kind, depth, item, height);
        row.count = static_cast<std::uint32_t>(count);
        row.opens = true;
        row.open = is_open(kind, item);
        return row.open;
    }

    void add_streams(const Groups& groups) {
        if (groups.devices.size() < 2) {
            add_tracks(groups.streams, 1);
            return;
        }
        for (const std::uint32_t device : groups.devices) {
            std::vector<std::uint32_t> streams;
            std::copy_if(groups.streams.begin(), groups.streams.end(), std::back_inserter(streams),
                         [&](std::uint32_t track) { return trace_->tracks[track].process == device; });
            if (add_group(RowKind::Device, 1, device, streams.size(), sizes_.group)) add_tracks(streams, 2);
        }
    }

    void add_tracks(std::span<const std::uint32_t> tracks, std::uint8_t depth) {
        for (const std::uint32_t index : tracks) {
            const core::Track& track = trace_->tracks[index];
            const bool open = is_open(RowKind::Lane, index);
            const std::uint32_t closed = closed_lanes(track);
            const std::uint32_t shown = open ? track.lane_count : std::min(track.lane_count, closed);
            for (std::uint32_t i = 0; i < shown; ++i) {
                const float height = track.kind == core::TrackKind::Stream ? sizes_.stream : sizes_.lane;
                LayoutRow& row = add_row(RowKind::Lane, depth, track.first_lane + i, height);
                row.track = index;
                row.opens = i == 0 && track.lane_count > closed;
                row.open = open;
                row.count = i == 0 ? track.lane_count - shown : 0;
            }
        }
    }

    void add_series() {
        const auto known = series_.find(run_.rank(slot_).index.get());
        if (known == series_.end()) return;
        for (const SeriesLine& line : known->second->lines) add_row(RowKind::Series, 1, 0, sizes_.counter).line = &line;
    }

    void add_counters(std::span<const CounterRow> counters) {
        for (const CounterRow& counter : counters)
            add_row(RowKind::Counter, 2, counter.first, sizes_.counter).count = counter.series;
    }

    const core::Run& run_;
    const RowChoices& choices_;
    Opening opening_;
    const RowSizes& sizes_;
    const SeriesByRank& series_;
    std::vector<LayoutRow>& rows_;
    const core::RankTrace* trace_ = nullptr;
    std::uint32_t slot_ = 0;
    float y_ = 0;
};

std::string text_of(const core::RankTrace& trace, core::NameId id) { return std::string(trace.text(id)); }

std::string format_count(std::uint32_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string format_device(const core::RankTrace& trace, const core::Process& process) {
    const std::string labels = text_of(trace, process.labels);
    return labels.empty() ? text_of(trace, process.name) : labels;
}

}  // namespace

RowSizes RowSizes::comfortable(float scale) {
    const auto px = [&](float size) { return std::floor(size * scale + 0.5f); };
    return {px(22), px(18), px(18), px(16), px(32), px(6), px(7)};
}

RowSizes RowSizes::compact(float scale) {
    const auto px = [&](float size) { return std::floor(size * scale + 0.5f); };
    return {px(16), px(15), px(13), px(13), px(28), px(3), px(7)};
}

namespace {

// At scale 1. As many ranks as can be are seen at once, beside the first that is open.
float choose_rank_height(const core::Run& run, float scale, float height) {
    const RowSizes sizes = RowSizes::comfortable(scale);
    const LaneLayout first(run, {}, Opening::FirstStreams, sizes);
    const float closed = static_cast<float>(run.ranks().size()) * sizes.rank;
    const float room = height - (first.height() - closed);
    const float rank = std::floor(room / static_cast<float>(run.ranks().size()));
    return std::clamp(rank, std::floor(kLowestRank * scale + 0.5f), sizes.rank) / scale;
}

}  // namespace

Arrangement choose_arrangement(const core::Run& run, float scale, float height) {
    constexpr float kNearlyFits = 1.4f;
    if (run.ranks().size() <= kFewRanks) return {Opening::Everything, false};
    if (run.ranks().size() > kManyRanks) return {Opening::FirstStreams, false, choose_rank_height(run, scale, height)};
    for (const bool compact : {false, true}) {
        const Arrangement arrangement{Opening::Streams, compact, 0};
        const LaneLayout streams(run, {}, arrangement.opening, arrangement.sizes(scale));
        if (streams.height() <= height * (compact ? kNearlyFits : 1)) return arrangement;
    }
    return {Opening::FirstStreams, false, choose_rank_height(run, scale, height)};
}

RowSizes Arrangement::sizes(float scale) const {
    RowSizes sizes = compact ? RowSizes::compact(scale) : RowSizes::comfortable(scale);
    if (rank > 0) sizes.rank = std::min(sizes.rank, std::floor(rank * scale + 0.5f));
    return sizes;
}

bool is_open(const RowChoices& choices, Opening opening, const NodeKey& key, std::uint32_t slot) {
    const auto chosen = choices.find(key);
    return chosen != choices.end() ? chosen->second : opens_by_itself(opening, key.kind, slot);
}

void LaneLayout::place(std::span<const float> tops, float height) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].y = tops[i];
    height_ = height;
}

LaneLayout::LaneLayout(const core::Run& run, const RowChoices& choices, Opening opening, const RowSizes& sizes,
                       SeriesByRank series, RankOrderPtr order)
    : series_(std::move(series)), order_(std::move(order)), rank_rows_(run.ranks().size()) {
    if (!order_) order_ = std::make_shared<const RankOrder>(order_ranks(run, {}));
    Builder builder(run, choices, opening, sizes, series_, rows_);
    for (std::size_t i = 0; i < order_->sections.size(); ++i) {
        const RankOrder::Section& section = order_->sections[i];
        if (i > 0 || !section.title.empty()) {
            headings_.push_back(rows_.size());
            builder.add_heading(section, i);
        }
        if (section.folded) {
            for (const std::uint32_t slot : section.slots) folded_[slot] = headings_.back();
            continue;
        }
        for (const std::uint32_t slot : section.slots) {
            const std::size_t first = rows_.size();
            builder.add_rank(slot);
            rank_rows_[slot] = {first, rows_.size()};
        }
    }
    height_ = builder.height();
}

std::pair<std::size_t, std::size_t> LaneLayout::find_visible(float top, float bottom) const {
    const auto first = std::partition_point(rows_.begin(), rows_.end(),
                                            [&](const LayoutRow& row) { return row.y + row.height <= top; });
    const auto last = std::partition_point(first, rows_.end(), [&](const LayoutRow& row) { return row.y < bottom; });
    return {static_cast<std::size_t>(first - rows_.begin()), static_cast<std::size_t>(last - rows_.begin())};
}

std::optional<std::size_t> LaneLayout::find_row_at(float y) const {
    const std::size_t index = find_visible(y, y).first;
    if (index >= rows_.size() || y < rows_[index].y) return std::nullopt;
    return index;
}

std::optional<std::size_t> LaneLayout::find_lane_row(const core::Run& run, std::uint32_t slot,
                                                     std::uint32_t lane) const {
    const auto [first, last] = find_rank_rows(slot);
    if (first == last) return find_folded(slot);
    const std::vector<NodeKey> ancestors = collect_ancestors(run, slot, lane);
    const std::uint32_t track = run.rank(slot).trace().lanes[lane].track;
    std::size_t nearest = first;  // what is nearer comes later
    for (std::size_t i = nearest; i < last; ++i) {
        const LayoutRow& row = rows_[i];
        if (row.kind == RowKind::Lane && row.item == lane) return i;
        const bool holds = row.kind == RowKind::Lane
                               ? row.track == track
                               : std::find(ancestors.begin(), ancestors.end(), key_of(run, row)) != ancestors.end();
        if (holds) nearest = i;
    }
    return nearest;
}

std::pair<std::size_t, std::size_t> LaneLayout::find_rank_rows(std::uint32_t slot) const {
    return slot < rank_rows_.size() ? rank_rows_[slot] : std::pair<std::size_t, std::size_t>{};
}

std::optional<std::size_t> LaneLayout::find_folded(std::uint32_t slot) const {
    const auto found = folded_.find(slot);
    return found == folded_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> LaneLayout::find_heading(std::size_t row) const {
    const auto after = std::ranges::upper_bound(headings_, row);
    if (after == headings_.begin()) return std::nullopt;
    return *(after - 1);
}

std::optional<std::size_t> LaneLayout::find_heading_after(std::size_t row) const {
    const auto after = std::ranges::upper_bound(headings_, row);
    return after == headings_.end() ? std::nullopt : std::optional(*after);
}

NodeKey key_of(const core::Run& run, const LayoutRow& row) {
    if (row.kind == RowKind::Group) return {-1, RowKind::Group, row.item};
    const std::int64_t rank = run.rank(row.slot).key.packed();
    if (row.kind == RowKind::Lane) return {rank, RowKind::Lane, row.track};
    return {rank, row.kind, row.kind == RowKind::Device ? row.item : 0};
}

std::vector<NodeKey> collect_ancestors(const core::Run& run, std::uint32_t slot, std::uint32_t lane) {
    const core::RankTrace& trace = run.rank(slot).trace();
    const std::int64_t rank = run.rank(slot).key.packed();
    const std::uint32_t index = trace.lanes[lane].track;
    const core::Track& track = trace.tracks[index];
    std::vector<NodeKey> keys{{rank, RowKind::Rank, 0}};
    if (!is_gpu_track(trace, track))
        keys.push_back({rank, RowKind::Cpu, 0});
    else if (track.kind != core::TrackKind::Stream)
        keys.push_back({rank, RowKind::Marks, 0});
    else
        keys.push_back({rank, RowKind::Device, track.process});
    if (trace.lanes[lane].row >= closed_lanes(track)) keys.push_back({rank, RowKind::Lane, index});
    return keys;
}

std::string format_row_label(const core::Run& run, const LayoutRow& row) {
    const core::RankTrace& trace = run.rank(row.slot).trace();
    switch (row.kind) {
        case RowKind::Rank:
            return "rank " + core::format_rank(run.rank(row.slot).key);
        case RowKind::Device:
            return format_device(trace, trace.processes[row.item]);
        case RowKind::Marks:
            return "Annotations \xC2\xB7 " + format_count(row.count, "track", "tracks");
        case RowKind::Cpu:
            return "CPU \xC2\xB7 " + format_count(row.count, "thread", "threads");
        case RowKind::Counters:
            return "Counters \xC2\xB7 " + std::to_string(row.count);
        case RowKind::Lane:
            return trace.lanes[row.item].row == 0 ? text_of(trace, trace.tracks[row.track].name) : std::string();
        case RowKind::Counter:
            return text_of(trace, trace.counters[row.item].name);
        case RowKind::Series:
            return row.line->name();
        case RowKind::Group:
            return *row.title;
    }
    return {};
}

std::vector<CounterView> collect_lines(const core::Run& run, const LayoutRow& row) {
    if (row.kind == RowKind::Series) return {row.line->view()};
    std::vector<CounterView> lines;
    for (std::uint32_t i = 0; row.kind == RowKind::Counter && i < row.count; ++i)
        lines.push_back(view_counter(run.rank(row.slot), row.item + i));
    return lines;
}

}  // namespace ui
