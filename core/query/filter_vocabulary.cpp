#include "core/query/filter_vocabulary.hpp"

#include "core/collectives/matched_run.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace core {
namespace {

using Totals = std::unordered_map<InternedName, std::int64_t>;

void add_kernels(const RankSlot& rank, Totals& totals) {
    const RankTrace& trace = rank.trace();
    std::vector<std::int64_t> of_name(trace.names.size(), -1);  // -1: not yet seen
    for (const EventId event : trace.gpu_events) {
        std::int64_t& sum = of_name[index_of(trace.name[index_of(event)])];
        sum = std::max<std::int64_t>(sum, 0) + trace.duration[index_of(event)].count();
    }
    for (std::size_t i = 0; i < of_name.size(); ++i) {
        if (of_name[i] >= 0) totals[(*rank.names)[i]] += of_name[i];
    }
}

std::vector<std::string> longest_first(const Totals& totals, const InternedNames& names) {
    std::vector<std::pair<std::int64_t, std::string_view>> sorted;
    sorted.reserve(totals.size());
    for (const auto& [name, total] : totals) sorted.emplace_back(-total, names.text(name));
    std::ranges::sort(sorted);
    std::vector<std::string> texts;
    texts.reserve(sorted.size());
    for (const auto& [total, text] : sorted) texts.emplace_back(text);
    return texts;
}

}  // namespace

FilterVocabulary collect_vocabulary(const Run& run, const JobContext& job) {
    std::set<std::int64_t> ranks, steps, streams;
    std::int32_t captures = 0;
    std::set<std::string> groups;
    std::set<std::string_view> operations;
    Totals totals;
    for (const RankSlot& rank : run.ranks()) {
        if (job.cancelled()) break;
        ranks.insert(rank.key.number);
        captures = std::max(captures, rank.key.capture + 1);
        for (const Step& step : rank.trace().steps) steps.insert(step.number);
        for (const Track& track : rank.trace().tracks) {
            if (track.kind == TrackKind::Stream) streams.insert(track.stream);
        }
        for (const ProcessGroup& group : rank.trace().info.groups)
            if (!group.description.empty() && group.description != "undefined") groups.insert(group.description);
        for (const MemberEvent& member : rank.index->members().events()) operations.insert(name_of(member.operation));
        add_kernels(rank, totals);
    }
    if (!job.cancelled()) {
        for (const RunGroup& group : matched(run)->groups)
            if (!group.familiar.empty()) groups.insert(group.familiar);
    }
    FilterVocabulary words;
    words.ranks.assign(ranks.begin(), ranks.end());
    words.steps.assign(steps.begin(), steps.end());
    words.streams.assign(streams.begin(), streams.end());
    for (std::int32_t c = 0; captures > 1 && c < captures; ++c) words.captures.push_back(format_capture(c));
    words.groups.assign(groups.begin(), groups.end());
    words.operations.assign(operations.begin(), operations.end());
    words.kernels = longest_first(totals, run.names());
    return words;
}

}  // namespace core
