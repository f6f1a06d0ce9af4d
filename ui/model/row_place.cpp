#include "ui/model/row_place.hpp"

#include "ui/model/row_facets.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr core::Duration kLeastRoom{1'000};

std::optional<std::int64_t> find_integer(const core::Table& table, std::size_t row, std::string_view column) {
    const std::size_t at = table.find_column(column);
    if (at == table.columns().size() || table.absent(row, at) || !core::is_integer(table.columns()[at].unit))
        return std::nullopt;
    return table.integer(row, at);
}

std::vector<core::TrackRows> collect_streams(const core::RankSlot& rank, std::optional<std::int64_t> stream) {
    std::vector<core::TrackRows> rows;
    const core::RankTrace& trace = rank.trace();
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
        const core::Track& track = trace.tracks[i];
        if (track.kind != core::TrackKind::Stream || (stream && track.stream != *stream)) continue;
        rows.push_back(core::name_rows(rank, i, 0, track.lane_count));
    }
    return rows;
}

}  // namespace

std::vector<core::TrackRows> rows_of_streams(const core::RankSlot& rank) { return collect_streams(rank, std::nullopt); }

std::optional<RowPlace> place_of(const core::Run& run, const core::Table& table, std::size_t row) {
    const std::optional<std::int64_t> begin = find_integer(table, row, "begin");
    const std::optional<std::int64_t> length = find_integer(table, row, "length");
    if (!begin || !length || *length <= 0) return std::nullopt;
    RowPlace place;
    place.range.begin = run.origin() + core::Duration{*begin};
    place.range.end = place.range.begin + core::Duration{*length};
    place.event = mentioned_event_of(run, table, row, std::nullopt);
    const std::optional<core::RankKey> key = facets_of(table, row).rank;
    const auto slot = key ? std::ranges::find(run.ranks(), *key, &core::RankSlot::key) : run.ranks().end();
    if (slot != run.ranks().end()) place.rows = collect_streams(*slot, find_integer(table, row, "stream"));
    return place;
}

bool is_one_place(const core::Table& table) {
    return std::ranges::any_of(table.columns(), [](const core::Column& column) {
        return column.role == core::Role::Key && column.facet == core::Facet::None && column.unit == core::Unit::Count;
    });
}

void mark_place(const RowPlace& place, std::vector<Intent>& intents) {
    if (place.event.valid()) intents.push_back(SelectEvent{place.event, false});
    intents.push_back(SelectArea{.area = place.range, .rows = place.rows});
}

void show_place(const RowPlace& place, std::vector<Intent>& intents) {
    if (place.event.valid()) intents.push_back(SelectEvent{place.event, true});
    intents.push_back(SelectArea{.area = place.range, .rows = place.rows});
    const core::Duration room = std::max(place.range.length() / 2, kLeastRoom);
    intents.push_back(ShowRange{{place.range.begin - room, place.range.end + room}});
}

}  // namespace ui
