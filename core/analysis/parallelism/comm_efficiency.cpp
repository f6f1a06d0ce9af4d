#include "core/analysis/collectives/bandwidth_groups.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"

#include <algorithm>
#include <map>

namespace core::comm_efficiency {
namespace {

// Parameters: GB/s of the links that groups of a dimension use; 0: not given.
constexpr std::string_view kLinkedDimensions[] = {"TP", "DP", "FSDP", "PP", "EP", "CP"};
constexpr double kBytesOfGigabyte = 1e9;

bool gives_links(const Params& params) {
    return std::ranges::any_of(params, [](std::int64_t given) { return given > 0; });
}

// By group, bytes per second: the slowest of those given for its dimensions.
std::vector<std::optional<double>> find_given_links(const ChosenMembers& chosen,
                                                    std::span<const Partial* const> partials, const Params& params) {
    std::vector<std::optional<double>> links(chosen.matches().groups.size());
    if (!gives_links(params)) return links;
    const std::vector<GroupDimension> dimensions = find_dimensions(chosen, MemberPlaces(partials));
    for (std::size_t group = 0; group < links.size(); ++group)
        for (std::size_t i = 0; i < std::size(kLinkedDimensions); ++i) {
            const double given = static_cast<double>(params[i]) * kBytesOfGigabyte;
            if (given > 0 && dimensions[group].serves(kLinkedDimensions[i]))
                links[group] = std::min(links[group].value_or(given), given);
        }
    return links;
}

struct OperationSums {
    std::int64_t collectives = 0;
    Wide bytes = 0, time = 0, transfer = 0;
    long double bus_bytes = 0;  // bytes x factor of the operation
    bool has_bytes = true, has_bus = true, has_transfer = true;  // of every one
    std::optional<double> link{};
    bool has_link = true;  // one speed for all
};

using SumKey = std::tuple<std::uint32_t, std::string, Operation>;  // slot, group, operation

void add_link(const ChosenMembers& chosen, std::uint32_t number, std::optional<std::int64_t> members,
              const std::optional<double>& given, OperationSums& sum) {
    std::optional<double> link = given;
    if (!link && members) link = find_link_speed(chosen, number, *members);
    if (!link || (sum.link && *sum.link != *link)) sum.has_link = false;
    sum.link = link;
}

std::map<SumKey, OperationSums> sum_operations(const ChosenMembers& chosen,
                                               std::span<const std::optional<double>> given_links) {
    const MatchedRun& matches = chosen.matches();
    std::map<SumKey, OperationSums> sums;
    for (const std::uint32_t number : chosen.collectives) {
        const Collective& c = matches.collectives[number];
        const std::optional<std::int64_t> bytes = size_of(matches, c);
        const std::optional<std::int64_t> members = members_in_group(matches, c);
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            if (!chosen.member[i]) continue;
            const MemberRef ref = matches.members[i];
            OperationSums& sum = sums[{ref.slot, chosen.group_of(c), c.operation}];
            ++sum.collectives;
            sum.time += matches.member(ref).duration.count();
            sum.has_bytes = sum.has_bytes && bytes;
            sum.bytes += bytes.value_or(0);
            sum.has_bus = sum.has_bus && bytes && members && *members > 1;
            if (bytes && members) sum.bus_bytes += static_cast<long double>(*bytes) * bus_factor(c.operation, *members);
            sum.has_transfer = sum.has_transfer && chosen.waits->splits(number);
            sum.transfer += chosen.waits->transfer_of(i);
            add_link(chosen, number, members, given_links[c.group], sum);
        }
    }
    return sums;
}

Cell rate_cell(bool known, long double amount, Wide time) {
    if (!known || time <= 0) return {};
    return static_cast<double>(amount * 1e9L / static_cast<long double>(time));
}

Cell share_of_link(const Cell& rate, const std::optional<double>& link) {
    const double* const known = std::get_if<double>(&rate);
    return known && link && *link > 0 ? Cell{*known / *link} : Cell{};
}

}  // namespace

std::vector<Column> columns() {
    const auto share = [](std::string_view name, std::string_view meaning) {
        return Column{std::string(name), Unit::Ratio, Role::Measure, Facet::None, std::string(meaning), false, {},
                      Better::More};
    };
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"group", Unit::Text, Role::Key, Facet::Group, "the process group"},
        {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_gather and others"},
        {"collectives", Unit::Count, Role::Measure, Facet::None, "chosen ones", true},
        {"bytes", Unit::Bytes, Role::Measure, Facet::None, "sum of their sizes; absent if one is unknown", true},
        {"time", Unit::Ns, Role::Measure, Facet::None, "sum of the durations of the rank's kernels", true},
        {"transfer", Unit::Ns, Role::Measure, Facet::None,
         "of that, without waiting for a later rank; absent where one is not matched", true},
        {"algbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "bytes / transfer, or / time where that is absent"},
        {"busbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "the same, times the factor of the operation"},
        share("efficiency", "busbw / link; absent where that is unknown, or, unless given, across hosts"),
        share("efficiency_raw", "bytes / time / that bandwidth: charges waiting to the network"),
        {"of", Unit::Text, Role::Info, Facet::None, "transfer, or time: waiting is not told apart"},
        {"link", Unit::BytesPerSecond, Role::Info, Facet::None,
         "bandwidth out of one GPU: given for the group's dimension, else stated for the device"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    if (gives_links(params)) return collect_places(view, columns(), context);
    return collect_members(view);
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    Table table(columns());
    for (const auto& [key, sum] : sum_operations(chosen, find_given_links(chosen, partials, params))) {
        const auto& [slot, group, operation] = key;
        const Wide time = sum.has_transfer ? sum.transfer : sum.time;
        const std::optional<double> link = sum.has_link ? sum.link : std::nullopt;
        const Cell bus = rate_cell(sum.has_bus, sum.bus_bytes, time);
        const Cell raw = rate_cell(sum.has_bytes, static_cast<long double>(sum.bytes), sum.time);
        table.add_row({run.rank(slot).key.packed(), std::string_view(group), name_of(operation), sum.collectives,
                       sum.has_bytes ? Cell{clamped(sum.bytes)} : Cell{}, clamped(sum.time),
                       sum.has_transfer ? Cell{clamped(sum.transfer)} : Cell{},
                       rate_cell(sum.has_bytes, static_cast<long double>(sum.bytes), time), bus,
                       share_of_link(bus, link), share_of_link(raw, link),
                       std::string_view(sum.has_transfer ? "transfer" : "time"), optional_cell(link)});
    }
    sort_descending(table, "time");
    return make_answer(chosen, std::move(table), partials);
}

constexpr std::int64_t kMostGigabytes = 100'000;  // per second
constexpr Param kCommEfficiencyParams[] = {
    {"link_tp", "GB/s out of one GPU that tensor parallel groups have; 0: by device", Unit::Count, 0, 0,
     kMostGigabytes},
    {"link_dp", "the same, of data parallel groups", Unit::Count, 0, 0, kMostGigabytes},
    {"link_fsdp", "of groups that share shards", Unit::Count, 0, 0, kMostGigabytes},
    {"link_pp", "of pipelines", Unit::Count, 0, 0, kMostGigabytes},
    {"link_ep", "of groups of experts", Unit::Count, 0, 0, kMostGigabytes},
    {"link_cp", "of context parallel groups", Unit::Count, 0, 0, kMostGigabytes},
};
constexpr std::string_view kBusBandwidth[] = {"busbw", "algbw"};

}  // namespace core::comm_efficiency

namespace core {

constinit const Analysis kCommEfficiency{
    .id = "comm-efficiency",
    .title = "Communication efficiency",
    .summary = "How near the collectives of each rank, group and operation come to the bandwidth of the links.",
    .definition = R"(
Sums over the chosen collectives of a rank, a group and an operation. bytes: S of `bandwidth`. transfer: what
`waits` leaves after waiting for a later rank, where every one of them is matched; else rates are of time, and `of`
says so. algbw = bytes / transfer, busbw = algbw x the factor of the operation (all_reduce 2 (n - 1) / n;
all_gather, reduce_scatter, all_to_all (n - 1) / n). efficiency = busbw / stated bandwidth of the links between the
GPUs of one host, by device name or --links; absent across hosts. link_dp=50 and the like give the bandwidth for all
groups of a dimension (parallel-groups), also across hosts; of a group of several the slowest. efficiency_raw =
bytes / time / that bandwidth is what is often written: it charges waiting to the network and ignores the factor.
)",
    .params = comm_efficiency::kCommEfficiencyParams,
    .chart = {.kind = ChartKind::Bars,
              .category = "group",
              .measures = comm_efficiency::kBusBandwidth,
              .series = "operation"},
    .comparable = true,
    .rank = comm_efficiency::rank,
    .merge = comm_efficiency::merge,
    .columns = comm_efficiency::columns,
    .tables = kClocksOnly,
    .lead = "busbw",
    .input = Input::Collectives,
    .of_run = true,
};

}  // namespace core
