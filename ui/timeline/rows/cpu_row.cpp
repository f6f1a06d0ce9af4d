// The CPU threads of a rank. While closed, the rank's row offers to open them.
#include "core/base/format.hpp"
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"

namespace ui {
namespace {

class CpuRows final : public RowKind {
public:
    std::string_view id() const override { return "cpu"; }

    void add_rows(RankRows& rows) const override {
        const std::vector<std::uint32_t>& tracks = rows.groups().cpu;
        if (rows.add_closable(*this, tracks.size())) add_track_rows(rows, tracks, 2);
    }
    bool opens_at_first(Opening opening, std::uint32_t) const override {
        return opens_with_everything(opening) || opening == Opening::FirstThreads;
    }
    bool is_one_per_rank() const override { return true; }
    std::optional<std::uint32_t> find_holder(const core::RankTrace& trace, std::uint32_t lane) const override {
        const core::Track& track = trace.tracks[trace.lanes[lane].track];
        return !is_gpu_track(trace, track) ? std::optional<std::uint32_t>(0) : std::nullopt;
    }
    RowChip chip() const override { return {.place = 0, .name = "CPU", .tooltip = "Show the CPU threads"}; }
    std::string format_label(const core::Run&, const LayoutRow& row) const override {
        return "CPU \xC2\xB7 " + core::format_plural(row.count, "thread", "threads");
    }
    RowInset inset(const LayoutRow& row) const override { return inset_of_bars(row); }
    void draw_in_tree(TreeRow& r) const override { r.draw_plain(); }
};

}  // namespace

const RowKind& cpu_kind() {
    static const CpuRows kKind;
    return kKind;
}

}  // namespace ui
