#include "core/ingest/nsys/nccl_payload.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

NcclPayload of(std::uint64_t communicator, std::int64_t bytes) {
    NcclPayload payload;
    payload.communicator = communicator;
    payload.bytes = bytes;
    return payload;
}

std::optional<NcclPayload> end_of(NcclGroups& groups, std::int64_t start_ns) {
    std::optional<NcclPayload> end;
    groups.add(start_ns, "ncclGroupEnd", end);
    return end;
}

void add(NcclGroups& groups, std::int64_t start_ns, std::string_view call, std::optional<NcclPayload> payload = {}) {
    groups.add(start_ns, call, payload);
}

}  // namespace

TEST_CASE("the end of a group states what its calls have in common") {
    NcclGroups groups;
    add(groups, 1, "ncclGroupStart");
    add(groups, 2, "ncclAllReduce", of(7, 100));
    add(groups, 3, "ncclAllReduce", of(7, 200));
    const std::optional<NcclPayload> same = end_of(groups, 4);
    REQUIRE(same);
    CHECK(same->communicator == 7);
    CHECK(same->bytes == 300);

    add(groups, 5, "ncclGroupStart");
    add(groups, 6, "ncclSend", of(7, 100));
    add(groups, 7, "ncclRecv", of(7, 200));
    const std::optional<NcclPayload> pair = end_of(groups, 8);
    REQUIRE(pair);
    CHECK(pair->communicator == 7);
    CHECK_FALSE(pair->bytes);

    add(groups, 9, "ncclGroupStart");
    add(groups, 10, "ncclAllReduce", of(7, 100));
    add(groups, 11, "ncclAllReduce", of(8, 200));
    CHECK_FALSE(end_of(groups, 12));
}

TEST_CASE("calls out of order make groups say nothing") {
    NcclGroups groups;
    add(groups, 10, "ncclGroupStart");
    add(groups, 2, "ncclAllReduce", of(7, 100));
    CHECK_FALSE(end_of(groups, 11));
}

TEST_CASE("a communicator's number of ranks is remembered from its creation") {
    NcclGroups groups;
    NcclPayload made = of(7, 0);
    made.ranks = 16;
    add(groups, 1, "ncclCommInitRank", made);
    std::optional<NcclPayload> call = of(7, 100);
    groups.add(2, "ncclAllGather", call);
    CHECK(call->ranks == 16);
}

TEST_CASE("payloads that are short, unknown or no hexadecimal text give nothing") {
    NcclSchemas schemas;
    schemas.add({0, 0}, 0, {"Rank", 5, 0});
    CHECK_FALSE(schemas.decode(""));
    CHECK_FALSE(schemas.decode(std::string(31, '\0')));
    const std::optional<NcclPayload> empty = schemas.decode(std::string(32, '\0'));
    REQUIRE(empty);
    CHECK_FALSE(empty->rank);
    std::string other(64, '\0');
    other[0] = 9;
    CHECK_FALSE(schemas.decode(other));
    CHECK_FALSE(schemas.decode(std::string(64, 'z')));
}
