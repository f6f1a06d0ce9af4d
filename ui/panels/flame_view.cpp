#include "ui/panels/flame_view.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/engine/writer_advice.hpp"
#include "core/base/format.hpp"
#include "core/diff/join/averages.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/charts/flame_tree_view.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace ui {
namespace {

constexpr float kFlameRow = 19;  // sizes at scale 1
constexpr float kFlameLabel = 22;
constexpr float kFlameNotFound = 0.72f;

bool is_named(const FlameFrame& frame) { return frame.is_plain() && frame.name != core::kUnattributed; }

std::string share_text(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? core::format_ratio(static_cast<double>(part) / static_cast<double>(whole)) : std::string();
}

std::string time_text(std::int64_t ns) { return core::format_duration(core::Duration{ns}); }

// Relative change in -1..1; 0 if neither side has any time.
double change_of(const FlameFrame& frame, const FlameGraph& graph, core::Side side) {
    if (!frame.other_known) return 0;
    const double own = static_cast<double>(frame.width) * graph.scale;
    const double other = static_cast<double>(frame.other) * graph.other_scale;
    const double most = std::max(own, other);
    if (!(most > 0)) return 0;
    return (side == core::Side::Candidate ? own - other : other - own) / most;
}

// Runs on the pool; with two runs, includes the divisors of their times.
std::function<FlameGraph()> lay_out_flame(const Frame& own, const core::AnswerPtr& answer, const core::AnswerPtr& other,
                                          FlameMeasure measure) {
    if (!other || !own.session.alignment()) return [=] { return FlameGraph::of(answer, measure, other); };
    core::BySide<core::RunPtr> runs;
    core::BySide<core::Filter> filters;
    for (const core::Side side : core::kSides) {
        runs[side] = own.session.run(side);
        filters[side] = own.session.filter(side);
    }
    return [=, alignment = *own.session.alignment(), side = own.side] {
        FlameGraph graph = FlameGraph::of(answer, measure, other);
        graph.scale_by(core::choose_averages(answer->main().columns(), {runs.baseline.get(), runs.candidate.get()},
                                             filters, alignment),
                       side);
        return graph;
    };
}

}  // namespace

ImU32 color_of_flame_change(double change) {
    // A change of 10 % is visible, two thirds give full saturation.
    const float strength = std::min(1.0f, static_cast<float>(std::abs(change)) * 1.5f);
    return color::mix(color::palette().flame_as_before, change > 0 ? color::palette().worse : color::palette().better,
                      strength);
}

std::array<BarPart, 3> flame_change_parts() {
    return {BarPart{.name = "less time", .color = color_of_flame_change(-1)},
            BarPart{.name = "as before", .color = color_of_flame_change(0)},
            BarPart{.name = "more time", .color = color_of_flame_change(1)}};
}

void FlameView::update(Frame& own, const FlameChoice& choice, const core::Request& request,
                       const core::Request* other) {
    const core::AnswerPtr partner = other ? other->answer : nullptr;
    side_ = own.side;
    compared_ = partner != nullptr;
    std::shared_ptr<const FlameGraph> graph;
    if (request.answer) {
        const GraphKey key{.answer = request.answer, .other = partner, .measure = choice.measure};
        std::function<FlameGraph()> make;  // used for a new key only, because it copies its inputs
        if (!(key == asked_)) make = lay_out_flame(own, key.answer, key.other, key.measure);
        asked_ = key;
        graph = graphs_.ask(own.session.pool(), key, make);
    }
    if (graph && choice.lens != FlameLens::None)
        graph = lenses_.ask(own.session.pool(), {graph, choice.lens, choice.center},
                            [whole = graph, lens = choice.lens, center = choice.center, measure = choice.measure] {
                                return build_flame_lens(*whole, center, lens, measure);
                            });
    const bool is_seen = choice.lens == FlameLens::None || lenses_.fresh();
    // A new graph has other frame numbers, so the zoom is looked up again by its names.
    if (graph != graph_) {
        graph_ = std::move(graph);
        names_.clear();
        zoomed_ = graph_ ? graph_->find(choice.zoom) : 0;
        zoom_ = choice.zoom;
    }
    if (zoom_ != choice.zoom) {
        zoom_ = choice.zoom;
        zoomed_ = graph_ ? graph_->find(zoom_) : 0;
    }
    matches_ = nullptr;
    if (graph_ && !choice.search.empty()) {
        const auto found =
            finds_.ask(own.session.pool(), {graph_, choice.search},
                       [graph = graph_, search = choice.search] { return find_flame_matches(*graph, search); });
        if (found && finds_.fresh()) matches_ = found;
    }
    const bool is_found = choice.search.empty() || finds_.fresh();  // clearing the search takes effect at once
    working_ = graphs_.busy() || !is_found || !is_seen;
    fresh_ = request.fresh && graphs_.fresh() && is_found && is_seen;
}

std::string_view FlameView::center() const {
    if (!graph_ || graph_->frames.size() < 2) return {};
    return graph_->frames[1].name;
}

std::optional<double> FlameView::found_share() const {
    if (!matches_ || !graph_ || graph_->whole() == 0) return std::nullopt;
    return static_cast<double>(matches_->width) / static_cast<double>(graph_->whole());
}

const core::ShortenedName& FlameView::short_name_of(std::uint32_t frame) {
    const auto [at, is_new] = names_.try_emplace(frame);
    if (is_new) {
        const FlameFrame& of = graph_->frames[frame];
        if (is_named(of))
            at->second = core::short_name(of.name);
        else
            at->second = {title_of_frame(of), title_of_frame(of)};
        if (of.level == 0) at->second.normal += "  " + time_text(of.width);
    }
    return at->second;
}

ImU32 FlameView::color_of(const FlameChoice& choice, std::uint32_t frame) const {
    const FlameFrame& of = graph_->frames[frame];
    ImU32 shade = is_named(of) ? color::of_name(of.name, core::KernelClass::None) : color::palette().flame_others;
    if (of.level == 0) shade = color::palette().flame_root;
    if (choice.by_change && compared_) shade = color_of_flame_change(change_of(of, *graph_, side_));
    if (matches_ && !matches_->frames[frame]) shade = color::mix(shade, color::palette().panel, kFlameNotFound);
    return shade;
}

void FlameView::draw_box(const FlameChoice& choice, const FlameBox& box, ImVec2 at) {
    const float left = std::floor(at.x + box.left);
    const float right = std::max(left + 1, std::floor(at.x + box.right) - 1);
    const float bottom = at.y + px(kFlameRow) - 1;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool is_hovered = hovered_ == box.frame;
    ImU32 shade = color_of(choice, box.frame);
    if (is_hovered) shade = color::mix(shade, color::palette().text, 0.25f);
    draw_rect(list, {left, at.y}, {right, bottom}, shade);
    ++drawn_;
    // Scripts address frames by level and name; recording them all costs time that the window doesn't need.
    if (items().enabled) {
        const FlameFrame& frame = graph_->frames[box.frame];
        record_rect("##frame:" + std::to_string(frame.level) + ":" + std::string(frame.name), {left, at.y},
                    {right, bottom}, is_hovered);
    }
    const float room = right - left - px(8);
    if (right - left < px(kFlameLabel)) return;
    const core::ShortenedName& name = short_name_of(box.frame);
    const bool fits = text_width(small_style(), name.normal) <= room;
    const float y = at.y + std::floor((px(kFlameRow) - 1 - small_style().size_px) / 2) - 1;
    draw_text(list, small_style(), {left + px(4), y}, color::text_on(shade), fits ? name.normal : name.brief, room);
}

void FlameView::draw_level(const FlameChoice& choice, std::size_t level, ImVec2 at, float width) {
    collect_flame_boxes(*graph_, zoomed_, level, width, boxes_);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool on_level = mouse.y >= at.y && mouse.y < at.y + px(kFlameRow);
    hovered_.reset();
    if (ImGui::IsItemHovered() && on_level)
        for (const FlameBox& box : boxes_)
            if (mouse.x >= at.x + box.left && mouse.x < at.x + box.right) hovered_ = box.frame;
    for (const FlameBox& box : boxes_) draw_box(choice, box, at);
}

void FlameView::draw_tooltip(const FlameChoice& choice, const FlameFrame& frame) const {
    const FlameFrame& whole = graph_->frames.front();
    const std::string title = frame.level == 0 ? "All frames" : title_of_frame(frame);
    const bool by_cpu = choice.measure == FlameMeasure::CpuTime;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(px(480));
    heading(title);
    ImGui::PopTextWrapPos();
    tooltip_line("CPU time", time_text(frame.total), 0, share_text(frame.total, whole.total));
    tooltip_line("of it outside child frames", time_text(frame.self), 0, share_text(frame.self, whole.total));
    tooltip_line("Calls", frame.calls > 0 ? core::format_count(frame.calls) : std::string(kAbsentText));
    tooltip_line("Kernel time", time_text(frame.kernel_time), 0, share_text(frame.kernel_time, whole.kernel_time));
    tooltip_line("GPU events", core::format_count(frame.kernels));
    const FlameFrame& zoomed = graph_->frames[zoomed_];
    if (zoomed.level > 0 && frame.level > zoomed.level)
        tooltip_line("of the zoomed frame", share_text(frame.width, zoomed.width));
    if (compared_) {
        const double own = static_cast<double>(frame.width) * graph_->scale;
        const double other = static_cast<double>(frame.other) * graph_->other_scale;
        const bool is_baseline = side_ == core::Side::Baseline;
        using Known = std::optional<double>;
        const Known there = frame.other_known ? Known(other) : Known();
        const Compared pair = Compared::between(is_baseline ? Known(own) : there, is_baseline ? there : Known(own));
        compared_tooltip_head();
        compared_tooltip_line(by_cpu ? "CPU time" : "Kernel time", pair, core::Unit::Ns);
        if (!frame.other_known) muted_text("The other run may have it among its (others)");
        if (!graph_->note.empty()) muted_text(graph_->note);
    }
    if (frame.level == 0)
        for (const core::Excluded& excluded : graph_->answer->excluded)
            muted_text(core::format_count(excluded.count) + " " + excluded.what);
    if (frame.frames > 0) muted_text("Frames below 1/20,000 of the total, with their children");
    muted_text("click zooms, right-click filters and lists, Esc goes back");
    ImGui::EndTooltip();
    record_tooltip(title + ": " + time_text(frame.width) + ", " + share_text(frame.width, whole.width));
}

void FlameView::offer_menu(const Frame& frame, std::uint32_t of) {
    const FlameFrame& clicked = graph_->frames[of];
    menu_ = {};
    menu_path_ = graph_->path_of(of);
    menu_opens_ = true;
    chart_export().claim();
    if (!is_named(clicked)) return;
    RowFacets facets;
    facets.name = std::string(clicked.name);
    if (clicked.name == core::kStepFrame) {  // no event has this name
        menu_.facets = facets;
        menu_.unlisted = "One frame for the marks of all steps";
        return;
    }
    menu_ = meaning_of_facets(frame, facets, std::string(clicked.name));
    for (const core::Side side : core::kSides)
        if (menu_.listings[side]) menu_.listings[side]->threads_first = true;
}

ChartSheet FlameView::sheet_of(const FlameChoice& choice) {
    constexpr std::array kKinds{"Operators", "Python", "Annotations"};
    std::string title = kKinds[static_cast<std::size_t>(choice.kind)];
    title += choice.measure == FlameMeasure::CpuTime ? ", CPU time" : ", kernel time";
    if (!choice.zoom.empty()) title += " of " + short_name_of(zoomed_).normal;
    changes_ = flame_change_parts();
    const std::span<const BarPart> legend = choice.by_change ? changes_ : std::span<const BarPart>();
    return {.title = title,
            .legend = legend,
            .paired = false,
            .table = [graph = graph_, zoomed = zoomed_, measure = choice.measure] {
                return tabulate_flame(*graph, zoomed, measure);
            }};
}

void FlameView::draw_menu(Frame& frame, FlameChoice& choice) {
    if (std::exchange(menu_opens_, false)) ImGui::OpenPopup("frame");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup("frame");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("frame-menu");
    close_on_escape();
    const ImVec2 size{text_width(ui_style(), "Filter by this name, or stop filtering by it"), 0};
    if (selectable("Zoom to it##zoom", false, 0, size)) choice.zoom = menu_path_;
    if (menu_.facets.name && selectable("Filter by this name##filter", false, 0, size))
        clicks_.filter_by(frame, menu_.facets);
    if (!menu_.facets.name || menu_.unlisted.empty()) {
        clicks_.draw_ways(frame, menu_);
    } else {
        muted_text(menu_.unlisted);
        chart_export().draw_entries(frame);
    }
    ImGui::EndPopup();
}

void FlameView::draw_graph(Frame& frame, FlameChoice& choice) {
    ImGui::BeginChild("flame", ImGui::GetContentRegionAvail(), false);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(px(40), ImGui::GetContentRegionAvail().x);
    const std::size_t levels = graph_->depth_below(zoomed_);
    const float row = px(kFlameRow);
    const bool pressed = invisible_button("##flame", {width, row * static_cast<float>(levels)});
    record_item("##flame");
    const bool released = ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float top = list->GetClipRectMin().y;
    const float bottom = list->GetClipRectMax().y;
    std::optional<std::uint32_t> under;
    drawn_ = 0;
    for (std::size_t level = 0; level < levels; ++level) {
        const float y = at.y + row * static_cast<float>(level);
        if (y + row < top || y > bottom) continue;
        draw_level(choice, level, {at.x, y}, width);
        if (hovered_) under = hovered_;
    }
    hovered_ = under;
    const ImVec2 end{at.x + width, at.y + row * static_cast<float>(levels)};
    chart_export().offer_chart("flame", at, end, [&] { return sheet_of(choice); });
    if (under) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        draw_tooltip(choice, graph_->frames[*under]);
        if (pressed) choice.zoom = graph_->path_of(*under);
        if (released) offer_menu(frame, *under);
    }
    const bool can_go_back =
        !choice.zoom.empty() && !ImGui::GetIO().WantTextInput && ImGui::IsWindowHovered() && !escape_is_spent();
    if (can_go_back && compat::is_key_pressed(GLFW_KEY_ESCAPE)) {
        choice.zoom.pop_back();
        frame.intents.push_back(TakeEscape{});
    }
    draw_menu(frame, choice);
    ImGui::EndChild();
}

void FlameView::draw_empty(const Frame& frame, const FlameChoice& choice) const {
    const bool has_any = core::has_frames(*frame.run(), frame.filter(), choice.kind);
    if (!has_any && choice.kind == core::FlameKind::Python)
        return empty_state("No Python stacks", std::string(core::advice_for(*frame.run()).stacks));
    if (!has_any && choice.measure == FlameMeasure::CpuTime)
        return empty_state("No CPU events", std::string(core::advice_for(*frame.run()).calls));
    const std::string missing = note_missing_ranks(frame);
    if (choice.measure == FlameMeasure::KernelTime)
        return empty_state("No GPU event passes the filter",
                           missing.empty() ? "A trace without a GPU, or a filter that leaves nothing." : missing);
    empty_state(
        "No CPU event passes the filter",
        missing.empty() ? "Classes and streams are of GPU events: kernel time shows who launched them." : missing);
}

void FlameView::draw(Frame& own, FlameChoice& choice, const core::Request& request, const core::Request* other) {
    update(own, choice, request, other);
    clicks_.poll_search(own);
    clicks_.draw_refusal();
    if (!begin_answer(request, "flame graph", graphs_.fresh())) return;
    as_tree_ = choice.as_tree;
    if (graph_ && graph_->whole() > 0 && choice.as_tree) {
        if (tree_.graph() != graph_ || tree_.top() != zoomed_) tree_.reset(graph_, choice.measure, zoomed_);
        draw_flame_tree(tree_, ImGui::GetContentRegionAvail());
    } else if (graph_ && graph_->whole() > 0)
        draw_graph(own, choice);
    else if (request.fresh && graphs_.fresh())
        draw_empty(own, choice);
    end_answer();
}

void FlameView::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    if (!graph_ || graph_->whole() == 0) return;
    const FlameFrame& whole = graph_->frames.front();
    shown["total_ns"] = whole.total;
    shown["kernel_time_ns"] = whole.kernel_time;
    shown["frames"] = graph_->frames.size();
    shown["levels"] = graph_->level_count();
    shown["drawn"] = drawn_;
    for (std::size_t i = 0; as_tree_ && tree_.graph() == graph_ && i < std::min<std::size_t>(tree_.rows().size(), 64);
         ++i) {
        const FlameTreeRow& row = tree_.rows()[i];
        shown["tree"].push_back({{"name", title_of_frame(graph_->frames[row.frame])},
                                 {"depth", row.depth},
                                 {"open", row.open},
                                 {"total_ns", graph_->frames[row.frame].width},
                                 {"self_ns", row.self}});
    }
    if (matches_) shown["found"] = {{"frames", matches_->count}, {"ns", matches_->width}};
    const FlameFrame& zoomed = graph_->frames[zoomed_];
    shown["zoomed"] = {{"name", zoomed.name},
                       {"total_ns", zoomed.total},
                       {"self_ns", zoomed.self},
                       {"calls", zoomed.calls},
                       {"kernels", zoomed.kernels},
                       {"kernel_time_ns", zoomed.kernel_time},
                       {"path", graph_->path_of(zoomed_)}};
    nlohmann::json& below = shown["below"] = nlohmann::json::array();
    if (zoomed.level + 1 >= graph_->level_count()) return;
    for (const FlameFrame& frame : graph_->level(zoomed.level + 1)) {
        if (frame.parent != zoomed_ || below.size() == 32) continue;
        below.push_back({{"name", frame.name},
                         {"total_ns", frame.total},
                         {"self_ns", frame.self},
                         {"calls", frame.calls},
                         {"kernel_time_ns", frame.kernel_time},
                         {"others", frame.frames}});
        if (compared_) below.back()["change"] = change_of(frame, *graph_, side_);
    }
}

}  // namespace ui
