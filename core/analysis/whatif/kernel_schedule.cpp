#include "core/analysis/whatif/kernel_schedule.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/schedule_steps.hpp"
#include "core/analysis/whatif/pipeline_stages.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace core {
namespace {

using namespace schedule_types;

// Begins and ends of kernels that follow one another may be recorded a little off: a tenth of a pass, and no more than
// this many ns.
constexpr std::int64_t kMostSlack = 200'000;
constexpr double kOneKind = 0.95;  // of a name's kernels, before it counts as one of forwards only

enum class MessageKind : std::uint8_t { ForwardSend, ForwardRecv, BackwardSend, BackwardRecv };  // as kPairwise
constexpr std::size_t kMessageKinds = 4;

// A kernel of compute. Times are ns since the run's begin.
struct WorkItem {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::uint32_t name = 0;
    EventId event = kNoEvent;
};
using Items = std::vector<WorkItem>;

struct Message {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    EventId event = kNoEvent;
    std::uint32_t collective = 0;
};

// A collective other than a message.
struct GroupCall {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    EventId event = kNoEvent;
    std::uint32_t collective = 0;
};

struct Pass {
    bool backward = false;
    Items items;
};

// A rank in a step.
struct StageStepWork {
    std::uint32_t slot = 0;
    Items items;  // by begin
    std::array<std::vector<Message>, kMessageKinds> messages;  // by begin
    std::vector<GroupCall> calls;
    std::vector<Pass> passes;  // in order
    Items behind;  // after the last pass
};

struct Segment {
    std::optional<bool> ends_backward;  // the pass that the send at its end is of; none: behind all sends
    std::int64_t end = 0;
    Items items;
};

struct NameCount {
    std::uint64_t forward = 0, backward = 0;
};

class PassFinder {
public:
    PassFinder(std::map<std::uint32_t, NameCount>& names, std::uint32_t stage, std::uint32_t stages)
        : names_(names), is_first_(stage == 1), is_last_(stage == stages) {}

    static std::vector<Segment> split(const StageStepWork& work) {
        std::vector<Segment> segments;
        for (const Message& send : work.messages[static_cast<std::size_t>(MessageKind::ForwardSend)])
            segments.push_back({false, send.begin, {}});
        for (const Message& send : work.messages[static_cast<std::size_t>(MessageKind::BackwardSend)])
            segments.push_back({true, send.begin, {}});
        std::ranges::sort(segments, {}, &Segment::end);
        segments.push_back({std::nullopt, 0, {}});
        std::size_t at = 0;
        for (const WorkItem& item : work.items) {
            while (at + 1 < segments.size() && item.begin + (item.end - item.begin) / 2 > segments[at].end) ++at;
            segments[at].items.push_back(item);
        }
        return segments;
    }

    // Counts names in segments that hold one kind of pass only.
    void count_names(const StageStepWork& work) {
        for (const Segment& segment : split(work)) {
            if (!is_of_one_kind(work, segment)) continue;
            for (const WorkItem& item : segment.items) {
                NameCount& count = names_[item.name];
                ++(*segment.ends_backward ? count.backward : count.forward);
            }
        }
    }

    // Kernels of a forward: the fewest in a segment that holds nothing else; 0: there is none.
    std::size_t count_forward_items(const StageStepWork& work) const {
        std::size_t least = 0;
        for (const Segment& segment : split(work))
            if (is_of_one_kind(work, segment) && !*segment.ends_backward && !segment.items.empty())
                least = least == 0 ? segment.items.size() : std::min(least, segment.items.size());
        return least;
    }

    // Fills passes and what is behind them; false: they are not known. forward_items: kernels of a forward on other
    // stages; 0: unknown.
    bool find(StageStepWork& work, std::size_t forward_items) {
        const std::size_t own = count_forward_items(work);
        forward_items_ = own > 0 ? own : forward_items;
        const std::size_t microbatches = is_last_ ? work.messages[1].size() : work.messages[0].size();
        if (microbatches == 0) return false;
        std::vector<Segment> segments = split(work);
        if (is_last_ ? !find_last(segments, microbatches, work) : !find_others(segments, microbatches, work))
            return false;
        const auto backward = [](const Pass& pass) { return pass.backward; };
        const auto backwards = static_cast<std::size_t>(std::ranges::count_if(work.passes, backward));
        return backwards == microbatches && work.passes.size() == 2 * microbatches &&
               std::ranges::none_of(work.passes, [](const Pass& pass) { return pass.items.empty(); });
    }

private:
    static const std::vector<Message>& received(const StageStepWork& work) {
        return work.messages[static_cast<std::size_t>(MessageKind::BackwardRecv)];
    }

    bool is_of_one_kind(const StageStepWork& work, const Segment& segment) const {
        if (!segment.ends_backward || is_last_) return false;
        return !is_first_ || received(work).empty() || received(work).front().end > segment.end;
    }

    // +1: of forwards only, -1: of backwards only, 0: of both or unknown.
    int side_of(const WorkItem& item) const {
        const auto it = names_.find(item.name);
        if (it == names_.end()) return 0;
        const double forward = static_cast<double>(it->second.forward),
                     all = forward + static_cast<double>(it->second.backward);
        if (forward >= kOneKind * all) return 1;
        return forward <= (1 - kOneKind) * all ? -1 : 0;
    }

    bool runs_in_backwards(const WorkItem& item) const {
        const auto it = names_.find(item.name);
        return it != names_.end() && it->second.backward > 0;
    }

    // The end of the first kind of pass: as few kernels as can be on the wrong side of it. Among equal places the one
    // nearest to `wanted`, and that one as long as no backward is known by itself.
    std::size_t find_cut(const Items& items, bool backward_first, std::size_t wanted) const {
        const auto is_of_backward = [](const auto& name) { return name.second.backward > 0; };
        if (std::ranges::none_of(names_, is_of_backward)) return std::min(wanted, items.size());
        std::int64_t score = 0, best_score = 0;
        std::vector<std::size_t> best{0};
        for (std::size_t i = 0; i < items.size(); ++i) {
            score += backward_first ? -side_of(items[i]) : side_of(items[i]);
            if (score < best_score) continue;
            if (score > best_score) best.clear();
            best_score = score;
            best.push_back(i + 1);
        }
        return *std::ranges::min_element(best, {},
                                         [&](std::size_t cut) { return cut > wanted ? cut - wanted : wanted - cut; });
    }

    // As many passes of one kind, of equally many kernels.
    static bool add_passes(std::span<const WorkItem> items, bool backward, std::size_t count, StageStepWork& work) {
        if (count == 0 || items.size() % count != 0) return count == 0 && items.empty();
        const std::size_t each = items.size() / count;
        for (std::size_t i = 0; i < count; ++i) {
            const auto one = items.subspan(i * each, each);
            work.passes.push_back({backward, Items(one.begin(), one.end())});
        }
        return true;
    }

    // The last stage: forwards, then the backward that is sent on.
    bool find_last(std::vector<Segment>& segments, std::size_t microbatches, StageStepWork& work) {
        work.behind = std::move(segments.back().items);
        segments.pop_back();
        if (segments.size() != microbatches) return false;
        std::vector<std::size_t> cuts;
        std::size_t all = 0;
        for (const Segment& segment : segments) {
            const std::size_t wanted = forward_items_ == 0 ? segment.items.size() / 2 : forward_items_;
            cuts.push_back(find_cut(segment.items, false, wanted));
            all += cuts.back();
        }
        if (all == 0 || all % microbatches != 0) return false;
        const std::size_t each = all / microbatches;
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const std::span<const WorkItem> items(segments[i].items);
            if (cuts[i] % each != 0 || !add_passes(items.first(cuts[i]), false, cuts[i] / each, work) ||
                !add_passes(items.subspan(cuts[i]), true, 1, work))
                return false;
        }
        return true;
    }

    // On the first stage backwards stand before the forward that is sent on, and behind the last of these.
    bool find_others(std::vector<Segment>& segments, std::size_t microbatches, StageStepWork& work) {
        Items behind = std::move(segments.back().items);
        segments.pop_back();
        std::size_t backwards = 0, each = 0;
        for (const Segment& segment : segments) {
            const std::span<const WorkItem> items(segment.items);
            if (!is_first_) {
                if (!add_passes(items, *segment.ends_backward, 1, work)) return false;
                continue;
            }
            const std::size_t forward = std::min(forward_items_, items.size());
            const std::size_t cut =
                is_of_one_kind(work, segment) ? 0 : find_cut(segment.items, true, items.size() - forward);
            if (cut > 0 && each == 0) each = cut;
            const std::size_t count = cut == 0 ? 0 : cut / each;
            backwards += count;
            if (cut > 0 && !add_passes(items.first(cut), true, count, work)) return false;
            if (!add_passes(items.subspan(cut), false, 1, work)) return false;
        }
        if (is_first_ && !take_last_backwards(behind, microbatches - std::min(backwards, microbatches), each, work))
            return false;
        work.behind = std::move(behind);
        return true;
    }

    // each: kernels of a backward; 0: unknown.
    bool take_last_backwards(Items& behind, std::size_t count, std::size_t each, StageStepWork& work) const {
        if (count == 0) return true;
        if (each == 0) {
            std::size_t of_backwards = 0;
            for (std::size_t i = 0; i < behind.size(); ++i)
                if (runs_in_backwards(behind[i])) of_backwards = i + 1;
            each = of_backwards / count;
            if (each * count != of_backwards) return false;
        }
        if (each == 0 || behind.size() < each * count) return false;
        if (!add_passes(std::span<const WorkItem>(behind).first(each * count), true, count, work)) return false;
        behind.erase(behind.begin(), behind.begin() + static_cast<std::ptrdiff_t>(each * count));
        return true;
    }

    std::map<std::uint32_t, NameCount>& names_;
    bool is_first_, is_last_;
    std::size_t forward_items_ = 0;  // kernels of a forward; 0: unknown
};

class KernelScheduleReader {
public:
    KernelScheduleReader(const Run& run, const Waits& waits, std::span<const PartWindow> parts)
        : run_(run), matches_(*waits.matched), parts_(parts), stages_(find_pipeline_stages(matches_)) {}

    Result<KernelSchedule> read(const JobContext& context) {
        if (!check_parts()) return std::move(found_);
        for (const PartWindow& part : parts_) {
            if (context.cancelled()) return cancelled_error();
            if (Result<bool> done = collect_work(part, context); !done) return std::move(done).error();
            collect_calls(part);
        }
        find_passes();
        add_steps();
        Schedule& schedule = found_.schedule;
        if (schedule.ops.empty()) {
            found_.why_not = "the forwards and backwards of their stages are not known";
            return std::move(found_);
        }
        schedule.of_kernels = true;
        sort_schedule(schedule);
        measure_schedule(schedule);
        if (Result<bool> built = build_schedule_steps(schedule, context); !built) return std::move(built).error();
        return std::move(found_);
    }

private:
    using StepWork = std::map<std::uint32_t, StageStepWork>;  // by slot

    bool check_parts() {
        for (const PartWindow& part : parts_) {
            const std::uint32_t count = stages_.stages[part.slot];
            if (count < 2 || (count_ != 0 && count != count_)) {
                found_.why_not = "they are not pipelines of one length whose messages are known";
                return false;
            }
            count_ = count;
        }
        return count_ != 0;
    }

    std::int64_t time_of(RunTime time) const { return (time - run_.origin()).count(); }

    // The work of the step of an event; null outside of the chosen steps.
    StageStepWork* find_step(const PartWindow& part, EventId event) {
        const Step* const step = run_.rank(part.slot).trace().step_of(event);
        const std::vector<EventId>& chosen = part.window.steps;
        if (!step || (!chosen.empty() && !std::ranges::binary_search(chosen, step->event))) return nullptr;
        StageStepWork& work = steps_[step->number][part.slot];
        work.slot = part.slot;
        return &work;
    }

    Result<bool> collect_work(const PartWindow& part, const JobContext& context) {
        const RankSlot& rank = run_.rank(part.slot);
        const RankTrace& trace = rank.trace();
        std::unordered_map<NameId, std::uint32_t> names;
        for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
            const EventId event = trace.gpu_events[i];
            if (rank.index->classes().of(event) != KernelClass::Compute) continue;
            StageStepWork* const work = find_step(part, event);
            if (!work) continue;
            const auto [name, is_new] = names.try_emplace(trace.name[index_of(event)], 0);
            if (is_new) name->second = number_name(trace.name_text(event));
            const std::int64_t begin = time_of(rank.start_of(event));
            work->items.push_back({begin, begin + trace.duration[index_of(event)].count(), name->second, event});
        }
        return true;
    }

    std::uint32_t number_name(std::string_view name) {
        return numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size())).first->second;
    }

    void collect_calls(const PartWindow& part) {
        const std::uint32_t slot = part.slot;
        const RankSlot& rank = run_.rank(slot);
        const std::span<const MemberEvent> members = matches_.ranks[slot].events;
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            StageStepWork* const work = find_step(part, members[i].event);
            if (!work) continue;
            const std::uint32_t number = matches_.collective_of({slot, i});
            const Collective& c = matches_.collectives[number];
            const std::int64_t begin = time_of(rank.start_of(members[i].event));
            const std::int64_t end = begin + members[i].duration.count();
            if (!is_pairwise(c.operation)) {
                if (c.count > 1) work->calls.push_back({begin, end, members[i].event, number});
            } else if (const auto kind = kind_of(slot, members[i], c)) {
                work->messages[static_cast<std::size_t>(*kind)].push_back({begin, end, members[i].event, number});
            }
        }
    }

    // Nothing where its partner is not the next stage or the one before.
    std::optional<MessageKind> kind_of(std::uint32_t slot, const MemberEvent& member, const Collective& c) const {
        if (c.count != 2) return std::nullopt;
        const std::span<const MemberRef> both = matches_.members_of(c);
        const std::uint32_t other = both[0].slot == slot ? both[1].slot : both[0].slot;
        const bool sends = member.operation == Operation::Send;
        if (!sends && member.operation != Operation::Recv) return std::nullopt;
        const std::uint32_t own = stages_.stage[slot], next = stages_.stage[other];
        if (next == own + 1) return sends ? MessageKind::ForwardSend : MessageKind::BackwardRecv;
        if (next + 1 == own) return sends ? MessageKind::BackwardSend : MessageKind::ForwardRecv;
        return std::nullopt;
    }

    void find_passes() {
        std::size_t forward_items = 0;
        for (auto& [number, ranks] : steps_) {
            for (auto& [slot, work] : ranks) {
                const auto by_begin = [](const auto& one) { return std::pair(one.begin, one.event); };
                std::ranges::sort(work.items, {}, by_begin);
                for (std::vector<Message>& messages : work.messages) std::ranges::sort(messages, {}, by_begin);
                PassFinder finder(names_, stages_.stage[slot], count_);
                finder.count_names(work);
                const std::size_t own = finder.count_forward_items(work);
                if (own > 0) forward_items = forward_items == 0 ? own : std::min(forward_items, own);
            }
        }
        find_passes_of(forward_items, false);
        // With two stages neither has backwards by themselves: those found on the first one name them.
        for (const auto& [number, ranks] : steps_)
            for (const auto& [slot, work] : ranks)
                for (const Pass& pass : work.passes)
                    for (const WorkItem& item : pass.items)
                        if (pass.backward) ++names_[item.name].backward;
        find_passes_of(forward_items, true);
    }

    void find_passes_of(std::size_t forward_items, bool last_stage) {
        for (auto& [number, ranks] : steps_) {
            for (auto& [slot, work] : ranks) {
                if ((stages_.stage[slot] == count_) != last_stage) continue;
                PassFinder finder(names_, stages_.stage[slot], count_);
                if (!finder.find(work, forward_items)) work.passes.clear();
            }
        }
    }

    // Steps in which all ranks have as many passes.
    void add_steps() {
        for (auto& [number, ranks] : steps_) {
            if (is_whole(ranks)) {
                for (auto& [slot, work] : ranks) add_ops(number, work);
            } else {
                ++found_.left_out;
            }
        }
        if (found_.left_out * 2 > steps_.size()) found_.schedule.ops.clear();
    }

    bool is_whole(const StepWork& ranks) const {
        if (ranks.size() != parts_.size()) return false;
        const std::size_t passes = ranks.begin()->second.passes.size();
        if (passes == 0) return false;
        for (const auto& [slot, work] : ranks) {
            const std::size_t microbatches = passes / 2;
            const bool is_first = stages_.stage[slot] == 1, is_last = stages_.stage[slot] == count_;
            const std::size_t down = is_last ? 0 : microbatches, up = is_first ? 0 : microbatches;
            if (work.passes.size() != passes || work.messages[0].size() != down || work.messages[1].size() != up ||
                work.messages[2].size() != up || work.messages[3].size() != down || !receives_first(work))
                return false;
        }
        return true;
    }

    static std::int64_t slack_of(const Pass& pass) {
        return std::min((pass.items.back().end - pass.items.front().begin) / 10, kMostSlack);
    }

    // No pass begins before its input is there.
    static bool receives_first(const StageStepWork& work) {
        std::size_t forward = 0, backward = 0;
        for (const Pass& pass : work.passes) {
            const std::vector<Message>& inputs = work.messages[pass.backward ? 3 : 1];
            std::size_t& number = pass.backward ? backward : forward;
            if (!inputs.empty() && inputs[number].end > pass.items.front().begin + slack_of(pass)) return false;
            ++number;
        }
        return true;
    }

    ScheduleOp& add_op(std::int64_t step, std::uint32_t slot, std::string_view type, std::int64_t begin,
                       std::int64_t end, EventId event) {
        Schedule& schedule = found_.schedule;
        auto known = std::ranges::find(schedule.types, type);
        if (known == schedule.types.end()) known = schedule.types.insert(known, std::string(type));
        ScheduleOp op;
        op.slot = slot;
        op.event = event;
        op.dp = static_cast<std::int32_t>(stages_.pipeline[slot]) - 1;
        op.stage = static_cast<std::int32_t>(stages_.stage[slot]) - 1;
        op.step = step;
        op.type = static_cast<std::uint32_t>(known - schedule.types.begin());
        op.begin = begin;
        op.end = end;
        schedule.ops.push_back(op);
        return schedule.ops.back();
    }

    void add_ops(std::int64_t step, const StageStepWork& work) {
        std::array<std::int64_t, 2> numbers{};
        for (const Pass& pass : work.passes)
            add_op(step, work.slot, pass.backward ? kBackward : kForward, pass.items.front().begin,
                   pass.items.back().end, pass.items.front().event)
                .sequence = numbers[pass.backward ? 1 : 0]++;
        for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
            std::int64_t number = 0;
            for (const Message& message : work.messages[kind]) {
                ScheduleOp& op = add_op(step, work.slot, kPairwise[kind], message.begin, message.end, message.event);
                op.sequence = number++;
                op.group = message.collective + 1;
            }
        }
        const std::int64_t first = work.passes.front().items.front().begin, last = work.passes.back().items.back().end;
        std::vector<std::int64_t> cuts;
        for (const GroupCall& call : work.calls) {
            const bool before = call.end <= first + slack_of(work.passes.front());
            const bool behind = call.begin + slack_of(work.passes.back()) >= last;
            if (!before && !behind) {
                found_.overlapping += is_in_pass(work, call) ? 0 : 1;
                continue;
            }
            cuts.push_back(call.begin);
            const Collective& c = matches_.collectives[call.collective];
            const std::string type = name_collective_type(name_of(c.operation), name_of(matches_.groups[c.group].axis));
            add_op(step, work.slot, type, call.begin, call.end, call.event).group = call.collective + 1;
        }
        std::ranges::sort(cuts);
        add_others(step, work, cuts);
    }

    // A pass waits for it, as for what tensor parallel ranks exchange.
    static bool is_in_pass(const StageStepWork& work, const GroupCall& call) {
        return std::ranges::any_of(work.passes, [&](const Pass& pass) {
            return pass.items.front().begin <= call.begin && call.end <= pass.items.back().end;
        });
    }

    // Kernels behind the last pass, those between two collectives together.
    void add_others(std::int64_t step, const StageStepWork& work, std::span<const std::int64_t> cuts) {
        for (std::size_t i = 0; i < work.behind.size();) {
            const auto next = std::ranges::upper_bound(cuts, work.behind[i].begin);
            std::int64_t end = work.behind[i].end;
            std::size_t last = i + 1;
            while (last < work.behind.size() && (next == cuts.end() || work.behind[last].begin < *next))
                end = std::max(end, work.behind[last++].end);
            add_op(step, work.slot, kOtherKernels, work.behind[i].begin, end, work.behind[i].event);
            i = last;
        }
    }

    const Run& run_;
    const MatchedRun& matches_;
    std::span<const PartWindow> parts_;
    PipelineStages stages_;
    std::uint32_t count_ = 0;  // stages
    std::map<std::string, std::uint32_t, std::less<>> numbers_;  // of names
    std::map<std::uint32_t, NameCount> names_;
    std::map<std::int64_t, StepWork> steps_;
    KernelSchedule found_;
};

}  // namespace

Result<KernelSchedule> read_kernel_schedule(const Run& run, const Waits& waits, std::span<const PartWindow> parts,
                                            const JobContext& context) {
    return KernelScheduleReader(run, waits, parts).read(context);
}

bool shows_waits_for_messages(const Waits& waits, const RunGraph& graph) {
    std::vector<bool> is_waited_for(graph.graph.time.size(), false), begins_compute(graph.graph.time.size(), false);
    for (const GraphEdge& edge : graph.graph.edges)
        if (edge.kind == EdgeKind::Run && edge.bound_by == BoundBy::Compute) begins_compute[edge.from] = true;
    for (const GraphEdge& edge : graph.graph.edges)
        if (edge.kind == EdgeKind::StreamWait || edge.kind == EdgeKind::Sync ||
            (edge.kind == EdgeKind::StreamOrder && begins_compute[edge.to]))
            is_waited_for[edge.from] = true;
    std::uint64_t messages = 0, waited_for = 0;
    for (const GraphEdge& edge : graph.graph.edges) {
        if (edge.kind != EdgeKind::Transfer) continue;
        if (!is_pairwise(waits.matched->collectives[graph.collective_of(edge.from)].operation)) continue;
        ++messages;
        waited_for += is_waited_for[edge.to] ? 1 : 0;
    }
    return waited_for * 4 >= messages;  // sends are messages too, and nothing waits for these
}

}  // namespace core
