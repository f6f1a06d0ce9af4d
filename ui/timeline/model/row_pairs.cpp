#include "ui/timeline/model/row_pairs.hpp"

#include "core/store/string_table.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace ui {
namespace {

constexpr std::uint32_t kNone = RowPartners::kNone;
constexpr std::uint32_t kLone = 0x80000000u;  // marks numbers of candidate rows without a partner

std::string without_digits(std::string_view text) {
    std::string rest;
    for (const char c : text)
        if (c < '0' || c > '9') rest += c;
    return rest;
}

// Pairs equal names in order of appearance.
core::BySide<std::vector<std::uint32_t>> pair_names(const core::BySide<std::vector<std::string>>& names) {
    core::BySide<std::vector<std::uint32_t>> partners;
    for (const core::Side side : core::kSides) partners[side].assign(names[side].size(), kNone);
    std::map<std::string_view, std::deque<std::uint32_t>> waiting;
    for (std::uint32_t i = 0; i < names.candidate.size(); ++i) waiting[names.candidate[i]].push_back(i);
    for (std::uint32_t i = 0; i < names.baseline.size(); ++i) {
        const auto found = waiting.find(names.baseline[i]);
        if (found == waiting.end() || found->second.empty()) continue;
        partners.baseline[i] = found->second.front();
        partners.candidate[found->second.front()] = i;
        found->second.pop_front();
    }
    return partners;
}

// Names devices by order and other processes by name.
std::vector<std::string> process_names(const core::RankTrace& trace) {
    std::vector<std::string> names;
    std::size_t devices = 0;
    for (const core::Process& process : trace.processes)
        names.push_back(process.device >= 0 ? "device " + std::to_string(devices++)
                                            : without_digits(trace.text(process.name)));
    return names;
}

std::vector<std::string> track_names(const core::RankTrace& trace, const std::vector<std::string>& processes) {
    std::vector<std::string> names;
    for (const core::Track& track : trace.tracks) {
        std::string name = processes[track.process] + '/' + std::to_string(static_cast<int>(track.kind)) + '/';
        name += track.stream >= 0 ? std::to_string(track.stream) : without_digits(trace.text(track.name));
        names.push_back(std::move(name));
    }
    return names;
}

std::vector<std::string> counter_names(const core::RankTrace& trace, const std::vector<std::string>& processes) {
    std::vector<std::string> names;
    for (const core::CounterTrack& counter : trace.counters)
        names.push_back(processes[counter.process] + '/' + std::string(trace.text(counter.name)) + '/' +
                        std::string(trace.text(counter.series)));
    return names;
}

std::uint32_t find_slot(const core::Run& run, core::RankKey key) {
    const auto found = std::ranges::lower_bound(run.ranks(), key, {}, &core::RankSlot::key);
    return static_cast<std::uint32_t>(found - run.ranks().begin());
}

// Free space below a row; only the last row of a rank has any.
float gap_below(const LaneLayout& layout, std::size_t i) {
    const std::vector<LayoutRow>& rows = layout.rows();
    return (i + 1 < rows.size() ? rows[i + 1].y : layout.height()) - (rows[i].y + rows[i].height);
}

// Pairs by order the streams of a device if no number is on both sides, and likewise the threads of a process, by name.
void pair_renumbered(const core::BySide<const core::RankTrace*>& traces, const std::vector<std::uint32_t>& processes,
                     core::BySide<std::vector<std::uint32_t>>& partners) {
    using Group = std::pair<std::uint32_t, core::TrackKind>;  // the baseline's process
    std::map<Group, core::BySide<std::vector<std::uint32_t>>> groups;
    std::map<Group, bool> shares_any;
    for (const core::Side side : core::kSides) {
        for (std::uint32_t i = 0; i < traces[side]->tracks.size(); ++i) {
            const core::Track& track = traces[side]->tracks[i];
            const std::uint32_t process = side == core::Side::Baseline ? track.process : processes[track.process];
            if (process == kNone) continue;
            groups[{process, track.kind}][side].push_back(i);
            shares_any[{process, track.kind}] |= partners[side][i] != kNone;
        }
    }
    for (const auto& [group, tracks] : groups) {
        if (shares_any[group]) continue;
        for (std::size_t i = 0; i < std::min(tracks.baseline.size(), tracks.candidate.size()); ++i) {
            partners.baseline[tracks.baseline[i]] = tracks.candidate[i];
            partners.candidate[tracks.candidate[i]] = tracks.baseline[i];
        }
    }
}

}  // namespace

RowIdentity RowIdentity::of_name(std::string_view name) {
    const std::uint64_t hash = core::hash_text(name);
    return {.item = static_cast<std::uint32_t>(hash & ~kLone),
            .part = static_cast<std::uint32_t>(hash >> 32),
            .by_name = true};
}

void RowPairs::pair_rows(RankPair& pair) {
    core::BySide<std::vector<std::string>> processes;
    core::BySide<std::vector<std::string>> tracks;
    core::BySide<std::vector<std::string>> counters;
    for (const core::Side side : core::kSides) {
        const core::RankTrace& trace = *pair.traces[side];
        processes[side] = process_names(trace);
        tracks[side] = track_names(trace, processes[side]);
        counters[side] = counter_names(trace, processes[side]);
    }
    pair.processes = pair_names(processes);
    pair.tracks = pair_names(tracks);
    pair_renumbered(pair.traces, pair.processes.candidate, pair.tracks);
    pair.counters = pair_names(counters);
}

// Holds the previous runs until the end, so that equal addresses mean equal traces.
std::size_t RowPairs::update(const core::BySide<core::RunPtr>& runs, const core::RunAlignment& alignment) {
    RowPairs before = std::exchange(*this, {});
    runs_ = runs;
    std::size_t paired = 0;
    pairs_.reserve(alignment.ranks.size());
    for (const core::BySide<core::RankKey>& ranks : alignment.ranks) {
        RankPair pair;
        for (const core::Side side : core::kSides) {
            pair.slots[side] = find_slot(*runs[side], ranks[side]);
            pair.traces[side] = &runs[side]->rank(pair.slots[side]).trace();
            by_rank_[side].emplace(ranks[side].packed(), pairs_.size());
        }
        const auto known = before.by_rank_.baseline.find(ranks.baseline.packed());
        if (known != before.by_rank_.baseline.end() && before.pairs_[known->second].traces == pair.traces) {
            const core::BySide<std::uint32_t> slots = pair.slots;
            pair = std::move(before.pairs_[known->second]);
            pair.slots = slots;
        } else {
            pair_rows(pair);
            ++paired;
        }
        pairs_.push_back(std::move(pair));
    }
    return paired;
}

const RowPairs::RankPair* RowPairs::pair_of(core::Side side, std::int64_t rank_key) const {
    const auto found = by_rank_[side].find(rank_key);
    return found == by_rank_[side].end() ? nullptr : &pairs_[found->second];
}

std::uint32_t RowPairs::partner_item(const RankPair& pair, core::Side from, const RowKind& kind, std::uint32_t item) {
    return kind.find_partner(
        {.tracks = pair.tracks[from], .processes = pair.processes[from], .counters = pair.counters[from]}, item);
}

std::optional<NodeKey> RowPairs::partner(core::Side from, const NodeKey& key) const {
    const RankPair* pair = pair_of(from, key.rank);
    const std::uint32_t item = pair ? partner_item(*pair, from, *key.kind, key.item) : kNone;
    if (item == kNone) return std::nullopt;
    const core::Side to = other_side(from);
    return NodeKey{.rank = runs_[to]->rank(pair->slots[to]).key.packed(), .kind = key.kind, .item = item};
}

std::optional<core::TrackRows> RowPairs::partner(core::Side from, const core::TrackRows& rows) const {
    const RankPair* pair = pair_of(from, rows.rank.packed());
    if (!pair) return std::nullopt;
    const core::Side to = other_side(from);
    const core::RankSlot& rank = runs_[to]->rank(pair->slots[to]);
    if (rows.whole_rank)
        return core::TrackRows{.rank = rank.key,
                               .whole_rank = true,
                               .process = {},
                               .thread = {},
                               .kind = {},
                               .first_row = 0,
                               .last_row = 0};
    const std::optional<std::uint32_t> track = core::find_track(*pair->traces[from], rows);
    const std::uint32_t item = track ? pair->tracks[from][*track] : kNone;
    if (item == kNone) return std::nullopt;
    // A selection down to the last row reaches the last row on the other side, too.
    const bool all = rows.last_row >= pair->traces[from]->tracks[*track].lane_count;
    return core::name_rows(rank, item, rows.first_row,
                           all ? std::max(rows.last_row, pair->traces[to]->tracks[item].lane_count) : rows.last_row);
}

RowChoices RowPairs::mirror_baseline(const RowChoices& baseline, Opening opening, const RowChoices& candidate) const {
    RowChoices choices;
    for (const auto& [key, open] : candidate)
        if (!partner(core::Side::Candidate, key)) choices[key] = open;
    for (const auto& [key, open] : baseline)
        if (const std::optional<NodeKey> to = partner(core::Side::Baseline, key)) choices[*to] = open;
    // Sets the initial state of each rank explicitly, because it depends on which rank comes first.
    for (const RankPair& pair : pairs_) {
        const std::int64_t from = runs_.baseline->rank(pair.slots.baseline).key.packed();
        const std::int64_t to = runs_.candidate->rank(pair.slots.candidate).key.packed();
        for (const RowKind* kind : row_kinds().rows())
            if (kind->is_one_per_rank())
                choices[{to, kind, 0}] =
                    is_open(baseline, opening, {.rank = from, .kind = kind, .item = 0}, pair.slots.baseline);
    }
    return choices;
}

// Ids of both sides use the baseline's numbers; candidate rows without a partner get numbers that no baseline row has.
RowPairs::RowId RowPairs::id_of(core::Side side, const core::Run& run, const LayoutRow& row) const {
    const RowIdentity own = row.kind->identity(run, row);
    if (is_heading(row)) return {.slot = 0, .item = own.item, .sub = own.part, .kind = row.kind};
    RowId id{.slot = row.slot, .item = own.item, .sub = own.part, .kind = row.kind};
    if (side == core::Side::Baseline) return id;
    const RankPair* pair = pair_of(side, run.rank(row.slot).key.packed());
    id.slot = pair ? pair->slots.baseline : row.slot | kLone;
    if (own.by_name) return id;
    const std::uint32_t partner = pair ? partner_item(*pair, side, *row.kind, own.item) : own.item;
    id.item = partner == kNone ? own.item | kLone : partner;
    return id;
}

RowPairs::Places RowPairs::place(const core::BySide<const LaneLayout*>& layouts) const {
    core::BySide<std::map<RowId, std::size_t>> at;
    core::BySide<std::vector<RowId>> ids;
    Places places;
    for (const core::Side side : core::kSides) {
        for (const LayoutRow& row : layouts[side]->rows()) {
            ids[side].push_back(id_of(side, *runs_[side], row));
            at[side].emplace(ids[side].back(), ids[side].size() - 1);
        }
        places.tops[side].resize(ids[side].size());
    }
    core::BySide<std::size_t> next;
    const auto is_done = [&](core::Side side) { return next[side] == ids[side].size(); };
    // True if the next row of a side still waits for its partner.
    const auto has_partner = [&](core::Side side) {
        const core::Side other = other_side(side);
        const auto found = at[other].find(ids[side][next[side]]);
        return found != at[other].end() && found->second >= next[other];
    };
    float gap = 0;  // below the rank so far
    const auto take = [&](core::Side side) {
        const std::size_t row = next[side]++;
        places.tops[side][row] = places.height;
        gap = std::max(gap, gap_below(*layouts[side], row));
        return layouts[side]->rows()[row].height;
    };
    // Adds the next row of one side, or of both if their next rows are partners.
    const auto add_next = [&](core::Side side, bool both) {
        if (layouts[side]->rows()[next[side]].depth == 0) places.height += std::exchange(gap, 0.0f);
        float height = take(side);
        if (both) height = std::max(height, take(other_side(side)));
        places.height += height;
    };
    constexpr core::Side kUpper = core::Side::Baseline;
    constexpr core::Side kLower = core::Side::Candidate;
    while (!is_done(kUpper) || !is_done(kLower)) {
        if (is_done(kLower) || (!is_done(kUpper) && !has_partner(kUpper)))
            add_next(kUpper, false);
        else if (is_done(kUpper) || !has_partner(kLower))
            add_next(kLower, false);
        else  // pairs cross: give up one
            add_next(kUpper, ids.baseline[next.baseline] == ids.candidate[next.candidate]);
    }
    places.height += gap;
    return places;
}

}  // namespace ui
