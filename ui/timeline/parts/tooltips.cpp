// Tooltips for the item under the pointer: an event, a rank's GPU utilisation, the values of a counter.
#include "ui/timeline/parts/timeline_parts.hpp"

#include "core/base/format.hpp"
#include "ui/model/panels/communication/arrivals_model.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/dimmed_classes.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kLongestName = 600;

class TooltipScope {
public:
    TooltipScope() {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(10)});
        ImGui::BeginTooltip();
    }
    ~TooltipScope() {
        ImGui::EndTooltip();
        ImGui::PopStyleVar();
    }
};

// Lines about the other members of the collective of an event.
void add_collective_lines(const TimelineFrame& f, core::EventRef ref) {
    const std::shared_ptr<const core::Waits> waits = f.waits ? f.waits->source.lock() : nullptr;
    if (!waits) return;
    const std::optional<ArrivalsModel> found = describe_arrivals(*f.run, *waits, ref);
    if (!found) return;
    for (const ArrivalLine& line : describe_member(*found, ref))
        tooltip_line(line.label, line.value,
                     line.kind == ArrivalLine::Kind::Wait    ? color::palette().waiting
                     : line.kind == ArrivalLine::Kind::Plain ? 0
                                                             : color::palette().warning);
}

core::RunRange column_under_mouse(const TimelineFrame& f) {
    const double at = std::floor(static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x));
    return {f.view.time.to_time(at), f.view.time.to_time(at + 1)};
}

}  // namespace

void draw_event_tooltip(const TimelineFrame& f, core::EventRef ref) {
    const core::RankSlot& rank = f.run->rank(ref.slot);
    const core::RankTrace& trace = rank.trace();
    const core::RunRange range = f.run->range_of(ref);
    const core::KernelClass kernel_class = rank.index->classes().of(ref.event);
    const core::Track& track = trace.track_of(ref.event);
    std::string name(trace.name_text(ref.event).substr(0, kLongestName));
    if (name.size() == kLongestName) name += "\xE2\x80\xA6";
    const TooltipScope scope;
    ImGui::PushTextWrapPos(px(440));
    text(name);
    ImGui::PopTextWrapPos();
    ImGui::Dummy({px(220), px(2)});
    const core::Duration length = range.length();
    tooltip_line("duration", trace.has(ref.event, core::kInstant) ? "instant" : core::format_duration(length));
    if (length >= core::Duration{1000}) tooltip_line("", core::format_duration_exact(length));
    tooltip_line("start", core::format_time_offset(range.begin - f.zero(), core::Duration{1}));
    const std::string_view kind =
        kernel_class == core::KernelClass::None ? trace.category_text(ref.event) : core::name_of(kernel_class);
    if (!kind.empty())
        tooltip_line("class", kind, kernel_class == core::KernelClass::None ? 0 : color::of_class(kernel_class));
    tooltip_line("track", "rank " + core::format_rank(rank.key) + " \xC2\xB7 " + std::string(trace.text(track.name)));
    add_collective_lines(f, ref);
    if (const CriticalPath* const path = f.path_on(rank, ref.slot)) {
        for (const PathPart& part : path->parts_of(ref.event)) {
            const double share = static_cast<double>(part.time.count()) / static_cast<double>(path->length.count());
            std::string bound_by = part.bound_by;
            std::ranges::replace(bound_by, '_', ' ');
            tooltip_line("on the critical path", bound_by + ", " + core::format_ratio(share) + " of it",
                         color::palette().path);
        }
    }
    if (f.ephemeral.unique_events && f.ephemeral.unique_events->contains(ref))
        tooltip_line("only in the " + std::string(core::name_of(f.frame.side)),
                     "the other run has no event of this name", color::of_side(f.frame.side));
}

void draw_utilisation_tooltip(const TimelineFrame& f, const LayoutRow& row) {
    const std::vector<std::uint32_t> ranks = collect_shown_ranks(f, row);
    core::ClassTimes times;
    core::ClassTimes chosen;
    std::int64_t waiting = 0;
    for (const std::uint32_t slot : ranks) {
        const core::RankSlot& rank = f.run->rank(slot);
        const RankLook& look = f.looks.of(slot);
        const core::ClassPartition& partition = find_work(rank, look.selection.get());
        const core::RankRange column = rank.to_rank(column_under_mouse(f));
        if (!column.empty()) {
            add_times(times, partition.times(column));
            add_times(chosen, find_work(rank, look.selection.get(), ShownWork::Chosen).times(column));
        }
        if (f.waits) waiting += f.waits->ranks[slot].exposed.time_in(column);
    }
    if (times.total().count() <= 0) return;
    const TooltipScope scope;
    text(format_row_label(*f.run, row));
    if (is_heading(row))
        text(ranks.size() == row.count ? "mean of its " + core::format_plural(row.count, "rank", "ranks")
                                       : "mean of the " + std::to_string(ranks.size()) + " of " +
                                             core::format_plural(row.count, "rank", "ranks") + " in the filter",
             color::palette().muted);
    const bool has_highlights = f.frame.filter().chooses_some_events();
    const std::string highlights = has_highlights ? "all work; what passes the filter is drawn over the rest" : "";
    if (has_highlights) text(highlights, color::palette().muted);
    record_tooltip(format_row_label(*f.run, row) + "\n" + highlights);
    ImGui::Dummy({px(220), px(2)});
    const auto line = [&](std::string_view name, core::Duration part, ImU32 swatch) {
        tooltip_line(name,
                     core::format_ratio(static_cast<double>(part.count()) / static_cast<double>(times.total().count())),
                     swatch);
    };
    if (has_highlights) line("passes the filter", chosen.total() - chosen.idle(), 0);
    line("compute", times.compute(), color::palette().compute);
    line("communication", times.with(core::KernelClass::Communication), color::palette().communication);
    line("\xE2\x80\xA6 not hidden by compute", times.exposed_communication(), 0);
    if (waiting > 0)
        line("\xE2\x80\xA6 of it waiting for a later rank", core::Duration{waiting}, color::palette().waiting);
    line("memory", times.with(core::KernelClass::Memory), color::palette().memory);
    line("idle", times.idle(), color::palette().idle);
    const core::Duration each = times.total() / static_cast<std::int64_t>(ranks.size());
    tooltip_line("time in this pixel", core::format_duration(each));
}

void draw_counter_tooltip(const TimelineFrame& f, const LayoutRow& row) {
    const core::RankSlot& rank = f.run->rank(row.slot);
    const core::RunRange column = column_under_mouse(f);
    TimeView pixel = f.view.time;
    pixel.pan(std::floor(static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x)));
    const TooltipScope scope;
    const std::vector<CounterView> lines = row.kind->collect_lines(*f.run, row);
    std::string said(lines.front().name);
    text(said);
    ImGui::Dummy({px(220), px(2)});
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto format = [&](double value) { return format_value(lines[i], value); };
        const auto value = counter_value_at(lines[i], rank, column.end - core::Duration{1});
        std::string words = value ? format(*value) : "\xE2\x80\x93";
        core::ValueRange in_pixel;
        collect_counter(lines[i], rank, pixel, {&in_pixel, 1});
        if (!in_pixel.empty() && in_pixel.least < in_pixel.most)
            words += "   (" + format(in_pixel.least) + " to " + format(in_pixel.most) + " in this pixel)";
        tooltip_line(lines[i].series, words, lines.size() > 1 ? color::of_series(i) : 0);
        said.append("\n").append(lines[i].series).append(": ").append(words);
    }
    tooltip_line("time",
                 core::format_time_offset(column.begin - f.zero(), std::max(column.length(), core::Duration{1})));
    tooltip_line("track", "rank " + core::format_rank(rank.key));
    record_tooltip(said);
}

}  // namespace ui
