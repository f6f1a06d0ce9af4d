#include "core/base/short_name.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/filter_edit.hpp"
#include "ui/charts/histogram.hpp"
#include "ui/model/charts/duration_click.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/details_model.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/link_model.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/communication/arrivals_model.hpp"
#include "ui/model/panels/communication/siblings_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ui {
namespace {

constexpr std::size_t kLongestValue = 400;   // longer values are cut on screen; copies are whole

constexpr float kDurationsHeight = 96;  // at scale 1

constexpr std::size_t kLongNumber = 24;      // longer values are lists

// Horizontal position of the values.
float label_width() { return std::clamp(ImGui::GetContentRegionMax().x * 0.34f, px(104), px(184)); }

struct DetailsKey {
    WeakKey<core::Run> run;
    core::EventRef event;
    bool operator==(const DetailsKey&) const = default;
};

// Draws a muted label and its value; a click copies the exact value.
void draw_detail(std::string_view label, std::string_view value, std::string_view exact, bool is_number, int id) {
    ImGui::PushID(id);
    ImGui::BeginGroup();
    {
        const std::string fitted = fit_text(ui_style(), label, label_width() - px(8));
        muted_text(fitted);
        if (fitted != label) tooltip(label);
    }
    ImGui::SameLine(label_width(), 0);  // relative to the group's left edge
    const FontScope font(is_number ? mono_style() : ui_style());
    ImGui::PushTextWrapPos(0);
    const std::string shown = cut_text(value, kLongestValue);
    text(shown);
    ImGui::PopTextWrapPos();
    if (is_number && !exact.empty() && exact != value) {  // both, if there is room
        const float room = ImGui::GetContentRegionMax().x - label_width() - text_width(mono_style(), shown) - px(24);
        if (text_width(small_style(), exact) <= room) {
            const FontScope small(small_style());
            ImGui::SameLine(0, px(10));
            text(exact, color::palette().faint);
        }
    }
    ImGui::EndGroup();
    if (exact.empty()) exact = value;
    if (ImGui::IsItemClicked()) ImGui::SetClipboardText(std::string(exact).c_str());
    record_item("##line:" + std::string(label));
    if (exact != shown && ImGui::IsItemHovered()) show_tooltip(cut_text(exact, kLongestValue) + "   (click copies)");
    ImGui::PopID();
}

class DetailsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return waiting_; }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_name(const EventDetails& details);
    void draw_unique_events();
    void draw_links(Frame& frame, const std::vector<DetailLink>& links, std::size_t more, int id);
    void draw_other_links(Frame& frame, core::EventRef event);
    void draw_calls(const EventLinks& links, bool on_gpu);
    void draw_stack(Frame& frame, const EventDetails& details);
    void draw_siblings(Frame& frame, const SiblingStats& siblings);
    void draw_durations(Frame& frame, const SiblingStats& siblings);
    void draw_arguments(const EventArguments& arguments);

    void draw_collective(Frame& frame, const ArrivalsModel& model, core::EventRef event);

    Deferred<DetailsKey, EventArguments> arguments_;
    Deferred<DetailsKey, std::optional<ArrivalsModel>> arrivals_;
    std::shared_ptr<const std::optional<ArrivalsModel>> shown_arrivals_;
    Deferred<DetailsKey, SiblingStats> siblings_;
    std::vector<DetailLink> other_links_;  // of the last draw
    EventDetails details_;     // of the last draw, like the next two
    std::shared_ptr<const EventArguments> shown_arguments_;
    std::shared_ptr<const SiblingStats> shown_siblings_;
    std::optional<core::Side> only_in_;  // set if only one of two runs has events of this name
    std::size_t calls_ = 0;  // number of callers or kernels of the event
    core::EventRef selected_;
    std::string scope_words_;
    bool any_ = false;
    bool waiting_ = false;
};

void DetailsPanel::draw_name(const EventDetails& details) {
    const ImU32 swatch = color::of_name(details.name, details.kernel_class);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + px(3)}, {at.x + px(10), at.y + px(13)}, swatch, px(2));
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(18));
    const std::string brief = core::short_name(details.name).normal;
    {
        const FontScope font(heading_style());
        text(fit_text(heading_style(), brief, room - px(18) - px(52)));
    }
    if (details.name != brief) tooltip(details.name);
    ImGui::SameLine(ImGui::GetCursorPosX() + room - px(44));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(1)});
    if (quiet_button("Copy##copy")) ImGui::SetClipboardText(details.name.c_str());
    ImGui::PopStyleVar();
    tooltip("Copies the full name");
    if (details.name == brief) return;
    ImGui::PushTextWrapPos(0);
    const FontScope font(small_style());
    muted_text(cut_text(details.name, 400));
    ImGui::PopTextWrapPos();
}

void DetailsPanel::draw_unique_events() {
    if (!only_in_) return;
    text("Only in the " + std::string(name_of(*only_in_)), color::of_side(*only_in_));
    record_item("##only-here");
    tooltip("The other run has no event of this name");
}

void DetailsPanel::draw_links(Frame& frame, const std::vector<DetailLink>& links, std::size_t more, int id) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), 0});
    for (const DetailLink& link : links) {
        ImGui::PushID(++id);
        const float left = ImGui::GetCursorPosX();
        muted_text(link.label);
        ImGui::SameLine(left + label_width() - px(8), 0);
        const float note = text_width(mono_style(), link.note) + px(12);
        const float room = ImGui::GetContentRegionAvail().x - note;
        const std::string name = fit_text(ui_style(), core::short_name(link.name).normal, room - px(20));
        ImGui::PushStyleColor(ImGuiCol_Text, color::palette().accent);
        if (quiet_button((name + "##link:" + link.label).c_str()))
            frame.intents.push_back(SelectEvent{link.event, true});
        ImGui::PopStyleColor();
        tooltip(link.name + (link.label == "Launched by" ? "\nThe time from its end to the start" : ""));
        ImGui::SameLine(0, px(4));
        mono_text(link.note, color::palette().muted);
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    if (more > 0) muted_text("and " + std::to_string(more) + " more");
}

// The rank that a member of a collective waits for, and how certain that is.
void DetailsPanel::draw_collective(Frame& frame, const ArrivalsModel& model, core::EventRef event) {
    int id = 3000;
    for (const ArrivalLine& line : describe_member(model, event)) {
        std::string label = line.label;
        label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
        draw_detail(label, line.value, {}, false, ++id);
    }
    const bool waits = model.culprit && model.arrivals[*model.culprit].event != event;
    if (!waits) return;
    const Arrival& last = model.arrivals[*model.culprit];
    const std::string_view why =
        core::waits_for_last(model.operation) ? "which arrived last" : "which the others wait for";
    if (quiet_button(("Go to rank " + core::format_rank(last.rank) + ", " + std::string(why) + "##awaited").c_str()))
        frame.intents.push_back(SelectEvent{last.event, true});
    tooltip("Its event of the same collective   X");
}

// Backward passes, flow arrows and other ranks' collectives, which are computed on the pool.
void DetailsPanel::draw_other_links(Frame& frame, core::EventRef event) {
    other_links_.clear();
    calls_ = 0;
    const LinksPtr found = frame.ephemeral().links->ask(frame.session.pool(), frame.run(), event);
    if (!found) return;
    OtherLinks others = describe_other_links(*frame.run(), event, *found);
    other_links_ = std::move(others.links);
    draw_links(frame, other_links_, others.more, 1500);
    draw_calls(*found, frame.run()->rank(event.slot).trace().has(event.event, core::kGpuEvent));
    if (found->match == core::PeerMatch::None) return;
    const FontScope font(small_style());
    fitted_text("Matched " + std::string(core::name_of(found->match)),
                found->match == core::PeerMatch::Order ? color::palette().warning : color::palette().muted);
}

// Number of callers or kernels, and how many of them have no arrow.
void DetailsPanel::draw_calls(const EventLinks& links, bool on_gpu) {
    calls_ = links.all_calls;
    if (calls_ == 0 || (on_gpu && calls_ == links.calls.size())) return;  // the stack lists the callers
    const std::string count = core::format_count(std::uint64_t{calls_});
    std::string words = count + (on_gpu ? " calls" : calls_ == 1 ? " GPU event" : " GPU events");
    if (calls_ > links.calls.size()) {
        const std::string drawn = std::to_string(links.calls.size());
        words += on_gpu ? ", arrows from the innermost " + drawn : ", arrows to the first " + drawn;
    }
    draw_detail(on_gpu ? "Called through" : "Launched in it", words, {}, false, 1900);
}

// Innermost first; a click selects the frame.
void DetailsPanel::draw_stack(Frame& frame, const EventDetails& details) {
    if (details.stack.empty()) return;
    heading("Stack");
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), 0});
    for (std::size_t i = 0; i < details.stack.size(); ++i) {
        const DetailLink& above = details.stack[i];
        ImGui::PushID(static_cast<int>(i));
        const float room = ImGui::GetContentRegionAvail().x - text_width(mono_style(), above.note) - px(12);
        const std::string name = fit_text(ui_style(), core::short_name(above.name).normal, room - px(20));
        if (quiet_button((name + "##stack:" + std::to_string(i)).c_str()))
            frame.intents.push_back(SelectEvent{above.event, true});
        tooltip(above.name + "\n" + above.label);
        ImGui::SameLine(0, px(4));
        mono_text(above.note, color::palette().muted);
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    if (details.deeper > 0) muted_text("and " + std::to_string(details.deeper) + " more");
    ImGui::Dummy({0, px(4)});
}

// One line per statistic, a column for the rank and one for all ranks.
void DetailsPanel::draw_siblings(Frame& frame, const SiblingStats& siblings) {
    const auto duration = [](double ns) { return core::format_duration(core::Duration{std::llround(ns)}); };
    const auto count = [](std::uint64_t n) { return core::format_count(static_cast<std::int64_t>(n)); };
    struct Row {
        const char* label;
        std::string rank, run, others;
        core::EventRef rank_event, run_event;
    };
    const Siblings& own = siblings.rank;
    const Siblings& all = siblings.run;
    const SiblingMedians& others = siblings.others;
    const auto median = [&](double ns) { return others.ranks > 0 ? duration(ns) : std::string(kAbsentText); };
    const std::string middle =
        others.ranks > 0 ? count(static_cast<std::uint64_t>(std::llround(others.count))) : std::string(kAbsentText);
    const std::array rows{
        Row{"Count", count(own.count), count(all.count), middle, {}, {}},
        Row{"Mean", duration(own.mean()), duration(all.mean()), median(others.mean), {}, {}},
        Row{"Min", duration(own.least), duration(all.least), median(others.least), own.shortest, all.shortest},
        Row{"Max", duration(own.most), duration(all.most), median(others.most), own.longest, all.longest},
        Row{"Percentile", core::format_ratio(own.percentile()), core::format_ratio(all.percentile()), {}, {}, {}}};
    heading("Events of this name");
    const float left = ImGui::GetCursorPosX();
    const float labels = std::min(label_width(), px(92));
    const float column = std::clamp(std::floor((ImGui::GetContentRegionMax().x - left - labels) / 3), px(72), px(112));
    const std::array ends{left + labels + column, left + labels + 2 * column, left + labels + 3 * column};
    const auto cell = [&](const std::string& value, float end, core::EventRef event, const std::string& item) {
        ImGui::SameLine(std::max(0.0f, end - text_width(mono_style(), value) - px(8)), 0);
        mono_text(value, event.valid() ? color::palette().accent : color::palette().text);
        record_item(item);
        if (!event.valid()) return;
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (ImGui::IsItemClicked()) frame.intents.push_back(SelectEvent{event, true});
    };
    muted_text("");
    for (const auto& [words, end] :
         {std::pair{"this rank", ends[0]}, std::pair{"others' median", ends[1]}, std::pair{"all ranks", ends[2]}}) {
        ImGui::SameLine(std::max(0.0f, end - text_width(ui_style(), words) - px(8)), 0);
        text(words, color::palette().faint);
    }
    for (const Row& row : rows) {
        muted_text(fit_text(ui_style(), row.label, labels));
        cell(row.rank, ends[0], row.rank_event, "##rank:" + std::string(row.label));
        cell(row.others, ends[1], {}, "##others:" + std::string(row.label));
        cell(row.run, ends[2], row.run_event, "##all:" + std::string(row.label));
    }
    ImGui::Dummy({0, px(4)});
}

// How long all events of the name take, with this one marked; a click on a bar filters by name and duration.
void DetailsPanel::draw_durations(Frame& frame, const SiblingStats& siblings) {
    if (siblings.bins.counts.size() < 2) return;
    const core::RankTrace& trace = frame.run()->rank(selected_.slot).trace();
    const core::Duration own = trace.duration[core::index_of(selected_.event)];
    const Histogram histogram{.bins = siblings.bins,
                              .marked = own,
                              .bar = color::of_name(details_.name, details_.kernel_class),
                              .title = "Durations of this name",
                              .click = "Click: filter by this name and these durations"};
    chart_export().set_topic(core::short_name(details_.name).normal);
    const std::optional<std::size_t> bin =
        draw_histogram("##durations", histogram, {ImGui::GetContentRegionAvail().x, px(kDurationsHeight)});
    ImGui::Dummy({0, px(4)});
    if (!bin || siblings.bins.counts[*bin] == 0) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left)) return;
    core::Filter filter = core::without_term<core::NameTerm>(frame.session.filter());
    filter = with_whole_name(core::without_term<core::DurationTerm>(std::move(filter)), details_.name);
    frame.intents.push_back(SetFilter{with_durations(std::move(filter), durations_of_bin(siblings.bins, *bin))});
}

void DetailsPanel::draw_arguments(const EventArguments& arguments) {
    if (!arguments.nccl.empty()) {
        heading("As NCCL states it");
        int line = 1900;
        for (const Argument& said : arguments.nccl) draw_detail(said.key, said.value, said.value, false, ++line);
        ImGui::Dummy({0, px(4)});
    }
    if (!arguments.error.empty()) return text(arguments.error, color::palette().error);
    if (arguments.arguments.empty()) return muted_text("No arguments");
    heading("Arguments");
    ImGui::SameLine(0, px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(1)});
    if (quiet_button("Copy all##copy-all")) ImGui::SetClipboardText(arguments.all.c_str());
    ImGui::PopStyleVar();
    int id = 2000;
    for (const Argument& argument : arguments.arguments) {
        draw_detail(argument.key, argument.is_text ? argument.value : indent_json(argument.value), argument.value,
                    !argument.is_text && argument.value.size() < kLongNumber, ++id);
    }
}

void DetailsPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.run();
    const core::EventRef event = frame.view().selected;
    waiting_ = any_ = false;
    only_in_.reset();
    shown_arguments_ = nullptr;
    shown_arrivals_ = nullptr;
    shown_siblings_ = nullptr;
    if (!run || !event.valid()) return empty_state("Nothing is selected", "Click an event on the timeline.");
    any_ = true;
    selected_ = event;
    details_ = describe_event(*run, event);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
    if (frame.ephemeral().unique_events && frame.ephemeral().unique_events->contains(event)) only_in_ = frame.side;
    draw_name(details_);
    scope_words_ = "one event of rank " + core::format_rank(run->rank(event.slot).key) + " of " +
                   core::format_rank_count(core::count_ranks(*run)) + " \xC2\xB7 not filtered";
    draw_scope(scope_words_);
    draw_unique_events();
    ImGui::Dummy({0, px(4)});
    int id = 0;
    for (const DetailLine& line : details_.lines) draw_detail(line.label, line.value, line.exact, line.is_number, ++id);
    ImGui::Dummy({0, px(4)});
    draw_links(frame, details_.links, details_.more_links, 1000);
    const DetailsKey key{run, event};
    const auto arrivals = arrivals_.ask(frame.session.pool(), key, [run, event]() -> std::optional<ArrivalsModel> {
        if (run->rank(event.slot).index->members().events().empty()) return std::nullopt;
        return describe_arrivals(*run, *core::waits_of(*run), event);
    });
    if (arrivals_.fresh() && arrivals && *arrivals) {
        shown_arrivals_ = arrivals;
        draw_collective(frame, **arrivals, event);
    }
    draw_other_links(frame, event);
    ImGui::Dummy({0, px(4)});
    const auto arguments =
        arguments_.ask(frame.session.pool(), key, [run, event] { return read_arguments(*run, event); });
    const auto siblings = siblings_.ask(frame.session.pool(), key, [run, event](const core::JobContext& job) {
        return collect_siblings(*run, event, job);
    });
    waiting_ = !arguments_.fresh() || !arrivals_.fresh() || !siblings_.fresh() || !frame.ephemeral().links->fresh();
    if (siblings_.fresh()) shown_siblings_ = siblings;
    if (arguments_.fresh()) shown_arguments_ = arguments;
    // Reserves space while the count is pending, so that nothing below moves.
    if (siblings) {
        ImGui::PushStyleVar(ImGuiStyleVar_Alpha, siblings_.fresh() ? 1.0f : kStaleAlpha);
        draw_siblings(frame, *siblings);
        if (siblings_.fresh()) draw_durations(frame, *siblings);
        ImGui::PopStyleVar();
    }
    draw_stack(frame, details_);
    if (shown_arguments_) draw_arguments(*shown_arguments_);
    ImGui::PopStyleVar();
}

nlohmann::json describe_siblings(const Siblings& siblings) {
    return {{"count", siblings.count},
            {"shorter", siblings.shorter},
            {"mean_ns", siblings.mean()},
            {"least_ns", siblings.least},
            {"most_ns", siblings.most},
            {"total_ns", siblings.total},
            {"percentile", siblings.percentile()}};
}

void DetailsPanel::describe(nlohmann::json& shown) const {
    if (!any_) return;
    shown["fresh"] = !waiting_;
    shown["name"] = details_.name;
    shown["of"] = scope_words_;
    if (only_in_) shown["only_in"] = name_of(*only_in_);
    for (const DetailLine& line : details_.lines)
        shown["lines"][line.label] = line.exact.empty() ? line.value : line.exact;
    const auto add_link = [](nlohmann::json& to, const DetailLink& link) {
        to.push_back({{"label", link.label}, {"name", link.name}, {"note", link.note}});
    };
    for (const DetailLink& link : details_.links) add_link(shown["links"], link);
    for (const DetailLink& link : other_links_) add_link(shown["links"], link);
    if (shown_arrivals_)
        for (const ArrivalLine& line : describe_member(**shown_arrivals_, selected_))
            shown["collective"][line.label] = line.value;
    if (calls_ > 0) shown["calls"] = calls_;
    for (const DetailLink& link : details_.stack) add_link(shown["stack"], link);
    if (shown_siblings_)
        shown["siblings"] = {
            {"rank", describe_siblings(shown_siblings_->rank)},
            {"others", {{"ranks", shown_siblings_->others.ranks}, {"mean_ns", shown_siblings_->others.mean}}},
            {"bins", shown_siblings_->bins.counts},
            {"all", describe_siblings(shown_siblings_->run)}};
    if (!shown_arguments_) return;
    for (const Argument& said : shown_arguments_->nccl) shown["nccl"][said.key] = said.value;
    for (const Argument& argument : shown_arguments_->arguments) shown["arguments"][argument.key] = argument.value;
}

}  // namespace

std::unique_ptr<Panel> make_details_panel() { return std::make_unique<DetailsPanel>(); }

}  // namespace ui
