#include "core/graphs/graph_attribution.hpp"

#include "core/analysis/efficiency/rank_work.hpp"
#include "core/graphs/describe_node.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace core;
using namespace core::testing;

namespace {

// A captured call: an operator of a square product, or another one, and the kernel that its launch names.
struct Call {
    std::string op;
    std::string kernel;
    int size = 0;  // of a product
};

std::string complete(std::string_view category, std::string_view name, int at, int duration, std::string_view arguments,
                     int pid = 1, int tid = 1) {
    return "{\"ph\": \"X\", \"cat\": \"" + std::string(category) + "\", \"name\": \"" + std::string(name) +
           "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid) +
           ", \"ts\": " + std::to_string(at) + ", \"dur\": " + std::to_string(duration) + ", \"args\": {" +
           std::string(arguments) + "}}";
}

std::string trace_of(const std::vector<std::string>& events) {
    std::string text = R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)";
    for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n  " : "\n  ") + events[i];
    return text + "\n]}";
}

constexpr int kPerCall = 10;

std::string capture_of(const std::vector<Call>& calls, std::string_view mark = "", bool says_names = true) {
    const int length = static_cast<int>(calls.size() + 2) * kPerCall;
    std::vector<std::string> events;
    if (!mark.empty()) events.push_back(complete("user_annotation", mark, 0, length + 20, ""));
    events.push_back(complete("python_function", "nn.Module: Linear_0", 5, length, R"("Python id": 1)"));
    events.push_back(complete("cuda_runtime", "hipStreamBeginCapture", 6, 1, R"("correlation": 1)"));
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const int at = 10 + static_cast<int>(i) * kPerCall;
        const std::string n = std::to_string(calls[i].size);
        const std::string dims = calls[i].size == 0 ? ""
                                                    : "\"Input Dims\": [[" + n +
                                                          ", 8], [8, 8]], \"Input type\": "
                                                          "[\"c10::BFloat16\", \"c10::BFloat16\"]";
        events.push_back(complete("cpu_op", calls[i].op, at, 8, dims));
        const std::string said = says_names ? "\"kernel\": \"" + calls[i].kernel + "\", " : "";
        events.push_back(complete("cuda_runtime", says_names ? "hipLaunchKernel" : "cudaLaunchKernel", at + 2, 2,
                                  said + "\"correlation\": " + std::to_string(i + 2)));
    }
    events.push_back(complete("cuda_runtime", "hipStreamEndCapture", length, 1, R"("correlation": 999)"));
    return trace_of(events);
}

// Each replay: its kernels, one after another, 5 us each.
std::string replays_of(const std::vector<std::vector<std::string>>& replays, std::string_view mark = "") {
    std::vector<std::string> events;
    for (std::size_t r = 0; r < replays.size(); ++r) {
        const int at = 100'000 + static_cast<int>(r) * 10'000;
        const std::string correlation = "\"correlation\": " + std::to_string(r + 1);
        if (!mark.empty()) events.push_back(complete("user_annotation", mark, at - 10, 5'000, ""));
        events.push_back(complete("cpu_op", "Torch-Compiled Region", at - 5, 20, ""));
        events.push_back(complete("cuda_runtime", "hipGraphLaunch", at, 4, correlation));
        for (std::size_t k = 0; k < replays[r].size(); ++k)
            events.push_back(complete("kernel", replays[r][k], at + 20 + static_cast<int>(k) * 10, 5,
                                      correlation + R"(, "stream": 7, "device": 0)", 0, 7));
    }
    return trace_of(events);
}

// Operators with their own GPU time in us: "aten::mm 10, (unattributed) 5".
std::string operators_of(const Run& run) {
    const Answer answer = answer_of(run, "operators");
    const Table& table = answer.main();
    std::string text;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::int64_t time = table.integer(row, table.find_column("self_kernel_time"));
        if (time > 0)
            text += (text.empty() ? "" : ", ") + std::string(table.text(row, 0)) + " " + std::to_string(time / 1000);
    }
    return text;
}

std::int64_t flop_of(const Run& run) {
    const Answer answer = answer_of(run, "op-efficiency");
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < answer.main().rows(); ++row)
        sum += answer.main().integer(row, answer.main().find_column("flop"));
    return sum;
}

const GraphTemplate& first_template(const Run& run) {
    return graph_attribution_of(*run.rank(0).index, {})->templates.at(0);
}

const std::vector<Call> kCalls = {{"aten::mm", "gemm", 16}, {"aten::add", "plain"}, {"aten::mul", "plain"}};

RunPtr load(const std::string& replays, const std::vector<std::string>& captures) {
    const ScratchFolder folder;
    folder.write("decode.json", replays);
    for (std::size_t i = 0; i < captures.size(); ++i) folder.write("any/" + std::to_string(i) + ".json", captures[i]);
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE_MESSAGE(run, (run ? std::string() : run.error().message));
    return *run;
}

}  // namespace

TEST_CASE("kernels of a replay have the operators, modules and FLOP of the calls that were captured") {
    const std::vector<std::string> nodes = {"gemm", "plain", "plain"};
    const RunPtr run = load(replays_of({nodes, nodes}), {capture_of(kCalls)});
    REQUIRE(run->ranks().size() == 1);
    CHECK(run->diagnostics().count("graph-capture-left-out") == 1);
    CHECK(run->diagnostics().count("rank-duplicate") == 0);
    CHECK(operators_of(*run) == "aten::add 10, aten::mm 10, aten::mul 10");
    CHECK(flop_of(*run) == 2 * 2 * 16 * 8 * 8);  // once for each replay
    CHECK(first_template(*run).certainty == Certainty::Certain);
    const Answer modules = answer_of(*run, "modules");
    REQUIRE(modules.main().rows() == 1);
    CHECK(modules.main().text(0, 1) == "Linear_0");
    CHECK(modules.main().integer(0, modules.main().find_column("calls")) == 2);
    CHECK(modules.main().integer(0, modules.main().find_column("kernel_time")) == 30'000);
    // The operator around the launch has them below, but not as its own.
    const Answer operators = answer_of(*run, "operators");
    for (std::size_t row = 0; row < operators.main().rows(); ++row)
        if (operators.main().text(row, 0) == "Torch-Compiled Region")
            CHECK(operators.main().integer(row, operators.main().find_column("kernel_time")) == 30'000);
    // Captured calls took no time in this recording.
    for (std::size_t row = 0; row < operators.main().rows(); ++row)
        if (operators.main().text(row, 0) == "aten::mm") {
            CHECK(operators.main().integer(row, operators.main().find_column("calls")) == 2);
            CHECK(operators.main().absent(row, operators.main().find_column("total")));
        }
}

TEST_CASE("without a capture, or with one that does not fit, replayed kernels have no operator") {
    const std::vector<std::string> nodes = {"gemm", "plain", "plain"};
    CHECK(operators_of(*load(replays_of({nodes}), {})) == "(unattributed) 15");
    std::vector<Call> renamed = kCalls;
    renamed[1].kernel = "other";
    const RunPtr run = load(replays_of({nodes}), {capture_of(renamed)});
    CHECK(operators_of(*run) == "(unattributed) 15");
    CHECK(first_template(*run).reason == "1 of 3 names differ");
}

TEST_CASE("a call that is missing in the capture leaves undecided what it could be, and no wrong name") {
    std::vector<Call> fewer = kCalls;
    fewer.erase(fewer.begin() + 1);
    const RunPtr run = load(replays_of({{"gemm", "plain", "plain"}}), {capture_of(fewer)});
    CHECK(operators_of(*run) == "aten::mm 5, (unattributed) 10");
    CHECK(first_template(*run).certainty == Certainty::Probable);
}

TEST_CASE("a node that was lost is named, and the others keep their operators") {
    const RunPtr run =
        load(replays_of({{"gemm", "plain"}}), {capture_of({kCalls[0], kCalls[1], {"aten::div", "div"}})});
    CHECK(operators_of(*run) == "aten::add 5, aten::mm 5");
    CHECK(first_template(*run).missing == std::vector<std::string>{"div of aten::div"});
}

TEST_CASE("the size that the step states chooses among captures; without it shapes are undecided") {
    std::vector<Call> larger = kCalls;
    larger[0].size = 32;
    const std::vector<std::string> captures = {capture_of(kCalls, "capture_16_FULL"),
                                               capture_of(larger, "capture_32_FULL")};
    const std::vector<std::string> nodes = {"gemm", "plain", "plain"};
    CHECK(flop_of(*load(replays_of({nodes}, "execute_10_context_0(0)_generation_10(10)"), captures)) == 2 * 16 * 8 * 8);
    CHECK(flop_of(*load(replays_of({nodes}, "step[DECODE bs=17]"), captures)) == 2 * 32 * 8 * 8);
    const RunPtr none = load(replays_of({nodes}, "step[DECODE bs=33]"), captures);
    CHECK(operators_of(*none) == "(unattributed) 15");
    CHECK(first_template(*none).reason == "no capture of size \xe2\x89\xa5 33");
    const RunPtr unmarked = load(replays_of({nodes}), captures);
    CHECK(operators_of(*unmarked) == "aten::add 5, aten::mm 5, aten::mul 5");
    CHECK(flop_of(*unmarked) == 0);
    CHECK_FALSE(first_template(*unmarked).has_shapes);
}

TEST_CASE("where calls do not name their kernels the order alone is probable") {
    const RunPtr run = load(replays_of({{"gemm", "plain", "plain"}}), {capture_of(kCalls, "", false)});
    CHECK(operators_of(*run) == "aten::add 5, aten::mm 5, aten::mul 5");
    const auto graphs = graph_attribution_of(*run->rank(0).index, {});
    CHECK(graphs->of(graphs->replays.nodes[0]) == Attribution::CapturedByOrder);
    const RunPtr shorter = load(replays_of({{"gemm", "plain"}}), {capture_of(kCalls, "", false)});
    CHECK(operators_of(*shorter) == "(unattributed) 10");
}

TEST_CASE("a recording of captures opened alone is a trace") {
    const ScratchFolder folder;
    folder.write("capture.json", capture_of(kCalls));
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE(run);
    CHECK((*run)->ranks().size() == 1);
}

TEST_CASE("annotations on nodes, or in a pickle next to the trace, name modules and regions") {
    const auto node = [](int at, int id, std::string_view more) {
        return complete("kernel", "k" + std::to_string(id), at, 5,
                        "\"correlation\": 1, \"stream\": 7, \"graph id\": 23, \"graph node id\": " +
                            std::to_string(id) + std::string(more),
                        0, 7);
    };
    const std::string launch = complete("cuda_runtime", "cudaGraphLaunch", 0, 2, R"("correlation": 1)");
    const auto modules_of = [](const Run& run) {
        const Answer answer = answer_of(run, "modules");
        std::string text;
        for (std::size_t row = 0; row < answer.main().rows(); ++row)
            text += (row > 0 ? ", " : "") + std::string(answer.main().text(row, 1)) + " " +
                    std::to_string(answer.main().integer(row, answer.main().find_column("kernel_time")));
        return text;
    };
    const RunPtr baked =
        load(trace_of({launch, node(10, 0, R"(, "name": "layers.0.wq")"), node(20, 5, R"(, "name": "grads")")}), {});
    CHECK(modules_of(*baked) == "layers.0.wq 5000, (unattributed) 5000");

    const ScratchFolder folder;
    folder.write("rank0.json", trace_of({launch, node(10, 0, ""), node(20, 5, "")}));
    // {23 << 32: [{"name": "layers.0.wq"}], (23 << 32) + 5: ["grads"]}
    constexpr std::string_view kPickle(
        "\x80\x02}q\0(\x8a\x05\0\0\0\0\x17]q\x01}q\x02X\x04\0\0\0nameq\x03X\x0b\0\0\0layers.0.wqq\x04s"
        "a\x8a\x05\x05\0\0\0\x17]q\x05X\x05\0\0\0gradsq\x06"
        "au.",
        75);
    folder.write("kernel_annotations_rank0_fwd.pkl", std::string(kPickle));
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE(run);
    CHECK(modules_of(**run) == "layers.0.wq 5000, (unattributed) 5000");
    CHECK((*run)->diagnostics().count("file-left-out") == 0);
}

TEST_CASE("records of the creation of nodes lead to the calls of the capture") {
    const std::int64_t capture = std::int64_t{5} << 32, exec = std::int64_t{6} << 32;
    const auto creation = [](int at, std::int64_t node, std::int64_t original) {
        return complete("cuda_graph_node", "Graph Node Creation", at, 1,
                        "\"graph node id\": " + std::to_string(node) +
                            (original == 0 ? "" : ", \"original graph node id\": " + std::to_string(original)));
    };
    const auto node = [&](int at, std::string_view name, std::int64_t id) {
        return complete("kernel", name, at, 5,
                        "\"correlation\": 1, \"stream\": 7, \"graph id\": 6, \"graph node id\": " + std::to_string(id),
                        0, 7);
    };
    const RunPtr run = load(trace_of({complete("cpu_op", "aten::mm", 0, 10, ""), creation(2, capture + 1, 0),
                                      complete("cpu_op", "aten::softmax", 20, 10, ""), creation(22, capture + 2, 0),
                                      creation(40, exec + 1, capture + 1), creation(42, exec + 2, capture + 2),
                                      complete("cuda_runtime", "cudaGraphLaunch", 100, 2, R"("correlation": 1)"),
                                      node(110, "a", exec + 1), node(120, "b", exec + 2)}),
                            {});
    CHECK(operators_of(*run) == "aten::mm 5, aten::softmax 5");
    CHECK(first_template(*run).certainty == Certainty::Certain);
    CHECK(answer_of(*run, "operators").main().rows() == 2);
}

TEST_CASE("the details of a node say its place, its operator and how that is known") {
    const std::vector<std::string> nodes = {"gemm", "plain", "plain"};
    const RunPtr run = load(replays_of({nodes, nodes}, "step[DECODE bs=12]"), {capture_of(kCalls, "capture_16_FULL")});
    const RankIndex& rank = *run->rank(0).index;
    const auto known = graph_attribution_of(rank, {});
    const EventId gemm = known->replays.nodes_of(known->replays.replays[1])[0];
    const std::optional<NodeWords> words = describe_node(rank, gemm);
    REQUIRE(words);
    CHECK(words->place == "1 of 3, replay 2 of 2");
    CHECK(words->operator_name.starts_with("aten::mm [[16"));
    CHECK(words->source == "captured, from the capture of size 16 (certain)");
    const std::optional<ReplayWords> replay = describe_replay(rank, gemm);
    REQUIRE(replay);
    CHECK(replay->text == "graph, 3 kernels, captured for size 16");
    CHECK(replay->first == gemm);
    CHECK(replay->last == known->replays.nodes_of(known->replays.replays[1])[2]);
    // Nothing around the launch is theirs.
    const RunPtr none = load(replays_of({nodes}), {});
    const auto unknown = graph_attribution_of(*none->rank(0).index, {});
    const std::optional<NodeWords> undecided = describe_node(*none->rank(0).index, unknown->replays.nodes[0]);
    REQUIRE(undecided);
    CHECK(undecided->operator_name.empty());
    CHECK(undecided->source == "undecided: no capture is here");
    CHECK_FALSE(describe_node(*none->rank(0).index, unknown->replays.replays[0].call));
}
