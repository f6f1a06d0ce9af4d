// The cases of graphs with answers: order inside of graphs, callbacks of the host, gaps and what was lost.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include "core/doctor/doctor.hpp"
#include "core/graphs/lost_nodes.hpp"
#include "core/graphs/replay_edges.hpp"
#include "core/ingest/load/load_run.hpp"

#include <set>

using namespace core;
using namespace core::testing;

namespace {

bool cases_are_here() { return goldens_are_here() && fs::is_directory(golden_folder() / "graphs" / "cases"); }

RunPtr load_folder(const fs::path& folder) {
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder}, {}, progress, {});
    REQUIRE_MESSAGE(run, folder.string());
    return *run;
}
RunPtr load_case(std::string_view name) { return load_folder(golden_folder() / "graphs" / "cases" / name); }
Json truth_of(std::string_view name) {
    return Json::parse(text_of_file(golden_folder() / "graphs" / "cases" / (std::string(name) + ".truth.json")));
}

// Node ids of the edges of each replay, each as the truth has them.
std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> edges_of(const RankSlot& rank) {
    const std::shared_ptr<const ReplayEdges> known = replay_edges_of(*rank.index, {});
    std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> all(known->replays.replays.size());
    const auto node_of = [&](EventId e) { return *rank.trace().integer(Arg::GraphNodeId, e) & 0xFFFFFFFF; };
    for (std::uint32_t r = 0; r < all.size(); ++r)
        for (const ReplayEdge& edge : known->of_replay(r)) all[r].emplace(node_of(edge.from), node_of(edge.to));
    return all;
}

std::int64_t time_of(const Answer& answer, std::string_view key, std::string_view value) {
    const Table& table = answer.main();
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, table.find_column(key)) == value) sum += table.integer(row, table.find_column("time"));
    return sum;
}

}  // namespace

TEST_CASE("edges of graphs are those of arrows between nodes, or of graph data") {
    if (!cases_are_here()) return;
    for (const std::string_view name : {"cuspy", "kineto_pickle", "kineto", "inline"}) {
        CAPTURE(name);
        const Json truth = truth_of(name);
        std::set<std::pair<std::int64_t, std::int64_t>> expected;
        for (const Json& edge : truth.at("edges_per_replay")) expected.emplace(edge.at(0), edge.at(1));
        const RunPtr run = load_case(name);
        CHECK(run->diagnostics().count("not-a-trace") == 0);
        CHECK(run->diagnostics().count("file-left-out") == 0);
        for (const RankSlot& rank : run->ranks()) {
            const auto edges = edges_of(rank);
            CHECK(edges.size() == truth.at("graph_launches_per_rank").get<std::size_t>());
            for (const auto& of_replay : edges) CHECK(of_replay == expected);
            const std::shared_ptr<const ReplayEdges> known = replay_edges_of(*rank.index, {});
            CHECK(std::ranges::count_if(known->others, &OtherNode::is_callback) ==
                  truth.at("host_nodes_per_rank").get<std::int64_t>());
            CHECK(known->others.size() == truth.at("host_nodes_per_rank").get<std::size_t>() +
                                              truth.at("event_nodes_per_rank").get<std::size_t>());
            CHECK(known->unplaced == 0);
        }
    }
}

TEST_CASE("the critical path follows the edges of graphs and callbacks of the host") {
    if (!cases_are_here()) return;
    const RunPtr run = load_case("edges");
    const Json truth = truth_of("edges");
    const Answer answer = answer_of(*run, "critical-path");
    std::vector<std::pair<std::string, std::int64_t>> expected, found;
    for (const Json& part : truth.at("path_per_replay"))
        expected.emplace_back(part.at(0) == "launch"     ? "launch_delay"
                              : part.at(0) == "node gap" ? "kernel_delay"
                                                         : part.at(0).get<std::string>(),
                              part.at(1).get<std::int64_t>());
    const Table& path = *answer.find("path");
    for (std::size_t row = 0; row < path.rows() && found.size() < expected.size(); ++row) {
        const std::string_view bound = path.text(row, path.find_column("bound_by"));
        const bool waits = bound == "launch_delay" || bound == "kernel_delay";
        found.emplace_back(waits ? bound : path.text(row, path.find_column("name")),
                           path.integer(row, path.find_column("duration")));
    }
    CHECK(found == expected);
    const Table& links = *answer.find("links");
    for (std::size_t row = 0; row < links.rows(); ++row) CHECK(links.text(row, 1) == "no");
    const std::int64_t gain = truth.at("what_if_host_callbacks_free_gain_ns_per_replay");
    const Answer free = answer_of(*run, "critical-path", "", {{"host_callback", "0"}});
    CHECK(free.find("what-if")->integer(0, 4) == 2 * gain);
    // B only shares the lane of A.
    const Answer wide = answer_of(*run, "critical-path", "", {{"graph_lanes", "free"}});
    CHECK(wide.find("what-if")->integer(0, 4) == 0);
}

TEST_CASE("a gap inside a replay is a graph gap, and one where a lost node ran is not recorded") {
    if (!cases_are_here()) return;
    const fs::path sglang = corpus_folder() / "TraceLens" / "sglang_decode";
    if (fs::is_directory(sglang)) {
        const RunPtr run = load_folder(sglang);
        CHECK(time_of(answer_of(*run, "idle-breakdown"), "cause", "graph_gap") == 274'232);
        const Answer launches = answer_of(*run, "launch-summary");
        const Table& main = launches.main();
        CHECK(main.integer(0, main.find_column("overlapped")) == 1);
        CHECK(main.integer(0, main.find_column("negative_delays")) == 1);
        CHECK(main.integer(0, main.find_column("launches")) == 15);
        CHECK(main.integer(0, main.find_column("events")) == 558);
    }
    const fs::path xdit = golden_folder().parent_path() / "graphs" / "xdit_flux_graph_pair";
    if (!fs::is_directory(xdit)) return;
    const RunPtr run = load_folder(xdit);
    const Answer idle = answer_of(*run, "idle-breakdown");
    std::int64_t gaps = 0;
    const Json answer = Json::parse(text_of_file(golden_folder() / "graphs" / "xdit_flux_aiter_sage.json"));
    for (const Json& replay : answer.at("replays"))
        gaps += replay.at("span_ns").get<std::int64_t>() - replay.at("gpu_ns").get<std::int64_t>();
    CHECK(time_of(idle, "cause", "graph_gap") == gaps);
    CHECK(time_of(idle, "cause", "not_recorded") >= 3 * 16'500);
    const std::shared_ptr<const LostNodes> lost = lost_nodes_of(*run->rank(0).index);
    CHECK(lost->replays() == 4);
    CHECK(lost->text().starts_with("4 of 4 replays of graphs lack 1 of 1,567 kernels: Cijk_"));
    CHECK(lost->text().ends_with(" of aten::addmm"));
    const Result<DoctorReport> report = examine_run(*run, 1, {});
    REQUIRE(report);
    const auto is_it = [](const DoctorFinding& finding) { return finding.rule->id == "graph-nodes-lost"; };
    CHECK(std::ranges::count_if(report->findings, is_it) == 1);
}
