#include "core/analysis/parallelism/group_dimensions.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace core {
namespace {

struct DimensionWord {
    std::string_view word;  // in lower case, within the description
    std::string_view whole;  // the whole description, instead; empty: none
    std::string_view dimension;
};
constexpr DimensionWord kDimensionWords[] = {
    {"tensor_model_parallel", "tp", "TP"},
    {"mesh_tp", "", "TP"},
    {"pipeline", "pp", "PP"},
    {"mesh_pp", "", "PP"},
    {"expert", "ep", "EP"},
    {"mesh_ep", "", "EP"},
    {"context", "cp", "CP"},
    {"mesh_cp", "", "CP"},
    {"dp_replicate", "", "DP"},
    {"data_parallel", "dp", "DP"},
    {"dp_shard", "", "FSDP"},
    {"fsdp", "", "FSDP"},
    {"zero", "", "FSDP"},
    {"intra_partial", "", "FSDP"},
    {"gtp", "", "other"},
    {"embedding", "", "other"},
};

// Words of Megatron's groups of several dimensions: TENSOR_AND_DATA_PARALLEL_GROUP, DATA_PARALLEL_GROUP_WITH_CP.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kCombined = {
    {{"tensor", "TP"}, {"pipeline", "PP"}, {"expert", "EP"}, {"context", "CP"}, {"_cp", "CP"}, {"data", "DP"}}};

std::string lower(std::string_view text) {
    std::string made(text);
    for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return made;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Empty unless two dimensions or more are named.
std::string combined_dimensions(std::string_view description) {
    std::vector<std::string_view> found;
    for (const auto& [word, dimension] : kCombined)
        if (contains(description, word) && std::ranges::find(found, dimension) == found.end())
            found.push_back(dimension);
    if (found.size() < 2) return {};
    std::string name;
    for (const std::string_view one : found) name += (name.empty() ? "" : "+") + std::string(one);
    return name;
}

// Sums the work of a group's members over the opened ranks.
struct GroupWork {
    std::array<Wide, kOperations> time{};
    Wide all = 0, pairs = 0;
    std::int64_t gathers_forward = 0, scatters_backward = 0;
    std::int64_t reduces = 0, reduces_by_ddp = 0;
    std::int64_t forward_between = 0, backward_between = 0;  // all-reduces with matrix work before them
    bool only_reduces = true;

    Wide of(Operation operation) const { return time[static_cast<std::size_t>(operation)]; }
    bool has_share(Wide part, int percent) const { return part * 100 >= all * percent; }
    std::string share(Wide part) const { return format_ratio(static_cast<double>(part) / static_cast<double>(all)); }
};

void add_member(const Collective& c, const MemberEvent& member, const MemberPlace& place, std::int64_t members,
                GroupWork& work) {
    const std::int64_t time = member.duration.count();
    work.all += time;
    work.time[static_cast<std::size_t>(c.operation)] += time;
    const bool is_message = is_pairwise(c.operation) || c.operation == Operation::SendRecv;
    if (is_message && (c.by == MatchedBy::Pair || is_pairwise(c.operation) || members == 2)) work.pairs += time;
    if (c.operation == Operation::AllGather && place.pass == Pass::Forward) ++work.gathers_forward;
    if (c.operation == Operation::ReduceScatter && place.pass == Pass::Backward) ++work.scatters_backward;
    if (c.operation == Operation::AllReduce) {
        ++work.reduces;
        if (place.by_ddp) ++work.reduces_by_ddp;
        if (place.after_matrix) ++(place.pass == Pass::Forward ? work.forward_between : work.backward_between);
    } else if (c.operation != Operation::Broadcast && c.operation != Operation::Barrier) {
        work.only_reduces = false;
    }
}

constexpr std::int64_t kFewestBetween = 2;  // all-reduces of each pass between matrix operators

// Nothing if what it does does not tell.
std::optional<GroupDimension> judge_behaviour(const GroupWork& work) {
    if (work.all <= 0) return std::nullopt;
    const auto found = [](std::string_view name, std::string how) {
        return GroupDimension{std::string(name), "behaviour: " + std::move(how)};
    };
    if (work.has_share(work.pairs, 80)) return found("PP", work.share(work.pairs) + " sends and receives");
    if (work.has_share(work.of(Operation::AllToAll), 50))
        return found("EP", work.share(work.of(Operation::AllToAll)) + " all_to_all");
    if (work.gathers_forward > 0 && work.scatters_backward > 0)
        return found("FSDP", format_count(work.gathers_forward) + " all_gathers in the forward pass, " +
                                 format_count(work.scatters_backward) + " reduce_scatters in the backward pass");
    if (!work.only_reduces || work.reduces == 0) return std::nullopt;
    if (work.reduces_by_ddp * 100 >= work.reduces * 80)
        return found("DP", format_ratio(static_cast<double>(work.reduces_by_ddp) / static_cast<double>(work.reduces)) +
                               " of the all_reduces launched by the backward pass or DDP");
    if (work.forward_between >= kFewestBetween && work.backward_between >= kFewestBetween)
        return found("TP", "all_reduces between matrix operators, " + format_count(work.forward_between) +
                               " in the forward and " + format_count(work.backward_between) + " in the backward pass");
    return std::nullopt;
}

std::vector<GroupWork> collect_work(const ChosenMembers& chosen, const MemberPlaces& places) {
    const MatchedRun& matches = chosen.matches();
    std::vector<GroupWork> works(matches.groups.size());
    for (const MemberPlace& place : places.all()) {
        const Collective& c = matches.collectives[matches.collective_of(place.member)];
        const RunGroup& group = matches.groups[c.group];
        add_member(c, matches.member(place.member), place, group.size > 0 ? group.size : std::ssize(group.members),
                   works[c.group]);
    }
    return works;
}

}  // namespace

bool GroupDimension::serves(std::string_view dimension) const {
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('+', begin), name.size());
        if (std::string_view(name).substr(begin, end - begin) == dimension) return true;
        begin = end + 1;
    }
    return false;
}

std::string dimension_in_description(std::string_view description) {
    const std::string text = lower(description);
    if (std::string both = combined_dimensions(text); !both.empty()) return both;
    for (const DimensionWord& word : kDimensionWords)
        if (contains(text, word.word) || (!word.whole.empty() && text == word.whole))
            return std::string(word.dimension);
    if (text.ends_with("mesh_dp")) return "DP";
    return {};
}

std::vector<GroupDimension> find_dimensions(const ChosenMembers& chosen, const MemberPlaces& places) {
    const MatchedRun& matches = chosen.matches();
    const std::vector<GroupWork> works = collect_work(chosen, places);
    std::vector<GroupDimension> dimensions(matches.groups.size());
    for (std::size_t g = 0; g < dimensions.size(); ++g) {
        const RunGroup& group = matches.groups[g];
        if (std::string named = dimension_in_description(group.description); !named.empty())
            dimensions[g] = {std::move(named), "description"};
        else if (std::optional<GroupDimension> behaves = judge_behaviour(works[g]))
            dimensions[g] = *std::move(behaves);
        else if (group.axis != GroupAxis::None)
            dimensions[g] = {std::string(name_of(group.axis)), "mesh of ranks"};
    }
    return dimensions;
}

}  // namespace core
