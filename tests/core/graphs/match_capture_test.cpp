#include "core/graphs/match_capture.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

std::vector<NodeName> names(std::initializer_list<std::uint32_t> list) {
    std::vector<NodeName> made;
    for (const std::uint32_t name : list) made.push_back({.name = name});
    return made;
}

std::vector<std::uint32_t> dispatches_of(const CaptureMatch& match) { return match.dispatches; }

}  // namespace

TEST_CASE("nodes whose names agree one by one are certain") {
    const CaptureMatch match = match_capture(names({1, 2, 1}), names({1, 2, 1}), false);
    CHECK(match.certainty == Certainty::Certain);
    CHECK(dispatches_of(match) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(match.reason.empty());
}

TEST_CASE("where calls do not name their kernels, equal counts and kinds are probable, other counts undecided") {
    std::vector<NodeName> nodes = names({1, 2, 3});
    nodes[1].kind = NodeKind::Copy;
    std::vector<NodeName> calls(3);
    calls[1].kind = NodeKind::Copy;
    CHECK(match_capture(nodes, calls, false).certainty == Certainty::Probable);
    calls[1].kind = NodeKind::Set;
    CHECK(match_capture(nodes, calls, false).certainty == Certainty::Undecided);
    calls.pop_back();
    const CaptureMatch shorter = match_capture(nodes, calls, false);
    CHECK(shorter.certainty == Certainty::Undecided);
    CHECK(shorter.reason == "calls do not name their kernels and 2 \xe2\x89\xa0 3");
}

TEST_CASE("a node that was not recorded leaves the others where only one way is left") {
    const CaptureMatch last = match_capture(names({1, 2, 1}), names({1, 2, 1, 3}), false);
    CHECK(last.certainty == Certainty::Probable);
    CHECK(dispatches_of(last) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(last.missing == std::vector<std::uint32_t>{3});
    // Either of the two calls of kernel 1 may be the one that is lost.
    const CaptureMatch either = match_capture(names({1, 2}), names({1, 1, 2}), false);
    CHECK(dispatches_of(either) == std::vector<std::uint32_t>{kNoDispatch, 2});
    CHECK(either.decided == 1);
    CHECK(either.missing.empty());
}

TEST_CASE("a call that the capture lacks leaves its node undecided, and those that could be it") {
    const CaptureMatch match = match_capture(names({1, 2, 3, 4}), names({1, 3, 4}), false);
    CHECK(match.certainty == Certainty::Probable);
    CHECK(dispatches_of(match) == std::vector<std::uint32_t>{0, kNoDispatch, 1, 2});
    const CaptureMatch repeated = match_capture(names({1, 2, 2, 3}), names({1, 2, 3}), false);
    CHECK(dispatches_of(repeated) == std::vector<std::uint32_t>{0, kNoDispatch, kNoDispatch, 2});
}

TEST_CASE("the same kernels in another order are probable by name, other kernels undecided") {
    const CaptureMatch match = match_capture(names({2, 1, 2}), names({1, 2, 2}), false);
    CHECK(match.certainty == Certainty::Probable);
    CHECK(dispatches_of(match) == std::vector<std::uint32_t>{1, 0, 2});
    const CaptureMatch renamed = match_capture(names({1, 9, 3}), names({1, 2, 3}), false);
    CHECK(renamed.certainty == Certainty::Undecided);
    CHECK(renamed.dispatches.empty());
    CHECK(renamed.reason == "1 of 3 names differ");
}

TEST_CASE("the order of a graph with child graphs is not that of its calls") {
    CHECK(match_capture(names({1, 2}), names({1, 2}), true).certainty == Certainty::Undecided);
}
