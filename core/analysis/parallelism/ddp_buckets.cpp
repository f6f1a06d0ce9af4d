#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/analysis/parallelism/parallel_members.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kSmallBucket = kMiB, kLargeBucket = 100 * kMiB;
constexpr double kLastBucketShare = 0.3;

}  // namespace

MembersOfStep collect_buckets(const ChosenMembers& chosen, const MemberPlaces& places,
                              const BackwardWindows& backward) {
    const MatchedRun& matches = chosen.matches();
    const std::vector<GroupDimension> dimensions = find_dimensions(chosen, places);
    MembersOfStep buckets;
    for (const MemberPlace& place : places.all()) {
        const Collective& c = matches.collectives[matches.collective_of(place.member)];
        if (c.operation != Operation::AllReduce || !place.step || !dimensions[c.group].serves("DP")) continue;
        const StepOfSlot key{place.member.slot, *place.step};
        const auto window = backward.find(key);
        if (window == backward.end() || window->second.operators.empty()) continue;
        const bool inside = place.launch && window->second.operators.contains(rank_time(*place.launch));
        if (inside || place.by_ddp) buckets[key].push_back(&place);
    }
    for (auto& [key, of_step] : buckets)
        std::ranges::stable_sort(of_step, {},
                                 [&](const MemberPlace* one) { return matches.member(one->member).start; });
    return buckets;
}

bool is_last_bucket_exposed(std::span<const MemberPlace* const> buckets) {
    if (buckets.size() < 2) return false;
    Wide exposed = 0;
    for (const MemberPlace* const one : buckets) exposed += one->exposed;
    return static_cast<double>(buckets.back()->exposed) > kLastBucketShare * static_cast<double>(exposed);
}

}  // namespace core

namespace core::ddp_buckets {
namespace {

std::string note_of(std::size_t bucket, std::span<const MemberPlace* const> all,
                    std::span<const std::optional<std::int64_t>> bytes) {
    if (bucket + 1 == all.size() && is_last_bucket_exposed(all))
        return "most of what is exposed is the last bucket: a smaller one (bucket_cap_mb, or a first bucket of its "
               "own)";
    if (bucket > 0 && bytes[bucket] && *bytes[bucket] < kSmallBucket) return "below 1 MiB: bound by latency";
    std::vector<std::int64_t> known;
    for (const std::optional<std::int64_t>& one : bytes)
        if (one) known.push_back(*one);
    if (bucket == 0 && !known.empty() && take_median(known) > kLargeBucket)
        return "buckets above 100 MiB: little is left to overlap with";
    return {};
}

void add_step(const ChosenMembers& chosen, const StepOfSlot& key, const BackwardWindow& backward,
              std::span<const MemberPlace* const> all, Table& table) {
    const MatchedRun& matches = chosen.matches();
    std::vector<std::optional<std::int64_t>> bytes;
    for (const MemberPlace* const one : all)
        bytes.push_back(size_of(matches, matches.collectives[matches.collective_of(one->member)]));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const MemberPlace& place = *all[i];
        const MemberEvent& member = matches.member(place.member);
        const bool has_kernels = !backward.kernels.empty();
        const std::optional<std::int64_t> wait = chosen.waits->find_wait(place.member);
        const std::string note = note_of(i, all, bytes);
        const std::optional<std::int64_t> tail = find_tail(backward, member.end());
        table.add_row(
            {chosen.run->rank(key.first).key.packed(), key.second, static_cast<std::int64_t>(i),
             bytes[i] ? Cell{*bytes[i]} : Cell{},
             place.launch ? Cell{(rank_time(*place.launch) - backward.operators.begin).count()} : Cell{},
             has_kernels ? Cell{(member.start - backward.kernels.begin).count()} : Cell{}, member.duration.count(),
             place.hidden, place.exposed, optional_cell(wait), tail && i + 1 == all.size() ? Cell{*tail} : Cell{},
             note.empty() ? Cell{} : Cell{std::string_view(note)}, static_cast<std::int64_t>(index_of(member.event))});
    }
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"step", Unit::Step, Role::Key, Facet::Step, "that launched it"},
            {"bucket", Unit::Count, Role::Key, Facet::None, "in the order of start, from 0"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "of the gradients; absent if unknown", true},
            {"launched", Unit::Ns, Role::Measure, Facet::None, "after the first backward operator began"},
            {"started", Unit::Ns, Role::Measure, Facet::None, "after the first backward kernel began"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "first part to last", true},
            {"hidden", Unit::Ns, Role::Measure, Facet::None, "of that, beside compute", true, {}, Better::More},
            {"exposed", Unit::Ns, Role::Measure, Facet::None, "duration - hidden", true},
            {"wait", Unit::Ns, Role::Measure, Facet::None, "for a later rank; absent where it is not matched", true},
            {"tail", Unit::Ns, Role::Measure, Facet::None,
             "of the last bucket: from the end of the last backward kernel to its own, at least 0"},
            {"note", Unit::Text, Role::Info, Facet::None, "what to do about it"},
            {"event", Unit::Event, Role::Info, Facet::None, "its kernel"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    return collect_places_and_windows(view, columns(), context);
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    const MemberPlaces places(partials);
    const BackwardWindows backward = read_backward_windows(partials);
    Table table(columns());
    for (const auto& [key, all] : collect_buckets(chosen, places, backward))
        add_step(chosen, key, backward.at(key), all, table);
    Answer answer = make_answer(chosen, std::move(table), partials);
    if (chosen.collectives.empty()) answer.tables.resize(1);
    return answer;
}

constexpr std::string_view kBucketParts[] = {"hidden", "exposed"};

}  // namespace core::ddp_buckets

namespace core {

constinit const Analysis kDdpBuckets{
    .id = "ddp-buckets",
    .title = "DDP buckets",
    .summary = "The all-reduces of gradients of each step: when they begin, and what backward compute hides of them.",
    .definition = R"(
Buckets of a step are the all-reduces of groups that serve DP (parallel-groups), launched in the step, below the
autograd engine or DDP or between its first and last backward operator (autograd::engine::evaluate_function...);
coalesced calls are one. launched: from the first backward operator's begin to the launch; started: from the first
backward compute kernel's begin to the bucket's; hidden: its time with a compute kernel beside it; exposed =
duration - hidden; wait: for a later rank, by waits; tail, of the last bucket: from the last backward compute
kernel's end to its own end, at least 0.

note: the last bucket has more than 30 % of what is exposed; a bucket besides the first has less than 1 MiB; the
median bucket has more than 100 MiB.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "bucket", .measures = ddp_buckets::kBucketParts},
    .comparable = true,
    .rank = ddp_buckets::rank,
    .merge = ddp_buckets::merge,
    .columns = ddp_buckets::columns,
    .tables = kClocksOnly,
    .lead = "exposed",
    .made_of = "all-reduces of data-parallel groups below the autograd engine",
    .of_run = true,
};

}  // namespace core
