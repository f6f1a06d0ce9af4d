#include "core/collectives/matched_run.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

constexpr std::uint32_t operation_bit(Operation operation) { return 1U << static_cast<unsigned>(operation); }
constexpr std::uint32_t kReduces = operation_bit(Operation::AllReduce);
constexpr std::uint32_t kPairs = operation_bit(Operation::Send) | operation_bit(Operation::Recv);

// Groups of a family: `size` ranks, `stride` apart, over `ranks` ranks.
struct Mesh {
    std::vector<RunGroup> groups = std::vector<RunGroup>(1);
    std::vector<std::uint32_t> operations{0};
    Mesh& add(std::int32_t ranks, std::int32_t stride, std::int32_t size, std::uint32_t what) {
        for (std::int32_t first = 0; first < ranks; ++first) {
            if (first / stride % size != 0) continue;
            RunGroup group;
            for (std::int32_t k = 0; k < size; ++k) group.members.push_back(first + k * stride);
            groups.push_back(group);
            operations.push_back(what);
        }
        return *this;
    }
    std::string axes() {
        name_axes(groups, operations);
        std::string text;
        for (const RunGroup& group : groups) {
            if (group.members.empty()) continue;
            text +=
                (text.empty() ? "" : " ") + (group.axis == GroupAxis::None ? "-" : std::string(name_of(group.axis)));
        }
        return text;
    }
};

}  // namespace

TEST_CASE("axes of a mesh are recognised by members and operations") {
    CHECK(Mesh().add(4, 1, 2, kReduces).add(4, 2, 2, kReduces).axes() == "TP TP DP DP");
    CHECK(Mesh().add(8, 1, 2, kReduces).add(8, 2, 2, kReduces).add(8, 4, 2, kPairs).axes() ==
          "TP TP TP TP DP DP DP DP PP PP PP PP");
    CHECK(
        Mesh().add(8, 1, 2, kReduces).add(8, 2, 2, operation_bit(Operation::AllToAll)).add(8, 4, 2, kReduces).axes() ==
        "TP TP TP TP EP EP EP EP DP DP DP DP");
    // A second communicator of the same ranks is on the same axis; the world is on none.
    CHECK(Mesh().add(4, 1, 2, kReduces).add(4, 2, 2, kReduces).add(4, 2, 2, kReduces).add(4, 1, 4, kReduces).axes() ==
          "TP TP DP DP DP DP -");
}

TEST_CASE("context parallel groups send round a ring within the outer axes, or exchange within the experts") {
    const std::uint32_t exchanges = operation_bit(Operation::AllToAll);
    // TP 2, CP 3, DP 2.
    CHECK(Mesh().add(12, 1, 2, kReduces).add(12, 2, 3, kPairs | kRing).add(12, 6, 2, kReduces).axes() ==
          "TP TP TP TP TP TP CP CP CP CP DP DP DP DP DP DP");
    // CP 2, PP 2: of two axes of messages the outer one is the pipeline, also with interleaved stages.
    CHECK(Mesh().add(4, 1, 2, kPairs).add(4, 2, 2, kPairs).axes() == "CP CP PP PP");
    CHECK(Mesh().add(6, 1, 2, kReduces).add(6, 2, 3, kPairs | kRing).axes() == "- - - PP PP");
    CHECK(Mesh().add(8, 1, 2, exchanges).add(8, 2, 2, exchanges).add(8, 4, 2, kReduces).axes() ==
          "CP CP CP CP EP EP EP EP - - - -");
    // Messages along an inner axis that isn't a ring belong to a pipeline; two ranks don't show the difference.
    CHECK(Mesh().add(12, 1, 2, kReduces).add(12, 2, 3, kPairs).add(12, 6, 2, kReduces).axes() ==
          "TP TP TP TP TP TP PP PP PP PP DP DP DP DP DP DP");
    CHECK(Mesh().add(8, 1, 2, kReduces).add(8, 2, 2, kPairs).add(8, 4, 2, kReduces).axes() ==
          "TP TP TP TP - - - - DP DP DP DP");
}

TEST_CASE("no axis is guessed where the ranks form no mesh") {
    CHECK(Mesh().add(8, 1, 8, kReduces).axes() == "-");
    CHECK(Mesh().add(8, 1, 2, kReduces).axes() == "- - - -");
    // A single reducing axis next to a pipeline may be tensor or data parallel.
    CHECK(Mesh().add(4, 1, 2, kReduces).add(4, 2, 2, kPairs).axes() == "- - PP PP");
    // One group is unknown, so the axes do not reach every rank.
    Mesh partial;
    partial.add(8, 1, 2, kReduces).add(8, 2, 4, kReduces);
    partial.groups.erase(partial.groups.begin() + 1);
    partial.operations.erase(partial.operations.begin() + 1);
    CHECK(partial.axes().find_first_of("TDPE") == std::string::npos);
    // The middle one of three may be anything.
    CHECK(Mesh().add(8, 1, 2, kReduces).add(8, 2, 2, kReduces).add(8, 4, 2, kReduces).axes() ==
          "TP TP TP TP - - - - DP DP DP DP");
    CHECK(Mesh().axes().empty());
}
