#include "ui/shell/apply_intents.hpp"

#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"
#include "core/session/device_settings.hpp"
#include "core/session/limit_settings.hpp"
#include "ui/commands/key_map.hpp"
#include "ui/model/go_to.hpp"
#include "ui/model/intent_value.hpp"
#include "ui/model/state.hpp"
#include "ui/timeline/parts/align_menu.hpp"

#include <algorithm>

namespace ui {
namespace {

// Finding and steps go to the side that was used last.
core::Side side_of(const IntentTargets& to, const Intent& intent, core::Side from) {
    if (is_of_view(intent) || is_timeline_input(intent)) return from;
    const bool for_active = intent.find<FindStep>() || intent.find<ShowStepBeside>() || intent.find<MarkRange>() ||
                            intent.find<SetBookmark>() || intent.find<SetClocks>() || intent.find<GoToBookmark>();
    if (const auto* go = intent.find<GoToBookmark>(); go && go->side) return *go->side;
    if (const auto* set = intent.find<SetClocks>(); set && set->side) return *set->side;
    if (intent.find<GoToOccurrence>() || intent.find<ChangeRows>()) return to.selected;
    if (intent.find<WalkGaps>()) return to.active;
    return for_active ? to.active : core::Side::Baseline;
}

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

// A session file opens like a run, whichever way it comes; empty: it is something else.
std::filesystem::path open_session(const IntentTargets& to, const Intent& intent) {
    const std::vector<std::filesystem::path>* paths = nullptr;
    if (const auto* open = intent.find<OpenPaths>()) paths = &open->paths;
    if (const auto* drop = intent.find<DropPaths>()) paths = &drop->paths;
    if (!paths || paths->size() != 1 || !is_session_file(paths->front())) return {};
    to.saving.open_session(paths->front(), to.session, to.store, to.ephemera);
    return paths->front();
}

// The rank of the event selected there, by what it is to the baseline.
void change_ranks_of_candidate(const IntentTargets& to, RankChange change) {
    const core::RunPtr& run = to.session.run();
    const core::RunPtr& candidate = to.session.run(core::Side::Candidate);
    const core::EventRef selected = to.view(core::Side::Candidate).selected;
    const Facts facts{.session = to.session};
    RankChoices ranks = to.choices().ranks;
    if (change == RankChange::SortBySelected) {
        ranks = change_ranks(ranks, change, *candidate, selected, to.choices().chosen_kernels);
        return to.store.apply(SetRanks{std::move(ranks)}, facts);
    }
    const std::optional<core::RankKey> partner =
        to.session.alignment()->partner_of_rank(core::Side::Candidate, candidate->rank(selected.slot).key);
    const auto found = partner ? std::ranges::find(run->ranks(), *partner, &core::RankSlot::key) : run->ranks().end();
    if (found == run->ranks().end()) return to.saving.tell({"The baseline has no such rank", true});
    const auto slot = static_cast<std::uint32_t>(found - run->ranks().begin());
    ranks = change_ranks(ranks, change, *run, {slot, core::EventId{0}}, to.choices().chosen_kernels);
    if (change == RankChange::HideOthers) ranks = hide_others(ranks, collect_rank_names(to.session), partner->packed());
    to.store.apply(SetRanks{std::move(ranks)}, facts);
}

bool is_about_candidate_ranks(const IntentTargets& to, const Intent& intent) {
    const auto* change = intent.find<ChangeRanks>();
    return change && change->change != RankChange::NextGrouping && to.session.alignment() &&
           to.selected == core::Side::Candidate && exists(to.session.run(to.selected), to.view(to.selected).selected);
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

// Intents that write files or text, with their messages.
void apply_to_saving(const IntentTargets& to, const Intent& intent) {
    if (intent.find<OpenPaths>() || intent.find<CloseNotice>()) to.saving.clear_notice();
    if (const auto* save = intent.find<SaveFile>()) to.saving.save(*save, to.session, to.store.document());
    if (const auto* copy = intent.find<CopyTable>())
        to.saving.copy(to.session, copy->table ? copy->table : chart_export().active_table());
    if (intent.find<CopyChart>()) to.saving.copy_chart();
    if (const auto* press = intent.find<PressKey>()) key_map().press(press->id);
    if (const auto* number = intent.find<SetDeviceNumber>()) set_device_number(to, *number);
    if (const auto* limit = intent.find<SetLimit>()) set_limit(to, *limit);
    if (intent.find<CopyLink>())
        ImGui::SetClipboardText(command_line_of(to.session, to.view(core::Side::Baseline)).c_str());
}

void apply_to_alignment(const IntentTargets& to, const Intent& intent) {
    std::optional<core::AlignBy> by;
    if (intent.find<AlignAtStep>()) by = alignment_at_step(to);
    if (intent.find<AlignAtSelected>()) by = alignment_at_selected(to);
    if (by) to.session.align(*by);
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
void apply_to_parts(const IntentTargets& to, const Intent& intent) {
    const auto* asked = intent.find<CompareInside>();
    if (!asked || !to.session.run()) return;
    core::Filter filter = to.session.filter();
    if (asked->kind == InsideKind::StepWithMedian)
        filter = core::without_term<core::StepTerm>(std::move(filter));
    else
        filter = core::without_term<core::CaptureTerm>(core::without_term<core::RankTerm>(std::move(filter)));
    const core::Result<core::BySide<core::RunPart>> parts = choose_parts(to, *asked, filter);
    if (!parts) return to.saving.tell({"Cannot compare: " + parts.error().message, true});
    to.session.compare_parts(*parts, std::move(filter));
    to.saving.tell({"Comparing " + parts->candidate.title + " against " + parts->baseline.title, false});
}

// Applies intents of the candidate's panels that concern the window. True: close the window.
bool apply_one(const IntentTargets& to, core::Side side, const Intent& intent) {
    const Applied applied = apply({&intent, 1}, to.session, to.store, to.ephemera, side);
    if (applied.top) to.timelines[side]->put_on_top(*applied.top);
    if (applied.reveal.valid()) to.timelines[side]->reveal(applied.reveal);
    if (intent.find<SelectEvent>() && to.view(side).selected.valid()) to.selected = side;
    if (is_of_view(intent) && !intent.find<SetMarks>()) to.active = side;
    return applied.quit;
}

}  // namespace

AppliedIntents apply_intents(const IntentTargets& to, core::Side side, std::span<const Intent> intents) {
    AppliedIntents applied;
    for (const Intent& intent : intents) {
        if (std::filesystem::path session = open_session(to, intent); !session.empty()) {
            applied.opened_session = std::move(session);
            continue;
        }
        const core::Side whose = side_of(to, intent, side);
        apply_to_saving(to, intent);
        apply_to_alignment(to, intent);
        apply_to_parts(to, intent);
        if (is_about_candidate_ranks(to, intent))
            change_ranks_of_candidate(to, intent.find<ChangeRanks>()->change);
        else
            applied.quit |= apply_one(to, whose, intent);
    }
    return applied;
}

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
