#include "core/ingest/load/identify_ranks.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace core;

namespace {

struct Identified {
    std::vector<std::string> ranks;
    std::vector<RankSource> sources;
    Diagnostics diagnostics;
};

Identified identify(const std::vector<RankClaim>& claims) {
    Identified result;
    for (const RankIdentity& identity : identify_ranks(claims, result.diagnostics)) {
        result.ranks.push_back(format_rank(identity.key));
        result.sources.push_back(identity.source);
    }
    return result;
}

using Ranks = std::vector<std::string>;

}  // namespace

TEST_CASE("ranks are found in the names that frameworks give their files") {
    CHECK(find_rank_in_name("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz") == 34);
    CHECK(find_rank_in_name("profile_trace_rank_0.json.gz") == 0);
    CHECK(find_rank_in_name("rank0_ascend_pt_trace_view.json.gz") == 0);
    CHECK(find_rank_in_name("worker3_step_12.1694128201557.pt.trace.json") == 3);
    CHECK(find_rank_in_name("worker0.1623143089861.pt.trace.json.gz") == 0);
    CHECK(find_rank_in_name("B300_1782843274.7730265-TP-5-DECODE.trace.json.gz") == 5);
    CHECK(find_rank_in_name("megatron_kineto_2.json") == 2);
    CHECK(find_rank_in_name("Rank 7.json") == 7);
    CHECK_FALSE(find_rank_in_name("allreduce_tp4.json").has_value());
    CHECK_FALSE(find_rank_in_name("llama_tp_8_pp_2.json").has_value());
    CHECK_FALSE(find_rank_in_name("linear_kineto.json.gz").has_value());
    CHECK_FALSE(find_rank_in_name("ip-172-31-16-248_24049.1698955364380200319.pt.trace.json.gz").has_value());
    CHECK_FALSE(find_rank_in_name("frank3.json").has_value());
    CHECK_FALSE(find_rank_in_name("rank99999999999.json").has_value());
}

TEST_CASE("every framework's names give rank and capture") {
    struct Named {
        std::string_view framework;
        std::vector<std::string> files;
        Ranks ranks;
    };
    const std::string b =
        "\u00B7"
        "b";
    const Named rows[] = {
        {"torchtitan: a folder per iteration",
         {"traces/iteration_10/rank0_trace.json.gz", "traces/iteration_10/rank1_trace.json.gz",
          "traces/iteration_20/rank0_trace.json.gz", "traces/iteration_20/rank1_trace.json.gz"},
         {"0", "1", "0" + b, "1" + b}},
        {"Megatron", {"pytorch_profile/rank-0.json.gz", "pytorch_profile/rank-11.json.gz"}, {"0", "11"}},
        {"Primus",
         {"primus-megatron-exp[qwen_8B]-rank[3].1754.pt.trace.json",
          "primus-megatron-exp[qwen_8B]-rank[12].1754.pt.trace.json"},
         {"3", "12"}},
        {"vLLM",
         {"rank0.1781012345678901234.pt.trace.json.gz", "rank1.1781012345678901239.pt.trace.json.gz"},
         {"0", "1"}},
        {"SGLang: phases of one run",
         {"1781012345.25-TP-0-DECODE.trace.json.gz", "1781012345.25-TP-0-EXTEND.trace.json.gz",
          "1781012345.25-TP-1-DP-0-PP-0-EP-1-DECODE.trace.json.gz"},
         {"0", "0" + b, "1"}},
        {"dynolog: host and process, in order",
         {"libkineto_trace_node1_4711.json", "libkineto_trace_node1_4712.json"},
         {"0", "1"}},
    };
    for (const Named& row : rows) {
        INFO(row.framework);
        std::vector<RankClaim> claims;
        for (const std::string& file : row.files) claims.push_back({.path = file, .stated = {}});
        CHECK(identify(claims).ranks == row.ranks);
    }
    // tensorboard_trace_handler names host and process; the rank is in the file, and later windows repeat it.
    CHECK(identify({{"node1_4711.1781012345678901234.pt.trace.json", 1},
                    {"node1_4711.1781012399678901234.pt.trace.json", 1}})
              .ranks == Ranks{"1", "1" + b});
}

TEST_CASE("phases of SGLang and iterations of torchtitan are recognised from the path") {
    CHECK(find_label_in_path("1781012345.25-TP-0-DECODE.trace.json.gz") == "DECODE");
    CHECK(find_label_in_path("1781012345.25-TP-0-EXTEND-2.trace.json.gz") == "EXTEND");
    CHECK(find_label_in_path("traces/iteration_100/rank0_trace.json.gz") == "iteration 100");
    for (const char* const other : {"DECODE.json", "x-DECODER.json", "iteration_/rank0.json", "iteration_10a/r.json",
                                    "iteration_10.json", "a/b.json"})
        CHECK(find_label_in_path(other).empty());
}

TEST_CASE("a file's content overrides its name and isn't a guess") {
    const Identified result = identify({{"run/rank9.json", 1}, {"run/rank0.json", 0}});
    CHECK(result.ranks == Ranks{"1", "0"});
    CHECK(result.diagnostics.empty());
}

TEST_CASE("a number in the name is next, and reported") {
    const Identified result = identify({{"run/rank2.json", {}}, {"run/rank5.json", {}}});
    CHECK(result.ranks == Ranks{"2", "5"});
    CHECK(result.sources == std::vector{RankSource::FileName, RankSource::FileName});
    CHECK(result.diagnostics.count("rank-guessed") == 2);
}

TEST_CASE("a folder's number counts only if the folder holds one file") {
    CHECK(identify({{"run/rank4/a.json", {}}, {"run/rank6/out/a.json", {}}}).ranks == Ranks{"4", "6"});
    const Identified shared = identify({{"rank4/a.json", {}}, {"rank4/b.json", {}}});
    CHECK(shared.ranks == Ranks{"0", "1"});
    CHECK(shared.sources == std::vector{RankSource::Order, RankSource::Order});
}

TEST_CASE("several files of one rank are captures of it") {
    const Identified result = identify({{"a.json", 3}, {"b.json", 3}, {"c.json", 4}, {"d.json", 3}});
    CHECK(result.ranks == Ranks{"3",
                                "3\xC2\xB7"
                                "b",
                                "4",
                                "3\xC2\xB7"
                                "c"});
    CHECK(result.diagnostics.count("rank-duplicate") == 2);
}

TEST_CASE("a guess never takes a rank that is certain") {
    const Identified result = identify({{"a.json", 0}, {"b.json", {}}, {"rank0.json", {}}, {"c.json", 1}});
    CHECK(result.ranks == Ranks{"0", "2", "3", "1"});
    CHECK(result.diagnostics.count("rank-duplicate") == 0);
}

TEST_CASE("a dump has the last number of its name, and comes after the traces of its rank") {
    CHECK(find_rank_of_dump("_dump_9") == 9);
    CHECK(find_rank_of_dump("nccl_trace_rank_12") == 12);
    CHECK(find_rank_of_dump("rank_3.json") == 3);
    CHECK(find_rank_of_dump("dump5.pickle.gz") == 5);
    CHECK_FALSE(find_rank_of_dump("dump.pickle").has_value());
    CHECK_FALSE(find_rank_of_dump("").has_value());
    const auto dump = [](const char* name) {
        return RankClaim{.path = name, .stated = {}, .is_one_of_several = false, .is_dump = true};
    };
    const Identified result =
        identify({dump("_dump_1"), dump("_dump_7"), {"a.json", 1}, {"rank_2.json", {}}, dump("rank_2")});
    CHECK(result.ranks == Ranks{"1\xC2\xB7"
                                "b",
                                "7", "1", "2",
                                "2\xC2\xB7"
                                "b"});
    CHECK(result.diagnostics.count("rank-duplicate") == 0);
    CHECK(result.diagnostics.count("rank-guessed") == 1);  // rank_2.json
}

TEST_CASE("windows of one process are one rank where no file says its number") {
    const auto window = [](const char* path, const char* process, std::int64_t begin) {
        RankClaim claim{path, {}};
        claim.process = process;
        claim.window = {RankTime{Duration{begin}}, RankTime{Duration{begin + 100}}};
        return claim;
    };
    const std::string b = "\u00B7b";
    CHECK(identify({window("node1_4711.1781012345678901234.pt.trace.json", "4711", 0),
                    window("node1_4711.1781012399678901234.pt.trace.json", "4711", 500),
                    window("node1_4712.1781012345678901234.pt.trace.json", "4712", 0),
                    window("node1_4712.1781012399678901234.pt.trace.json", "4712", 500)})
              .ranks == Ranks{"0", "0" + b, "1", "1" + b});
    CHECK(identify({window("first/libkineto_trace_node1_500.json", "500", 0),
                    window("second/libkineto_trace_node1_500.json", "500", 500)})
              .ranks == Ranks{"0", "0" + b});
    // At the same time, of another process than the name states, or with a number that isn't a process: not
    // distinguishable.
    CHECK(identify({window("a/trace_500.json", "500", 0), window("b/trace_500.json", "500", 50)}).ranks ==
          Ranks{"0", "1"});
    CHECK(identify({window("a/trace_0.json", "500", 0), window("b/trace_0.json", "500", 500)}).ranks ==
          Ranks{"0", "1"});
    CHECK(identify({window("worker.1781012345678901234.pt.trace.json", "500", 0),
                    window("worker.1781012399678901234.pt.trace.json", "500", 500)})
              .ranks == Ranks{"0", "1"});
}

TEST_CASE("stages and shards of SGLang together make the rank") {
    const std::string b = "\u00B7b";
    CHECK(identify({{"1.5-TP-0-PP-0.trace.json.gz", {}},
                    {"1.5-TP-0-PP-1.trace.json.gz", {}},
                    {"1.5-TP-1-PP-0.trace.json.gz", {}},
                    {"1.5-TP-1-PP-1.trace.json.gz", {}}})
              .ranks == Ranks{"0", "2", "1", "3"});
    CHECK(identify({{"1.5-TP-0-PP-0-DECODE.trace.json.gz", {}}, {"1.5-TP-1-PP-0-DECODE.trace.json.gz", {}}}).ranks ==
          Ranks{"0", "1"});  // one stage
    CHECK(identify({{"1.5-TP-0-PP-0-DECODE.trace.json.gz", {}},
                    {"1.5-TP-0-PP-0-EXTEND.trace.json.gz", {}},
                    {"1.5-TP-0-PP-1-DECODE.trace.json.gz", {}}})
              .ranks == Ranks{"0", "0" + b, "1"});
}

TEST_CASE("captures of one letter are of one iteration, phase or moment, also where a rank lacks one") {
    const std::string b = "\u00B7b", c = "\u00B7c";
    CHECK(identify({{"iteration_100/rank0.json", 0},
                    {"iteration_20/rank0.json", 0},
                    {"iteration_20/rank1.json", 1},
                    {"iteration_100/rank2.json", 2}})
              .ranks == Ranks{"0" + b, "0", "1", "2" + b});
    CHECK(
        identify({{"TP-0-DECODE.trace.json", 0}, {"TP-0-EXTEND.trace.json", 0}, {"TP-1-EXTEND.trace.json", 1}}).ranks ==
        Ranks{"0", "0" + b, "1" + b});
    const auto at = [](const char* path, int rank, std::int64_t begin, std::int64_t length = 100) {
        RankClaim claim{path, rank};
        claim.window = {RankTime{Duration{begin}}, RankTime{Duration{begin + length}}};
        return claim;
    };
    CHECK(identify({at("a.json", 0, 0), at("b.json", 0, 500), at("c.json", 1, 510), at("d.json", 1, 1000),
                    at("e.json", 0, 1010)})
              .ranks == Ranks{"0", "0" + b, "1" + b, "1" + c, "0" + c});
    // Unrelated clocks, and two captures of one rank at one time: sorted by name.
    CHECK(identify({at("a.json", 0, 0), at("b.json", 0, 500), at("c.json", 1, 9000)}).ranks ==
          Ranks{"0", "0" + b, "1"});
    CHECK(identify({at("a.json", 0, 0), at("b.json", 0, 50), at("c.json", 1, 40)}).ranks == Ranks{"0", "0" + b, "1"});
    // If names already determine it, their order stays.
    CHECK(identify({at("a.json", 0, 500), at("b.json", 0, 0), at("c.json", 1, 500), at("d.json", 1, 0)}).ranks ==
          Ranks{"0", "0" + b, "1", "1" + b});
}

// Comparing every pair of files would take ten thousand million comparisons.
TEST_CASE("a hundred thousand files get their ranks, by name and by order") {
    constexpr int kFiles = 100'000;
    std::vector<RankClaim> claims;
    for (int i = 0; i < kFiles; ++i)
        claims.push_back({"run/" + std::string(i % 2 == 0 ? "rank" : "other") + std::to_string(i) + ".json", {}});
    Diagnostics diagnostics;
    const std::vector<RankIdentity> ranks = identify_ranks(claims, diagnostics);
    REQUIRE(ranks.size() == kFiles);
    std::set<std::int32_t> numbers;
    for (int i = 0; i < kFiles; ++i) {
        const RankIdentity& rank = ranks[static_cast<std::size_t>(i)];
        if (rank.key.capture != 0) FAIL("a capture of file " << i);
        numbers.insert(rank.key.number);
        if (i % 2 == 0 && rank.key.number != i) FAIL("rank " << rank.key.number << " of file " << i);
    }
    CHECK(numbers.size() == kFiles);
    CHECK(*numbers.rbegin() == kFiles - 1);
    CHECK(diagnostics.count("rank-guessed") == kFiles);
}

namespace {

struct OnGpus {
    const char* path;
    const char* numbers;
    const char* model;
    std::int64_t begin;
    std::int64_t group_size = 0;
    const char* host = "";
};

RankClaim claim_of(const OnGpus& given) {
    RankClaim claim{given.path, {}};
    claim.window = {RankTime{Duration{given.begin}}, RankTime{Duration{given.begin + 100}}};
    claim.gpus = {.numbers = given.numbers, .model = given.model, .host = given.host};
    claim.group_size = given.group_size;
    return claim;
}

Identified identify_on(std::initializer_list<OnGpus> given) {
    std::vector<RankClaim> claims;
    for (const OnGpus& one : given) claims.push_back(claim_of(one));
    for (std::size_t i = 0; i + 1 < claims.size(); ++i)
        if (claims[i].path == claims[i + 1].path) claims[i].is_one_of_several = claims[i + 1].is_one_of_several = true;
    return identify(claims);
}

}  // namespace

TEST_CASE("files without a rank on GPUs of two models are two runs, unless they communicate") {
    const std::string b = "\u00B7b";
    const Identified two = identify_on({{"h100.json", "0", "NVIDIA H100", 0}, {"mi300.json", "2", "AMD MI300X", 0}});
    CHECK(two.ranks == Ranks{"0", "0" + b});
    CHECK(two.diagnostics.count("runs-apart") == 1);
    CHECK(two.diagnostics.count("rank-duplicate") == 0);
    CHECK(identify_on({{"a_h100.json", "0", "NVIDIA H100", 0, 2},
                       {"a_mi300.json", "0", "AMD MI300X", 0, 2},
                       {"b_h100.json", "1", "NVIDIA H100", 0, 2},
                       {"b_mi300.json", "1", "AMD MI300X", 0, 2}})
              .ranks == Ranks{"0", "0" + b, "1", "1" + b});
    // Groups that need the other file as well.
    CHECK(identify_on({{"a.json", "0", "NVIDIA A100", 0, 2}, {"b.json", "0", "NVIDIA H100", 0, 2}}).ranks ==
          Ranks{"0", "1"});
    // Libraries of two vendors do not communicate, also where the size of groups is not stated.
    CHECK(identify_on({{"a.json", "0", "NVIDIA A100", 0, -1}, {"b.json", "0", "NVIDIA H100", 0, -1}}).ranks ==
          Ranks{"0", "1"});
    CHECK(identify_on({{"a.json", "0", "NVIDIA H100", 0, -1}, {"b.json", "0", "AMD MI300X", 0, -1}}).ranks ==
          Ranks{"0", "0" + b});
    CHECK(identify_on({{"a.json", "0", "", 0}, {"b.json", "0", "NVIDIA H100", 0}}).ranks == Ranks{"0", "1"});
}

TEST_CASE("files without a rank on the same GPUs at other times are two runs") {
    const std::string b = "\u00B7b";
    CHECK(identify_on({{"after.json", "0", "H100", 500}, {"before.json", "0", "H100", 0}}).ranks ==
          Ranks{"0", "0" + b});
    CHECK(identify_on({{"after.sqlite", "0", "", 500, 2},
                       {"after.sqlite", "1", "", 500, 2},
                       {"before.sqlite", "0", "", 0, 2},
                       {"before.sqlite", "1", "", 0, 2}})
              .ranks == Ranks{"0", "1", "0" + b, "1" + b});
    // At the same time, of another machine, on other GPUs, or with groups larger than a file: ranks of one job.
    CHECK(identify_on({{"a.json", "0", "H100", 0}, {"b.json", "0", "H100", 50}}).ranks == Ranks{"0", "1"});
    CHECK(identify_on({{"a.json", "0", "H100", 0, 0, "x"}, {"b.json", "0", "H100", 500, 0, "y"}}).ranks ==
          Ranks{"0", "1"});
    CHECK(identify_on({{"a.json", "0", "H100", 0}, {"b.json", "1", "H100", 500}}).ranks == Ranks{"0", "1"});
    CHECK(identify_on({{"a.json", "0", "H100", 0, 2}, {"b.json", "0", "H100", 500, 2}}).ranks == Ranks{"0", "1"});
    CHECK(identify_on({{"a.json", "0", "H100", 0, -1}, {"b.json", "0", "H100", 500, -1}}).ranks == Ranks{"0", "1"});
    // Unrelated clocks; each file has all members of its groups.
    CHECK(identify_on({{"a.sqlite", "0", "", 0, 2, "x"},
                       {"a.sqlite", "1", "", 0, 2, "x"},
                       {"b.sqlite", "0", "", 50, 2, "x"},
                       {"b.sqlite", "1", "", 50, 2, "x"}})
              .ranks == Ranks{"0", "1", "0" + b, "1" + b});
}

TEST_CASE("devices count on from host to host of one recording; another recording has the same ranks again") {
    constexpr std::int64_t kDate = 1'779'266'702'889'805'563;
    const auto devices_of = [](std::vector<RankClaim>& claims, const char* path, const char* host, std::int64_t begin) {
        for (const int device : {0, 1}) {
            RankClaim claim{path, device};
            claim.is_one_of_several = claim.is_device = true;
            claim.window = {rank_time(begin), rank_time(begin + 100)};
            claim.gpus.host = host;
            claims.push_back(claim);
        }
    };
    const std::string b = "\u00B7b";
    const Ranks four = {"0", "1", "2", "3"}, twice = {"0", "1", "2", "3", "0" + b, "1" + b, "2" + b, "3" + b};
    std::vector<RankClaim> claims;
    devices_of(claims, "t1/h0.xplane.pb", "h0", kDate);
    devices_of(claims, "t1/h1.xplane.pb", "h1", kDate + 10);
    CHECK(identify(claims).ranks == four);
    devices_of(claims, "t2/h0.xplane.pb", "h0", kDate + 5'000);
    devices_of(claims, "t2/h1.xplane.pb", "h1", kDate + 5'010);
    CHECK(identify(claims).ranks == twice);
    // A folder per host, at one time; and two recordings in one folder.
    std::vector<RankClaim> by_host;
    devices_of(by_host, "h0/host.xplane.pb", "h0", kDate);
    devices_of(by_host, "h1/host.xplane.pb", "h1", kDate + 10);
    CHECK(identify(by_host).ranks == four);
    std::vector<RankClaim> together;
    devices_of(together, "first.xplane.pb", "h0", kDate);
    devices_of(together, "second.xplane.pb", "h0", kDate + 5'000);
    CHECK(identify(together).ranks == Ranks{"0", "1", "0" + b, "1" + b});
    // Processes of one host that ran together are different ranks.
    std::vector<RankClaim> processes;
    devices_of(processes, "p0/host.xplane.pb", "h0", kDate);
    devices_of(processes, "p1/host.xplane.pb", "h0", kDate + 10);
    CHECK(identify(processes).ranks == four);
    // Times that count from the start of a recording: the folder tells, and the name of the file is the host.
    std::vector<RankClaim> undated;
    devices_of(undated, "t1/h0.trace.json.gz", "", 0);
    devices_of(undated, "t1/h1.trace.json.gz", "", 10);
    devices_of(undated, "t2/h0.trace.json.gz", "", 0);
    devices_of(undated, "t2/h1.trace.json.gz", "", 10);
    CHECK(identify(undated).ranks == twice);
}

TEST_CASE("unitrace names a file by process and rank, ROCm Systems Profiler by rank or else by process") {
    const auto of_process = [](const char* path, const char* process) {
        RankClaim claim{path, {}};
        claim.process = process;
        return claim;
    };
    CHECK(identify({of_process("python3.2000.3.json", "2000"), of_process("python3.2001.2.json.gz", "2001")}).ranks ==
          Ranks{"3", "2"});
    CHECK(identify({of_process("perfetto-trace-5.proto", "71"), of_process("perfetto-trace-6.proto", "72")}).ranks ==
          Ranks{"5", "6"});
    // Neither a process's number is a rank, nor one behind another number.
    CHECK(identify({of_process("perfetto-trace-7100.proto", "7100"), of_process("perfetto-trace-7200.proto", "7200")})
              .ranks == Ranks{"0", "1"});
    CHECK(identify({of_process("python3.2000.3.json", "77"), of_process("trace.12.json", "12")}).ranks ==
          Ranks{"0", "1"});
}
