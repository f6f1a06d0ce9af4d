// Collectives on which ranks do not agree: a job that ran out of step, or its records.

#include "core/base/format.hpp"
#include "core/collectives/desynchronised.hpp"
#include "core/doctor/examine_run.hpp"

#include <set>

namespace core::doctor {
namespace {

std::string describe_member(const FindingSink& sink, const MatchedRun& matches, MemberRef ref) {
    return "rank " + format_rank(sink.key(ref.slot)) + " " + format_statement(matches.member(ref));
}

void report_differing(FindingSink& sink, const MatchedRun& matches) {
    const std::vector<DifferingCollective> differing = find_differing(matches);
    if (differing.empty()) return;
    const DifferingCollective& first = differing.front();
    const Collective& c = matches.collectives[first.collective];
    const MemberRef one = std::min(first.usual, first.odd.front());
    const MemberRef other = std::max(first.usual, first.odd.front());
    DoctorFinding& finding =
        sink.add("collectives-differ", differing.size(),
                 count_of(differing.size(), "collective") + " with other operations or sizes on some ranks; " +
                     format_number_of(matches, c) + ": " + describe_member(sink, matches, one) + ", " +
                     describe_member(sink, matches, other));
    finding.ranks = {sink.key(one.slot), sink.key(other.slot)};
}

void report_unjoined(FindingSink& sink, const MatchedRun& matches) {
    const std::vector<UnjoinedCollective> unjoined = find_unjoined(matches);
    if (unjoined.empty()) return;
    std::set<std::uint32_t> collectives;
    std::set<RankKey> ranks;
    for (const UnjoinedCollective& one : unjoined) {
        collectives.insert(one.collective);
        ranks.insert(sink.key(one.slot));
    }
    DoctorFinding& finding =
        sink.add("collectives-unjoined", collectives.size(),
                 count_of(collectives.size(), "collective") + " that rank " + format_rank(*ranks.begin()) +
                     (ranks.size() > 1 ? " and " + count_of(ranks.size() - 1, "other") : "") +
                     " never came to, though work goes on there; the first is " +
                     format_number_of(matches, matches.collectives[unjoined.front().collective]));
    finding.ranks.assign(ranks.begin(), ranks.end());
}

}  // namespace

void check_collectives(FindingSink& sink) {
    const MatchedRunPtr matches = matched(sink.run);
    report_differing(sink, *matches);
    report_unjoined(sink, *matches);
}

}  // namespace core::doctor
