#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/collectives/chosen_members.hpp"
#include "core/sql/row_scan.hpp"

#include <algorithm>
#include <memory>

namespace core {
namespace {

enum class CollectiveColumn : std::uint8_t {
    Id,
    Group,
    Operation,
    Sequence,
    Number,
    Ranks,
    Missing,
    Absent,
    Bytes,
    Ts,
    Skew,
    Lead,
    Transfer,
    EndSpread,
    Wait,
    AlgBw,
    BusBw,
    LastRank,
    Step,
    MatchedBy,
    Confidence,
    Doubt,
    Session,
};

std::vector<SqlColumn> collective_columns() {
    return {{"id", Unit::Count, "the collective, by session, group, operation and sequence", SqlPush::Equal},
            {"group_name", Unit::Text, "the process group"},
            {"operation", Unit::Text, "all_reduce, all_to_all, …", SqlPush::Equal},
            {"sequence", Unit::Count, "from 0 at the start, within group and operation"},
            {"number", Unit::Count, "as the writer numbered it"},
            {"ranks", Unit::Count, "members found"},
            {"missing", Unit::Count, "members whose file is here but whose event is not"},
            {"absent", Unit::Count, "members whose file is not here"},
            {"bytes", Unit::Bytes, "the size, as nccl-tests counts it"},
            {"ts", Unit::Ns, "earliest start of a member, from the run's earliest event"},
            {"skew", Unit::Ns, "latest start − earliest start"},
            {"lead", Unit::Ns, "latest start − second latest"},
            {"transfer", Unit::Ns, "median end − latest start"},
            {"end_spread", Unit::Ns, "latest end − earliest end"},
            {"wait", Unit::Ns, "sum of the members' waits; absent where nobody can wait"},
            {"algbw", Unit::BytesPerSecond, "bytes / transfer"},
            {"busbw", Unit::BytesPerSecond, "algbw × bus factor of operation and size"},
            {"last_rank", Unit::Rank, "arrived last; absent where the error hides it"},
            {"step", Unit::Step, "that all members were launched in"},
            {"matched_by", Unit::Text, "number, comms id, pair, replay or order"},
            {"confidence", Unit::Text, "certain, probable, doubtful or alone"},
            {"doubt", Unit::Text, "what contradicts the match"},
            {"session", Unit::Count, "files that ran at one time; from 0"}};
}

class CollectiveRows {
public:
    explicit CollectiveRows(const Run& run) : chosen_(std::make_shared<ChosenMembers>()) {
        chosen_->run = &run;
        chosen_->waits = waits_of(run);
    }
    std::size_t rows() const { return chosen_->matches().collectives.size(); }
    Cell cell(std::size_t row, std::size_t column) const;

private:
    std::int64_t first_start(const Collective& c) const {
        const Run& run = *chosen_->run;
        RunTime first = RunTime::max();
        for (const MemberRef ref : chosen_->matches().members_of(c))
            first = std::min(first, run.rank(ref.slot).to_run(chosen_->matches().member(ref).start));
        return (first - run.origin()).count();
    }

    std::shared_ptr<ChosenMembers> chosen_;
    mutable std::string text_;
};

Cell CollectiveRows::cell(std::size_t row, std::size_t column) const {
    const auto number = static_cast<std::uint32_t>(row);
    const Collective& c = chosen_->matches().collectives[row];
    const CollectiveTimes& times = chosen_->waits->times[row];
    const bool several = c.count > 1;
    const bool split = several && waits_for_last(c.operation) && c.doubts == 0;
    const auto if_several = [&](std::int64_t value) { return several ? Cell{value} : Cell{}; };
    const auto if_known = [](const auto& value) { return value ? Cell{*value} : Cell{}; };
    switch (static_cast<CollectiveColumn>(column)) {
        case CollectiveColumn::Id:
            return std::int64_t{number};
        case CollectiveColumn::Group:
            text_ = chosen_->group_of(c);
            return std::string_view(text_);
        case CollectiveColumn::Operation:
            return name_of(c.operation);
        case CollectiveColumn::Sequence:
            return std::int64_t{c.sequence};
        case CollectiveColumn::Number:
            return c.number == kNoNumber ? Cell{} : Cell{c.number};
        case CollectiveColumn::Ranks:
            return std::int64_t{c.count};
        case CollectiveColumn::Missing:
            return std::int64_t{c.missing};
        case CollectiveColumn::Absent:
            return std::int64_t{c.absent};
        case CollectiveColumn::Bytes:
            return if_known(bandwidth_of(*chosen_->waits, number).bytes);
        case CollectiveColumn::Ts:
            return first_start(c);
        case CollectiveColumn::Skew:
            return if_several(times.skew());
        case CollectiveColumn::Lead:
            return if_several(times.lead);
        case CollectiveColumn::Transfer:
            return if_several(times.transfer);
        case CollectiveColumn::EndSpread:
            return if_several(times.end_spread);
        case CollectiveColumn::Wait:
            return split ? Cell{times.wait} : Cell{};
        case CollectiveColumn::AlgBw:
            return if_known(bandwidth_of(*chosen_->waits, number).algorithm);
        case CollectiveColumn::BusBw:
            return if_known(bandwidth_of(*chosen_->waits, number).bus);
        case CollectiveColumn::LastRank:
            return split && times.resolved ? Cell{std::int64_t{chosen_->run->rank(times.last_slot).key.number}}
                                           : Cell{};
        case CollectiveColumn::Step:
            return chosen_->step_cell(c);
        case CollectiveColumn::MatchedBy:
            return name_of(c.by);
        case CollectiveColumn::Confidence:
            return name_of(c.confidence);
        case CollectiveColumn::Doubt:
            text_ = format_doubts(c.doubts);
            return std::string_view(text_);
        case CollectiveColumn::Session:
            return std::int64_t{c.cohort};
    }
    return {};
}

enum class MemberColumn : std::uint8_t {
    Id,
    Collective,
    Event,
    Rank,
    Capture,
    Operation,
    Ts,
    Dur,
    EndTs,
    Wait,
    Transfer,
    InBytes,
    OutBytes,
    Peer,
    Parts,
};

std::vector<SqlColumn> member_columns_of_sql() {
    return {{"id", Unit::Count, "the member", SqlPush::Equal},
            {"collective", Unit::Count, "collectives.id", SqlPush::Equal},
            {"event", Unit::Event, "its kernel: events.id"},
            {"rank", Unit::Rank, "the rank", SqlPush::Range},
            {"capture", Unit::Text, "a; b, c, … of further files that claim the rank"},
            {"operation", Unit::Text, "all_reduce, all_to_all, …", SqlPush::Equal},
            {"ts", Unit::Ns, "start, from the run's earliest event", SqlPush::Range},
            {"dur", Unit::Ns, "to the end of its last kernel"},
            {"end_ts", Unit::Ns, "ts + dur"},
            {"wait", Unit::Ns, "until the last arrived, at most dur; absent where nobody can wait"},
            {"transfer", Unit::Ns, "dur − wait"},
            {"in_bytes", Unit::Bytes, "that it gave"},
            {"out_bytes", Unit::Bytes, "that it got"},
            {"peer", Unit::Count, "of send and recv: the other rank in the world"},
            {"parts", Unit::Count, "kernels, at most 255"}};
}

class MemberRows {
public:
    MemberRows(const Run& run, SqlContext& context) : run_(&run), context_(&context), waits_(waits_of(run)) {}
    std::size_t rows() const { return waits_->matched->members.size(); }
    const MatchedRun& matched() const { return *waits_->matched; }

    Cell cell(std::size_t row, std::size_t column) const {
        const MemberRef ref = matched().members[row];
        const MemberEvent& member = matched().member(ref);
        const RankSlot& rank = run_->rank(ref.slot);
        const std::int64_t ts = (rank.to_run(member.start) - run_->origin()).count();
        const auto position = static_cast<std::uint32_t>(row);
        const auto bytes = [](std::int64_t value) { return value == kNoBytes ? Cell{} : Cell{value}; };
        switch (static_cast<MemberColumn>(column)) {
            case MemberColumn::Id:
                return static_cast<std::int64_t>(row);
            case MemberColumn::Collective:
                return std::int64_t{matched().collective_of(ref)};
            case MemberColumn::Event:
                return sql_event_id(ref.slot, member.event);
            case MemberColumn::Rank:
                return std::int64_t{rank.key.number};
            case MemberColumn::Capture:
                return std::string_view(context_->capture_of(rank.key));
            case MemberColumn::Operation:
                return name_of(member.operation);
            case MemberColumn::Ts:
                return ts;
            case MemberColumn::Dur:
                return member.duration.count();
            case MemberColumn::EndTs:
                return ts + member.duration.count();
            case MemberColumn::Wait:
                return is_known(ref, position) ? Cell{waits_->wait_of(position)} : Cell{};
            case MemberColumn::Transfer:
                return is_known(ref, position) ? Cell{waits_->transfer_of(position)} : Cell{};
            case MemberColumn::InBytes:
                return bytes(member.in_bytes);
            case MemberColumn::OutBytes:
                return bytes(member.out_bytes);
            case MemberColumn::Peer:
                return member.peer == kNoPeer ? Cell{} : Cell{std::int64_t{member.peer}};
            case MemberColumn::Parts:
                return std::int64_t{member.parts};
        }
        return {};
    }

private:
    bool is_known(MemberRef ref, std::uint32_t position) const {
        return waits_->knows_wait(matched().collective_of(ref), position);
    }

    const Run* run_;
    SqlContext* context_;
    WaitsPtr waits_;
};

// Bounds on the collective choose its members at once.
SqlScanPtr open_members(SqlContext& context, SqlBounds bounds) {
    MemberRows rows(*context.run, context);
    for (const SqlBound& bound : bounds) {
        if (bound.column != static_cast<std::size_t>(MemberColumn::Collective) || bound.values.size() != 1) continue;
        const std::int64_t number = std::get<std::int64_t>(bound.values[0]);
        std::size_t first = 0, last = 0;
        if (number >= 0 && static_cast<std::size_t>(number) < rows.matched().collectives.size()) {
            const Collective& c = rows.matched().collectives[static_cast<std::size_t>(number)];
            first = c.first;
            last = c.first + c.count;
        }
        return std::make_unique<RowScan<MemberRows>>(context, std::move(bounds), std::move(rows), first, last);
    }
    return scan_rows(context, std::move(bounds), std::move(rows), static_cast<std::size_t>(MemberColumn::Id));
}

double count_members(const Run& run) {
    double count = 0;
    for (const RankSlot& rank : run.ranks()) count += static_cast<double>(rank.index->members().events().size());
    return count;
}

}  // namespace

std::vector<SqlTable> collective_tables() {
    SqlTable collectives;
    collectives.name = "collectives";
    collectives.summary = "The collectives of the run, matched across ranks.";
    collectives.columns = collective_columns();
    collectives.open = [](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), CollectiveRows(*context.run), 0);
    };
    collectives.rows = [](const Run& run) { return count_members(run) / static_cast<double>(run.ranks().size() + 1); };
    collectives.has_id = true;
    collectives.by_id = true;
    SqlTable members;
    members.name = "members";
    members.summary = "What each rank did for its collectives: one row per rank and collective.";
    members.columns = member_columns_of_sql();
    members.open = open_members;
    members.rows = count_members;
    members.has_id = true;
    members.by_id = true;
    return {collectives, members};
}

}  // namespace core
