// Groups, buckets, shards, stages and experts on hand-made traces, on the sample and on the examples of real ones.

#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

namespace {

RunPtr load_path(const fs::path& path) {
    LoadProgress progress;
    const fs::path paths[] = {path};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

// A collective launched at `launch_ns` by the thread, below whatever encloses it there.
void add_collective(TraceFixture& fixture, std::int64_t launch_ns, RankRange kernel, std::string_view operation,
                    std::int64_t number, int stream = 20) {
    fixture.launch(launch_ns, 2, number)
        .kernel(ns_of(kernel.begin), kernel.length().count(), "ncclDevKernel_Generic", stream, number)
        .arg(Arg::CollectiveName, operation)
        .arg(Arg::Seq, number)
        .arg(Arg::InElements, 1'000 * number)
        .arg(Arg::OutElements, 1'000 * number)
        .arg(Arg::CollectiveDtype, "Float");
}

RankRange range_of(std::int64_t begin, std::int64_t end) { return {rank_time(begin), rank_time(end)}; }

std::string cell_text(const Table& table, std::size_t row, std::string_view column) {
    return std::string(table.text(row, table.find_column(column)));
}
std::int64_t number_in(const Table& table, std::size_t row, std::string_view column) {
    REQUIRE(table.find_column(column) < table.columns().size());
    return table.integer(row, table.find_column(column));
}

// A shard is gathered for each of two layers in the forward pass, and its gradient scattered in the backward pass.
RankTracePtr sharded() {
    TraceFixture fixture;
    fixture.step(0, 1'000'000, 1);
    add_collective(fixture, 1'000, range_of(10'000, 60'000), "all_gather", 1);
    fixture.launch(2'000, 2, 101).kernel(60'010, 100'000, "gemm", 7, 101);  // waited for it from the begin on
    add_collective(fixture, 3'000, range_of(70'000, 120'000), "all_gather", 2);
    fixture.launch(4'000, 2, 102).kernel(160'010, 100'000, "gemm", 7, 102);  // was there long before
    fixture.cpu(300'000, 100'000, "autograd::engine::evaluate_function: MmBackward0");
    fixture.launch(301'000, 2, 103).kernel(400'000, 100'000, "gemm", 7, 103);
    add_collective(fixture, 302'000, range_of(450'000, 530'000), "reduce_scatter", 3);
    return fixture.build();
}

}  // namespace

TEST_CASE("a description names its dimension, several are kept") {
    CHECK(dimension_in_description("TENSOR_MODEL_PARALLEL_GROUP") == "TP");
    CHECK(dimension_in_description("tp") == "TP");
    CHECK(dimension_in_description("mesh_pp") == "PP");
    CHECK(dimension_in_description("DATA_PARALLEL_GROUP") == "DP");
    CHECK(dimension_in_description("mesh_dp_shard") == "FSDP");
    CHECK(dimension_in_description("TENSOR_AND_DATA_PARALLEL_GROUP") == "TP+DP");
    CHECK(dimension_in_description("DATA_PARALLEL_GROUP_WITH_CP") == "CP+DP");
    CHECK(dimension_in_description("EMBEDDING_GROUP") == "other");
    CHECK(dimension_in_description("undefined").empty());
    CHECK(dimension_in_description("default_pg").empty());
    CHECK(dimension_in_description("stop").empty());  // no tp in it
    const GroupDimension both{"TP+DP", "description"};
    CHECK(both.serves("TP"));
    CHECK(both.serves("DP"));
    CHECK_FALSE(both.serves("P"));
    CHECK_FALSE(GroupDimension{}.serves("DP"));
}

TEST_CASE("a group that gathers forward and scatters backward is sharded data parallel") {
    const Answer groups = answer_of(*run_of({sharded()}), "parallel-groups");
    REQUIRE(groups.main().rows() == 1);
    CHECK(cell_text(groups.main(), 0, "dimension") == "FSDP");
    CHECK(number_in(groups.main(), 0, "collectives") == 3);
    CHECK(number_in(groups.main(), 0, "time") == 180'000);
    CHECK(number_in(groups.main(), 0, "exposed") == 50'000 + 0 + 30'000);
}

TEST_CASE("an all-gather that a kernel waits for is late, one that is there is a hit") {
    const Answer fsdp = answer_of(*run_of({sharded()}), "fsdp");
    REQUIRE(fsdp.main().rows() == 3);
    CHECK(cell_text(fsdp.main(), 0, "prefetch") == "late");
    CHECK(number_in(fsdp.main(), 0, "stall") == 50'010);
    CHECK(cell_text(fsdp.main(), 1, "prefetch") == "hit");
    CHECK(number_in(fsdp.main(), 1, "stall") == 0);
    CHECK(number_in(fsdp.main(), 2, "tail") == 30'000);
    const Table& steps = *fsdp.find("steps");
    CHECK(number_in(steps, 0, "hits") == 1);
    CHECK(number_in(steps, 0, "late") == 1);
    CHECK(number_in(steps, 0, "stall") == 50'010);
    CHECK(cell_text(steps, 0, "sharded") == "parameters kept after the forward pass, or ZeRO-1/2");
}

TEST_CASE("all-reduces of the backward pass are buckets, what is before and after is none") {
    TraceFixture fixture;
    fixture.step(0, 1'000'000, 1);
    fixture.cpu(100'000, 300'000, "autograd::engine::evaluate_function: MmBackward0");
    fixture.launch(100'500, 2, 50).kernel(200'000, 300'000, "gemm", 7, 50);
    for (std::int64_t i = 1; i <= 5; ++i)
        add_collective(fixture, 110'000 + 10'000 * i, range_of(200'000 + 80'000 * i, 260'000 + 80'000 * i), "allreduce",
                       i);
    add_collective(fixture, 700'000, range_of(700'010, 700'020), "allreduce", 6);  // the loss
    const Answer buckets = answer_of(*run_of({fixture.build()}), "ddp-buckets");
    REQUIRE(buckets.main().rows() == 5);
    CHECK(number_in(buckets.main(), 0, "launched") == 20'000);
    CHECK(number_in(buckets.main(), 0, "started") == 80'000);
    CHECK(number_in(buckets.main(), 0, "hidden") == 60'000);
    CHECK(number_in(buckets.main(), 0, "exposed") == 0);
    CHECK(number_in(buckets.main(), 3, "exposed") == 60'000);
    CHECK(buckets.main().absent(3, buckets.main().find_column("tail")));
    CHECK(number_in(buckets.main(), 4, "tail") == 160'000);
    CHECK(number_in(buckets.main(), 0, "bytes") == 4'000);
}

TEST_CASE("buckets of real runs are those that were worked out by hand") {
    if (!corpus_is_here()) return;
    const Answer nccl =
        answer_of(*load_path(corpus_folder() / "HolisticTraceAnalysis/nccl_parser_config"), "ddp-buckets", "step:5");
    REQUIRE(nccl.main().rows() == 5);
    const std::int64_t bytes[] = {8'196'000, 31'502'336, 26'255'360, 26'550'272, 9'724'160};
    for (std::size_t i = 0; i < 5; ++i) CHECK(number_in(nccl.main(), i, "bytes") == bytes[i]);
    CHECK(number_in(nccl.main(), 4, "launched") == 82'348'294);
    CHECK(number_in(nccl.main(), 4, "duration") == 2'028'293);
    CHECK(number_in(nccl.main(), 4, "exposed") == 2'028'293);
    const Answer mi300 =
        answer_of(*load_path(corpus_folder() / "TraceLens/mi300_resnet_ddp_rank0of8"), "ddp-buckets", "step:16");
    REQUIRE(mi300.main().rows() == 2);
    CHECK(number_in(mi300.main(), 0, "exposed") == 2'725'197);
    CHECK(number_in(mi300.main(), 0, "duration") == 6'678'400);
    CHECK(number_in(mi300.main(), 1, "exposed") == 9'208'906);
    CHECK(number_in(mi300.main(), 1, "duration") == 9'208'906);
}

TEST_CASE("the sample's dimensions and stages are found as they were planted") {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 8;
    options.stages = 2;
    options.steps = 3;
    options.layers = 4;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    const RunPtr run = load_path(folder.path());
    const Answer groups = answer_of(*run, "parallel-groups");
    std::map<std::string, int> counts;
    for (std::size_t row = 0; row < groups.main().rows(); ++row) ++counts[cell_text(groups.main(), row, "dimension")];
    CHECK(counts["PP"] == 4);
    CHECK(counts["TP"] == 4);
    CHECK(counts["DP"] == 4);

    const Answer pipeline = answer_of(*run, "pipeline");
    const Table& table = pipeline.main();
    REQUIRE(table.rows() == 24);
    double share = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::int64_t rank = RankKey::unpacked(number_in(table, row, "rank")).number;
        CHECK(number_in(table, row, "stage") == rank / 4);
        CHECK(number_in(table, row, "microbatches") == 1);
        CHECK(table.number(row, table.find_column("theory")) == 0.5);
        CHECK(number_in(table, row, "bubble") == number_in(table, row, "receive_wait") + number_in(table, row, "idle"));
        share += table.number(row, table.find_column("bubble_share")) / 24;
    }
    CHECK(share == doctest::Approx(0.5).epsilon(0.2));
}

TEST_CASE("all-to-alls are exchanges of experts, and the mean says how uneven they are") {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank).step(0, 1'000'000, 1);
        for (std::int64_t i = 1; i <= 2; ++i)
            fixture.launch(1'000 * i, 2, i)
                .kernel(10'000 * i, 5'000, "ncclDevKernel_SendRecv", 20, i)
                .arg(Arg::CollectiveName, "all_to_allv")
                .arg(Arg::Seq, i)
                .arg(Arg::InElements, 1'000)
                .arg(Arg::OutElements, rank == 0 ? 500 : 1'500)
                .arg(Arg::CollectiveDtype, "Byte");
        traces.push_back(fixture.build());
    }
    const Answer experts = answer_of(*run_of(traces), "experts");
    const Table& table = experts.main();
    REQUIRE(table.rows() == 4);
    CHECK(number_in(table, 0, "bytes_in") == 1'000);
    CHECK(number_in(table, 0, "bytes_out") == 500);
    CHECK(table.number(0, table.find_column("tokens_share")) == 0.25);
    CHECK(table.number(0, table.find_column("imbalance")) == 0.5);
    CHECK(cell_text(table, 0, "kind") == "dispatch");
    CHECK(cell_text(table, 1, "kind") == "combine");
    CHECK(number_in(table, 0, "exposed") == 5'000);
}

TEST_CASE("efficiency is of the transfer where ranks match, and of the whole time where one is alone") {
    const auto reduce = [](int rank, std::int64_t begin) {
        TraceFixture fixture;
        fixture.rank(rank).info().devices.push_back({0, "NVIDIA H100 80GB HBM3", 80'000'000'000});
        fixture.info().host = "one";
        fixture.info().world_size = 2;
        for (std::int64_t i = 1; i <= 6; ++i)
            fixture.launch(i * 1'000'000 + begin - 100, 10, i)
                .kernel(i * 1'000'000 + begin, 300'000 - begin, "ncclDevKernel_AllReduce", 20, i)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::Seq, i)
                .arg(Arg::InElements, 10'000'000)
                .arg(Arg::OutElements, 10'000'000)
                .arg(Arg::CollectiveDtype, "Float")
                .arg(Arg::GroupName, "1")
                .arg(Arg::GroupDescription, "mesh_dp")
                .arg(Arg::GroupRanks, "[0, 1]");
        return fixture.build();
    };
    const Answer both = answer_of(*run_of({reduce(0, 0), reduce(1, 100'000)}), "comm-efficiency");
    const Table& table = both.main();
    REQUIRE(table.rows() == 2);
    for (std::size_t row = 0; row < 2; ++row) {
        CHECK(cell_text(table, row, "of") == "transfer");
        CHECK(number_in(table, row, "bytes") == 6 * 40'000'000);
        CHECK(number_in(table, row, "transfer") == 6 * 200'000);
        CHECK(table.number(row, table.find_column("busbw")) == doctest::Approx(200e9));
        CHECK(table.number(row, table.find_column("efficiency")) == doctest::Approx(200.0 / 450));
    }
    // A value given for another dimension changes nothing.
    const RunPtr run = run_of({reduce(0, 0), reduce(1, 100'000)});
    const auto efficiency_with = [&](const GivenParams& given) {
        const Answer answer = answer_of(*run, "comm-efficiency", "", given);
        return answer.main().number(0, answer.main().find_column("efficiency"));
    };
    CHECK(efficiency_with({{"link_dp", "100"}}) == doctest::Approx(2.0));
    CHECK(efficiency_with({{"link_tp", "100"}}) == doctest::Approx(200.0 / 450));
    const Answer alone = answer_of(*run_of({reduce(0, 0)}), "comm-efficiency");
    REQUIRE(alone.main().rows() == 1);
    CHECK(cell_text(alone.main(), 0, "of") == "time");
    CHECK(alone.main().absent(0, alone.main().find_column("transfer")));
}
