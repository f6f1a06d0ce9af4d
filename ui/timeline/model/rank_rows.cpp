#include "ui/timeline/model/rank_rows.hpp"

#include "core/index/summary_rank.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ui {
namespace {

// Removes tracks hidden by the user, and devices and groups without remaining tracks.
void remove_hidden(TrackGroups& groups, const core::RankTrace& trace, const std::vector<bool>& hidden) {
    for (std::vector<std::uint32_t>* tracks : {&groups.streams, &groups.annotations, &groups.cpu})
        std::erase_if(*tracks, [&](std::uint32_t track) { return hidden[track]; });
    std::erase_if(groups.devices, [&](std::uint32_t device) {
        return std::ranges::none_of(groups.streams,
                                    [&](std::uint32_t track) { return trace.tracks[track].process == device; });
    });
}

}  // namespace

RowSizes RowSizes::comfortable(float scale) {
    const auto px = [&](float size) { return std::floor(size * scale + 0.5f); };
    return {.rank = px(22),
            .group = px(18),
            .stream = px(18),
            .lane = px(16),
            .counter = px(32),
            .rank_gap = px(6),
            .separator = px(7)};
}

RowSizes RowSizes::compact(float scale) {
    const auto px = [&](float size) { return std::floor(size * scale + 0.5f); };
    return {.rank = px(16),
            .group = px(15),
            .stream = px(13),
            .lane = px(13),
            .counter = px(28),
            .rank_gap = px(3),
            .separator = px(7)};
}

RowSizes RowSizes::grown(float times) const {
    RowSizes sizes = *this;
    for (float* size : {&sizes.rank, &sizes.stream, &sizes.lane}) *size = std::floor(*size * times);
    return sizes;
}

bool is_open(const RowChoices& choices, Opening opening, const NodeKey& key, std::uint32_t slot) {
    const auto chosen = choices.find(key);
    return chosen != choices.end() ? chosen->second : key.kind->opens_at_first(opening, slot);
}

bool is_gpu_track(const core::RankTrace& trace, const core::Track& track) {
    return track.kind == core::TrackKind::Stream || track.kind == core::TrackKind::StreamAnnotations ||
           track.kind == core::TrackKind::StreamSync || trace.processes[track.process].device >= 0;
}

bool is_bookkeeping(const core::RankTrace& trace, const core::Track& track) {
    const std::string_view name = trace.text(track.name);
    return name.starts_with("PyTorch Profiler") || name.starts_with("Trace PyTorch Profiler");
}

TrackGroups group_tracks(const core::RankTrace& trace) {
    TrackGroups groups;
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
        const core::Track& track = trace.tracks[i];
        if (!holds_events(trace, track) || core::is_left_out(trace, track)) continue;
        if (!is_gpu_track(trace, track))
            groups.cpu.push_back(i);
        else if (track.kind != core::TrackKind::Stream)
            groups.annotations.push_back(i);
        else {
            groups.streams.push_back(i);
            if (groups.devices.empty() || groups.devices.back() != track.process)
                groups.devices.push_back(track.process);
        }
    }
    // The profiler's own threads last: they say nothing about the program.
    std::ranges::stable_partition(groups.cpu,
                                  [&](std::uint32_t track) { return !is_bookkeeping(trace, trace.tracks[track]); });
    return groups;
}

RankRows::RankRows(const core::Run& run, const RowChoices& choices, Opening opening, const RowSizes& sizes,
                   const SeriesByRank& series, const TrackChoice& hidden)
    : run_(run), choices_(choices), opening_(opening), sizes_(sizes), series_(series), hidden_(hidden) {}

void RankRows::add_heading(const RankOrder::Section& section, std::size_t index) {
    slot_ = section.slots.front();
    const float heading = section.folded ? std::max(sizes_.group, sizes_.rank) : sizes_.group;
    const float height = section.title.empty() ? sizes_.separator : heading;
    LayoutRow& row = add(group_kind(), 0, static_cast<std::uint32_t>(index), height);
    row.title = &section.title;
    row.count = static_cast<std::uint32_t>(section.slots.size());
    row.slots = &section.slots;
    row.opens = !section.title.empty() && !section.worst;
    row.open = !section.folded;
}

void RankRows::add_rank(std::uint32_t slot) {
    slot_ = slot;
    // Remembers where the rank's closed nodes begin; finish() turns this into a span.
    closed_of_.emplace_back(made_.rows.size(), made_.closed.size());
    if (!add_node(rank_kind(), 0, 0, 0, sizes_.rank)) return;
    groups_ = group_tracks(trace());
    if (slot < hidden_.tracks.size() && !hidden_.tracks[slot].empty())
        remove_hidden(groups_, trace(), hidden_.tracks[slot]);
    for (const RowKind* kind : row_kinds().rows()) kind->add_rows(*this);
    made_.height += sizes_.rank_gap;
}

void RankRows::add_pinned(std::uint32_t slot, const std::vector<bool>& pinned) {
    slot_ = slot;
    const TrackGroups groups = group_tracks(trace());
    std::vector<std::uint32_t> tracks;
    for (const std::vector<std::uint32_t>* of : {&groups.streams, &groups.annotations, &groups.cpu})
        std::ranges::copy_if(*of, std::back_inserter(tracks), [&](std::uint32_t track) { return pinned[track]; });
    const std::size_t first = made_.rows.size();
    for (const RowKind* kind : row_kinds().rows()) kind->add_pinned(*this, tracks);
    for (std::size_t i = first; i < made_.rows.size(); ++i) made_.rows[i].pinned = true;
}

void RankRows::add_pinned_counters(std::uint32_t slot, const std::vector<bool>& pinned) {
    slot_ = slot;
    const std::size_t first = made_.rows.size();
    for (const RowKind* kind : row_kinds().rows()) kind->add_pinned_counters(*this, pinned);
    for (std::size_t i = first; i < made_.rows.size(); ++i) made_.rows[i].pinned = true;
}

// Sets the spans into `closed` only now, because the vector's elements moved while it grew.
RankRows::Rows RankRows::finish() && {
    for (std::size_t i = 0; i < closed_of_.size(); ++i) {
        const auto [row, first] = closed_of_[i];
        const std::size_t last = i + 1 < closed_of_.size() ? closed_of_[i + 1].second : made_.closed.size();
        made_.rows[row].closed = std::span<const ClosedNode>(made_.closed).subspan(first, last - first);
    }
    return std::move(made_);
}

std::span<const SeriesLine> RankRows::series() const {
    const auto known = series_.find(rank().index.get());
    if (known == series_.end()) return {};
    return known->second->lines;
}

bool RankRows::is_open(const RowKind& kind, std::uint32_t item) const {
    return ui::is_open(choices_, opening_, {.rank = rank().key.packed(), .kind = &kind, .item = item}, slot_);
}

bool RankRows::is_opened(const RowKind& kind, std::uint32_t item) const {
    const auto chosen = choices_.find({rank().key.packed(), &kind, item});
    return chosen != choices_.end() && chosen->second;
}

LayoutRow& RankRows::add(const RowKind& kind, std::uint8_t depth, std::uint32_t item, float height) {
    LayoutRow& row = made_.rows.emplace_back();
    row.kind = &kind;
    row.depth = depth;
    row.slot = slot_;
    row.item = item;
    row.y = made_.height;
    row.height = height;
    made_.height += height;
    return row;
}

bool RankRows::add_node(const RowKind& kind, std::uint8_t depth, std::uint32_t item, std::size_t members,
                        float height) {
    LayoutRow& row = add(kind, depth, item, height);
    row.count = static_cast<std::uint32_t>(members);
    row.opens = true;
    row.open = is_open(kind, item);
    return row.open;
}

bool RankRows::add_closable(const RowKind& kind, std::size_t members) {
    if (members == 0) return false;
    if (is_open(kind)) return add_node(kind, 1, 0, members, sizes_.group);
    made_.closed.push_back({&kind, static_cast<std::uint32_t>(members)});
    return false;
}

}  // namespace ui
