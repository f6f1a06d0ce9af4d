#include "core/collectives/exchange_matches.hpp"

#include "core/cluster/byte_codec.hpp"
#include "core/collectives/check_matches.hpp"
#include "core/collectives/run_matcher.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::uint64_t kKeyKinds = static_cast<std::uint64_t>(KeyKind::Replay) + 1;
constexpr std::uint64_t kKeyedBy = static_cast<std::uint64_t>(MatchedBy::Replay) + 1;
constexpr std::uint64_t kNextSlot = 0;  // in place of how far a member is from the one before it, which is 1 or more

Error broken() { return {ErrorCode::Internal, "matches of another process are not whole"}; }

// Begins of parts of about equal size, each of neighbours, and the end of the last.
template <class Size>
std::vector<std::uint32_t> divide(std::size_t items, int parts, const Size& size_of) {
    std::uint64_t total = 0, before = 0;
    for (std::size_t i = 0; i < items; ++i) total += size_of(i);
    std::vector<std::uint32_t> starts{0};
    const auto count = static_cast<std::uint64_t>(parts);
    for (std::uint32_t i = 0; i < items; ++i) {
        while (starts.size() < count && before * count >= total * starts.size()) starts.push_back(i);
        before += size_of(i);
    }
    starts.resize(count + 1, static_cast<std::uint32_t>(items));
    return starts;
}

std::vector<std::uint32_t> divide_slots(std::span<const RankMembers> ranks, int parts) {
    return divide(ranks.size(), parts, [&](std::size_t slot) { return ranks[slot].events.size(); });
}

void write_rising(ByteWriter& out, std::span<const std::uint32_t> numbers) {
    out.unsigned_number(numbers.size());
    std::uint32_t next = 0;
    for (const std::uint32_t number : numbers) {
        out.unsigned_number(number - next);
        next = number + 1;
    }
}

std::vector<std::uint32_t> read_rising(ByteReader& in, std::size_t end) {
    std::vector<std::uint32_t> numbers(in.items(1));
    std::size_t next = 0;
    for (std::uint32_t& number : numbers) {
        number = static_cast<std::uint32_t>(next + in.below(end - std::min(next, end)));
        next = number + std::size_t{1};
    }
    return numbers;
}

// Members of one process's share of the ranks for one owner. Each key is written once, where it first occurs.
class MemberWriter {
public:
    void add(MemberRef ref, std::optional<std::uint32_t>& id, const MemberKey& key) {
        if (slot_ != ref.slot) {
            bytes_.unsigned_number(kNextSlot);
            bytes_.unsigned_number(ref.slot);
            slot_ = ref.slot;
            next_ = 0;
        }
        bytes_.unsigned_number(std::uint64_t{ref.index} - next_ + 1);
        next_ = ref.index + 1;
        const bool is_new = !id;
        if (is_new) id = keys_++;
        bytes_.number(std::int64_t{*id} - last_);
        last_ = *id;
        if (!is_new) return;
        bytes_.unsigned_number(static_cast<std::uint64_t>(key.kind));
        bytes_.unsigned_number(key.group);
        bytes_.unsigned_number(key.key);
        bytes_.number(key.number);
    }
    std::string take() && { return std::move(bytes_).take(); }

private:
    ByteWriter bytes_;
    std::optional<std::uint32_t> slot_;
    std::uint32_t next_ = 0;
    std::uint32_t keys_ = 0;
    std::int64_t last_ = 0;
};

// The members of an owner's keys.
class OwnedMembers {
public:
    explicit OwnedMembers(std::span<const RankMembers> ranks) : ranks_(ranks), of_slot_(ranks.size()) {}

    // Slots [first, end) come from one sender.
    Result<bool> read(std::string_view bytes, std::uint32_t first, std::uint32_t end) {
        ByteReader in(bytes);
        std::vector<std::uint32_t> known;  // the sender's keys
        std::uint32_t slot = first;
        std::uint64_t next = 0;
        std::int64_t last = 0;
        for (bool begun = false; in.ok() && !in.at_end();) {
            const std::uint64_t apart = in.unsigned_number();
            if (apart == kNextSlot) {
                const std::uint64_t to = in.below(end);
                if (to < slot || (begun && to == slot)) in.fail();
                slot = static_cast<std::uint32_t>(to);
                next = 0;
                begun = true;
                continue;
            }
            const std::size_t members = begun ? ranks_[slot].events.size() : 0;
            if (next >= members || apart > members - next) in.fail();
            std::int64_t id = 0;
            if (__builtin_add_overflow(last, in.number(), &id) || id < 0 ||
                id > static_cast<std::int64_t>(known.size()))
                in.fail();
            if (!in.ok()) break;
            if (id == static_cast<std::int64_t>(known.size())) known.push_back(book_.number(read_key(in)));
            of_slot_[slot].members.push_back(static_cast<std::uint32_t>(next + apart - 1));
            of_slot_[slot].keys.push_back(known[static_cast<std::size_t>(id)]);
            next += apart;
            last = id;
        }
        if (!in.ok()) return broken();
        return true;
    }

    std::vector<SlotKeys> by_slot() const {
        std::vector<SlotKeys> slots;
        for (const OfSlot& of : of_slot_) slots.push_back({.keys = of.keys, .members = of.members});
        return slots;
    }
    std::span<const KeyKind> kinds() const { return book_.kinds(); }

private:
    struct OfSlot {
        std::vector<std::uint32_t> members;
        std::vector<std::uint32_t> keys;
    };
    static MemberKey read_key(ByteReader& in) {
        MemberKey key;
        key.kind = static_cast<KeyKind>(in.below(kKeyKinds));
        key.group = static_cast<std::uint32_t>(in.below(std::uint64_t{1} << 32));
        key.key = in.unsigned_number();
        key.number = in.number();
        return key;
    }

    std::span<const RankMembers> ranks_;
    KeyBook book_;
    std::vector<OfSlot> of_slot_;
};

// Flags of a match.
constexpr std::uint64_t kRepeated = 1, kInParts = 2, kFlags = 4;

void write_match(ByteWriter& out, const Match& match) {
    out.unsigned_number((match.repeated ? kRepeated : 0) | (match.in_parts ? kInParts : 0));
    out.unsigned_number(static_cast<std::uint64_t>(match.operation));
    out.unsigned_number(match.doubts);
    out.unsigned_number(match.members.size());
    MemberRef before;
    for (const MemberRef ref : match.members) {
        out.unsigned_number(ref.slot - before.slot);
        out.number(std::int64_t{ref.index} - before.index);
        before = ref;
    }
}

class MatchReader {
public:
    MatchReader(std::string_view bytes, std::span<const RankMembers> ranks) : in_(bytes), ranks_(ranks) {}

    MemberRef read_member(MemberRef before) {
        const std::uint64_t slot = before.slot + in_.below(ranks_.size() - before.slot);
        std::int64_t index = 0;
        const bool beyond = __builtin_add_overflow(std::int64_t{before.index}, in_.number(), &index);
        if (beyond || slot >= ranks_.size() || index < 0 ||
            index >= static_cast<std::int64_t>(ranks_[slot].events.size())) {
            in_.fail();
            return {};
        }
        return {static_cast<std::uint32_t>(slot), static_cast<std::uint32_t>(index)};
    }
    Match read_match(MatchedBy by) {
        Match match;
        match.by = by;
        const std::uint64_t flags = in_.below(kFlags);
        match.repeated = (flags & kRepeated) != 0;
        match.in_parts = (flags & kInParts) != 0;
        match.operation = static_cast<Operation>(in_.below(kOperations));
        match.doubts = static_cast<std::uint8_t>(in_.below(256));
        const std::size_t count = in_.items(2);
        match.members.reserve(count);
        MemberRef before;
        for (std::size_t i = 0; i < count && in_.ok(); ++i) {
            const MemberRef ref = read_member(before);
            if (i > 0 && ref.slot <= before.slot) in_.fail();
            match.members.push_back(ref);
            before = ref;
        }
        if (match.members.empty()) in_.fail();
        return match;
    }
    ByteReader& in() { return in_; }

private:
    ByteReader in_;
    std::span<const RankMembers> ranks_;
};

class ExchangedMatches final : public KeyedMatches {
public:
    ExchangedMatches(Team& team, std::stop_token stop) : team_(team), stop_(std::move(stop)) {}

    // Collective. groups: by slot.
    Result<bool> make(const MatchedRun& run, std::span<const std::vector<KeyGroup>> groups);
    void find(const MatchInput&, std::uint32_t cohort, std::vector<Match>& matches, OrderedMembers& rest) override;
    std::vector<std::int64_t> latest_ends(const MatchedRun&, std::size_t first) override;
    const std::optional<Error>& failure() const { return failure_; }

private:
    struct OwnKeys {
        KeyBook book;
        std::vector<std::vector<std::uint32_t>> by_slot;  // of the own slots
    };
    std::uint32_t own_first() const { return starts_[static_cast<std::size_t>(team_.index())]; }
    Result<bool> gather_rest(std::span<const RankMembers>, const OwnKeys&);
    std::vector<std::string> address(const OwnKeys&) const;
    std::string match_owned(const MatchedRun&, std::span<const Cohort>, const OwnedMembers&) const;
    bool read_matches(std::string_view bytes, std::span<const RankMembers>);
    void sort_matches();

    // The matches of one key, decoded.
    struct Found {
        KeyMatches key;
        std::size_t at = 0;
    };
    struct OfCohort {
        std::vector<Found> keys;
        std::vector<Match> matches;
    };

    Team& team_;
    std::stop_token stop_;
    std::vector<std::uint32_t> starts_;  // of the slots of each process
    std::vector<std::vector<std::uint32_t>> rest_;  // by slot
    std::vector<OfCohort> cohorts_;
    std::optional<Error> failure_;
};

// Members without a key, which every process places by order.
Result<bool> ExchangedMatches::gather_rest(std::span<const RankMembers> ranks, const OwnKeys& own) {
    ByteWriter out;
    std::vector<std::uint32_t> without;
    for (const std::vector<std::uint32_t>& keys : own.by_slot) {
        without.clear();
        for (std::uint32_t i = 0; i < keys.size(); ++i)
            if (keys[i] == kNoKey) without.push_back(i);
        write_rising(out, without);
    }
    const Result<std::vector<std::string>> all = team_.gather(std::move(out).take(), stop_);
    if (!all) return all.error();
    rest_.resize(ranks.size());
    for (std::size_t process = 0; process < all->size(); ++process) {
        ByteReader in((*all)[process]);
        for (std::uint32_t slot = starts_[process]; slot < starts_[process + 1]; ++slot)
            rest_[slot] = read_rising(in, ranks[slot].events.size());
        if (!in.ok() || !in.at_end()) return broken();
    }
    return true;
}

// The own ranks' members, by the owner of their key.
std::vector<std::string> ExchangedMatches::address(const OwnKeys& own) const {
    const std::vector<MemberKey> keys = own.book.keys();
    const auto owners = static_cast<std::uint64_t>(team_.count());
    std::vector<std::uint32_t> owner_of(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k)
        owner_of[k] = static_cast<std::uint32_t>((hash_of(keys[k]) >> 32) % owners);  // tables use the low bits
    std::vector<std::optional<std::uint32_t>> ids(keys.size());
    std::vector<MemberWriter> writers(owners);
    for (std::uint32_t k = 0; k < own.by_slot.size(); ++k)
        for (std::uint32_t i = 0; i < own.by_slot[k].size(); ++i) {
            const std::uint32_t key = own.by_slot[k][i];
            if (key != kNoKey) writers[owner_of[key]].add({own_first() + k, i}, ids[key], keys[key]);
        }
    std::vector<std::string> addressed;
    for (MemberWriter& writer : writers) addressed.push_back(std::move(writer).take());
    return addressed;
}

std::string ExchangedMatches::match_owned(const MatchedRun& run, std::span<const Cohort> cohorts,
                                          const OwnedMembers& owned) const {
    ByteWriter out;
    const std::vector<SlotKeys> slots = owned.by_slot();
    std::vector<std::uint32_t> scratch(owned.kinds().size(), kNoKey);
    for (const Cohort& cohort : cohorts) {
        const MatchInput input{.ranks = run.ranks, .groups = run.groups, .cohort = &cohort, .params = run.params};
        std::vector<Match> matches;
        OrderedMembers none;
        const std::vector<KeyMatches> keys =
            match_by_keys(input, {.slots = slots, .kinds = owned.kinds()}, scratch, matches, none);
        out.unsigned_number(keys.size());
        std::size_t at = 0;
        for (const KeyMatches& key : keys) {
            out.unsigned_number(key.first.slot);
            out.number(key.first.index);
            out.unsigned_number(static_cast<std::uint64_t>(matches[at].by));
            out.unsigned_number(key.count);
            for (std::size_t end = at + key.count; at < end; ++at) write_match(out, matches[at]);
        }
    }
    return std::move(out).take();
}

bool ExchangedMatches::read_matches(std::string_view bytes, std::span<const RankMembers> ranks) {
    MatchReader reader(bytes, ranks);
    ByteReader& in = reader.in();
    for (OfCohort& cohort : cohorts_) {
        for (std::size_t keys = in.items(4); keys > 0 && in.ok(); --keys) {
            Found found{.key = {.first = reader.read_member({}), .count = 0}, .at = cohort.matches.size()};
            const auto by = static_cast<MatchedBy>(in.below(kKeyedBy));
            found.key.count = in.items(4);
            for (std::size_t i = 0; i < found.key.count && in.ok(); ++i)
                cohort.matches.push_back(reader.read_match(by));
            cohort.keys.push_back(found);
        }
    }
    return in.ok() && in.at_end();
}

Result<bool> ExchangedMatches::make(const MatchedRun& run, std::span<const std::vector<KeyGroup>> groups) {
    starts_ = divide_slots(run.ranks, team_.count());
    OwnedMembers owned(run.ranks);
    {
        OwnKeys own;
        for (std::uint32_t slot = own_first(); slot < starts_[static_cast<std::size_t>(team_.index()) + 1]; ++slot)
            own.by_slot.push_back(own.book.number(run.ranks[slot].rank, run.ranks[slot].events, groups[slot]));
        if (Result<bool> rest = gather_rest(run.ranks, own); !rest) return rest;
        const Result<std::vector<std::string>> got = team_.exchange(address(own), stop_);
        if (!got) return got.error();
        for (std::size_t process = 0; process < got->size(); ++process)
            if (Result<bool> read = owned.read((*got)[process], starts_[process], starts_[process + 1]); !read)
                return read;
    }
    const std::vector<Cohort> cohorts = find_cohorts(run.ranks);
    const Result<std::vector<std::string>> all = team_.gather(match_owned(run, cohorts, owned), stop_);
    if (!all) return all.error();
    cohorts_.resize(cohorts.size());
    for (const std::string& bytes : *all)
        if (!read_matches(bytes, run.ranks)) return broken();
    return true;
}

// In the order in which one process finds them: of keys by their first member.
void ExchangedMatches::find(const MatchInput& input, std::uint32_t cohort, std::vector<Match>& matches,
                            OrderedMembers& rest) {
    OfCohort found = std::move(cohorts_[cohort]);
    std::ranges::sort(found.keys, {}, [](const Found& one) { return one.key.first; });
    matches.reserve(matches.size() + found.matches.size());
    for (const Found& one : found.keys)
        for (std::size_t i = one.at; i < one.at + one.key.count; ++i) matches.push_back(std::move(found.matches[i]));
    rest.clear();
    for (const std::uint32_t slot : input.cohort->slots) rest.push_back(std::move(rest_[slot]));
}

// Each process's share of the collectives. After a failure the result isn't used.
std::vector<std::int64_t> ExchangedMatches::latest_ends(const MatchedRun& run, std::size_t first) {
    const std::span<const Collective> all = std::span(run.collectives).subspan(first);
    std::vector<std::int64_t> latest(all.size(), 0);
    if (failure_) return latest;
    const std::vector<std::uint32_t> starts =
        divide(all.size(), team_.count(), [&](std::size_t i) { return all[i].count; });
    const auto self = static_cast<std::size_t>(team_.index());
    ByteWriter out;
    std::uint64_t before = 0;  // differences wrap around
    for (std::uint32_t i = starts[self]; i < starts[self + 1]; ++i) {
        const auto end = static_cast<std::uint64_t>(latest_end(run, all[i]));
        out.number(static_cast<std::int64_t>(end - std::exchange(before, end)));
    }
    const Result<std::vector<std::string>> got = team_.gather(std::move(out).take(), stop_);
    if (!got) failure_ = got.error();
    for (std::size_t process = 0; got && process < got->size(); ++process) {
        ByteReader in((*got)[process]);
        before = 0;
        for (std::uint32_t i = starts[process]; i < starts[process + 1]; ++i)
            latest[i] = static_cast<std::int64_t>(before += static_cast<std::uint64_t>(in.number()));
        if (!in.ok() || !in.at_end()) failure_ = broken();
    }
    return latest;
}

Result<MatchedRunPtr> match_exchanged(Team& team, MatchedRun run, std::span<const std::vector<KeyGroup>> groups,
                                      const std::stop_token& stop) {
    ExchangedMatches shared(team, stop);
    if (const Result<bool> made = shared.make(run, groups); !made) return made.error();
    MatchedRunPtr matches = match_members(std::move(run), shared);
    if (shared.failure()) return *shared.failure();
    return matches;
}

// Operations of each group; each process reads those of its own ranks.
Result<bool> gather_operations(Team& team, const Run& run, const GroupBook& book, std::span<const RankMembers> ranks,
                               std::vector<RankGroups>& groups, const std::stop_token& stop) {
    const std::vector<std::uint32_t> starts = divide_slots(ranks, team.count());
    const auto self = static_cast<std::size_t>(team.index());
    ByteWriter out;
    for (std::uint32_t slot = starts[self]; slot < starts[self + 1]; ++slot) {
        book.read_operations(run.rank(slot), groups[slot]);
        for (const std::uint32_t uses : groups[slot].operations) out.unsigned_number(uses);
    }
    const Result<std::vector<std::string>> all = team.gather(std::move(out).take(), stop);
    if (!all) return all.error();
    for (std::size_t process = 0; process < all->size(); ++process) {
        ByteReader in((*all)[process]);
        for (std::uint32_t slot = starts[process]; slot < starts[process + 1]; ++slot)
            for (std::uint32_t& uses : groups[slot].operations)
                uses = static_cast<std::uint32_t>(in.below(std::uint64_t{1} << 32));
        if (!in.ok() || !in.at_end()) return broken();
    }
    return true;
}

}  // namespace

Result<MatchedRunPtr> exchange_matches(Team& team, MatchedRun run, const std::stop_token& stop) {
    std::vector<std::vector<KeyGroup>> groups;
    for (const RankMembers& rank : run.ranks) groups.push_back(collect_key_groups(rank, run.groups));
    return match_exchanged(team, std::move(run), groups, stop);
}

Result<MatchedRunPtr> exchange_matches(Team& team, const Run& run, const MatchParams& params,
                                       const std::stop_token& stop) {
    MatchedRun unmatched;
    unmatched.params = params;
    unmatched.ranks = collect_ranks(run);
    GroupBook book;  // all processes read the groups of all ranks, so that they number them alike
    std::vector<RankGroups> groups;
    for (const RankSlot& rank : run.ranks()) {
        unmatched.indexes.push_back(rank.index);
        groups.push_back(book.read_groups(rank));
    }
    if (const Result<bool> read = gather_operations(team, run, book, unmatched.ranks, groups, stop); !read)
        return read.error();
    std::vector<const RankGroups*> by_slot;
    std::vector<std::vector<KeyGroup>> key_groups;
    for (const RankGroups& of_rank : groups) {
        by_slot.push_back(&of_rank);
        key_groups.push_back(of_rank.groups);
    }
    unmatched.groups = book.collect(run, by_slot, unmatched.ranks);
    return match_exchanged(team, std::move(unmatched), key_groups, stop);
}

}  // namespace core
