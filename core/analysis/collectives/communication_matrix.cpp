#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/collectives/collective_analyses.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <charconv>
#include <map>

namespace core::communication_matrix {
namespace {

struct Traffic {
    std::int64_t bytes = 0;
    std::int64_t messages = 0;
    std::int64_t time = 0;
    bool modelled = false;  // some of it
    bool stated = false;    // some of it
};
// Destination -1: ranks that a cut list of splits leaves out.
using Matrix = std::map<std::pair<std::int32_t, std::int32_t>, Traffic>;
constexpr std::int32_t kOthers = -1;

// Elements or rows that go to each member; empty where the list is absent, cut or no list of numbers.
struct Splits {
    bool cut = false;  // of what it states and what not, nobody knows the shares
    std::vector<std::int64_t> parts{};
    Wide sum = 0;
};

Splits read_splits(const Run& run, const MatchedRun& matches, MemberRef ref) {
    Splits splits;
    const RankTrace& trace = run.rank(ref.slot).trace();
    const EventId event = matches.member(ref).event;
    std::optional<std::string_view> text = trace.argument(Arg::InSplit, event);
    EventId at = trace.parent[index_of(event)];
    for (int depth = 0; !text && at != kNoEvent && depth < 64; ++depth, at = trace.parent[index_of(at)])
        text = trace.argument(Arg::InSplit, at);
    if (!text) return splits;
    for (const std::string_view item : split_list(*text)) {
        std::int64_t part = 0;
        if (item.starts_with("...")) return {.cut = true};
        const auto parsed = std::from_chars(item.data(), item.data() + item.size(), part);
        if (parsed.ec != std::errc() || parsed.ptr != item.data() + item.size() || part < 0) return {};
        splits.parts.push_back(part);
        splits.sum += part;
    }
    return splits;
}

// Ranks of a collective in order: its group's members, else those that were matched.
std::vector<std::int32_t> ranks_of(const MatchedRun& matches, const Collective& c) {
    const RunGroup& group = matches.groups[c.group];
    if (!group.members.empty()) return group.members;
    std::vector<std::int32_t> ranks;
    for (const MemberRef ref : matches.members_of(c)) ranks.push_back(matches.ranks[ref.slot].rank);
    std::ranges::sort(ranks);
    return ranks;
}

class MatrixBuilder {
public:
    MatrixBuilder(const ChosenMembers& chosen, bool models_rings)
        : chosen_(chosen), matches_(chosen.matches()), models_rings_(models_rings) {}

    void add(std::uint32_t number) {
        const Collective& c = matches_.collectives[number];
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            if (!chosen_.member[i]) continue;
            const MemberRef ref = matches_.members[i];
            const MemberEvent& member = matches_.member(ref);
            const std::int64_t time = chosen_.waits->transfer_of(i);
            if (member.operation == Operation::Send && member.peer != kNoPeer)
                add_traffic(matches_.ranks[ref.slot].rank, member.peer, std::max<std::int64_t>(0, member.in_bytes),
                            time);
            if (c.operation == Operation::AllToAll && member.in_bytes != kNoBytes) add_all_to_all(c, ref, time);
            if (models_rings_) add_to_neighbour(c, ref, time);
        }
    }
    const Matrix& matrix() const { return matrix_; }

private:
    void add_traffic(std::int32_t from, std::int32_t to, std::int64_t bytes, std::int64_t time, bool modelled = false) {
        Traffic& traffic = matrix_[{from, to}];
        (modelled ? traffic.modelled : traffic.stated) = true;
        traffic.bytes = clamped(Wide{traffic.bytes} + bytes);
        traffic.time = clamped(Wide{traffic.time} + time);
        ++traffic.messages;
    }

    // bytes · split / sum of splits, without splits equal shares; what rounding leaves goes to the last.
    void add_all_to_all(const Collective& c, MemberRef ref, std::int64_t time) {
        const std::vector<std::int32_t> ranks = ranks_of(matches_, c);
        const std::int64_t bytes = matches_.member(ref).in_bytes;
        const std::int32_t own = matches_.ranks[ref.slot].rank;
        const Splits splits = read_splits(*chosen_.run, matches_, ref);
        if (splits.cut) return add_traffic(own, kOthers, bytes, time);
        const bool split = splits.parts.size() == ranks.size() && splits.sum > 0;
        std::int64_t left = bytes;
        for (std::size_t k = 0; k < ranks.size(); ++k) {
            const Wide part = split ? Wide{bytes} * splits.parts[k] / splits.sum
                                    : Wide{bytes} / static_cast<std::int64_t>(ranks.size());
            const std::int64_t given = k + 1 == ranks.size() ? left : clamped(part);
            left -= given;
            add_traffic(own, ranks[k], given, time);
        }
        if (ranks.empty()) add_traffic(own, kOthers, bytes, time);
    }

    // Bytes that a ring passes on: S times the bus factor, to the next member in order. Operations with a root are left
    // out, as no trace says which rank that is.
    void add_to_neighbour(const Collective& c, MemberRef ref, std::int64_t time) {
        const bool ring = c.operation == Operation::AllReduce || c.operation == Operation::AllGather ||
                          c.operation == Operation::ReduceScatter;
        const std::optional<std::int64_t> bytes = ring ? size_of(matches_, c) : std::nullopt;
        const std::vector<std::int32_t> ranks = ring ? ranks_of(matches_, c) : std::vector<std::int32_t>{};
        const std::int32_t own = matches_.ranks[ref.slot].rank;
        const auto at = std::ranges::find(ranks, own);
        if (!bytes || ranks.size() < 2 || at == ranks.end()) return;
        const auto next = at + 1 == ranks.end() ? ranks.begin() : at + 1;
        const auto n = static_cast<std::int64_t>(ranks.size());
        const Wide sent = Wide{*bytes} * (n - 1) * (c.operation == Operation::AllReduce ? 2 : 1) / n;
        add_traffic(own, *next, clamped(sent), time, true);
    }

    const ChosenMembers& chosen_;
    const MatchedRun& matches_;
    bool models_rings_;
    Matrix matrix_;
};

std::vector<Column> group_columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"rank", Unit::Rank, Role::Key, Facet::Rank, "the member"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "that it gave", true},
            {"messages", Unit::Count, Role::Measure, Facet::None, "its collectives, sends and receives", true},
            {"time", Unit::Ns, Role::Measure, Facet::None, "of its transfers", true}};
}

// Bytes that each rank gives in each group, over all operations of known size, with the time of its transfers.
NamedTable groups_table(const ChosenMembers& chosen) {
    Table table(group_columns());
    const MatchedRun& matches = chosen.matches();
    std::map<std::pair<std::string, std::int64_t>, Traffic> sums;
    for (const std::uint32_t number : chosen.collectives) {
        const Collective& c = matches.collectives[number];
        const std::string group = chosen.group_of(c);
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            const MemberRef ref = matches.members[i];
            if (!chosen.member[i] || matches.member(ref).in_bytes == kNoBytes) continue;
            Traffic& sum = sums[{group, chosen.run->rank(ref.slot).key.packed()}];
            sum.bytes = clamped(Wide{sum.bytes} + matches.member(ref).in_bytes);
            sum.time = clamped(Wide{sum.time} + chosen.waits->transfer_of(i));
            ++sum.messages;
        }
    }
    for (const auto& [key, sum] : sums)
        table.add_row({std::string_view(key.first), key.second, sum.bytes, sum.messages, sum.time});
    return {"groups", std::move(table)};
}

std::vector<Column> balance_columns() {
    return {{"direction", Unit::Text, Role::Key, Facet::None, "sent or received"},
            {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "to or from other ranks and itself", true},
            {"imbalance", Unit::Ratio, Role::Measure, Facet::None,
             "bytes / mean over ranks; the largest is the run's imbalance"}};
}

// Bytes that each rank sends and receives, next to the mean of the ranks that do.
NamedTable balance_table(const Matrix& matrix) {
    Table table(balance_columns());
    std::map<std::pair<std::string_view, std::int32_t>, Wide> sums;
    std::map<std::string_view, std::pair<Wide, std::int64_t>> all;
    for (const auto& [pair, traffic] : matrix) {
        sums[{"sent", pair.first}] += traffic.bytes;
        if (pair.second != kOthers) sums[{"received", pair.second}] += traffic.bytes;
    }
    for (const auto& [key, bytes] : sums) {
        all[key.first].first += bytes;
        ++all[key.first].second;
    }
    for (const auto& [key, bytes] : sums) {
        const auto& [sum, ranks] = all[key.first];
        table.add_row({key.first, RankKey{key.second, 0}.packed(), clamped(bytes), ratio_cell(bytes * ranks, sum)});
    }
    return {"balance", std::move(table)};
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"source", Unit::Rank, Role::Key, Facet::Rank, "who sends"},
        {"destination", Unit::Text, Role::Key, Facet::None, "rank that receives"},
        {"bytes", Unit::Bytes, Role::Measure, Facet::None, "sent", true},
        {"messages", Unit::Count, Role::Measure, Facet::None, "sends, and parts of all-to-alls", true},
        {"time", Unit::Ns, Role::Measure, Facet::None, "of the sender's transfers that they were part of", true},
        {"modelled", Unit::Text, Role::Info, Facet::None, "yes or partly: by model=ring; no: as the trace states it"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    MatrixBuilder builder(chosen, params[0] != 0);
    for (const std::uint32_t number : chosen.collectives) builder.add(number);
    Table table(columns());
    for (const auto& [pair, traffic] : builder.matrix()) {
        const std::string destination = pair.second == kOthers ? "others" : std::to_string(pair.second);
        table.add_row({RankKey{pair.first, 0}.packed(), std::string_view(destination), traffic.bytes, traffic.messages,
                       traffic.time,
                       std::string_view(!traffic.modelled ? "no"
                                        : traffic.stated  ? "partly"
                                                          : "yes")});
    }
    Answer answer = make_answer(chosen, std::move(table), partials);
    answer.tables.push_back(balance_table(builder.matrix()));
    answer.tables.push_back(groups_table(chosen));
    return answer;
}

constexpr std::string_view kRingModels[] = {"none", "ring"};
constexpr Param kMatrixParams[] = {
    {"model", "ring: all_reduce, all_gather and reduce_scatter, too, as rings in the order of members would send",
     Unit::Count, 0, 0, 1, kRingModels},
};
constexpr std::string_view kBytesSent[] = {"bytes"};
constexpr SecondaryTable kTables[] = {kClocksTable, {"balance", balance_columns}, {"groups", group_columns}};

}  // namespace core::communication_matrix

namespace core {

constinit const Analysis kCommunicationMatrix{
    .id = "communication-matrix",
    .title = "Communication matrix",
    .summary = "Who sends how much to whom.",
    .definition = R"(
Sends count with their peer. An all_to_all of a rank is shared out by its splits (bytes * split / sum of splits),
without splits in equal shares; its own share is in the row to itself. Where the list of splits is cut, all of it
goes to others, as the shares are not known. time = the sender's transfer, counted for each of its messages. Other
operations move data along rings or trees that no trace shows, and are left out; with model=ring, all_reduce,
all_gather and reduce_scatter send bytes * bus factor to the next member in order, and modelled says so. Table
balance: bytes per rank sent and received, and imbalance = that / mean over ranks. Table groups: what each rank
gives in each group, over all operations of known size.
)",
    .params = communication_matrix::kMatrixParams,
    .chart = {.kind = ChartKind::Bars,
              .category = "source",
              .measures = communication_matrix::kBytesSent,
              .series = "destination"},
    .comparable = true,
    .rank = communication_matrix::rank,
    .merge = communication_matrix::merge,
    .columns = communication_matrix::columns,
    .tables = communication_matrix::kTables,
    .lead = "bytes",
    .made_of = "sends or all-to-alls with sizes",
};

}  // namespace core
