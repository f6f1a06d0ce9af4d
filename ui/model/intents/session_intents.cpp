#include "ui/model/intents/applied_to.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace ui {
namespace {

std::optional<core::RunRange> range_to_mark(const core::RunPtr& run, const View& view, const SideEphemera& ephemeral) {
    if (view.area) return view.area;
    if (exists(run, view.selected)) return run->range_of(view.selected);
    if (ephemeral.pointer) return core::RunRange{*ephemeral.pointer, *ephemeral.pointer};
    return std::nullopt;
}

void mark(const AppliedTo& to, bool keep) {
    if (!to.run) return;
    const std::optional<core::RunRange> range = range_to_mark(to.run, to.view(), to.ephemera.sides[to.side]);
    core::Marks marks = to.session.marks(to.side);
    if (keep)
        keep_mark(marks, range);
    else
        mark_range(marks, range);
    to.session.set_marks(to.side, std::move(marks));
}

void set_bookmark(const AppliedTo& to, std::size_t number) {
    if (!to.run || number >= core::kBookmarks) return;
    core::Marks marks = to.session.marks(to.side);
    std::optional<core::Bookmark>& bookmark = marks.bookmarks[number];
    core::Note note = bookmark ? bookmark->note : core::Note{};
    bookmark = core::Bookmark{.view = to.view().time.range(), .rank = {}, .note = std::move(note)};
    const std::optional<std::uint32_t> top = to.view().top_slot;
    if (top && *top < to.run->ranks().size()) bookmark->rank = core::format_rank(to.run->rank(*top).key);
    to.session.set_marks(to.side, std::move(marks));
}

void open_paths(const OpenPaths& open, const AppliedTo& to) {
    if (open.watch && open.side == core::Side::Baseline)
        to.session.watch(open.paths);
    else
        to.session.open(open.paths, open.side);
    to.store.record(to.session);
    if (open.side != core::Side::Baseline) return;
    to.ephemera.sides[to.side].hovered = {};
    to.store.apply(DropSelection{}, to.facts());
    to.store.apply(ForgetChoices{}, to.facts());
}

// Two folders are two runs, anything else is one; with a run open it may be either of a comparison's.
void drop_paths(const DropPaths& drop, const AppliedTo& to) {
    const auto is_folder = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored);
    };
    if (drop.paths.empty()) return;
    if (drop.paths.size() == 2 && std::ranges::all_of(drop.paths, is_folder)) {
        open_paths({{drop.paths.front()}, core::Side::Baseline}, to);
        to.session.open({drop.paths.back()}, core::Side::Candidate);
    } else if (to.session.run()) {
        to.ephemera.window.dropped = drop.paths;
    } else {
        open_paths({drop.paths, core::Side::Baseline}, to);
    }
}

struct ApplyToSession {
    const AppliedTo& to;
    void operator()(const SetFilter& set) const { to.session.set_filter(set.filter, set.gesture); }
    void operator()(const Undo&) const {
        change_runs([&] { to.store.undo(to.session); });
    }
    void operator()(const Redo&) const {
        change_runs([&] { to.store.redo(to.session); });
    }
    void operator()(const OpenPaths& open) const { open_paths(open, to); }
    void operator()(const DropPaths& drop) const { drop_paths(drop, to); }
    void operator()(const CancelLoad&) const { to.session.cancel_load(); }
    void operator()(const AlignRuns& align) const { to.session.align(align.by); }
    void operator()(const SetClocks& set) const { to.session.set_clocks(to.side, set.choice); }
    void operator()(const CutGaps& cut) const { to.session.cut_gaps(to.side, cut.on); }
    void operator()(const SetNames& names) const { to.session.set_names(names.rules); }
    void operator()(const SetStatistics& statistics) const { to.session.set_statistics(statistics.options); }
    void operator()(const CloseRun& close) const {
        change_runs([&] { to.session.close(close.side); });
    }
    void operator()(const SwapRuns&) const {
        change_runs([&] { to.session.swap_runs(); });
    }
    void operator()(const MarkRange& marked) const { mark(to, marked.keep); }
    void operator()(const SetMarks& set) const {
        core::Marks marks = set.marks;
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        core::sign_notes(to.session.marks(to.side), marks, core::name_of_user(),
                         std::chrono::floor<std::chrono::seconds>(now).count());
        to.session.set_marks(to.side, std::move(marks));
    }
    void operator()(const SetBookmark& set) const { set_bookmark(to, set.number); }

private:
    core::BySide<core::RunPtr> runs() const {
        return {to.session.run(core::Side::Baseline), to.session.run(core::Side::Candidate)};
    }
    // A listing closes with its run.
    void change_runs(const std::function<void()>& change) const {
        if (!to.store.choices().listed) return change();
        const core::RunAlignment* now = to.session.alignment();
        CarryListing carry{.before = runs(), .alignment = now ? std::optional(*now) : std::nullopt, .after = {}};
        change();
        to.store.record(to.session);
        carry.after = runs();
        to.store.apply(std::move(carry), to.facts());
    }
};

}  // namespace

void apply_to_session(const SessionIntent& intent, const AppliedTo& to) { std::visit(ApplyToSession{to}, intent); }

}  // namespace ui
