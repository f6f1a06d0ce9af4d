#include "ui/timeline/parts/series_lanes.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

constexpr float kCornerNumbers = 110;  // width in the corner's last line, at scale 1

}  // namespace

void SeriesLanes::ask(const TimelineFrame& f, std::uint32_t slot) {
    OfRank& rank = ranks_[f.run->rank(slot).index.get()];
    rank.wanted = true;
    if (rank.made || rank.job) return;
    rank.job = core::Job<RankSeriesPtr>::start(
        f.frame.session.pool(),
        [run = f.run, slot](const core::JobContext& context) { return build_rank_series(*run, slot, context); });
}

bool SeriesLanes::poll_jobs() {
    bool any = false;
    for (auto& [index, rank] : ranks_) {
        const core::Result<RankSeriesPtr>* result = rank.made ? nullptr : rank.job.poll();
        if (!result) continue;
        if (*result) {
            rank.made = **result;
            rank.job = {};
            any = true;
        } else {
            error_ = result->error().message;
        }
    }
    return any;
}

// Series stay valid while a run grows, because it keeps its ranks.
bool SeriesLanes::forget_closed(const core::Run& run) {
    if (run.id() == run_id_) return false;
    run_id_ = run.id();
    return std::erase_if(ranks_, [&](const auto& known) {
               return std::ranges::none_of(run.ranks(),
                                           [&](const core::RankSlot& rank) { return rank.index.get() == known.first; });
           }) > 0;
}

void SeriesLanes::update(const TimelineFrame& f, TimelineRows& rows) {
    on_ = f.choices().series_lanes;
    waiting_ = lines_ = wanted_ = 0;
    error_.clear();
    if (!on_) {
        if (!ranks_.empty()) rows.show_series({});
        ranks_.clear();
        return;
    }
    bool changed = forget_closed(*f.run);
    for (auto& [index, rank] : ranks_) rank.wanted = false;
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (!is_heading(row) && (row.depth > 0 || row.open)) ask(f, row.slot);
    }
    std::erase_if(ranks_, [](const auto& known) { return !known.second.made && !known.second.wanted; });
    changed |= poll_jobs();
    for (const auto& [index, rank] : ranks_) {
        if (!rank.wanted) continue;
        ++wanted_;
        if (rank.made && !rank.made->failed.empty()) error_ = rank.made->failed;
        if (rank.made)
            lines_ += rank.made->lines.size();
        else if (!rank.job.poll())
            ++waiting_;
    }
    if (!changed) return;
    SeriesByRank made;
    for (const auto& [index, rank] : ranks_)
        if (rank.made) made.emplace(index, rank.made);
    rows.show_series(std::move(made));
}

std::string SeriesLanes::words() const {
    if (wanted_ == 0) return "no rank is open";
    if (!error_.empty()) return "queue and memory: failed";
    if (waiting_ > 0) return "queue and memory\xE2\x80\xA6";
    return lines_ == 0 ? "no queue, no memory" : "queue and memory";
}

void SeriesLanes::draw_title(const TimelineFrame& f) const {
    if (!on_) return;
    const Box box{{f.corner.min.x + px(10), f.corner.max.y - small_style().size_px - px(5)},
                  {f.corner.max.x - px(kCornerNumbers), f.corner.max.y}};
    draw_text(ImGui::GetWindowDrawList(), small_style(), box.min, color::palette().faint, words(), box.width());
    record_rect("series", box.min, box.max, false);
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(box.min, box.max)) return;
    if (!error_.empty()) return ImGui::SetTooltip("%s", error_.c_str());
    ImGui::SetTooltip(
        "Queue length of each stream, bandwidth of each kind of copy, memory of each device,\n"
        "clock, power and temperature of the GPU where they were sampled,\n"
        "below the streams of every open rank, regardless of the filter%s",
        lines_ == 0 && waiting_ == 0 ? "\nThis run has no launches, copies with a bandwidth or memory events" : "");
}

void SeriesLanes::describe(nlohmann::json& shown) const {
    shown["lines"] = lines_;
    shown["waiting"] = waiting_;
    shown["title"] = words();
    shown["error"] = error_;
}

}  // namespace ui
