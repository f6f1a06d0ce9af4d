#include "core/analysis/collectives/bandwidth_groups.hpp"
#include "core/analysis/collectives/collective_analyses.hpp"
#include "core/analysis/collectives/nccl_choices.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <cmath>
#include <set>

namespace core {
namespace {

constexpr double kNsPerSecond = 1e9;

// Latency steps of the ring that measured an operation in a group of n.
double ring_steps(Operation operation, double n) { return operation == Operation::AllReduce ? 2 * (n - 1) : n - 1; }

double tree_depth(double n) { return std::ceil(std::log2(n)); }

struct Prediction {
    std::string_view algorithm;
    double steps = 0;  // of the hop latency
    double share = 0;  // of S / link
};

std::vector<Prediction> predictions_for(Operation operation, double n) {
    switch (operation) {
        case Operation::AllReduce:
            return {{.algorithm = "ring", .steps = 2 * (n - 1), .share = 2 * (n - 1) / n},
                    {.algorithm = "tree", .steps = 2 * tree_depth(n), .share = 2},
                    {.algorithm = "halving and doubling", .steps = 2 * tree_depth(n), .share = 2 * (n - 1) / n}};
        case Operation::AllGather:
        case Operation::ReduceScatter:
            return {{.algorithm = "ring", .steps = n - 1, .share = (n - 1) / n}};
        case Operation::AllToAll:
            return {{.algorithm = "pairwise", .steps = n - 1, .share = (n - 1) / n}};
        default:
            return {};
    }
}

// Params of an analysis in their order: sizes, span and, where it has a third, poor.
LineLimits line_limits(const Params& params) {
    return {.sizes = params[0], .span = params[1], .poor = params.size() > 2 ? params[2] : LineLimits{}.poor};
}

// Algorithms and protocols named by the kernels of a size, each once.
std::string list_algorithms(const ChosenMembers& chosen, const SizeGroup& size) {
    constexpr std::size_t kMostNamed = 4;
    std::set<std::string> found;
    const MatchedRun& matches = chosen.matches();
    for (const std::uint32_t number : size.collectives) {
        const MemberRef ref = matches.members_of(matches.collectives[number]).front();
        found.insert(algorithm_in_name(chosen.run->rank(ref.slot).trace().name_text(matches.member(ref).event)));
    }
    found.erase("");
    std::string text;
    std::size_t named = 0;
    for (const std::string& one : found) {
        if (named++ == kMostNamed) return text + ", \u2026";
        text += (text.empty() ? "" : ", ") + one;
    }
    return text;
}

Cell whole_cell(double value) { return static_cast<std::int64_t>(std::llround(value)); }

}  // namespace
}  // namespace core

namespace core::bandwidth {

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
            {"bytes", Unit::Bytes, Role::Key, Facet::None, "the size, as nccl-tests counts it"},
            {"count", Unit::Count, Role::Measure, Facet::None, "collectives of that size", true},
            {"transfer", Unit::Ns, Role::Measure, Facet::None, "their median"},
            {"algbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "bytes / transfer"},
            {"busbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "algbw × bus factor of operation and size"},
            {"concurrent", Unit::Ratio, Role::Measure, Facet::None, "of the transfers, while another collective ran"},
            {"efficiency",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "busbw / stated bandwidth of the device's links; absent where unknown, or across hosts",
             false,
             {},
             Better::More},
            {"algorithm", Unit::Text, Role::Info, Facet::None, "what the kernels' names say of algorithm and protocol"},
            {"stated_algorithm", Unit::Text, Role::Info, Facet::None,
             "what NCCL's log or plugin says of them; absent without one"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    Table table(columns());
    const std::shared_ptr<const NcclChoices> choices = nccl_choices_of(run);
    for (const OperationGroup& group : collect_bandwidth_groups(chosen))
        for (const auto& [bytes, size] : group.sizes) {
            const Collective& first = chosen.matches().collectives[size.collectives.front()];
            const std::optional<NcclChoice> choice =
                choices->find(chosen.matches().groups[first.group], group.members, first.operation, bytes);
            const std::string stated = choice ? choice->text() : std::string();
            const double algorithm = static_cast<double>(bytes) * kNsPerSecond / static_cast<double>(size.transfer);
            const bool has_bus = group.members && *group.members > 1;
            const double bus = has_bus ? algorithm * bus_factor(group.operation, *group.members) : 0;
            const std::optional<double> link =
                has_bus ? find_link_speed(chosen, size.collectives.front(), *group.members) : std::nullopt;
            const std::string algorithms = list_algorithms(chosen, size);
            table.add_row({std::string_view(group.group), name_of(group.operation), bytes,
                           static_cast<std::int64_t>(size.collectives.size()), size.transfer, algorithm,
                           has_bus ? Cell{bus} : Cell{}, size.concurrent, link ? Cell{bus / *link} : Cell{},
                           std::string_view(algorithms), choice ? Cell{std::string_view(stated)} : Cell{}});
        }
    return make_answer(chosen, std::move(table), partials);
}

constexpr std::string_view kBusBandwidth[] = {"busbw", "algbw"};

}  // namespace core::bandwidth

namespace core {

constinit const Analysis kBandwidth{
    .id = "bandwidth",
    .title = "Bandwidth",
    .summary = "Bandwidth of collectives by group, operation and size.",
    .definition = R"(
Over collectives that everyone waits in (all_reduce, all_gather, reduce_scatter, barrier, all_to_all), without
doubt, that nobody left early, of known size. bytes, transfer, algbw and busbw of one collective as in collectives;
here transfer is the median over those of one size, and both bandwidths are of that median. concurrent = share of
their transfers during which another collective ran on the same rank: two share the links. efficiency = busbw / the
stated bandwidth of the device's links in one direction, from a table by device name that --links FILE adds to;
absent where the device is unknown, or has none, or the group spans hosts. algorithm: what kernel names say, a hint
only. stated_algorithm: algorithm and protocol that NCCL itself states, in a log (NCCL_DEBUG_SUBSYS with TUNING) or
a trace of its profiler plugin that is part of the run, for the operation, the size and a communicator that can be
the group's: of as many ranks, and whose known ranks are the group's in rising order. Absent where such
communicators chose differently.
)",
    .chart = {.kind = ChartKind::Bars,
              .category = "bytes",
              .measures = bandwidth::kBusBandwidth,
              .series = "operation"},
    .comparable = true,
    .rank = bandwidth::rank,
    .merge = bandwidth::merge,
    .columns = bandwidth::columns,
    .tables = kClocksOnly,
    .lead = "busbw",
    .input = Input::SizedCollectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core

namespace core::link_model {

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
            {"sizes", Unit::Count, Role::Measure, Facet::None, "different sizes"},
            {"alpha", Unit::Ns, Role::Measure, Facet::None, "time of an empty transfer"},
            {"bandwidth", Unit::BytesPerSecond, Role::Measure, Facet::None, "B of t = alpha + bytes / B"},
            {"half_size", Unit::Bytes, Role::Measure, Facet::None, "alpha × B: reaches half of B"},
            {"r2", Unit::Number, Role::Measure, Facet::None, "of times"},
            {"median_error", Unit::Ratio, Role::Measure, Facet::None, "of the line, relative"},
            {"largest_error", Unit::Ratio, Role::Measure, Facet::None, "of the line, relative"},
            {"hop_latency", Unit::Ns, Role::Measure, Facet::None, "alpha / steps of a ring"},
            {"link", Unit::BytesPerSecond, Role::Measure, Facet::None, "B × bus factor"},
            {"verdict", Unit::Text, Role::Info, Facet::None, "good, poor, or not identifiable"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    Table table(columns());
    for (const OperationGroup& group : collect_bandwidth_groups(chosen, line_limits(params))) {
        const LinkLine& line = group.line;
        const auto sizes = static_cast<std::int64_t>(group.sizes.size());
        if (!line.identifiable) {
            table.add_row({std::string_view(group.group),
                           name_of(group.operation),
                           sizes,
                           {},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {},
                           std::string_view("not identifiable")});
            continue;
        }
        const bool sized = group.members && *group.members > 1;
        const double n = sized ? static_cast<double>(*group.members) : 2;
        table.add_row(
            {std::string_view(group.group), name_of(group.operation), sizes, whole_cell(line.alpha),
             line.bandwidth * kNsPerSecond, whole_cell(line.alpha * line.bandwidth), line.r2, line.median_error,
             line.largest_error, sized ? whole_cell(line.alpha / ring_steps(group.operation, n)) : Cell{},
             sized ? Cell{line.bandwidth * kNsPerSecond * bus_factor(group.operation, *group.members)} : Cell{},
             std::string_view(line.poor ? "poor" : "good")});
    }
    return make_answer(chosen, std::move(table), partials);
}

constexpr Param kLineParams[] = {
    {"sizes", "a line needs at least so many different sizes", Unit::Count, 3, 2, 256},
    {"span", "a line needs a largest size of at least so many times the smallest", Unit::Count, 8, 1, 1'000'000},
    {"poor", "a line is poor where its median error is above this percentage", Unit::Percent, 25, 0, 10'000},
};
constexpr std::string_view kLinkBandwidth[] = {"bandwidth"};

}  // namespace core::link_model

namespace core {

constinit const Analysis kLinkModel{
    .id = "link-model",
    .title = "Link model",
    .summary = "Latency and bandwidth of each group's collectives: the line t = alpha + bytes / B.",
    .definition = R"(
t = alpha + bytes / B, the line with alpha >= 0 and B > 0 through the points (bytes, median transfer) of bandwidth whose
relative errors |t - alpha - bytes / B| / t add up to least; it goes through two points, or one and the origin.

half_size = alpha * B; hop_latency = alpha / steps of the ring, 2(n-1) for all_reduce, else n-1; link = B * bus factor.

Example: an all_reduce of 4 ranks takes 30 us for 1 MiB and 255 us for 16 MiB. B = 15 MiB / 225 us = 69.9 GB/s, alpha =
30 - 15 = 15 us, half_size = 1 MiB, hop_latency = 15 / 6 = 2.5 us, link = 69.9 * 1.5 = 105 GB/s.

verdict: not identifiable with fewer than sizes sizes, or where they span less than span times; poor where the median
error is above poor percent. Libraries change protocol with size: errors of half at some sizes are normal.
)",
    .params = link_model::kLineParams,
    .chart = {.kind = ChartKind::Bars,
              .category = "operation",
              .measures = link_model::kLinkBandwidth,
              .series = "group"},
    .comparable = true,
    .rank = link_model::rank,
    .merge = link_model::merge,
    .columns = link_model::columns,
    .tables = kClocksOnly,
    .lead = "bandwidth",
    .input = Input::SizedCollectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core

namespace core::link_predictions {

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
            {"algorithm", Unit::Text, Role::Key, Facet::None, "ring, tree, halving and doubling, pairwise"},
            {"bytes", Unit::Bytes, Role::Key, Facet::None, "the size"},
            {"predicted", Unit::Ns, Role::Measure, Facet::None, "by hop latency and link of the group's line"},
            {"measured", Unit::Ns, Role::Measure, Facet::None, "median transfer"},
            {"ratio", Unit::Ratio, Role::Measure, Facet::None, "measured / predicted"},
            {"recommended", Unit::Text, Role::Info, Facet::None, "yes: the least predicted of the size"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    Table table(columns());
    for (const OperationGroup& group : collect_bandwidth_groups(chosen, line_limits(params))) {
        if (!group.line.identifiable || !group.members || *group.members < 2) continue;
        const double n = static_cast<double>(*group.members);
        const double hop = group.line.alpha / ring_steps(group.operation, n);
        const double link = group.line.bandwidth * bus_factor(group.operation, *group.members);
        const std::vector<Prediction> algorithms = predictions_for(group.operation, n);
        for (const auto& [bytes, size] : group.sizes) {
            const auto time_of = [&, s = static_cast<double>(bytes)](const Prediction& p) {
                return p.steps * hop + p.share * s / link;
            };
            const auto least = std::ranges::min_element(algorithms, {}, time_of);
            for (auto it = algorithms.begin(); it != algorithms.end(); ++it) {
                const double predicted = time_of(*it);
                table.add_row({std::string_view(group.group), name_of(group.operation), it->algorithm, bytes,
                               whole_cell(predicted), size.transfer,
                               predicted > 0 ? Cell{static_cast<double>(size.transfer) / predicted} : Cell{},
                               std::string_view(it == least ? "yes" : "no")});
            }
        }
    }
    return make_answer(chosen, std::move(table), partials);
}

}  // namespace core::link_predictions

namespace core {

constinit const Analysis kLinkPredictions{
    .id = "link-predictions",
    .title = "Link predictions",
    .summary = "What other algorithms would take on the same links, beside what was measured.",
    .definition = R"(
From hop latency a and link L of link-model, in a group of n, S bytes: all_reduce ring 2(n-1)a + 2(n-1)/n * S/L,
tree 2 ceil(log2 n) a + 2S/L, halving and doubling 2 ceil(log2 n) a + 2(n-1)/n * S/L; all_gather and reduce_scatter
ring and all_to_all pairwise (n-1)a + (n-1)/n * S/L. ratio = measured / predicted. recommended: the least predicted
of its size. Models, not promises: topology and protocol are not asked. sizes and span as in link-model.
)",
    .params = std::span(link_model::kLineParams).first(2),
    .comparable = true,
    .rank = link_predictions::rank,
    .merge = link_predictions::merge,
    .columns = link_predictions::columns,
    .tables = kClocksOnly,
    .input = Input::SizedCollectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core

namespace core::collective_outliers {
namespace {

constexpr double kConcurrent = 0.05;  // more of it, and two share the links

// In the order of the analysis' parameters.
struct OutlierLimits {
    explicit OutlierLimits(const Params& params)
        : times(static_cast<double>(params[0]) / 100),
          excess(params[1]),
          deviations(static_cast<double>(params[2]) / 100),
          line{.sizes = params[3], .span = params[4], .poor = params[5]} {}
    double times;         // of what is expected
    std::int64_t excess;  // ns
    double deviations;    // robust ones
    LineLimits line;
};

struct Outlier {
    std::uint32_t number = 0;
    std::int64_t expected = 0;
    std::int64_t excess = 0;
    double ratio = 0;
    std::int64_t bytes = 0;
    bool with_its_size = false;  // most collectives of its size are as slow
};

// Logarithms of transfer over expectation, beyond so many robust deviations of the group's.
std::vector<Outlier> find_outliers(const ChosenMembers& chosen, const OperationGroup& group,
                                   const OutlierLimits& limits) {
    std::vector<Outlier> all;
    std::vector<double> logs;
    for (const auto& [bytes, size] : group.sizes) {
        const bool use_line = group.line.identifiable && !group.line.poor;
        const double expected =
            use_line ? group.line.time_of(static_cast<double>(bytes)) : static_cast<double>(size.transfer);
        for (const std::uint32_t number : size.collectives) {
            const std::int64_t transfer = *chosen.waits->find_transfer(number);
            const std::int64_t whole = std::llround(expected);
            all.push_back({.number = number,
                           .expected = whole,
                           .excess = transfer - whole,
                           .ratio = static_cast<double>(transfer) / expected,
                           .bytes = bytes});
            logs.push_back(std::log(all.back().ratio));
        }
    }
    std::vector<Outlier> found;
    if (all.empty()) return found;
    std::vector<double> sorted = logs;
    const double median = take_median(sorted);
    std::vector<double> away;
    for (const double one : logs) away.push_back(std::abs(one - median));
    const double deviation = take_median(away) / 0.6745;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Collective& c = chosen.matches().collectives[all[i].number];
        const std::int64_t least = std::max(limits.excess, chosen.waits->error(c.cohort));
        const bool far = logs[i] - median > limits.deviations * deviation;
        if (all[i].ratio > limits.times && all[i].excess > least && far &&
            concurrent_share(chosen, all[i].number) <= kConcurrent)
            found.push_back(all[i]);
    }
    for (Outlier& one : found) {
        const auto of_size = std::ranges::count(found, one.bytes, &Outlier::bytes);
        const std::size_t all_of_size = group.sizes.at(one.bytes).collectives.size();
        one.with_its_size = all_of_size > 1 && static_cast<std::size_t>(of_size) * 2 > all_of_size;
    }
    return found;
}

struct OutlierGroup {
    const OperationGroup* group = nullptr;
    std::vector<Outlier> found;
};

// Whether slow collectives of two groups transferred at one moment.
bool overlap(const CollectiveTimes& a, const CollectiveTimes& b) {
    return a.last < b.last + b.transfer && b.last < a.last + a.transfer;
}

// From which rows a collective is slow: for everyone at one time, for one group, always, or alone.
std::string_view pattern_of(const ChosenMembers& chosen, std::span<const OutlierGroup> groups, const OutlierGroup& own,
                            const Outlier& one) {
    const CollectiveTimes& times = chosen.waits->times[one.number];
    const std::uint32_t group = chosen.matches().collectives[one.number].group;
    bool elsewhere = false, other_groups = false;
    for (const OutlierGroup& other : groups) {
        if (other.found.empty() ? other.group->group == own.group->group
                                : chosen.matches().collectives[other.found.front().number].group == group)
            continue;
        other_groups = true;
        elsewhere |= !other.found.empty();
        for (const Outlier& far : other.found)
            if (overlap(times, chosen.waits->times[far.number])) return "several groups at one time";
    }
    if (one.with_its_size) return "most of its size";
    if (own.found.size() > 1 && other_groups && !elsewhere) return "this group only";
    return "single";
}

}  // namespace

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
            {"sequence", Unit::Count, Role::Key, Facet::None, "from 0 at the start, within group and operation"},
            {"transfer", Unit::Ns, Role::Measure, Facet::None, "median end − latest start"},
            {"expected", Unit::Ns, Role::Measure, Facet::None, "by the line, else the median of its size"},
            {"excess", Unit::Ns, Role::Measure, Facet::None, "transfer − expected"},
            {"ratio", Unit::Ratio, Role::Measure, Facet::None, "transfer / expected"},
            {"step", Unit::Step, Role::Info, Facet::Step, "that all members were launched in"},
            {"bytes", Unit::Bytes, Role::Info, Facet::None, "the size, as nccl-tests counts it"},
            {"busbw", Unit::BytesPerSecond, Role::Info, Facet::None, "its bus bandwidth; absent where unknown"},
            {"pattern", Unit::Text, Role::Info, Facet::None,
             "several groups at one time, most of its size, this group only, or single"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    Table table(columns());
    const OutlierLimits limits(params);
    const std::vector<OperationGroup> groups = collect_bandwidth_groups(chosen, limits.line);
    std::vector<OutlierGroup> outliers;
    for (const OperationGroup& group : groups) outliers.push_back({&group, find_outliers(chosen, group, limits)});
    for (const OutlierGroup& of_group : outliers)
        for (const Outlier& one : of_group.found) {
            const Collective& c = chosen.matches().collectives[one.number];
            const std::optional<double> bus = bandwidth_of(*chosen.waits, one.number).bus;
            table.add_row({std::string_view(of_group.group->group), name_of(c.operation),
                           static_cast<std::int64_t>(c.sequence), *chosen.waits->find_transfer(one.number),
                           one.expected, one.excess, one.ratio, chosen.step_cell(c), one.bytes,
                           bus ? Cell{*bus} : Cell{}, pattern_of(chosen, outliers, of_group, one)});
        }
    sort_descending(table, "excess");
    return make_answer(chosen, std::move(table), partials);
}

constexpr Param kOutlierParams[] = {
    {"times", "a slow collective takes more than this percentage of what is expected", Unit::Percent, 150, 100,
     100'000},
    {"excess", "and at least so much more, and more than the error of the clocks", Unit::Ns, 50'000, 0, 1'000'000'000},
    {"score", "hundredths: and its ratio is beyond so many robust deviations", Unit::Count, 350, 0, 100'000},
    link_model::kLineParams[0],
    link_model::kLineParams[1],
    link_model::kLineParams[2],
};

}  // namespace core::collective_outliers

namespace core {

constinit const Analysis kCollectiveOutliers{
    .id = "collective-outliers",
    .title = "Slow collectives",
    .summary = "Collectives that took much longer than their size lets expect.",
    .definition = R"(
expected = the line of link-model, where there is one and it is not poor, else the median transfer of the same
group, operation and size. A row for each collective with transfer above times percent of expected, an excess above
excess and above the error of the clocks, a logarithm of the ratio beyond score / 100 robust deviations of its group
and operation, and no other collective beside it. pattern: several groups at one time: a slow one of another group
transferred at the same moment; most of its size: more than half of its group, operation and size are slow; this
group only: several of it are slow and none of another group; else single.
)",
    .params = collective_outliers::kOutlierParams,
    .rank = collective_outliers::rank,
    .merge = collective_outliers::merge,
    .columns = collective_outliers::columns,
    .tables = kClocksOnly,
    .input = Input::Outliers,
    .in_summary = InSummary::Computed,
};

}  // namespace core
