// A GPU of a rank with several. The streams of a single GPU are directly below the rank.
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

class DeviceRow final : public RowKind {
public:
    std::string_view id() const override { return "device"; }

    void add_rows(RankRows& rows) const override {
        const TrackGroups& groups = rows.groups();
        if (groups.devices.size() < 2) return add_track_rows(rows, groups.streams, 1);
        for (const std::uint32_t device : groups.devices) {
            std::vector<std::uint32_t> streams;
            std::ranges::copy_if(groups.streams, std::back_inserter(streams),
                                 [&](std::uint32_t track) { return rows.trace().tracks[track].process == device; });
            if (rows.add_node(*this, 1, device, streams.size(), rows.sizes().group)) add_track_rows(rows, streams, 2);
        }
    }
    bool opens_at_first(Opening, std::uint32_t) const override { return true; }
    std::uint32_t node_item(const LayoutRow& row) const override { return row.item; }
    std::optional<std::uint32_t> find_holder(const core::RankTrace& trace, std::uint32_t lane) const override {
        const core::Track& track = trace.tracks[trace.lanes[lane].track];
        const bool is_stream = is_gpu_track(trace, track) && track.kind == core::TrackKind::Stream;
        return is_stream ? std::optional<std::uint32_t>(track.process) : std::nullopt;
    }
    std::string format_label(const core::Run& run, const LayoutRow& row) const override {
        const core::RankTrace& trace = run.rank(row.slot).trace();
        const core::Process& process = trace.processes[row.item];
        const std::string_view labels = trace.text(process.labels);
        return std::string(labels.empty() ? trace.text(process.name) : labels);
    }
    void add_area_rows(const core::Run& run, const LayoutRow& row, std::span<const LayoutRow>,
                       std::vector<core::TrackRows>& rows) const override {
        if (row.open) return;
        const core::RankSlot& rank = run.rank(row.slot);
        const core::Process& process = rank.trace().processes[row.item];
        for (std::uint32_t i = 0; i < process.track_count; ++i) {
            const std::uint32_t track = process.first_track + i;
            rows.push_back(core::name_rows(rank, track, 0, rank.trace().tracks[track].lane_count));
        }
    }
    std::uint32_t find_partner(const RowPartners& partners, std::uint32_t item) const override {
        return RowPartners::look_up(partners.processes, item);
    }
    RowInset inset(const LayoutRow& row) const override { return inset_of_bars(row); }
    void draw_in_tree(TreeRow& r) const override { r.draw_plain(); }
};

}  // namespace

const RowKind& device_kind() {
    static const DeviceRow kKind;
    return kKind;
}

}  // namespace ui
