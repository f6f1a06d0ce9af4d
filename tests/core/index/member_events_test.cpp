#include "core/index/member_events.hpp"

#include "core/index/joined_groups.hpp"
#include "core/ingest/index_file/pack_sections.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/store/sections.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <vector>

using namespace core;
using namespace core::testing;

namespace {

std::span<const MemberEvent> members_of(const RunPtr& run) { return run->rank(0).index->members().events(); }

RunPtr open_text(const TempFolder& folder, std::string_view events, IndexFiles index_files = IndexFiles::Ignore) {
    const std::filesystem::path path = folder.path() / "rank0.json";
    if (!std::filesystem::exists(path))
        std::ofstream(path) << R"({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [)" << events
                            << "]}";
    LoadProgress progress;
    LoadOptions options;
    options.index_files = index_files;
    const Result<RunPtr> run = load_run(std::span(&path, 1), options, progress, {});
    REQUIRE(run);
    return *run;
}

constexpr std::string_view kOldWriter = R"json(
{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2,
 "args": {"Input type": ["float", "Scalar", "Scalar"], "Concrete Inputs": ["", "5", "6"]}},
{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 10, "dur": 50,
 "args": {"Input Dims": [[], [], []], "Input type": ["TensorList", "Scalar", "Scalar"],
          "Concrete Inputs": ["", "337", "94"]}},
{"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 1, "ts": 12, "dur": 40,
 "args": {"Input Dims": [[32, 4]], "Input type": ["c10::BFloat16"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
 "args": {"correlation": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevComm*)", "pid": 0, "tid": 20, "ts": 100, "dur": 30,
 "args": {"correlation": 7, "stream": 20, "device": 0}})json";

}  // namespace

TEST_CASE("a kernel's collective is found from the calls around its launch if its own arguments lack it") {
    const TempFolder folder;
    const RunPtr run = open_text(folder, kOldWriter);
    REQUIRE(members_of(run).size() == 1);
    const MemberEvent& member = members_of(run)[0];
    CHECK(member.operation == Operation::AllReduce);
    CHECK(member.number == 337);
    CHECK(member.in_bytes == 32 * 4 * 2);
    CHECK(member.out_bytes == kNoBytes);
    CHECK(member.group == kNoGroup);
    CHECK(member.launched == 1);
    CHECK(member.duration == Duration{30'000});
    // Other operators' inputs are not kept as a column.
    CHECK(run->rank(0).trace().texts(Arg::ConcreteInputs).size() == 1);
}

TEST_CASE("member events come back from the index file as they were made") {
    const TempFolder folder;
    const RunPtr made = open_text(folder, kOldWriter, IndexFiles::Use);
    const RunPtr opened = open_text(folder, kOldWriter, IndexFiles::Use);
    REQUIRE(members_of(opened).size() == members_of(made).size());
    CHECK(std::memcmp(members_of(opened).data(), members_of(made).data(), members_of(made).size_bytes()) == 0);
    CHECK_FALSE(opened->rank(0).index->has_fault());
}

TEST_CASE("kernels with one number are parts of one member, far apart they are two") {
    TraceFixture fixture;
    const auto part = [&](std::int64_t start) {
        fixture.kernel(start, 100, "ncclDevKernel_AllReduce", 9)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::CollectiveDtype, "Float")
            .arg(Arg::InElements, 10)
            .arg(Arg::Seq, 4);
    };
    part(1'000);
    part(1'200);
    part(50'000'000);
    const RunPtr run = run_of({fixture.build()});
    REQUIRE(members_of(run).size() == 2);
    CHECK(members_of(run)[0].parts == 2);
    CHECK(members_of(run)[0].duration == Duration{300});
    CHECK(members_of(run)[0].in_bytes == 80);
    CHECK(members_of(run)[1].parts == 1);
}

TEST_CASE("a record that occurs twice is one member, and compute is none") {
    TraceFixture fixture;
    fixture.kernel(0, 10, "gemm");
    for (int i = 0; i < 2; ++i) fixture.kernel(100, 10, "ncclDevKernel_AllGather", 9, 3);
    const RunPtr run = run_of({fixture.build()});
    REQUIRE(members_of(run).size() == 1);
    CHECK(members_of(run)[0].operation == Operation::AllGather);
}

TEST_CASE("sends and receives name their peer in the world and are never joined") {
    TraceFixture fixture;
    for (int i = 0; i < 2; ++i)
        fixture.kernel(i * 200, 10, "ncclDevKernel_SendRecv", 9)
            .arg(Arg::CollectiveName, i == 0 ? "send" : "recv")
            .arg(Arg::DestinationRank, 5)
            .arg(Arg::SourceRank, 3)
            .arg(Arg::Seq, 1);
    const RunPtr run = run_of({fixture.build()});
    REQUIRE(members_of(run).size() == 2);
    CHECK(members_of(run)[0].operation == Operation::Send);
    CHECK(members_of(run)[0].peer == 5);
    CHECK(members_of(run)[1].peer == 3);
}

TEST_CASE("operations and types are recognised by the names that writers use") {
    CHECK(parse_operation("_allgather_base") == Operation::AllGather);
    CHECK(parse_operation("reduce_scatter_tensor_coalesced") == Operation::ReduceScatter);
    CHECK(parse_operation("all_to_allv") == Operation::AllToAll);
    CHECK(parse_operation("nccl:send 0->1") == Operation::Send);
    CHECK(parse_operation("hcom_allReduce__868_0_1") == Operation::AllReduce);
    CHECK(parse_operation("wait") == Operation::Unknown);
    CHECK(operation_of_kernel("ncclDevKernel_SendRecv(ncclDevComm*)") == Operation::Unknown);
    CHECK(operation_of_kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)") == Operation::ReduceScatter);
    CHECK(operation_of_kernel("void cross_device_reduce_1stage<__half, 4>(x)") == Operation::AllReduce);
    CHECK(operation_of_kernel("void reduce_kernel<512>(x)") == Operation::Unknown);
    CHECK(element_bytes("c10::BFloat16") == 2);
    CHECK(element_bytes("unsigned char") == 1);
    CHECK(element_bytes("Float8_e4m3fn") == 1);
    CHECK(element_bytes("long int") == 8);
    CHECK_FALSE(element_bytes("TensorList"));
}

TEST_CASE("lists of any text end, and are split at their own commas only") {
    CHECK(split_list("[1, 2,3]") == std::vector<std::string_view>{"1", "2", "3"});
    CHECK(split_list(R"(["a,b", [1,2], (3, 4)])") == std::vector<std::string_view>{"a,b", "[1,2]", "(3, 4)"});
    CHECK(split_list("[]").empty());
    CHECK(split_list("1, 2").empty());
    CHECK(split_list("[\"\\").size() <= 1);
    CHECK(split_list("[[[[]").size() == 1);
}

TEST_CASE("the root of an operation is the rank that its record states, among its inputs too") {
    const auto root_of = [](std::string_view record, std::string_view operation = "broadcast") {
        const TempFolder folder;
        const std::string text =
            R"json({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 10, "dur": 50, "args": {)json" +
            std::string(record) + R"json(, "Collective name": ")json" + std::string(operation) + R"json("}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
 "args": {"correlation": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevComm*)", "pid": 0, "tid": 20, "ts": 100, "dur": 30,
 "args": {"correlation": 7, "stream": 20, "device": 0}})json";
        const RunPtr run = open_text(folder, text);
        REQUIRE(members_of(run).size() == 1);
        return members_of(run)[0].peer;
    };
    CHECK(root_of(R"("Rank": 3)") == 3);
    CHECK(root_of(R"("Rank": 3)", "reduce") == 3);
    CHECK(root_of(R"("Rank": 3)", "allreduce") == kNoPeer);
    // Later writers leave the places of number and group empty; earlier ones fill them.
    CHECK(root_of(R"("Input type": ["TensorList", "", "", "Scalar", ""], "Concrete Inputs": ["", "", "", "2", ""])") ==
          2);
    CHECK(root_of(R"("Input type": ["Scalar", "Scalar", "Scalar"], "Concrete Inputs": ["5", "94", "1"])", "gather") ==
          1);
    CHECK(root_of(R"("Input type": ["TensorList", "", "", "ScalarList"], "Concrete Inputs": ["", "", "", "[]"])") ==
          kNoPeer);
    CHECK(root_of(R"("Rank": -1)") == kNoPeer);
}

TEST_CASE("a forged member that is not within its trace is a fault") {
    TraceFixture fixture;
    fixture.rank(0).kernel(10, 20, "ncclDevKernel_AllReduce").arg(Arg::CollectiveName, "allreduce");
    const RunPtr run = run_of({fixture.build()});
    REQUIRE(members_of(run).size() == 1);
    const auto forge = [&](std::int64_t start_ns, std::int64_t duration_ns) {
        MemberEvent member = members_of(run).front();
        member.start = rank_time(start_ns);
        member.duration = Duration{duration_ns};
        const std::span<const MemberGroup> groups = run->rank(0).index->members().groups();
        SectionList list;
        list.give(section::kMemberEvents, std::vector<MemberEvent>{member});
        list.give(section::kMemberGroups, std::vector<MemberGroup>(groups.begin(), groups.end()));
        return MemberTable(copy_to_blob(list)).has_fault(run->rank(0).trace());
    };
    CHECK_FALSE(forge(10, 20));
    CHECK(forge(std::numeric_limits<std::int64_t>::min(), 20));
    CHECK(forge(10, 21));
    CHECK(forge(10, std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("collectives of more groups than are told apart are counted as a loss") {
    constexpr std::int64_t kGroups = kNoGroup + 7;
    TraceFixture fixture;
    for (std::int64_t i = 0; i < kGroups; ++i)
        fixture.kernel(100 * i, 50, "ncclDevKernel_AllReduce", 7, i + 1)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::GroupName, "g" + std::to_string(i))
            .arg(Arg::Seq, 0);
    const RankIndex index(fixture.build(), ClassRules::standard());
    CHECK(index.members().groups().size() == kNoGroup);
    CHECK(count_joined(index.members()) == 7);
    TraceFixture few;
    few.kernel(0, 50, "ncclDevKernel_AllReduce");
    CHECK(count_joined(RankIndex(few.build(), ClassRules::standard()).members()) == 0);
    const auto kind = std::ranges::find(all_diagnostic_kinds(), std::string_view("groups-joined"), &DiagnosticKind::id);
    REQUIRE(kind != all_diagnostic_kinds().end());
    CHECK(kind->incomplete);
}
