#include "core/ingest/index_file/thin_rank.hpp"

#include "core/index/summary_rank.hpp"
#include "core/ingest/index_file/coarse_partition.hpp"
#include "core/ingest/index_file/pack_sections.hpp"
#include "core/store/assemble/pack_info.hpp"
#include "core/store/check_trace.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace core {
namespace {

// Numbers of the kept ones among all, by their old numbers.
constexpr std::uint32_t kLeftOut = 0xFFFFFFFFu;

class Thinner {
public:
    explicit Thinner(const RankIndex& index) : index_(index), trace_(index.trace()) {}

    SectionList thin(const KeptWithRank& with) {
        choose_events();
        add_events();
        add_structure();
        add_members();
        add_names();
        const Duration resolution = resolution_for(index_.partition());
        give_cuts(coarsen(index_.partition(), resolution));
        SummaryFacts facts = with.facts;
        facts.resolution = resolution.count();
        facts.events = count_events(trace_);
        facts.gpu_events = count_gpu_events(trace_);
        list_.give(section::kSummaryFacts, std::vector<SummaryFacts>{facts});
        list_.give(section::kSummaryCategories, count_by_category(trace_));
        list_.give(section::kSummaryAnswers, std::vector<char>(with.answers.begin(), with.answers.end()));
        list_.give(section::kSummaryHidden, with.hidden);
        RankInfo info = trace_.info;
        info.metadata_json.clear();
        Diagnostics diagnostics = trace_.diagnostics;
        for (const Diagnostic& one : with.diagnostics.entries()) diagnostics.add(one.kind->id, one.first, one.count);
        list_.give(section::kFacts, pack_info(info, diagnostics));
        return std::move(list_);
    }

private:
    void choose_events() {
        number_.assign(trace_.size(), kLeftOut);
        const auto keep = [&](EventId e) {
            if (e != kNoEvent) number_[index_of(e)] = 0;
        };
        EventId first = kNoEvent, last = kNoEvent;
        for (std::uint32_t i = 0; i < trace_.size(); ++i) {
            const EventId e{i};
            if (first == kNoEvent || trace_.start[i] < trace_.start[index_of(first)]) first = e;
            if (last == kNoEvent || trace_.end(e) > trace_.end(last)) last = e;
        }
        EventId last_gpu = kNoEvent;
        for (const EventId e : trace_.gpu_events) {
            if (last_gpu == kNoEvent || trace_.end(e) > trace_.end(last_gpu)) last_gpu = e;
            if (index_.classes().of(e) == KernelClass::Communication) keep(e);
        }
        for (const Step& step : trace_.steps) keep(step.event);
        for (const MemberEvent& member : index_.members().events()) keep(member.event);
        for (const EventId edge :
             {first, last, last_gpu, trace_.gpu_events.empty() ? kNoEvent : trace_.gpu_events.front()}) {
            if (edge == kNoEvent || number_[index_of(edge)] != kLeftOut) continue;
            edges_.push_back(edge);
            keep(edge);
        }
        for (std::uint32_t i = 0; i < trace_.size(); ++i) {
            if (number_[i] == kLeftOut) continue;
            number_[i] = static_cast<std::uint32_t>(kept_.size());
            kept_.push_back(EventId{i});
        }
    }
    EventId renumbered(EventId e) const {
        if (e == kNoEvent || number_[index_of(e)] == kLeftOut) return kNoEvent;
        return EventId{number_[index_of(e)]};
    }
    NameId renumbered(NameId name) { return name == kNoName ? kNoName : names_.intern(trace_.text(name)); }

    template <class T>
    void give_kept(std::uint32_t id, std::span<const T> column) {
        std::vector<T> values;
        values.reserve(kept_.size());
        for (const EventId e : kept_) values.push_back(column[index_of(e)]);
        list_.give(id, std::move(values));
    }

    void add_events() {
        give_kept(section::kStart, trace_.start);
        give_kept(section::kDuration, trace_.duration);
        give_kept(section::kCategory, trace_.category);
        give_kept(section::kFlags, trace_.flags);
        std::vector<std::uint32_t> order(kept_.size());  // there is no file that they have a place in
        std::iota(order.begin(), order.end(), 0U);
        list_.give(section::kOrder, std::move(order));
        std::vector<NameId> names;
        for (const EventId e : kept_) {
            // All events of a name are kept or none, so that who counts them counts right.
            const bool is_edge = std::ranges::find(edges_, e) != edges_.end();
            names.push_back(is_edge ? names_.intern(std::string(trace_.name_text(e)) + std::string(kEdgeOfSummary))
                                    : renumbered(trace_.name[index_of(e)]));
        }
        list_.give(section::kName, std::move(names));
        list_.give(section::kParent, std::vector<EventId>(kept_.size(), kNoEvent));
        std::vector<EventId> gpu;
        for (const EventId e : trace_.gpu_events)
            if (renumbered(e) != kNoEvent) gpu.push_back(renumbered(e));
        list_.give(section::kGpuEvents, std::move(gpu));
        std::vector<std::uint8_t> classes((kept_.size() + 3) / 4);
        for (std::size_t i = 0; i < kept_.size(); ++i) {
            const auto of = static_cast<unsigned>(index_.classes().of(kept_[i]));
            classes[i / 4] = static_cast<std::uint8_t>(classes[i / 4] | of << 2 * (i % 4));
        }
        list_.give(section::kClasses, std::move(classes));
        add_correlations();
    }

    // Adds correlations of events whose start is in another step than their launch: without a launch but with a
    // correlation an event is in no step.
    void add_correlations() {
        std::vector<EventId> events;
        std::vector<std::int64_t> values;
        for (const EventId e : kept_) {
            if (!trace_.has(e, kGpuEvent)) continue;
            const std::optional<std::int64_t> correlation = trace_.integer(Arg::Correlation, e);
            if (!correlation || trace_.step_of(e) == trace_.find_step(trace_.start[index_of(e)])) continue;
            events.push_back(renumbered(e));
            values.push_back(*correlation);
        }
        list_.give(section::arg_events(Arg::Correlation), std::move(events));
        list_.give(section::arg_values(Arg::Correlation), std::move(values));
    }

    void add_structure() {
        std::vector<Process> processes(trace_.processes.begin(), trace_.processes.end());
        for (Process& process : processes) {
            process.pid = renumbered(process.pid);
            process.name = renumbered(process.name);
            process.labels = renumbered(process.labels);
        }
        std::vector<Track> tracks(trace_.tracks.begin(), trace_.tracks.end());
        for (Track& track : tracks) {
            track.tid = renumbered(track.tid);
            track.name = renumbered(track.name);
        }
        std::vector<Lane> lanes(trace_.lanes.begin(), trace_.lanes.end());
        std::uint32_t next = 0;
        for (Lane& lane : lanes) {
            const auto last = static_cast<std::uint32_t>(std::ranges::lower_bound(kept_, lane.last) - kept_.begin());
            lane.first = EventId{next};
            lane.last = EventId{last};
            next = last;
        }
        std::vector<CategoryEntry> categories(trace_.categories.begin(), trace_.categories.end());
        for (CategoryEntry& category : categories) category.text = renumbered(category.text);
        std::vector<Step> steps(trace_.steps.begin(), trace_.steps.end());
        for (Step& step : steps) step.event = renumbered(step.event);
        list_.give(section::kProcesses, std::move(processes));
        list_.give(section::kTracks, std::move(tracks));
        list_.give(section::kLanes, std::move(lanes));
        list_.give(section::kCategories, std::move(categories));
        list_.give(section::kSteps, std::move(steps));
    }

    // Times of members as what they differ from those of their first event: mostly nothing.
    void add_members() {
        std::vector<MemberEvent> members(index_.members().events().begin(), index_.members().events().end());
        for (MemberEvent& member : members) {
            const std::size_t e = index_of(member.event);
            member.start = rank_time(ns_of(member.start) - ns_of(trace_.start[e]));
            member.duration -= trace_.duration[e];
            member.event = renumbered(member.event);
        }
        std::vector<MemberGroup> groups(index_.members().groups().begin(), index_.members().groups().end());
        for (MemberGroup& group : groups) {
            group.name = renumbered(group.name);
            group.description = renumbered(group.description);
            group.ranks = renumbered(group.ranks);
        }
        list_.give(section::kMemberEvents, std::move(members));
        list_.give(section::kMemberGroups, std::move(groups));
    }

    void add_names() {
        list_.give(section::kNameOffsets, std::vector<std::uint64_t>(names_.offsets().begin(), names_.offsets().end()));
        list_.give(section::kNameBytes, std::vector<char>(names_.bytes().begin(), names_.bytes().end()));
    }

    // Checkpoints are made again when it is read.
    void give_cuts(PartitionCuts cuts) {
        list_.give(section::kPartitionRange, std::vector<RankRange>{cuts.range});
        list_.give(section::kPartitionBegins, std::move(cuts.begins));
        list_.give(section::kPartitionSets, std::move(cuts.sets));
    }

    const RankIndex& index_;
    const RankTrace& trace_;
    std::vector<std::uint32_t> number_;
    std::vector<EventId> kept_;
    std::vector<EventId> edges_;  // kept as the rank begins or ends with them
    StringPool names_;
    SectionList list_;
};

Error refused(std::string_view what) { return {ErrorCode::BadInput, "holds what no trace has: " + std::string(what)}; }

template <class T>
std::vector<T> values_of(const Blob& blob, std::uint32_t id) {
    const auto section = blob.section<T>(id);
    return {section.begin(), section.end()};
}

// The times of members, which are stored against those of their events; false if one has no event.
bool restore_members(std::vector<MemberEvent>& members, const Blob& blob) {
    const auto start = blob.section<RankTime>(section::kStart);
    const auto duration = blob.section<Duration>(section::kDuration);
    return std::ranges::all_of(members, [&](MemberEvent& member) {
        const std::size_t e = index_of(member.event);
        std::int64_t begin = 0, length = 0;
        if (e >= start.size() || e >= duration.size() ||
            __builtin_add_overflow(ns_of(member.start), ns_of(start[e]), &begin) ||
            __builtin_add_overflow(member.duration.count(), duration[e].count(), &length))
            return false;
        member.start = rank_time(begin);
        member.duration = Duration{length};
        return true;
    });
}

bool names_exist(const std::vector<MemberGroup>& groups, std::size_t names) {
    const auto exists = [&](NameId name) { return name == kNoName || index_of(name) < names; };
    return std::ranges::all_of(groups, [&](const MemberGroup& group) {
        return exists(group.name) && exists(group.description) && exists(group.ranks);
    });
}

// So that no time of the rank leaves what a run can have.
bool is_plausible(const StoredClock& clock) {
    constexpr std::int64_t kFar = std::int64_t{1} << 61;
    constexpr double kMostDrift = 0.01;
    const auto is_near = [](std::int64_t ns) { return -kFar <= ns && ns <= kFar; };
    const double drift = std::bit_cast<double>(clock.drift);
    return is_near(clock.offset) && is_near(clock.reference) && std::isfinite(drift) && std::abs(drift) <= kMostDrift;
}

// Sections that make a RankTrace, and the facts beside them.
constexpr bool is_kept(std::uint32_t id) {
    return section::is_of_trace(id) || id == section::kClasses || id == section::kSummaryFacts ||
           id == section::kSummaryCategories || id == section::kSummaryAnswers || id == section::kSummaryHidden;
}

}  // namespace

SectionList thin_sections(const RankIndex& index, const KeptWithRank& kept) { return Thinner(index).thin(kept); }

Result<RankTracePtr> thick_trace(const UnpackedSections& unpacked, std::string_view run_answers,
                                 const std::filesystem::path& path) {
    const Blob sections = unpacked.all();
    std::vector<BlobSection> kept;
    std::ranges::copy_if(unpacked.sections, std::back_inserter(kept), is_kept, &BlobSection::id);
    const Blob plain(unpacked.memory, std::move(kept));
    SectionList list;
    list.add_all(plain);
    if (const std::string fault = find_trace_fault(plain); !fault.empty()) return refused(fault);
    const auto facts = plain.section<SummaryFacts>(section::kSummaryFacts);
    if (facts.size() != 1 || facts.front().resolution <= 0) return refused("facts");
    if (!is_plausible(facts.front().recorded) || !is_plausible(facts.front().clock)) return refused("clocks");
    RankInfo info;
    Diagnostics diagnostics;
    if (!unpack_info(sections.section<std::byte>(section::kFacts), info, diagnostics))
        return refused("rank information");
    info.summarised = std::exchange(info.path, path);

    std::vector<MemberEvent> members = values_of<MemberEvent>(sections, section::kMemberEvents);
    std::vector<MemberGroup> groups = values_of<MemberGroup>(sections, section::kMemberGroups);
    if (!restore_members(members, plain)) return refused("members");
    const RankTrace trace(plain, info, diagnostics);
    if (!names_exist(groups, trace.names.size())) return refused("groups");
    const ClassTable classes(plain);
    if (classes.resident_bytes() != (trace.size() + 3) / 4) return refused("classes");
    const auto ranges = sections.section<RankRange>(section::kPartitionRange);
    PartitionCuts cuts{.range = ranges.size() == 1 ? ranges.front() : RankRange{},
                       .begins = values_of<RankTime>(sections, section::kPartitionBegins),
                       .sets = values_of<ClassSet>(sections, section::kPartitionSets)};
    if (ranges.size() != 1 || cuts.begins.size() != cuts.sets.size()) return refused("partition");

    std::vector<TimePyramid> pyramids;
    for (const Lane& lane : trace.lanes) pyramids.emplace_back(trace, classes, lane);
    const IntervalTree tree(trace.gpu_events, trace.start, trace.duration);
    tree.collect_sections(list);
    TimePyramid::collect_sections(pyramids, list);
    give_sections(std::move(cuts), list);
    list.give(section::kMemberEvents, std::move(members));
    list.give(section::kMemberGroups, std::move(groups));
    if (!run_answers.empty()) list.add(section::kSummaryRun, std::span<const char>(run_answers));
    auto whole = std::make_shared<const RankTrace>(copy_to_blob(list), std::move(info), std::move(diagnostics));
    const RankIndexPtr index = index_of_summary(whole);
    if (!index || index->has_fault()) return refused("index");
    return RankTracePtr(std::move(whole));
}

RankIndexPtr index_of_summary(const RankTracePtr& trace) { return RankIndex::from_sections(trace, trace->blob()); }

}  // namespace core
