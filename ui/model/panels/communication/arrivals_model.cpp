#include "ui/model/panels/communication/arrivals_model.hpp"

#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/collectives/chosen_members.hpp"
#include "core/base/format.hpp"

#include <algorithm>

namespace ui {
namespace {

std::string label_of(const core::Run& run, const core::WaitsPtr& waits, const core::Collective& c) {
    core::ChosenMembers naming;
    naming.waits = waits;
    naming.run = &run;
    return naming.group_of(c);
}

core::EventRef event_of(const core::MatchedRun& matches, core::MemberRef ref) {
    return {ref.slot, matches.member(ref).event};
}

std::string explain_not_counted(const core::Collective& c, const core::CollectiveTimes& times) {
    if (c.count < 2) return "no other member was found";
    if (!core::waits_for_last(c.operation)) return "members of this operation do not all wait for the last";
    if (c.doubts != 0) return "the match is doubtful: " + core::format_doubts(c.doubts);
    if (c.missing > 0) return "a member with a loaded file lacks this event and may be the last";
    if (times.left_early) return "a member left before the last arrived";
    return {};
}

std::string format_missing(const core::Collective& c) {
    std::string text;
    if (c.missing > 0)
        text = core::format_plural(c.missing, "member lacks", "members lack") + " this event in their files";
    if (c.absent > 0)
        text += (text.empty() ? "" : "; ") + core::format_plural(c.absent, "member's file is", "members' files are") +
                " missing: waits are lower bounds";
    return text;
}

void add_arrivals(const core::Run& run, const core::Waits& waits, std::uint32_t number, ArrivalsModel& model) {
    const core::MatchedRun& matches = *waits.matched;
    const core::Collective& c = matches.collectives[number];
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
        const core::MemberRef ref = matches.members[i];
        const core::MemberEvent& member = matches.member(ref);
        const core::RankSlot& rank = run.rank(ref.slot);
        Arrival arrival;
        arrival.event = event_of(matches, ref);
        arrival.rank = rank.key;
        arrival.arrival = rank.to_run(member.start);
        arrival.duration = member.duration;
        const bool split = waits.knows_wait(number, i);
        if (split) arrival.wait = core::Duration{waits.wait_of(i)};
        if (split) arrival.transfer = core::Duration{waits.transfer_of(i)};
        model.arrivals.push_back(arrival);
    }
    std::ranges::stable_sort(model.arrivals, {}, &Arrival::arrival);
    for (std::size_t i = 0; i < model.arrivals.size(); ++i) model.arrivals[i].place = i + 1;
    model.first = model.arrivals.front().arrival;
    model.last = model.arrivals.back().arrival;
    model.end = model.last;
    for (const Arrival& arrival : model.arrivals) model.end = std::max(model.end, arrival.arrival + arrival.duration);
}

}  // namespace

const Arrival* ArrivalsModel::of(core::EventRef event) const {
    const auto it = std::ranges::find(arrivals, event, &Arrival::event);
    return it == arrivals.end() ? nullptr : &*it;
}

ArrivalsModel describe_arrivals(const core::Run& run, const core::Waits& waits, std::uint32_t collective) {
    const core::MatchedRun& matches = *waits.matched;
    const core::Collective& c = matches.collectives[collective];
    const core::CollectiveTimes& times = waits.times[collective];
    ArrivalsModel model;
    model.group = matches.groups[c.group].label.empty() ? "all ranks" : matches.groups[c.group].label;
    model.operation = c.operation;
    model.sequence = c.sequence;
    add_arrivals(run, waits, collective, model);
    model.counts = times.counts;
    model.why_not = times.counts ? std::string() : explain_not_counted(c, times);
    model.close = times.close;
    model.error = core::Duration{waits.error(c.cohort)};
    // One-sided operations have no last arrival; a wait beyond the clock error shows who was awaited.
    const bool resolved = core::waits_for_last(c.operation)
                              ? times.resolved
                              : std::ranges::any_of(model.arrivals, [&](const Arrival& arrival) {
                                    return arrival.wait && *arrival.wait > model.error;
                                });
    if (const std::optional<std::uint32_t> awaited = waits.find_awaited(collective); awaited && resolved) {
        const auto at = std::ranges::find(model.arrivals, matches.members[*awaited].slot,
                                          [](const Arrival& arrival) { return arrival.event.slot; });
        if (at != model.arrivals.end()) model.culprit = static_cast<std::size_t>(at - model.arrivals.begin());
    }
    const core::BusBandwidth bandwidth = core::bandwidth_of(waits, collective);
    model.bytes = bandwidth.bytes;
    model.bus_bandwidth = bandwidth.bus;
    model.algorithm_bandwidth = bandwidth.algorithm;
    model.matched = std::string(core::name_of(c.confidence));
    if (c.confidence != core::Confidence::Alone) model.matched += ", by " + std::string(core::name_of(c.by));
    model.doubts = core::format_doubts(c.doubts);
    model.missing = format_missing(c);
    return model;
}

std::vector<ArrivalLine> describe_member(const ArrivalsModel& model, core::EventRef event) {
    using Kind = ArrivalLine::Kind;
    const Arrival* const own = model.of(event);
    if (own == nullptr) return {};
    std::vector<ArrivalLine> lines;
    std::string name(core::name_of(model.operation));
    std::ranges::replace(name, '_', ' ');
    lines.push_back({"collective", name + " " + std::to_string(model.sequence) + " \xC2\xB7 " + model.group});
    if (own->wait) {
        std::string words = core::format_duration(*own->wait);
        const bool is_last = model.culprit && model.arrivals[*model.culprit].event == event;
        if (model.culprit && !is_last && own->wait->count() > 0)
            words += " for rank " + core::format_rank(model.arrivals[*model.culprit].rank);
        const bool together = core::waits_for_last(model.operation);
        if (is_last) words = "none: it arrived last";
        if (is_last && model.close) words = "last, by less than the error";
        if (is_last && !together) words = "none: the others wait for it";
        if (!model.culprit && together) words += ", within the error of the clocks";
        lines.push_back({"waits", words, Kind::Wait});
        lines.push_back({"transfers", core::format_duration(*own->transfer)});
    }
    if (model.arrivals.size() > 1)
        lines.push_back({"arrived", std::to_string(own->place) + " of " + std::to_string(model.arrivals.size()) + ", " +
                                        core::format_duration(own->arrival - model.first) + " after the first"});
    if (model.bytes) lines.push_back({"size", core::format_bytes(*model.bytes)});
    if (model.bus_bandwidth) lines.push_back({"bus bandwidth", core::format_bytes_per_second(*model.bus_bandwidth)});
    lines.push_back({"match", model.matched, model.doubts.empty() ? Kind::Plain : Kind::Doubt});
    if (!model.doubts.empty()) lines.push_back({"doubt", model.doubts, Kind::Doubt});
    if (!model.missing.empty()) lines.push_back({"missing", model.missing, Kind::Doubt});
    if (!model.counts && model.doubts.empty() && model.arrivals.size() > 1 && core::waits_for_last(model.operation))
        lines.push_back({"not in sums", model.why_not, Kind::Doubt});
    return lines;
}

std::optional<ArrivalsModel> describe_arrivals(const core::Run& run, const core::Waits& waits, core::EventRef event) {
    const std::optional<core::MemberRef> ref = waits.matched->find_member(event);
    if (!ref) return std::nullopt;
    return describe_arrivals(run, waits, waits.matched->collective_of(*ref));
}

std::optional<std::uint32_t> find_collective(const core::Run& run, const core::WaitsPtr& waits, std::string_view group,
                                             std::string_view operation, std::int64_t sequence) {
    const std::vector<core::Collective>& all = waits->matched->collectives;
    for (std::uint32_t number = 0; number < all.size(); ++number) {
        const core::Collective& c = all[number];
        if (static_cast<std::int64_t>(c.sequence) != sequence || core::name_of(c.operation) != operation) continue;
        if (label_of(run, waits, c) == group) return number;
    }
    return std::nullopt;
}

core::EventRef find_neighbour_in_group(const core::Waits& waits, core::EventRef event, bool forward) {
    const core::MatchedRun& matches = *waits.matched;
    const std::optional<core::MemberRef> ref = matches.find_member(event);
    if (!ref) return {};
    const core::RankMembers& rank = matches.ranks[ref->slot];
    const std::uint32_t group = rank.group(ref->index);
    const auto key = [&](std::uint32_t i) { return std::pair(rank.start(i), i); };
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
        if (i == ref->index || rank.group(i) != group) continue;
        const bool beyond = forward ? key(i) > key(ref->index) : key(i) < key(ref->index);
        if (beyond && (!best || (forward ? key(i) < key(*best) : key(i) > key(*best)))) best = i;
    }
    return best ? core::EventRef{ref->slot, rank.events[*best].event} : core::EventRef{};
}

core::EventRef find_awaited(const core::Run& run, const core::Waits& waits, core::EventRef event) {
    const std::optional<ArrivalsModel> model = describe_arrivals(run, waits, event);
    if (!model) return {};
    if (model->operation == core::Operation::Recv || model->operation == core::Operation::Send) {
        for (const Arrival& arrival : model->arrivals)
            if (arrival.event != event && model->arrivals.size() == 2) return arrival.event;
        return {};
    }
    if (!model->culprit || model->arrivals[*model->culprit].event == event) return {};
    return model->arrivals[*model->culprit].event;
}

}  // namespace ui
