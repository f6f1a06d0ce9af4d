#include "ui/driver/describe_state.hpp"

#include "core/index/summary_rank.hpp"
#include "core/query/filter_text.hpp"
#include "ui/shell/top_bar.hpp"
#include "ui/style/key_focus.hpp"
#include "ui/widgets/loss_chip.hpp"

#include <nlohmann/json.hpp>

namespace ui {
namespace {

using nlohmann::json;

json describe_run(const core::RunPtr& run, core::ClockChoice clocks) {
    if (!run) return nullptr;
    json keys = json::array();
    for (const core::RankSlot& rank : run->ranks()) keys.push_back(core::format_rank(rank.key));
    return {{"name", run->name()},
            {"ranks", run->ranks().size()},
            {"rank_names", keys},
            {"clocks", core::name_of(clocks)},
            {"aligned", core::is_aligned(*run)},
            {"events", run->event_count()},
            {"length_ns", run->window().length().count()}};
}

// The ranks of a run summary that are whole, i.e. whose events are loaded.
json describe_pages(const core::RunPtr& run, const core::PagedRun* pages) {
    if (!run || !pages || !(run->summary() || core::is_summary(*run))) return nullptr;
    json whole = json::array();
    for (const core::RankSlot& rank : run->ranks())
        if (!core::summary_of(rank.trace())) whole.push_back(core::format_rank(rank.key));
    return {{"whole", whole}, {"bytes", pages->bytes()}, {"trouble", pages->trouble()}};
}

json describe_load(const core::RunLoad* load) {
    if (!load) return nullptr;
    const core::LoadProgress& progress = load->progress();
    return {{"finished", load->finished()},
            {"cancelled", load->cancelled()},
            {"error", load->finished() ? load->error() : std::string()},
            {"bytes_done", progress.bytes_done.load()},
            {"bytes_total", progress.bytes_total.load()},
            {"ranks_done", progress.ranks_done.load()},
            {"ranks_total", progress.ranks_total.load()},
            {"events", progress.events.load()}};
}

json describe_losses(const core::Session& session) {
    json losses = json::array();
    if (const auto found = losses_of(session, core::Side::Baseline))
        for (const core::Loss& loss : found->entries) losses.push_back(loss.text());
    return losses;
}

json describe_range(const core::RunPtr& run, core::RunRange range) {
    return {{"begin_ns", (range.begin - run->origin()).count()}, {"end_ns", (range.end - run->origin()).count()}};
}

json describe_watch(const core::FolderWatch* watch) {
    if (!watch) return {};
    json growing = json::array();
    for (const std::filesystem::path& path : watch->look.growing) growing.push_back(path.filename().string());
    return {{"settled", watch->look.finished.size()}, {"growing", growing}};
}

json describe_event(const core::RunPtr& run, core::EventRef event) {
    if (!exists(run, event)) return nullptr;
    const core::RankSlot& rank = run->rank(event.slot);
    const core::RunRange range = rank.range_of(event.event);
    return {{"rank", core::format_rank(rank.key)},
            {"name", rank.trace().name_text(event.event)},
            {"start_ns", (range.begin - run->origin()).count()},
            {"duration_ns", range.length().count()}};
}

json describe_view(const core::RunPtr& run, const View& shown) {
    if (!run) return nullptr;
    json view = describe_range(run, shown.time.range());
    view["px_per_ns"] = shown.time.px_per_ns;
    view["whole_run"] = shown.time == shown.whole;
    return view;
}

json describe_marks(const core::RunPtr& run, const core::Marks& marks) {
    if (!run) return nullptr;
    json kept = json::array();
    for (const core::KeptMark& mark : marks.kept) {
        json& one = kept.emplace_back(describe_range(run, mark.range));
        one["note"] = mark.note.text;
    }
    json bookmarks = json::object();
    for (std::size_t i = 0; i < core::kBookmarks; ++i)
        if (const auto& bookmark = marks.bookmarks[i]) {
            json& one = bookmarks[std::to_string(i + 1)] = describe_range(run, bookmark->view);
            one["rank"] = bookmark->rank;
            one["note"] = bookmark->note.text;
        }
    return {{"passing", marks.passing ? describe_range(run, *marks.passing) : json()},
            {"kept", kept},
            {"bookmarks", bookmarks}};
}

json describe_mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    json down = json::array();
    for (const bool pressed : std::span(io.MouseDown).first<3>()) down.push_back(pressed);
    if (!ImGui::IsMousePosValid()) return {{"x", nullptr}, {"y", nullptr}, {"down", down}};
    return {{"x", io.MousePos.x}, {"y", io.MousePos.y}, {"down", down}};
}

// Describes the panels that are drawn now.
json describe_panels(const MainWindow& window, core::Side side) {
    json panels = json::object();
    for (const std::string_view id : window.drawn_panels(side))
        if (const Panel* panel = window.find_made_panel(id, side))
            panel->describe(panels[std::string(id)] = json::object());
    return panels;
}

// The second of two runs and its part of the view.
json describe_candidate(const MainWindow& window, const core::Session& session) {
    constexpr core::Side kSide = core::Side::Candidate;
    if (!session.comparing()) return nullptr;
    const core::RunPtr& run = session.run(kSide);
    const View& view = window.view(kSide);
    json timeline = json::object();
    if (run) window.timeline(kSide).describe(timeline);
    return {{"run", describe_run(run, session.clocks(kSide))},
            {"load", describe_load(session.load(kSide))},
            {"pages", describe_pages(run, session.pages(kSide))},
            {"sources", session.source_changes(kSide)},
            {"view", describe_view(run, view)},
            {"selected", describe_event(run, view.selected)},
            {"hovered", describe_event(run, window.ephemeral(kSide).hovered)},
            {"timeline", timeline},
            {"panels", run ? describe_panels(window, kSide) : json::object()}};
}

}  // namespace

json describe_state(const MainWindow& window, const core::Session& session) {
    const View& view = window.view();
    const UiChoices& choices = window.document().choices;
    const core::RunPtr& run = session.run();
    json timeline = json::object();
    if (run) window.timeline().describe(timeline);
    json settings = json::object();
    window.settings().describe(settings);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    return {{"title", window.title()},
            {"window", {{"width", size.x}, {"height", size.y}, {"scale", ui::scale()}}},
            {"run", describe_run(run, session.clocks(core::Side::Baseline))},
            {"chip", name_on_chip(session, core::Side::Baseline)},
            {"losses", describe_losses(session)},
            {"load", describe_load(session.load())},
            {"pages", describe_pages(run, session.pages(core::Side::Baseline))},
            {"filter", core::format_filter(session.filter())},
            {"can_undo", window.can_undo()},
            {"can_redo", window.can_redo()},
            {"view", describe_view(run, view)},
            {"selected", describe_event(run, view.selected)},
            {"hovered", describe_event(run, window.ephemeral().hovered)},
            {"area", run && view.area ? describe_range(run, *view.area) : json()},
            {"area_rows", run && view.area ? view.area_rows.size() : 0},
            {"chosen_kernels", choices.chosen_kernels},
            {"follow_newest", choices.follow_newest},
            {"follow_visible", choices.follow_visible},
            {"marks", describe_marks(run, session.marks(core::Side::Baseline))},
            {"notice", window.notice().words},
            {"sources", session.source_changes(core::Side::Baseline)},
            {"watch", describe_watch(session.watched())},
            {"color_by", name_of(choices.color_by)},
            {"theme", name_of(choices.theme)},
            {"interface_size", choices.interface_size},
            {"settings", settings},
            {"tooltip", items().tooltip()},
            {"mouse", describe_mouse()},
            {"typing", ImGui::GetIO().WantTextInput},
            {"focus", key_focus().path()},
            {"tabs", {{"left", choices.left_tab}, {"right", choices.right_tab}}},
            {"drawer", {{"open", choices.drawer_open}, {"share", choices.drawer_share}}},
            {"timeline", timeline},
            {"candidate", describe_candidate(window, session)},
            {"panels", run ? describe_panels(window, core::Side::Baseline) : json::object()}};
}

json describe_items(std::span<const Item> items) {
    json described = json::array();
    for (const Item& item : items)
        described.push_back({{"path", item.path},
                             {"min", {item.min.x, item.min.y}},
                             {"max", {item.max.x, item.max.y}},
                             {"visible", item.visible},
                             {"hovered", item.hovered}});
    return described;
}

}  // namespace ui
