#include "core/collectives/waits.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace core {
namespace {

constexpr std::uint32_t kNoCollective = 0xFFFFFFFFu;
constexpr double kLeastShare = 1e-9;  // smaller shares of blame go to the last rank
constexpr std::size_t kMostTraced = 256;  // collectives back from one
constexpr std::size_t kMostReceives = 256;  // of one stretch, that its blame is shared out by
constexpr std::size_t kMostShares = 32;  // of one collective; so do further ones

// At most 2^61 ns, so that differences of two are exact for any times.
std::int64_t length_of(RankRange stretch) {
    constexpr std::int64_t kLongest = std::int64_t{1} << 61;
    std::int64_t length = 0;
    const bool beyond = __builtin_sub_overflow(ns_of(stretch.end), ns_of(stretch.begin), &length);
    return beyond ? kLongest : std::clamp<std::int64_t>(length, 0, kLongest);
}

class WaitMeasurer {
public:
    explicit WaitMeasurer(Waits& waits) : waits_(waits), run_(*waits.matched) {}

    void measure(std::uint32_t number) {
        const Collective& c = run_.collectives[number];
        CollectiveTimes& times = waits_.times[number];
        measure_arrivals(c, times);
        measure_ends(c, times);
        const bool waiting = waits_for_last(c.operation);
        if (!waiting) return measure_one_sided(number, times);
        if (c.count < 2 || c.doubts != 0) return;
        times.counts = c.missing == 0 && !times.left_early;
        const std::int64_t error = waits_.error(c.cohort);
        times.resolved = times.skew() > error;
        times.close = times.lead <= error;
        for (std::uint32_t i = 0; i < c.count; ++i) {
            const MemberRef ref = run_.members[c.first + i];
            const std::int64_t late = times.last - waits_.start(ref);
            waits_.wait[c.first + i] = std::min(late, waits_.duration(ref));
            times.wait += waits_.wait[c.first + i];
        }
    }

private:
    void measure_arrivals(const Collective& c, CollectiveTimes& times) const {
        std::int64_t second = std::numeric_limits<std::int64_t>::min();
        for (std::uint32_t i = 0; i < c.count; ++i) {
            const MemberRef ref = run_.members[c.first + i];
            const std::int64_t start = waits_.start(ref);
            times.first = i == 0 ? start : std::min(times.first, start);
            if (i == 0 || start > times.last) {
                if (i > 0) second = times.last;
                times.last = start;
                times.last_slot = ref.slot;
            } else {
                second = std::max(second, start);
            }
        }
        times.lead = c.count < 2 ? 0 : times.last - second;
    }

    void measure_ends(const Collective& c, CollectiveTimes& times) const {
        std::vector<std::int64_t> ends;
        for (const MemberRef ref : run_.members_of(c)) ends.push_back(waits_.end(ref));
        const auto [least, most] = std::ranges::minmax(ends);
        times.end_spread = most - least;
        times.left_early = c.count > 1 && least - times.last < -waits_.error(c.cohort);
        times.transfer = take_middle(ends) - times.last;
    }

    // Absent where it is unknown or not here, the match is doubtful, clocks cannot be compared, or a root that gathers
    // lacks a member.
    std::optional<std::uint32_t> find_pivot(const Collective& c) const {
        if (c.count < 2 || c.doubts != 0 || waits_for_last(c.operation)) return std::nullopt;
        const std::span<const MemberRef> members = run_.members_of(c);
        std::optional<std::uint32_t> pivot;
        if (c.by == MatchedBy::Pair) {
            pivot = c.first + (run_.member(members[0]).operation == Operation::Send ? 0 : 1);
        } else if (c.missing == 0 || !root_gathers(c.operation)) {
            pivot = run_.find_root(c);
        }
        const std::uint32_t part = run_.clock(members[0].slot).part;
        const bool comparable = !run_.clocks[c.cohort].fit.any || std::ranges::all_of(members, [&](MemberRef ref) {
            return run_.clock(ref.slot).part == part;
        });
        return comparable ? pivot : std::nullopt;
    }

    // Receivers wait for the sender or root, a root that gathers for the last of the others; nobody else waits, as far
    // as traces tell.
    void measure_one_sided(std::uint32_t number, CollectiveTimes& times) {
        const Collective& c = run_.collectives[number];
        const std::optional<std::uint32_t> pivot = find_pivot(c);
        if (!pivot) return;
        times.pivot = *pivot;
        const std::int64_t came = waits_.start(run_.members[*pivot]);
        const bool gathers = root_gathers(c.operation);
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            if ((i == *pivot) != gathers) continue;
            const MemberRef ref = run_.members[i];
            const std::int64_t late = (gathers ? times.last : came) - waits_.start(ref);
            waits_.wait[i] = std::clamp<std::int64_t>(late, 0, waits_.duration(ref));
            times.wait += waits_.wait[i];
            times.resolved = times.resolved || waits_.wait[i] > waits_.error(c.cohort);
        }
    }

    Waits& waits_;
    const MatchedRun& run_;
};

// Ends of one rank's collectives that can make ranks wait, in order: what released it before an arrival.
class Releases {
public:
    explicit Releases(const MatchedRun& run) : of_slot_(run.ranks.size()) {
        for (std::uint32_t c = 0; c < run.collectives.size(); ++c) {
            const Collective& collective = run.collectives[c];
            if (!waits_for_last(collective.operation) || collective.doubts != 0 || collective.count < 2) continue;
            for (const MemberRef ref : run.members_of(collective))
                of_slot_[ref.slot].push_back({run.member(ref).end(), c});
        }
        for (std::vector<Release>& list : of_slot_) std::ranges::sort(list, {}, &Release::end);
    }
    struct Release {
        RankTime end{};
        std::uint32_t collective = kNoCollective;
    };
    // The latest at or before t on the rank's own clock, other than `own`; nullptr if there is none.
    const Release* find(std::uint32_t slot, RankTime t, std::uint32_t own) const {
        const std::vector<Release>& list = of_slot_[slot];
        auto it = std::ranges::upper_bound(list, t, {}, &Release::end);
        while (it != list.begin()) {
            --it;
            if (it->collective != own) return &*it;
        }
        return nullptr;
    }

private:
    std::vector<std::vector<Release>> of_slot_;
};

// Waits of one rank in receives and the like: one-sided waits that no compute covered, in order of their ends.
class Receives {
public:
    explicit Receives(const Waits& waits) : of_slot_(waits.matched->ranks.size()) {
        const MatchedRun& run = *waits.matched;
        for (std::uint32_t c = 0; c < run.collectives.size(); ++c) {
            if (waits_for_last(run.collectives[c].operation) || !waits.find_pivot(c)) continue;
            for (std::uint32_t i = run.collectives[c].first; i < run.collectives[c].first + run.collectives[c].count;
                 ++i) {
                const MemberRef ref = run.members[i];
                const std::int64_t wait = exposed_part(run, ref, waits.wait_of(i));
                if (wait > 0) of_slot_[ref.slot].list.push_back({run.member(ref).end(), wait, c});
            }
        }
        for (OfSlot& of : of_slot_) {
            std::ranges::stable_sort(of.list, {}, &Receive::end);
            of.before.assign(1, 0);
            for (const Receive& one : of.list)
                of.before.push_back(std::min(of.before.back() + std::min(one.wait, kMostWait), kMostWait));
        }
    }
    struct Receive {
        RankTime end{};
        std::int64_t wait = 0;
        std::uint32_t collective = 0;
    };
    // Those that ended within (stretch.begin, stretch.end].
    std::span<const Receive> within(std::uint32_t slot, RankRange stretch) const {
        const auto [first, last] = find(slot, stretch);
        return std::span(of_slot_[slot].list).subspan(first, last - first);
    }
    std::int64_t sum_within(std::uint32_t slot, RankRange stretch) const {
        const auto [first, last] = find(slot, stretch);
        return of_slot_[slot].before[last] - of_slot_[slot].before[first];
    }

private:
    static constexpr std::int64_t kMostWait = std::int64_t{1} << 61;
    struct OfSlot {
        std::vector<Receive> list;
        std::vector<std::int64_t> before;  // sums of waits
    };
    static std::int64_t exposed_part(const MatchedRun& run, MemberRef ref, std::int64_t wait) {
        if (wait <= 0 || ref.slot >= run.indexes.size()) return wait;
        const RankTime start = run.member(ref).start;
        const ClassPartition& partition = run.indexes[ref.slot]->partition();
        return partition.times({start, start + Duration{wait}}).exposed_communication().count();
    }
    std::pair<std::size_t, std::size_t> find(std::uint32_t slot, RankRange stretch) const {
        const std::vector<Receive>& list = of_slot_[slot].list;
        const auto at = [&](RankTime t) {
            return static_cast<std::size_t>(std::ranges::upper_bound(list, t, {}, &Receive::end) - list.begin());
        };
        return {at(stretch.begin), std::max(at(stretch.begin), at(stretch.end))};
    }
    std::vector<OfSlot> of_slot_;
};

class BlameFinder {
public:
    explicit BlameFinder(Waits& waits) : waits_(waits), run_(*waits.matched), releases_(run_), receives_(waits) {}

    void find_all() {
        waits_.lateness.resize(run_.collectives.size());
        std::vector<std::vector<BlameShare>> shares(run_.collectives.size());
        std::vector<std::uint32_t> order(run_.collectives.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return time_of_lateness(c); });
        for (const std::uint32_t c : order) {
            const bool one_sided = waits_.find_pivot(c) && waits_.times[c].wait > 0;
            if (!waits_.times[c].counts && !one_sided) continue;
            waits_.lateness[c] = find_lateness(c);
            shares[c] = share_out(c, shares);
        }
        waits_.blame_first.assign(1, 0);
        for (std::uint32_t c = 0; c < shares.size(); ++c) {
            const std::vector<BlameShare>& of_one = shares[c];
            if (waits_.times[c].counts) waits_.blame.insert(waits_.blame.end(), of_one.begin(), of_one.end());
            waits_.blame_first.push_back(static_cast<std::uint32_t>(waits_.blame.size()));
        }
    }

private:
    // When the one that the others wait for came: what delayed it ended before.
    std::int64_t time_of_lateness(std::uint32_t c) const {
        const std::optional<std::uint32_t> awaited = waits_.find_pivot(c) ? waits_.find_awaited(c) : std::nullopt;
        return awaited ? waits_.start(run_.members[*awaited]) : waits_.times[c].last;
    }

    MemberRef find_member(std::uint32_t c, std::uint32_t slot) const {
        for (const MemberRef ref : run_.members_of(run_.collectives[c]))
            if (ref.slot == slot) return ref;
        return {};
    }

    // The lower median member by arrival.
    MemberRef find_middle(std::uint32_t c) const {
        const std::span<const MemberRef> members = run_.members_of(run_.collectives[c]);
        std::vector<MemberRef> sorted(members.begin(), members.end());
        std::ranges::stable_sort(sorted, {}, [&](MemberRef ref) { return waits_.start(ref); });
        return sorted[(sorted.size() - 1) / 2];
    }

    Lateness find_lateness(std::uint32_t c) const {
        Lateness late;
        const std::optional<std::uint32_t> awaited = waits_.find_awaited(c);
        late.late = awaited ? run_.members[*awaited].slot : waits_.times[c].last_slot;
        const MemberRef last = find_member(c, late.late);
        const MemberRef middle = find_middle(c);
        late.middle = middle.slot;
        late.lateness = waits_.start(last) - waits_.start(middle);
        const RankTime arrival = run_.member(last).start;
        const RankTime middle_arrival = run_.member(middle).start;
        const Releases::Release* const release = releases_.find(late.late, arrival, c);
        const Releases::Release* const other = releases_.find(late.middle, middle_arrival, c);
        late.late_stretch = {RankTime::min(), arrival};
        late.middle_stretch = {RankTime::min(), middle_arrival};
        if (release == nullptr || other == nullptr) return late;
        late.known = true;
        late.released_by = release->collective;
        late.late_stretch = {release->end, arrival};
        late.middle_stretch = {other->end, middle_arrival};
        late.own = length_of(late.late_stretch) - length_of(late.middle_stretch);
        late.inherited = late.lateness - late.own;
        return late;
    }

    // Finds who delayed the end of a collective. Delay that the lateness of its own members does not explain (all came
    // late together) is passed on to whatever released its last member, and so on.
    std::vector<BlameShare> trace_back(std::uint32_t c, std::int64_t delay,
                                       std::span<const std::vector<BlameShare>> shares) const {
        std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
        const auto give = [&](const std::vector<BlameShare>& to, double part) {
            for (const BlameShare& share : to) sums[{share.slot, share.root}] += share.share * part;
        };
        const double whole = static_cast<double>(delay);
        std::int64_t left = delay;
        for (std::size_t depth = 0; left > 0; ++depth) {
            const Lateness& late = waits_.lateness[c];
            const std::int64_t error = waits_.error(run_.collectives[c].cohort);
            const bool ends = shares[c].empty() || depth == kMostTraced || !late.known;
            const std::int64_t explained = ends ? left : late.lateness > error ? std::min(late.lateness, left) : 0;
            if (shares[c].empty()) break;
            if (explained > 0) give(shares[c], static_cast<double>(explained) / whole);
            left -= explained;
            if (left <= error) {
                give(shares[c], static_cast<double>(left) / whole);
                left = 0;
            }
            c = late.released_by;
        }
        std::vector<BlameShare> all;
        double given = 0;
        for (const auto& [whose, share] : sums) {
            all.push_back({whose.first, whose.second, share});
            given += share;
        }
        std::ranges::stable_sort(all, std::greater{}, &BlameShare::share);
        for (BlameShare& share : all) share.share /= given;
        return all;
    }

    using Sums = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;  // by slot and root

    // The late rank's own part as far as it waited in receives, more than the middle rank did: as those waits are
    // shared. Of very many, the latest tell how.
    void share_received(const Lateness& late, double own_part, std::int64_t error,
                        std::span<const std::vector<BlameShare>> shares, Sums& sums) const {
        const std::int64_t own = late.known ? late.own : late.lateness;
        const std::int64_t more =
            receives_.sum_within(late.late, late.late_stretch) - receives_.sum_within(late.middle, late.middle_stretch);
        if (own <= 0 || more <= error) return;
        std::span<const Receives::Receive> received = receives_.within(late.late, late.late_stretch);
        received = received.last(std::min(received.size(), kMostReceives));
        double all = 0;
        for (const Receives::Receive& one : received)
            if (!shares[one.collective].empty()) all += static_cast<double>(one.wait);
        if (all <= 0) return;
        const double part = own_part * static_cast<double>(std::min(more, own)) / static_cast<double>(own);
        for (const Receives::Receive& one : received)
            for (const BlameShare& share : shares[one.collective])
                sums[{share.slot, share.root}] += part * static_cast<double>(one.wait) / all * share.share;
    }

    std::vector<BlameShare> share_out(std::uint32_t c, std::span<const std::vector<BlameShare>> shares) const {
        const Lateness& late = waits_.lateness[c];
        const std::int64_t error = waits_.error(run_.collectives[c].cohort);
        Sums sums;
        double own_part = 1;
        if (late.known && late.inherited > error) {
            const double own = static_cast<double>(std::max<std::int64_t>(late.own, 0));
            const double rest = static_cast<double>(late.inherited) / (own + static_cast<double>(late.inherited));
            const std::vector<BlameShare> before = trace_back(late.released_by, late.inherited, shares);
            for (const BlameShare& share : before) sums[{share.slot, share.root}] += share.share * rest;
            if (!before.empty()) own_part -= rest;
        }
        share_received(late, own_part, error, shares, sums);
        std::vector<BlameShare> passed;
        for (const auto& [whose, share] : sums)
            if (share >= kLeastShare) passed.push_back({whose.first, whose.second, share});
        std::ranges::stable_sort(passed, std::greater{}, &BlameShare::share);
        if (passed.size() > kMostShares) passed.resize(kMostShares);
        double given = 0;
        for (const BlameShare& share : passed) given += share.share;
        passed.push_back({late.late, c, 1.0 - given});
        return passed;
    }

    Waits& waits_;
    const MatchedRun& run_;
    Releases releases_;
    Receives receives_;
};

}  // namespace

bool Waits::splits(std::uint32_t collective) const {
    const Collective& c = matched->collectives[collective];
    return waits_for_last(c.operation) && c.count > 1 && c.doubts == 0 && !times[collective].left_early;
}

std::optional<std::uint32_t> Waits::find_pivot(std::uint32_t collective) const {
    const std::uint32_t pivot = times[collective].pivot;
    return pivot == kNoPosition ? std::nullopt : std::optional(pivot);
}

bool Waits::knows_wait(std::uint32_t collective, std::uint32_t position) const {
    const Collective& c = matched->collectives[collective];
    if (waits_for_last(c.operation)) return c.count > 1 && c.doubts == 0;
    return matched->member(matched->members[position]).operation != Operation::Send &&
           find_pivot(collective).has_value();
}

std::optional<std::uint32_t> Waits::find_awaited(std::uint32_t collective) const {
    const Collective& c = matched->collectives[collective];
    const bool one_sided = !waits_for_last(c.operation);
    if (one_sided) {
        const std::optional<std::uint32_t> pivot = find_pivot(collective);
        if (!pivot || !root_gathers(c.operation)) return pivot;
    } else if (c.count < 2 || c.doubts != 0) {
        return std::nullopt;
    }
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i)
        if (matched->members[i].slot == times[collective].last_slot) return i;
    return std::nullopt;
}

std::optional<std::int64_t> Waits::find_transfer(std::uint32_t collective) const {
    const Collective& c = matched->collectives[collective];
    const CollectiveTimes& own = times[collective];
    if (c.count < 2 || c.doubts != 0) return std::nullopt;
    if (waits_for_last(c.operation)) return own.transfer;
    const std::optional<std::uint32_t> pivot = find_pivot(collective);
    if (!pivot) return std::nullopt;
    const std::int64_t came = start(matched->members[*pivot]);
    const bool gathers = root_gathers(c.operation);
    std::vector<std::int64_t> taken;
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
        if ((i == *pivot) != gathers) continue;
        const MemberRef ref = matched->members[i];
        taken.push_back(end(ref) - (gathers ? own.last : std::max(came, start(ref))));
    }
    return take_middle(taken);
}

std::optional<std::int64_t> Waits::find_wait(MemberRef ref) const {
    const std::uint32_t number = matched->collective_of(ref);
    const Collective& c = matched->collectives[number];
    const std::span<const MemberRef> members = matched->members_of(c);  // one of each slot, sorted by it
    const auto at = std::ranges::lower_bound(members, ref.slot, {}, &MemberRef::slot);
    const std::uint32_t position = c.first + static_cast<std::uint32_t>(at - members.begin());
    const bool known = waits_for_last(c.operation) ? splits(number) : knows_wait(number, position);
    return known ? std::optional(wait_of(position)) : std::nullopt;
}

std::optional<std::int64_t> Waits::find_split(MemberRef ref) const {
    return splits(matched->collective_of(ref)) ? find_wait(ref) : std::nullopt;
}

std::int64_t Waits::start(MemberRef ref) const {
    const std::int64_t t = matched->ranks[ref.slot].start(ref.index);
    return aligned[matched->places[ref.slot].cohort] ? matched->clock(ref.slot).to_true(t) : t;
}

std::int64_t Waits::end(MemberRef ref) const {
    const std::int64_t t = matched->ranks[ref.slot].end(ref.index);
    return aligned[matched->places[ref.slot].cohort] ? matched->clock(ref.slot).to_true(t) : t;
}

WaitsPtr measure_waits(const MatchedRunPtr& run, const std::vector<bool>& aligned) {
    const auto waits = std::make_shared<Waits>();
    waits->matched = run;
    waits->aligned = aligned;
    waits->times.resize(run->collectives.size());
    waits->wait.resize(run->members.size());
    WaitMeasurer measurer(*waits);
    for (std::uint32_t c = 0; c < run->collectives.size(); ++c) measurer.measure(c);
    BlameFinder(*waits).find_all();
    return waits;
}

}  // namespace core
