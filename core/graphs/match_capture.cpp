#include "core/graphs/match_capture.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace core {
namespace {

using Names = std::span<const NodeName>;
using Places = std::vector<std::uint32_t>;

bool is_said(const NodeName& dispatch) { return dispatch.kind != NodeKind::Kernel || dispatch.name != 0; }

// Whether a dispatch can be of a node. Copies and sets say their kind alone.
bool agrees(const NodeName& node, const NodeName& dispatch) {
    if (node.kind != dispatch.kind) return false;
    return node.kind != NodeKind::Kernel || dispatch.name == 0 || node.name == dispatch.name;
}

// Names and kinds of equal events.
std::pair<int, std::uint32_t> group_of(const NodeName& one) {
    return {static_cast<int>(one.kind), one.kind == NodeKind::Kernel ? one.name : 0};
}

// Each of `part` in `whole`, in order, as early as possible. Absent: one is not found.
std::optional<Places> embed_early(Names part, Names whole) {
    Places places;
    std::uint32_t at = 0;
    for (const NodeName& one : part) {
        while (at < whole.size() && group_of(whole[at]) != group_of(one)) ++at;
        if (at == whole.size()) return std::nullopt;
        places.push_back(at++);
    }
    return places;
}

// The same as late as possible; there is a way.
Places embed_late(Names part, Names whole) {
    Places places(part.size());
    std::size_t at = whole.size();
    for (std::size_t i = part.size(); i-- > 0;) {
        do --at;
        while (group_of(whole[at]) != group_of(part[i]));
        places[i] = static_cast<std::uint32_t>(at);
    }
    return places;
}

void count_decided(CaptureMatch& match) {
    match.decided = static_cast<std::uint32_t>(
        match.dispatches.size() - static_cast<std::size_t>(std::ranges::count(match.dispatches, kNoDispatch)));
}

void pair_by_ordinal(std::size_t count, CaptureMatch& match) {
    for (std::uint32_t i = 0; i < count; ++i) match.dispatches.push_back(i);
}

// Some dispatches have no node: they were not recorded.
bool match_with_missing_nodes(Names nodes, Names dispatches, CaptureMatch& match) {
    if (nodes.size() >= dispatches.size()) return false;
    std::optional<Places> early = embed_early(nodes, dispatches);
    if (!early) return false;
    const Places late = embed_late(nodes, dispatches);
    std::vector<bool> used(dispatches.size());
    bool unique = true;
    for (std::size_t i = 0; i < early->size(); ++i) {
        used[(*early)[i]] = true;
        if ((*early)[i] == late[i]) continue;
        unique = false;
        (*early)[i] = kNoDispatch;
    }
    match.dispatches = *std::move(early);
    for (std::uint32_t d = 0; unique && d < used.size(); ++d)
        if (!used[d]) match.missing.push_back(d);
    match.certainty = Certainty::Probable;
    match.reason = format_count(dispatches.size() - nodes.size()) + " of " +
                   format_plural(dispatches.size(), "captured call has", "captured calls have") +
                   " no kernel in the replay";
    return true;
}

// Some nodes have no dispatch: the recording of the capture lacks them.
bool match_with_missing_dispatches(Names nodes, Names dispatches, CaptureMatch& match) {
    if (dispatches.size() >= nodes.size()) return false;
    const std::optional<Places> early = embed_early(dispatches, nodes);
    if (!early) return false;
    const Places late = embed_late(dispatches, nodes);
    match.dispatches.assign(nodes.size(), kNoDispatch);
    for (std::uint32_t d = 0; d < early->size(); ++d)
        if ((*early)[d] == late[d]) match.dispatches[late[d]] = d;
    match.certainty = Certainty::Probable;
    match.reason = format_count(nodes.size() - dispatches.size()) + " of " +
                   format_plural(nodes.size(), "node has", "nodes have") + " no captured call";
    return true;
}

// By name, and the ordinal within the name.
bool match_other_order(Names nodes, Names dispatches, CaptureMatch& match) {
    if (nodes.size() != dispatches.size()) return false;
    std::map<std::pair<int, std::uint32_t>, Places> of_name;
    for (std::uint32_t d = 0; d < dispatches.size(); ++d) of_name[group_of(dispatches[d])].push_back(d);
    std::map<std::pair<int, std::uint32_t>, std::size_t> next;
    Places places;
    for (const NodeName& node : nodes) {
        const auto found = of_name.find(group_of(node));
        std::size_t& at = next[group_of(node)];
        if (found == of_name.end() || at == found->second.size()) return false;
        places.push_back(found->second[at++]);
    }
    match.dispatches = std::move(places);
    match.certainty = Certainty::Probable;
    match.reason = "the same kernels in another order";
    return true;
}

std::string different_counts(std::size_t dispatches, std::size_t nodes) {
    return format_count(dispatches) + " \xe2\x89\xa0 " + format_count(nodes);
}

}  // namespace

CaptureMatch match_capture(Names nodes, Names dispatches, bool has_children) {
    CaptureMatch match;
    match.names_said = std::ranges::all_of(dispatches, is_said);
    if (has_children) {
        match.reason = "the capture adds other graphs";
        return match;
    }
    std::size_t differ = 0;
    if (nodes.size() == dispatches.size()) {
        for (std::size_t i = 0; i < nodes.size(); ++i) differ += agrees(nodes[i], dispatches[i]) ? 0 : 1;
        if (differ == 0) {
            match.certainty = match.names_said ? Certainty::Certain : Certainty::Probable;
            if (!match.names_said) match.reason = "calls do not name their kernels";
            pair_by_ordinal(nodes.size(), match);
        }
    }
    if (match.dispatches.empty()) {
        if (!match.names_said)
            match.reason = "calls do not name their kernels and " +
                           (differ > 0 ? format_plural(differ, "node is", "nodes are") + " of another kind"
                                       : different_counts(dispatches.size(), nodes.size()));
        else if (!match_with_missing_nodes(nodes, dispatches, match) &&
                 !match_with_missing_dispatches(nodes, dispatches, match) &&
                 !match_other_order(nodes, dispatches, match))
            match.reason = differ > 0 ? format_count(differ) + " of " + format_count(nodes.size()) + " names differ"
                                      : "names differ, and " + different_counts(dispatches.size(), nodes.size());
    }
    count_decided(match);
    if (match.decided == 0) {
        match.certainty = Certainty::Undecided;
        match.dispatches.clear();
    }
    return match;
}

}  // namespace core
