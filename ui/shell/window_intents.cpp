#include "ui/shell/window_intents.hpp"

#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"
#include "core/session/device_settings.hpp"
#include "core/session/limit_settings.hpp"
#include "ui/commands/key_map.hpp"
#include "ui/model/go_to.hpp"
#include "ui/timeline/parts/align_menu.hpp"

namespace ui {
namespace {

core::RunRange range_of_selected(const IntentTargets& to, core::Side side) {
    return to.session.run(side)->range_of(to.view(side).selected);
}

// The step under the pointer, else of the event selected last.
std::optional<core::AlignBy> alignment_at_step(const IntentTargets& to) {
    const core::RunAlignment* alignment = to.session.alignment();
    if (!alignment) return std::nullopt;
    std::optional<core::BySide<std::int64_t>> step;
    if (const std::optional<core::RunTime>& pointer = to.ephemera.sides[to.active].pointer)
        step = find_step_at(*alignment, to.active, *pointer);
    else if (to.view(to.selected).selected.valid())
        step = find_step_at(*alignment, to.selected, range_of_selected(to, to.selected).begin);
    if (!step) return std::nullopt;
    return core::AlignBy{.kind = core::AlignBy::Kind::Step, .step = step->baseline, .moments = {}, .names = {}};
}

std::optional<core::AlignBy> alignment_at_selected(const IntentTargets& to) {
    if (!to.session.alignment()) return std::nullopt;
    core::AlignBy by{.kind = core::AlignBy::Kind::Moments, .step = 0, .moments = {}, .names = {}};
    for (const core::Side side : core::kSides) {
        const core::EventRef event = to.view(side).selected;
        if (!event.valid()) return std::nullopt;
        by.moments[side] = range_of_selected(to, side).begin;
        by.names[side] = to.session.run(side)->rank(event.slot).trace().name_text(event.event);
    }
    return by;
}

void set_device_number(const IntentTargets& to, const SetDeviceNumber& number) {
    const core::Result<bool> done =
        core::set_device_number(to.settings_folder, number.device, number.key, number.value);
    if (!done) return to.saving.fail(core::Error(done.error()).within("Not saved"));
    to.saving.tell({"Saved: " + number.device + ", " + number.key + ". Runs opened from now on use it.", false});
}

void set_limit(const IntentTargets& to, const SetLimit& limit) {
    const core::Result<bool> done = core::set_limit(to.settings_folder, limit.id, limit.value);
    if (!done) return to.saving.fail(core::Error(done.error()).within("Not saved"));
    to.saving.tell({"Saved: limit " + limit.id + ". Runs opened from now on use it.", false});
}

// The step under the pointer, else of the event selected last.
std::optional<std::int64_t> find_step(const IntentTargets& to) {
    const core::RunPtr& active = to.session.run(to.active);
    if (const std::optional<core::RunTime>& pointer = to.ephemera.sides[to.active].pointer; active && pointer)
        for (const core::RankSlot& rank : active->ranks())
            for (const core::Step& step : rank.trace().steps)
                if (rank.to_run(step.range.begin) <= *pointer && *pointer < rank.to_run(step.range.end))
                    return step.number;
    const core::RunPtr& run = to.session.run(to.selected);
    const core::EventRef selected = to.view(to.selected).selected;
    if (!exists(run, selected)) return std::nullopt;
    const core::Step* step = run->rank(selected.slot).trace().step_of(selected.event);
    return step ? std::optional(step->number) : std::nullopt;
}

core::Result<core::BySide<core::RunPart>> choose_parts(const IntentTargets& to, const CompareInside& asked,
                                                       const core::Filter& filter) {
    const core::Run& run = *to.session.run();
    std::optional<core::RankKey> rank = asked.rank;
    if (const core::EventRef selected = to.view(to.selected).selected;
        !rank && exists(to.session.run(to.selected), selected))
        rank = to.session.run(to.selected)->rank(selected.slot).key;
    switch (asked.kind) {
        case InsideKind::RankWithMedian:
            if (!rank) return core::bad_input("select an event of the rank to compare, or use the menu of its row");
            return core::against_median_rank(run, filter, *rank);
        case InsideKind::StepWithMedian: {
            const std::optional<std::int64_t> step = asked.step ? asked.step : find_step(to);
            if (!step) return core::bad_input("point at the step to compare, or select an event of it");
            return core::against_median_step(run, filter, *step);
        }
        case InsideKind::RanksWithOthers: {
            std::vector<core::RankKey> ranks;
            if (asked.rank) ranks.push_back(*asked.rank);
            if (!asked.rank)
                for (const core::RankSlot& each : run.ranks())
                    if (to.session.filter().accepts_rank(each.key)) ranks.push_back(each.key);
            if (!asked.rank && ranks.size() == run.ranks().size() && rank) ranks = {*rank};
            return core::against_other_ranks(run, std::move(ranks));
        }
        case InsideKind::Captures:
            break;
    }
    return core::against_next_capture(run);
}

// Words of the filter that the parts stand for are dropped.
void compare_inside(const IntentTargets& to, const CompareInside& asked) {
    if (!to.session.run()) return;
    core::Filter filter = to.session.filter();
    if (asked.kind == InsideKind::StepWithMedian)
        filter = core::without_term<core::StepTerm>(std::move(filter));
    else
        filter = core::without_term<core::CaptureTerm>(core::without_term<core::RankTerm>(std::move(filter)));
    const core::Result<core::BySide<core::RunPart>> parts = choose_parts(to, asked, filter);
    if (!parts) return to.saving.tell({"Cannot compare: " + parts.error().message, true});
    to.session.compare_parts(*parts, std::move(filter));
    to.saving.tell({"Comparing " + parts->candidate.title + " against " + parts->baseline.title, false});
}

struct ApplyToWindow {
    const IntentTargets& to;
    void operator()(const SaveFile& save) const { to.saving.save(save, to.session, to.store.document()); }
    void operator()(const Say& say) const { to.saving.tell({say.words, false}); }
    void operator()(const CloseNotice&) const { to.saving.clear_notice(); }
    void operator()(const CopyLink&) const {
        ImGui::SetClipboardText(command_line_of(to.session, to.view(core::Side::Baseline)).c_str());
    }
    void operator()(const CopyTable& copy) const {
        to.saving.copy(to.session, copy.table ? copy.table : chart_export().active_table());
    }
    void operator()(const CopyChart&) const { to.saving.copy_chart(); }
    void operator()(const TakeEscape&) const {}  // read before the intents are applied
    void operator()(const PressKey& press) const { key_map().press(press.id); }
    void operator()(const SetDeviceNumber& number) const { set_device_number(to, number); }
    void operator()(const SetLimit& limit) const { set_limit(to, limit); }
    void operator()(const AlignAtStep&) const { align(alignment_at_step(to)); }
    void operator()(const AlignAtSelected&) const { align(alignment_at_selected(to)); }
    void operator()(const CompareInside& inside) const { compare_inside(to, inside); }

private:
    void align(const std::optional<core::AlignBy>& by) const {
        if (by) to.session.align(*by);
    }
};

}  // namespace

void apply_to_window(const IntentTargets& to, const WindowIntent& intent) { std::visit(ApplyToWindow{to}, intent); }

// For a shell.
std::string command_line_of(const core::Session& session, const View& view) {
    const auto quoted = [](std::string_view text) {
        std::string word = "'";
        for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return word + "'";
    };
    const bool comparing = session.alignment() != nullptr && !session.parts();
    std::string text = "lockstep";
    for (const core::Side side : core::kSides) {
        const core::RunLoad* load = session.load(side);
        if (!load || (side == core::Side::Candidate && session.parts())) continue;
        // Two bare paths would be two runs.
        const bool is_bare = side == core::Side::Baseline && load->paths().size() != 2 && !comparing;
        const std::string_view before = side == core::Side::Candidate ? " --candidate "
                                        : is_bare                     ? " "
                                                                      : " --baseline ";
        for (const std::filesystem::path& path : load->paths()) text.append(before).append(quoted(path.string()));
    }
    if (const core::ClockChoice clocks = session.clocks(core::Side::Baseline); clocks != core::ClockChoice::Auto)
        text.append(" --clocks ").append(core::name_of(clocks));
    if (!session.filter().empty()) text += " --filter " + quoted(core::format_filter(session.filter()));
    if (session.run())
        text += " --goto " + quoted(format_place(place_of_view(*session.run(), view.time.range(), view.selected)));
    return text;
}

}  // namespace ui
