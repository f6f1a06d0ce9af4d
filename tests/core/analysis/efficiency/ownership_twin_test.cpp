// Who owns FLOP, against a naive recursion over small random call trees.

#include "core/analysis/efficiency/rank_work.hpp"
#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"

#include <random>

using namespace core;
using namespace core::testing;

namespace {

struct Node {
    std::string_view name;
    bool has_shapes = false;
    bool launches = false;
    std::vector<Node> inner;
};

bool is_listed(const Node& node) { return node.name != "custom"; }
bool is_opaque(const Node& node) { return node.name == "vllm::moe_forward"; }
bool has_formula(const Node& node) { return is_listed(node) && !is_opaque(node) && node.has_shapes; }

enum class Told { Nothing, All, NotAll };

Told told_below(const Node& node);

Told told_by(const Node& node) {
    if (is_opaque(node)) return Told::NotAll;
    const Told below = told_below(node);
    if (!is_listed(node) || below == Told::All) return below;
    return has_formula(node) ? Told::All : Told::NotAll;
}

Told told_below(const Node& node) {
    Told sum = Told::Nothing;
    for (const Node& one : node.inner) {
        const Told told = told_by(one);
        if (told == Told::NotAll || sum == Told::NotAll)
            sum = Told::NotAll;
        else if (told == Told::All)
            sum = Told::All;
    }
    return sum;
}

std::int64_t kernels_of(const Node& node) {
    std::int64_t count = node.launches ? 1 : 0;
    for (const Node& one : node.inner) count += kernels_of(one);
    return count;
}

// FLOP of the owners.
struct Totals {
    std::int64_t calls = 0, kernels = 0;
    bool operator==(const Totals&) const = default;
};

void add_owners(const Node& node, Totals& totals) {
    if (has_formula(node) && told_below(node) != Told::All) {
        ++totals.calls;
        totals.kernels += kernels_of(node);
        return;
    }
    for (const Node& one : node.inner) add_owners(one, totals);
}

Node random_node(std::mt19937& random, int depth) {
    constexpr std::string_view kNames[] = {"aten::mm", "aten::linear", "aten::matmul",
                                           "custom",   "custom",       "vllm::moe_forward"};
    Node node{kNames[random() % std::size(kNames)], random() % 3 != 0, random() % 2 == 0, {}};
    for (std::size_t i = depth > 0 ? random() % 4 : 0; i > 0; --i) node.inner.push_back(random_node(random, depth - 1));
    return node;
}

// Writes the node from `at` on; returns its end.
std::int64_t write_node(const Node& node, std::int64_t at, OperatorFixture& fixture) {
    const std::int64_t start = at;
    EventBatch& batch = fixture.batch();
    fixture.op(start, 0, node.name);
    const std::size_t row = batch.events.size() - 1;
    if (node.has_shapes) fixture.with("[[2, 2], [2, 2]]");
    at += 2;
    if (node.launches) {
        fixture.gpu(at, 1'000'000 + 20 * at, 10, "mystery");
        at += 2;
    }
    for (const Node& one : node.inner) at = write_node(one, at, fixture) + 1;
    batch.events[row].duration_ns = at - start;
    return at;
}

}  // namespace

TEST_CASE("owners of random call trees are those of a naive recursion") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        OperatorFixture fixture;
        Totals expected;
        std::int64_t at = 0;
        for (int i = 0; i < 3; ++i) {
            const Node root = random_node(random, 4);
            add_owners(root, expected);
            at = write_node(root, at, fixture) + 10;
        }
        const RunPtr run = run_of({fixture.build()});
        const RankWorkPtr work = work_of(*run->rank(0).index, {});
        REQUIRE(work);
        Totals found;
        for (const WorkCall& call : work->calls) {
            ++found.calls;
            found.kernels += call.gpu_events;
            CHECK(work->work_of(call).flop == 16);
        }
        CHECK(found == expected);
    }
}
