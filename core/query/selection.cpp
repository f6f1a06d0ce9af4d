#include "core/query/selection.hpp"

#include "core/base/jobs.hpp"
#include "core/collectives/waits.hpp"
#include "core/query/name_matcher.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace core {
namespace {

// The steps of one rank that a step term accepts.
class StepRule {
public:
    StepRule(const RankTrace& trace, const FilterTerm& term)
        : trace_(trace),
          complete_(std::get<StepTerm>(term.what).complete),
          numbers_(std::get<StepTerm>(term.what).numbers),
          negated_(term.negated) {
        std::set<std::int64_t> numbers;
        for (const Step& step : trace.steps) numbers.insert(step.number);
        if (numbers.size() > 1) last_begin_ = trace.steps.back().range.begin;
    }
    // Accepts an event that happened (or was launched) at t.
    bool accepts(RankTime t) const {
        if (complete_) return (!last_begin_ || t < *last_begin_) != negated_;
        const Step* step = trace_.find_step(t);
        return (step && numbers_.contains(step->number)) != negated_;
    }
    bool accepts(const Step& step) const {
        if (complete_) return accepts(step.range.begin);
        return numbers_.contains(step.number) != negated_;
    }
    // `complete` on a rank with at most one step accepts everything, including events launched
    // before the trace began.
    bool accepts_unlaunched() const { return complete_ && !last_begin_ && !negated_; }

private:
    const RankTrace& trace_;
    bool complete_;
    NumberSet numbers_;
    bool negated_;
    std::optional<RankTime> last_begin_;
};

std::vector<StepRule> rules_of(const RankTrace& trace, const Filter& filter) {
    std::vector<StepRule> rules;
    for (const FilterTerm& term : filter.terms) {
        if (std::holds_alternative<StepTerm>(term.what)) rules.emplace_back(trace, term);
    }
    return rules;
}

std::vector<Step> accepted_steps(const RankTrace& trace, const std::vector<StepRule>& rules) {
    std::vector<Step> steps;
    std::ranges::copy_if(trace.steps, std::back_inserter(steps), [&](const Step& step) {
        return std::ranges::all_of(rules, [&](const StepRule& rule) { return rule.accepts(step); });
    });
    return steps;
}

}  // namespace

class SelectionBuilder {
public:
    SelectionBuilder(const Run& run, std::size_t slot, const Filter& filter, const JobContext& job)
        : run_(run),
          slot_(static_cast<std::uint32_t>(slot)),
          trace_(run.rank(slot).trace()),
          classes_(run.rank(slot).index->classes()),
          filter_(filter),
          job_(job) {
        selection_ = std::shared_ptr<Selection>(new Selection);
        selection_->index_ = run.rank(slot).index;
    }

    Result<SelectionPtr> build() && {
        step_rules_ = rules_of(trace_, filter_);
        selection_->steps_ = accepted_steps(trace_, step_rules_);
        if (filter_.empty()) {
            use_everything();
            return SelectionPtr(std::move(selection_));
        }
        selection_->passes_.assign(trace_.size(), true);
        if (!apply_window_terms()) return cancelled_error();
        collect_window();
        if (job_.cancelled()) return cancelled_error();
        for (const FilterTerm& term : filter_.terms) {
            if (std::optional<Error> error = apply(term)) return std::move(*error);
            if (job_.cancelled()) return cancelled_error();
        }
        collect_gpu_events();
        if (job_.cancelled()) return cancelled_error();
        return SelectionPtr(std::move(selection_));
    }

private:
    using Passes = std::vector<bool>;
    Passes& passes() { return selection_->passes_; }

    void use_everything() {
        selection_->gpu_events_ = trace_.gpu_events;
        selection_->tree_ = &selection_->index_->gpu_tree();
        use_whole_window();
    }
    void use_whole_window() {
        selection_->window_events_ = trace_.gpu_events;
        selection_->window_tree_ = &selection_->index_->gpu_tree();
        selection_->partition_ = &selection_->index_->partition();
        selection_->window_ = selection_->index_->gpu_window();
    }

    // Removes events for which `keep` is false. False if cancelled.
    template <class Keep>
    bool restrict_events(Keep keep) {
        for (std::size_t i = 0; i < trace_.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
            if (passes()[i] && !keep(EventId{static_cast<std::uint32_t>(i)})) passes()[i] = false;
        }
        return true;
    }

    bool apply_window_terms() {
        for (const FilterTerm& term : filter_.terms) {
            if (std::holds_alternative<StreamTerm>(term.what))
                apply_stream(std::get<StreamTerm>(term.what), term.negated);
        }
        return step_rules_.empty() || apply_steps();
    }
    void apply_stream(const StreamTerm& term, bool negated) {
        const NumberSet numbers(term.numbers);
        for (const Lane& lane : trace_.lanes) {
            const std::int64_t stream = trace_.tracks[lane.track].stream;
            const bool matches = stream >= 0 && numbers.contains(stream);
            if (matches != negated) continue;
            for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i) passes()[i] = false;
        }
    }

    // Step rules change only at the begin or end of a step, so the rank's time is segmented there
    // once.
    bool apply_steps() {
        std::vector<RankTime> cuts{RankTime::min()};
        for (const Step& step : trace_.steps) cuts.insert(cuts.end(), {step.range.begin, step.range.end});
        std::ranges::sort(cuts);
        std::vector<bool> accepted;
        for (const RankTime cut : cuts) {
            accepted.push_back(
                std::ranges::all_of(step_rules_, [&](const StepRule& rule) { return rule.accepts(cut); }));
        }
        const bool unlaunched = std::ranges::all_of(step_rules_, &StepRule::accepts_unlaunched);
        std::size_t at = 0;  // anchors are mostly sorted along a lane
        const auto accepts = [&](RankTime t) {
            const bool near = cuts[at] <= t && (at + 1 == cuts.size() || t < cuts[at + 1]);
            if (!near) at = static_cast<std::size_t>(std::ranges::upper_bound(cuts, t) - cuts.begin()) - 1;
            return accepted[at];
        };
        return restrict_events([&](EventId e) {
            if (!trace_.has(e, kGpuEvent)) return bool{accepts(trace_.start[index_of(e)])};
            const EventId call = trace_.parent[index_of(e)];
            if (call != kNoEvent) return bool{accepts(trace_.start[index_of(call)])};
            return trace_.was_launched_before(e) ? unlaunched : bool{accepts(trace_.start[index_of(e)])};
        });
    }

    // Collects the events that the window terms let pass: those that pass so far.
    void collect_window() {
        Selection& s = *selection_;
        if (!filter_.chooses_work()) return use_whole_window();
        s.in_window_ = passes();
        std::ranges::copy_if(trace_.gpu_events, std::back_inserter(s.own_window_events_),
                             [&](EventId e) { return passes()[index_of(e)]; });
        s.own_window_events_.shrink_to_fit();
        s.window_events_ = s.own_window_events_;
        s.own_window_tree_ = IntervalTree(s.window_events_, trace_.start, trace_.duration);
        s.window_tree_ = &s.own_window_tree_;
        s.own_partition_ = ClassPartition(trace_, classes_, s.window_events_);
        s.partition_ = &s.own_partition_;
        bool any = false;
        for (const EventId e : s.window_events_) {
            s.window_ = any ? RankRange{s.window_.begin, std::max(s.window_.end, trace_.end(e))} : trace_.range(e);
            any = true;
        }
    }

    std::optional<Error> apply(const FilterTerm& term) {
        if (const auto* name = std::get_if<NameTerm>(&term.what)) return apply_name(*name, term.negated);
        if (const auto* of_class = std::get_if<ClassTerm>(&term.what)) {
            restrict_events(
                [&](EventId e) { return ((set_of(classes_.of(e)) & of_class->classes) != 0) != term.negated; });
        } else if (const auto* length = std::get_if<DurationTerm>(&term.what)) {
            const Duration least = length->least.value_or(Duration::min());
            const Duration most = length->most.value_or(Duration::max());
            restrict_events([&](EventId e) {
                const Duration d = trace_.duration[index_of(e)];
                return (least <= d && d <= most) != term.negated;
            });
        } else if (const auto* group = std::get_if<GroupTerm>(&term.what)) {
            Passes in_group = events_of_group(group->text);
            keep_only(in_group, term.negated);
        } else if (is_about_collectives(term)) {
            Passes chosen(trace_.size());
            add_members(chosen, [&](const MemberOf& member) { return accepts(term, member); });
            keep_only(chosen, term.negated);
        }
        return std::nullopt;
    }

    void keep_only(const Passes& chosen, bool negated) {
        restrict_events([&](EventId e) { return chosen[index_of(e)] != negated; });
    }

    // One member event of this rank in its collective.
    struct MemberOf {
        const Collective& collective;
        std::uint32_t number;  // of the collective
        MemberRef ref;
        EventId event;
    };
    static bool is_about_collectives(const FilterTerm& term) {
        return std::holds_alternative<CollectiveTerm>(term.what) || std::holds_alternative<WaitTerm>(term.what) ||
               std::holds_alternative<LastTerm>(term.what) || std::holds_alternative<MatchedTerm>(term.what);
    }
    bool accepts(const FilterTerm& term, const MemberOf& member) const {
        const Collective& c = member.collective;
        if (const auto* matched = std::get_if<MatchedTerm>(&term.what)) return matched->accepts(c.confidence);
        if (const auto* named = std::get_if<CollectiveTerm>(&term.what)) {
            const bool fits = named->operations.empty() ||
                              std::ranges::find(named->operations, c.operation) != named->operations.end();
            return fits && (named->sequences.empty() || contains_number(named->sequences, c.sequence));
        }
        const WaitsPtr waits = waits_of(run_);
        if (const auto* last = std::get_if<LastTerm>(&term.what)) {
            const CollectiveTimes& times = waits->times[member.number];
            return times.counts && times.resolved && last->ranks.accepts(run_.rank(times.last_slot).key);
        }
        const DurationTerm& length = std::get<WaitTerm>(term.what).length;
        const std::optional<std::int64_t> wait = waits->find_wait(member.ref);
        return wait && length.least.value_or(Duration::min()) <= Duration{*wait} &&
               Duration{*wait} <= length.most.value_or(Duration::max());
    }

    // Marks the events of this rank's members for which `keep` is true.
    template <class Keep>
    void add_members(Passes& chosen, Keep keep) const {
        const MatchedRunPtr matches = matched(run_);
        const std::span<const MemberEvent> events = run_.rank(slot_).index->members().events();
        for (std::uint32_t i = 0; i < events.size(); ++i) {
            const MemberRef ref{slot_, i};
            const std::uint32_t number = matches->collective_of(ref);
            if (keep(MemberOf{.collective = matches->collectives[number],
                              .number = number,
                              .ref = ref,
                              .event = events[i].event}))
                for (const EventId part : parts_of(trace_, classes_, events[i])) chosen[index_of(part)] = true;
        }
    }

    // Tests each distinct name that still matters once.
    std::optional<Error> apply_name(const NameTerm& term, bool negated) {
        const Result<NameMatcher> matcher = NameMatcher::make(term);
        if (!matcher) return Error(matcher.error()).within("filter: name:/" + term.text + "/");
        enum class Answer : std::uint8_t { Unknown, Yes, No };
        std::vector<Answer> known(trace_.names.size(), Answer::Unknown);
        std::size_t decided = 0;
        bool stop = false;
        restrict_events([&](EventId e) {
            const NameId name = trace_.name[index_of(e)];
            Answer& answer = known[index_of(name)];
            if (answer == Answer::Unknown) {
                if (++decided % 256 == 0) stop = stop || job_.cancelled();
                answer = !stop && matcher->matches(trace_.text(name)) ? Answer::Yes : Answer::No;
            }
            return (answer == Answer::Yes) != negated;
        });
        return std::nullopt;
    }

    Passes events_of_group(std::string_view text) const {
        const std::string wanted = lowered(text);
        Passes in_group(trace_.size());
        Passes says_group(trace_.size());
        for (const Arg arg : {Arg::GroupName, Arg::GroupDescription}) {
            const SparseColumn<NameId> column = trace_.texts(arg);
            for (std::size_t i = 0; i < column.size(); ++i) {
                const std::string_view value = trace_.text(column.values[i]);
                const bool fits = (arg == Arg::GroupDescription || value.size() == wanted.size()) &&
                                  contains_without_case(value, wanted);
                says_group[index_of(column.events[i])] = true;
                if (fits) in_group[index_of(column.events[i])] = true;
            }
        }
        if (wanted.empty()) return in_group;
        // The label that tables show; and kernels that say nothing themselves belong to the group of their launch.
        std::vector<bool> labelled;
        std::vector<bool> named;
        for (const RunGroup& group : matched(run_)->groups) {
            labelled.push_back(lowered(group.label) == wanted || lowered(group.familiar) == wanted ||
                               lowered(name_of(group.axis)) == wanted);
            named.push_back(lowered(group.name) == wanted || contains_without_case(group.description, wanted));
        }
        add_members(in_group, [&](const MemberOf& member) {
            const std::uint32_t group = member.collective.group;
            return labelled[group] || (named[group] && !says_group[index_of(member.event)]);
        });
        return in_group;
    }

    void collect_gpu_events() {
        Selection& s = *selection_;
        std::ranges::copy_if(trace_.gpu_events, std::back_inserter(s.own_events_),
                             [&](EventId e) { return passes()[index_of(e)]; });
        s.own_events_.shrink_to_fit();
        s.gpu_events_ = s.own_events_;
        s.own_tree_ = IntervalTree(s.gpu_events_, trace_.start, trace_.duration);
        s.tree_ = &s.own_tree_;
        if (filter_.chooses_some_events()) s.chosen_partition_.emplace(trace_, classes_, s.gpu_events_);
    }

    const Run& run_;
    std::uint32_t slot_;
    const RankTrace& trace_;
    const ClassTable& classes_;
    const Filter& filter_;
    const JobContext& job_;
    std::vector<StepRule> step_rules_;
    std::shared_ptr<Selection> selection_;
};

Result<SelectionPtr> Selection::build(const Run& run, std::size_t slot, const Filter& filter, const JobContext& job) {
    const Filter own = filter.without_time_and_rank();
    return SelectionBuilder(run, slot, own, job).build();
}

std::size_t Selection::resident_bytes() const {
    return (own_events_.capacity() + own_window_events_.capacity()) * sizeof(EventId) + own_tree_.resident_bytes() +
           own_window_tree_.resident_bytes() + own_partition_.resident_bytes() +
           (chosen_partition_ ? chosen_partition_->resident_bytes() : 0) + steps_.capacity() * sizeof(Step) +
           (passes_.capacity() + in_window_.capacity()) / 8;
}

std::vector<Step> collect_selected_steps(const RankTrace& trace, const Filter& filter) {
    return accepted_steps(trace, rules_of(trace, filter));
}

}  // namespace core
