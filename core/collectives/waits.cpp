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
        if (c.operation == Operation::Recv || c.operation == Operation::Send) return measure_pair(c);
        if (!waiting || c.count < 2 || c.doubts != 0) return;
        times.counts = c.missing == 0 && !times.left_early;
        const std::int64_t error = waits_.error(c.session);
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
        times.left_early = c.count > 1 && least - times.last < -waits_.error(c.session);
        times.transfer = take_middle(ends) - times.last;
    }

    // The receiver waits for the sender; whether the sender waits no trace tells.
    void measure_pair(const Collective& c) {
        if (!waits_.has_known_receive(c)) return;
        const bool first_sends = run_.member(run_.members[c.first]).operation == Operation::Send;
        const std::uint32_t receiver = c.first + (first_sends ? 1 : 0);
        const std::uint32_t sender = c.first + (first_sends ? 0 : 1);
        const MemberRef ref = run_.members[receiver];
        const std::int64_t late = waits_.start(run_.members[sender]) - waits_.start(ref);
        waits_.wait[receiver] = std::clamp<std::int64_t>(late, 0, waits_.duration(ref));
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

class BlameFinder {
public:
    explicit BlameFinder(Waits& waits) : waits_(waits), run_(*waits.matched), releases_(run_) {}

    void find_all() {
        waits_.lateness.resize(run_.collectives.size());
        std::vector<std::vector<BlameShare>> shares(run_.collectives.size());
        std::vector<std::uint32_t> order(run_.collectives.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return waits_.times[c].last; });
        for (const std::uint32_t c : order) {
            if (!waits_.times[c].counts) continue;
            waits_.lateness[c] = find_lateness(c);
            shares[c] = share_out(c, shares);
        }
        waits_.blame_first.assign(1, 0);
        for (const std::vector<BlameShare>& of_one : shares) {
            waits_.blame.insert(waits_.blame.end(), of_one.begin(), of_one.end());
            waits_.blame_first.push_back(static_cast<std::uint32_t>(waits_.blame.size()));
        }
    }

private:
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
        late.late = waits_.times[c].last_slot;
        const MemberRef last = find_member(c, late.late);
        const MemberRef middle = find_middle(c);
        late.middle = middle.slot;
        late.lateness = waits_.start(last) - waits_.start(middle);
        const RankTime arrival = run_.member(last).start;
        const RankTime middle_arrival = run_.member(middle).start;
        const Releases::Release* const release = releases_.find(late.late, arrival, c);
        const Releases::Release* const other = releases_.find(late.middle, middle_arrival, c);
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
            const std::int64_t error = waits_.error(run_.collectives[c].session);
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

    std::vector<BlameShare> share_out(std::uint32_t c, std::span<const std::vector<BlameShare>> shares) const {
        const Lateness& late = waits_.lateness[c];
        std::vector<BlameShare> alone = {{.slot = late.late, .root = c, .share = 1.0}};
        if (!late.known || late.inherited <= waits_.error(run_.collectives[c].session)) return alone;
        const std::vector<BlameShare> before = trace_back(late.released_by, late.inherited, shares);
        if (before.empty()) return alone;
        const double own = static_cast<double>(std::max<std::int64_t>(late.own, 0));
        const double rest = static_cast<double>(late.inherited) / (own + static_cast<double>(late.inherited));
        std::vector<BlameShare> mine;
        double given = 0;
        for (const BlameShare& share : before) {
            if (mine.size() == kMostShares || share.share * rest < kLeastShare) continue;
            mine.push_back({share.slot, share.root, share.share * rest});
            given += share.share * rest;
        }
        mine.push_back({late.late, c, 1.0 - given});
        return mine;
    }

    Waits& waits_;
    const MatchedRun& run_;
    Releases releases_;
};

}  // namespace

bool Waits::splits(std::uint32_t collective) const {
    const Collective& c = matched->collectives[collective];
    return waits_for_last(c.operation) && c.count > 1 && c.doubts == 0 && !times[collective].left_early;
}

bool Waits::has_known_receive(const Collective& c) const {
    if (c.by != MatchedBy::Pair || c.count != 2 || c.doubts != 0) return false;
    const std::span<const MemberRef> members = matched->members_of(c);
    return !matched->clocks[c.session].fit.any ||
           matched->clock(members[0].slot).part == matched->clock(members[1].slot).part;
}

std::optional<std::int64_t> Waits::find_wait(MemberRef ref) const {
    const std::uint32_t number = matched->collective_of(ref);
    if (!splits(number)) return std::nullopt;
    const Collective& c = matched->collectives[number];
    const std::span<const MemberRef> members = matched->members_of(c);  // one of each slot, sorted by it
    const auto at = std::ranges::lower_bound(members, ref.slot, {}, &MemberRef::slot);
    return wait_of(c.first + static_cast<std::uint32_t>(at - members.begin()));
}

std::int64_t Waits::start(MemberRef ref) const {
    const std::int64_t t = matched->ranks[ref.slot].start(ref.index);
    return aligned[matched->places[ref.slot].session] ? matched->clock(ref.slot).to_true(t) : t;
}

std::int64_t Waits::end(MemberRef ref) const {
    const std::int64_t t = matched->ranks[ref.slot].end(ref.index);
    return aligned[matched->places[ref.slot].session] ? matched->clock(ref.slot).to_true(t) : t;
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
