#include "core/session/session.hpp"

#include "core/diff/align/devices.hpp"
#include "core/query/filter_edit.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostRunsKept = 4;  // shown or reachable by undo; see HoldsTooManyRuns

bool same_times(const Filter& a, const Filter& b) {
    const auto times = [](const Filter& filter) {
        std::vector<TimeTerm> terms;
        for (const FilterTerm& term : filter.terms)
            if (const auto* time = std::get_if<TimeTerm>(&term.what)) terms.push_back(*time);
        return terms;
    };
    return times(a) == times(b);
}

// True if other changes were found than before.
bool poll_check(OpenRun& run) {
    const Result<std::string>* const found = run.check.poll();
    if (!found) return false;
    const std::string changes = *found ? **found : run.changes;
    run.check = {};
    return std::exchange(run.changes, changes) != changes;
}

}  // namespace

bool HoldsTooManyRuns::operator()(const ViewQuery& older) {
    for (const Side side : kSides)
        if (older.runs[side]) held_.insert(older.runs[side]);
    return held_.size() > kMostRunsKept;
}

Session::Session(unsigned threads, std::function<void()> on_change)
    : on_change_(std::move(on_change)),
      pool_(std::make_unique<JobPool>(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency()))),
      results_(*pool_) {
    if (on_change_) pool_->set_on_rest(on_change_);
}

Session::~Session() = default;

RunLoadOptions Session::load_options() const {
    const IndexFiles allowed = index_files_allowed_ ? index_files_ : IndexFiles::Ignore;
    const IndexFiles use = allowed != IndexFiles::Ignore && index_in_cache_ ? IndexFiles::UseCache : allowed;
    return {.index_files = use, .cache_limit = cache_limit_, .step_marks = step_marks_};
}

void Session::open(const std::vector<std::filesystem::path>& paths, Side side) {
    auto opened = std::make_shared<OpenRun>();
    opened->load = std::make_unique<RunLoad>(paths, names_, load_options(), on_change_);
    opened->done = false;
    show_opened(std::move(opened), paths, side);
}

void Session::watch(const std::vector<std::filesystem::path>& paths, std::chrono::milliseconds quiet) {
    auto opened = std::make_shared<OpenRun>();
    RunLoadOptions how = load_options();
    how.kept = std::make_shared<KeptRanks>();
    opened->watch = std::make_unique<FolderWatch>(
        FolderWatch{.files = std::make_shared<FinishedFiles>(paths, quiet), .paths = paths, .how = std::move(how)});
    opened->watch->interval = std::min(watch_interval(paths), std::max(quiet, std::chrono::milliseconds{10}) * 2);
    show_opened(std::move(opened), paths, Side::Baseline);
}

// Replaces what is open on that side.
void Session::show_opened(OpenRunPtr opened, const std::vector<std::filesystem::path>& paths, Side side) {
    remember_marks();
    const auto closed = closed_marks_.find(paths);
    opened_.push_back(opened);
    ViewQuery next = query_;
    const OpenRunPtr before = std::exchange(next.runs[side], std::move(opened));
    next.times_from = times_zero();
    if (side == Side::Baseline) {
        next.filter = {};
        next.times_from.reset();
    }
    if (std::exchange(next.parts, std::nullopt) && side == Side::Baseline) {
        next.runs.candidate = nullptr;
        next.marks.candidate = nullptr;
    }
    next.clocks[side] = ClockChoice::Auto;
    next.gaps_cut[side] = false;
    next.marks[side] = closed == closed_marks_.end() ? nullptr : closed->second;
    if (side == Side::Baseline || next.align.kind == AlignBy::Kind::Moments) next.align = {};
    const bool joins = side == Side::Candidate && !before && run();  // undo must not remove the baseline again
    if (joins || (before && before->run && before->stopped())) {
        commit(std::move(next));
    } else {  // an empty or half-loaded run is not worth a step of undo
        if (before && before->load) before->load->cancel();
        replace(std::move(next));
    }
}

void Session::close(Side side) {
    ViewQuery next = query_;
    if (!next.runs[side]) return;
    remember_marks();
    next.parts.reset();
    next.runs[side] = nullptr;
    next.clocks[side] = ClockChoice::Auto;
    next.gaps_cut[side] = false;
    next.marks[side] = nullptr;
    next.times_from = times_zero();
    if (!next.runs.baseline) {
        std::swap(next.runs.baseline, next.runs.candidate);
        std::swap(next.clocks.baseline, next.clocks.candidate);
        std::swap(next.gaps_cut.baseline, next.gaps_cut.candidate);
        std::swap(next.marks.baseline, next.marks.candidate);
        next.times_from = alignment() ? std::optional(alignment()->anchor.candidate) : std::nullopt;
    }
    next.align = {};
    commit(std::move(next));
}

void Session::swap_runs() {
    ViewQuery next = query_;
    if (!next.runs.candidate) return;
    std::swap(next.runs.baseline, next.runs.candidate);
    std::swap(next.clocks.baseline, next.clocks.candidate);
    std::swap(next.gaps_cut.baseline, next.gaps_cut.candidate);
    std::swap(next.marks.baseline, next.marks.candidate);
    if (next.parts) std::swap(next.parts->baseline, next.parts->candidate);
    std::swap(next.align.moments.baseline, next.align.moments.candidate);
    std::swap(next.align.names.baseline, next.align.names.candidate);
    const RunAlignment* now = alignment();
    if (next.align.kind == AlignBy::Kind::Step) {
        if (now && now->anchor_steps)
            next.align.step = now->anchor_steps->candidate;
        else
            next.align = {};
    }
    next.times_from = now ? std::optional(now->anchor.candidate) : std::nullopt;
    for (NamePair& pair : next.names.pairs) std::swap(pair.baseline, pair.candidate);
    commit(std::move(next));
}

ViewQuery Session::with_parts(BySide<RunPart> parts) const {
    ViewQuery next = query_;
    next.times_from = times_zero();
    next.runs.candidate = next.runs.baseline;
    next.clocks.candidate = next.clocks.baseline;
    next.gaps_cut.candidate = next.gaps_cut.baseline;
    next.marks.candidate = next.marks.baseline;
    next.align = {};
    next.parts = std::move(parts);
    return next;
}

void Session::compare_parts(BySide<RunPart> parts, Filter filter) {
    if (!open_run(Side::Baseline)) return;
    remember_marks();
    ViewQuery next = with_parts(std::move(parts));
    next.filter = std::move(filter);
    commit(std::move(next));
}

void Session::restore_parts(BySide<RunPart> parts) {
    if (open_run(Side::Baseline)) amend(with_parts(std::move(parts)));
}

const Marks& Session::marks(Side side) const {
    static const Marks kNone;
    const MarksPtr& now = query_.marks[side];
    return now ? *now : kNone;
}

ViewQuery Session::with_marks(Side side, Marks marks) const {
    ViewQuery next = query_;
    next.marks[side] = marks.empty() ? nullptr : std::make_shared<const Marks>(std::move(marks));
    if (next.parts) next.marks[other_side(side)] = next.marks[side];
    return next;
}

void Session::set_marks(Side side, Marks marks) {
    const Marks& now = this->marks(side);
    if (marks == now) return;
    Gesture gesture{Gesture::Kind::Note, 0};
    if (const std::optional<std::size_t> note = find_typed_note(now, marks))
        gesture.number = 1 + *note + (side == Side::Candidate ? kMostMarks + kBookmarks : 0);
    commit(with_marks(side, std::move(marks)), gesture);
}

void Session::restore_marks(Side side, Marks marks) { amend(with_marks(side, std::move(marks))); }

void Session::commit(ViewQuery query, Gesture gesture) {
    if (query == query_) return;
    query_ = query;
    changes_.push_back({.kind = QueryChange::Kind::Commit, .query = std::move(query), .gesture = gesture});
}

void Session::replace(ViewQuery query) {
    query_ = query;
    changes_.push_back({.kind = QueryChange::Kind::Replace, .query = std::move(query), .gesture = {}});
}

void Session::amend(ViewQuery query) {
    query_ = query;
    changes_.push_back({.kind = QueryChange::Kind::Amend, .query = std::move(query), .gesture = {}});
}

void Session::show(ViewQuery query) {
    remember_marks();
    query_ = std::move(query);
}

// Those of the open runs, for when they are opened again.
void Session::remember_marks() {
    for (const Side side : kSides) {
        const RunLoad* open = load(side);
        if (!open) continue;
        if (const MarksPtr& now = query_.marks[side])
            closed_marks_[open->paths()] = now;
        else
            closed_marks_.erase(open->paths());
    }
}

void Session::set_filter(Filter filter, std::uint64_t gesture) {
    ViewQuery next = query_;
    // New times are relative to the current origin.
    if (!same_times(filter, next.filter)) next.times_from = comparing() && !alignment() ? times_zero() : std::nullopt;
    next.filter = std::move(filter);
    commit(std::move(next), {Gesture::Kind::Filter, gesture});
}

void Session::check_sources() {
    for (const Side side : kSides) {
        const OpenRunPtr& run = open_run(side);
        if (!run || !run->done || !run->load || run->check) continue;
        const auto stamps = run->load->stamps();
        if (!stamps) continue;
        run->check =
            Job<std::string>::start(*pool_, [stamps](const JobContext& job) { return stamps->find_changes(job); });
    }
}

bool Session::checking_sources() const {
    return std::ranges::any_of(kSides, [&](Side side) { return open_run(side) && open_run(side)->check; });
}

const std::string& Session::source_changes(Side side) const {
    static const std::string kNone;
    return open_run(side) ? open_run(side)->changes : kNone;
}

bool Session::update() {
    bool changed = false;
    for (const OpenRunPtr& run : opened_) {
        bool news = run->update();
        news |= run->update_watch(*pool_, names_, on_change_);
        changed |= (news || poll_check(*run)) && (run == open_run(Side::Baseline) || run == open_run(Side::Candidate));
    }
    for (const Side side : kSides)
        if (open_run(side)) {
            const RunView view{.clocks = clocks(side), .cut_gaps = gaps_cut(side), .page_budget = page_budget_};
            changed |= open_run(side)->show(view, *pool_);
        }
    std::erase_if(opened_, [](OpenRunPtr& run) {
        if (run.use_count() > 1) return false;
        if (run->load) run->load->cancel();
        return run->stopped();
    });
    update_alignment();
    carry_times();
    return changed;
}

void Session::want_whole(Side side, std::vector<std::uint32_t> slots) {
    if (open_run(side)) open_run(side)->wanted_whole = std::move(slots);
}

std::optional<RunTime> Session::times_zero() const {
    if (alignment()) return alignment()->anchor.baseline;
    if (query_.times_from) return query_.times_from;
    return run() ? std::optional(run()->origin()) : std::nullopt;
}

void Session::carry_times() {
    const ViewQuery& now = query_;
    if (!now.times_from || !run() || (comparing() && !alignment())) return;
    const RunTime zero = alignment() ? alignment()->anchor.baseline : run()->origin();
    if (*now.times_from == zero) return;
    ViewQuery next = now;
    next.filter = moved_in_time(std::move(next.filter), *now.times_from - zero);
    next.times_from = zero;
    amend(std::move(next));
    update_alignment();
}

void Session::align(AlignBy by) {
    ViewQuery next = query_;
    next.times_from = times_zero();
    next.align = std::move(by);
    commit(std::move(next));
}

void Session::set_names(NameRules names) {
    ViewQuery next = query_;
    next.names = std::move(names);
    next.names_chosen = true;
    commit(std::move(next));
}

void Session::set_statistics(StatisticsOptions statistics) {
    if (statistics == query_.statistics) return;
    ViewQuery next = query_;
    next.statistics = statistics;
    commit(std::move(next));
}

void Session::set_clocks(Side side, ClockChoice choice) {
    if (choice == clocks(side)) return;
    ViewQuery next = query_;
    next.times_from = times_zero();
    next.clocks[side] = choice;
    if (next.parts) next.clocks[other_side(side)] = choice;
    commit(std::move(next));
}

void Session::cut_gaps(Side side, bool cut) {
    if (cut == gaps_cut(side)) return;
    ViewQuery next = query_;
    next.times_from = times_zero();
    next.gaps_cut[side] = cut;
    if (next.parts) next.gaps_cut[other_side(side)] = cut;
    commit(std::move(next));
}

void Session::restore_gaps_cut(Side side, bool cut) {
    ViewQuery next = query_;
    next.gaps_cut[side] = cut;
    amend(std::move(next));
}

std::span<const CutGap> Session::cut_gaps_of(Side side) const {
    return open_run(side) ? open_run(side)->gaps() : std::span<const CutGap>();
}

void Session::restore_clocks(Side side, ClockChoice choice) {
    ViewQuery next = query_;
    next.clocks[side] = choice;
    amend(std::move(next));
}

const RunAlignment* Session::alignment() const {
    const RunPtr& baseline = run(Side::Baseline);
    const RunPtr& candidate = run(Side::Candidate);
    if (!alignment_ || !baseline || !candidate) return nullptr;
    return aligned_runs_ == BySide<std::uint64_t>{baseline->id(), candidate->id()} ? &*alignment_ : nullptr;
}

void Session::pair_names_by_default(const Run& baseline, const Run& candidate) {
    const ViewQuery& now = query_;
    const NameMatching matching = default_matching(baseline, candidate);
    if (now.names_chosen || now.names.matching == matching) return;
    ViewQuery next = now;
    next.names.matching = matching;
    amend(std::move(next));
}

void Session::update_alignment() {
    const RunPtr& baseline = run(Side::Baseline);
    const RunPtr& candidate = run(Side::Candidate);
    if (!baseline || !candidate) {
        alignment_.reset();
        return;
    }
    const BySide<std::uint64_t> runs{baseline->id(), candidate->id()};
    const bool same_runs =
        alignment_ && runs == aligned_runs_ && aligned_by_ == aligned_by() && aligned_parts_ == parts();
    if (same_runs && aligned_filter_ == filter()) return;
    if (!same_runs) {
        RunAlignment found = parts() ? align_parts(*baseline, *parts()) : align_runs(*baseline, *candidate);
        const AlignBy& by = aligned_by();
        if (by.kind == AlignBy::Kind::Start) found = anchored_at_origins(std::move(found));
        if (by.kind == AlignBy::Kind::Moments) found = anchored_at(std::move(found), by.moments);
        if (by.kind == AlignBy::Kind::Step) {
            if (std::optional<RunAlignment> at_step = anchored_at_step(found, by.step)) found = std::move(*at_step);
        }
        pair_names_by_default(*baseline, *candidate);
        alignment_ = std::move(found);
        aligned_runs_ = runs;
        aligned_by_ = by;
        aligned_parts_ = parts();
    }
    aligned_filter_ = filter();
    for (const Side side : kSides) side_filter_[side] = alignment_->filter_for(side, filter());
}

TimeTerm Session::time_term(Side side, RunRange range) const {
    const RunTime zero = alignment() ? alignment_->anchor[side] : run(side) ? run(side)->origin() : RunTime{};
    return {range.begin - zero, range.end - zero};
}

void Session::cancel_load() {
    for (const Side side : kSides) {
        if (open_run(side) && open_run(side)->load) open_run(side)->load->cancel();
    }
}

const RunPtr& Session::run(Side side) const {
    static const RunPtr kNone;
    return open_run(side) ? open_run(side)->run : kNone;
}

bool Session::is_whole(Side side) const { return open_run(side) && open_run(side)->done; }

const RunLoad* Session::load(Side side) const { return open_run(side) ? open_run(side)->load.get() : nullptr; }

void Session::set_run(RunPtr run, Side side) {
    ViewQuery next = query_;
    next.runs[side] = run ? open_built_run(std::move(run)) : nullptr;
    replace(std::move(next));
}

}  // namespace core
