// The shared runs against the answers of an independent program: matches, numbers and confidence exactly; offsets,
// waits and transfers within a microsecond; the last rank, lateness and blame by name.

#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/corpus.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t kNear = 1'000;  // ns

struct GoldenRun {
    const char* folder;
    const char* answer;
};
constexpr GoldenRun kRuns[] = {
    {"param/dlrm_8rank", "dlrm_8rank"},
    {"torchrec/resnet18_2rank", "resnet18_2rank"},
    {"torchrec/sleep_pl_dense", "sleep_pl_dense"},
    {"torchrec/a2a_optimizer_2_two_runs_in_one_folder", "a2a_optimizer_2_two_runs_in_one_folder"},
    {"torchrec/a2a_optimizer_4rank", "a2a_optimizer_4rank"},
    {"torchrec/a2a_optimizer_3", "a2a_optimizer_3"},
    {"Ascend-msinsight/pytorch_npu_level0_2rank", "pytorch_npu_level0_2rank"},
    {"HolisticTraceAnalysis/trace_filter", "trace_filter"},
    {"HolisticTraceAnalysis/trace_diff", "trace_diff"},
};

std::int64_t nanoseconds_apart(std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }

class SessionCheck {
public:
    SessionCheck(const MatchedRun& run, std::uint32_t cohort, const Json& golden)
        : run_(run), cohort_(cohort), golden_(golden) {
        for (std::uint32_t c = 0; c < run.collectives.size(); ++c)
            if (run.collectives[c].cohort == cohort)
                by_key_[{std::string(name_of(run.collectives[c].operation)), run.collectives[c].sequence}] = c;
    }

    bool is_for() const {
        std::vector<int> ranks;
        for (const std::uint32_t slot : run_.cohorts[cohort_].slots) ranks.push_back(run_.ranks[slot].rank);
        return ranks == golden_["ranks"].get<std::vector<int>>() && by_key_.size() == golden_["collectives"].size();
    }

    // The answers for Ascend follow no launch links, so they have no steps.
    void check_matches(bool follows_launches) const {
        for (const Json& one : golden_["collectives"]) {
            const Collective& c = run_.collectives[find(one)];
            std::vector<int> ranks, missing;
            for (const MemberRef ref : run_.members_of(c)) ranks.push_back(run_.ranks[ref.slot].rank);
            for (const std::uint32_t slot : run_.missing_of(c)) missing.push_back(run_.ranks[slot].rank);
            CHECK(ranks == one["ranks"].get<std::vector<int>>());
            CHECK(missing == one["missing"].get<std::vector<int>>());
            CHECK(name_of(c.by) == one["by"].get<std::string>());
            CHECK(name_of(c.confidence) == one["confidence"].get<std::string>());
            const std::optional<std::int64_t> step = run_.step_of(c);
            if (follows_launches) CHECK((step ? Json(*step) : Json()) == one["step"]);
        }
    }

    void check_clocks() const {
        const CohortClocks& clocks = run_.clocks[cohort_];
        const Json& golden = golden_["clocks"];
        CHECK(clocks.measured == !golden.is_null());
        if (golden.is_null()) return;
        CHECK(clocks.matters == golden["matters"].get<bool>());
        CHECK(nanoseconds_apart(clocks.error, golden_["error_ns"]["aligned"].get<std::int64_t>()) <= kNear);
        CHECK(nanoseconds_apart(clocks.recorded_error, golden_["error_ns"]["raw"].get<std::int64_t>()) <= kNear);
        for (std::size_t place = 0; place < clocks.fit.ranks.size(); ++place) {
            const MeasuredClock& clock = clocks.fit.ranks[place];
            const std::string rank = std::to_string(run_.ranks[run_.cohorts[cohort_].slots[place]].rank);
            CHECK(nanoseconds_apart(clock.offset, golden["offset_ns"][rank].get<std::int64_t>()) <= kNear);
            CHECK(clock.drift * 1e6 == doctest::Approx(golden["drift_ppm"][rank].get<double>()).epsilon(0.01));
            CHECK(clock.collectives == golden["collectives_used"][rank].get<std::uint32_t>());
            CHECK(nanoseconds_apart(clock.noise, golden["noise_ns"][rank].get<std::int64_t>()) <= kNear);
        }
    }

    void check_waits(const Waits& waits, const char* clocks) const {
        for (const Json& one : golden_["collectives"]) {
            if (!one.contains(clocks) || one[clocks].is_null() || one["ranks"].size() < 2) continue;
            const std::uint32_t c = find(one);
            const CollectiveTimes& times = waits.times[c];
            const Json& golden = one[clocks];
            CHECK(run_.ranks[times.last_slot].rank == golden["last_rank"].get<int>());
            CHECK(nanoseconds_apart(times.skew(), golden["skew"].get<std::int64_t>()) <= kNear);
            CHECK(nanoseconds_apart(times.lead, golden["lead"].get<std::int64_t>()) <= kNear);
            CHECK(std::abs(static_cast<double>(times.transfer) - golden["transfer"].get<double>()) <= kNear);
            const Collective& collective = run_.collectives[c];
            if (!golden["wait"].is_object()) continue;
            for (std::uint32_t i = collective.first; i < collective.first + collective.count; ++i) {
                const std::string rank = std::to_string(run_.ranks[run_.members[i].slot].rank);
                CHECK(nanoseconds_apart(waits.wait_of(i), golden["wait"][rank].get<std::int64_t>()) <= kNear);
            }
        }
    }

    void check_blame(const Waits& waits, const char* clocks) const {
        if (!golden_["latest"].contains(clocks)) return;
        for (const Json& one : golden_["latest"][clocks]) {
            const std::uint32_t c = find(one);
            const Lateness& late = waits.lateness[c];
            CHECK(run_.ranks[late.late].rank == one["late"].get<int>());
            CHECK(run_.ranks[late.middle].rank == one["against"].get<int>());
            CHECK(nanoseconds_apart(late.lateness, one["lateness"].get<std::int64_t>()) <= kNear);
            CHECK(late.known == one.contains("own"));
            if (one.contains("own")) CHECK(nanoseconds_apart(late.own, one["own"].get<std::int64_t>()) <= kNear);
            // The oracle stops at the collective that released the late rank; blame is traced further if that
            // collective's own lateness does not explain the delay.
            if (late.inherited > 0 && waits.lateness[late.released_by].lateness < late.inherited) continue;
            std::map<std::string, double> shares;
            for (const BlameShare& share : waits.blame_of(c))
                shares[std::to_string(run_.ranks[share.slot].rank)] += share.share;
            for (const auto& [rank, share] : one["blame"].items())
                CHECK(shares[rank] == doctest::Approx(share.get<double>()).epsilon(0.01));
        }
    }

private:
    std::uint32_t find(const Json& one) const {
        const auto it = by_key_.find({one["operation"].get<std::string>(), one["sequence"].get<std::uint32_t>()});
        REQUIRE(it != by_key_.end());
        return it->second;
    }

    const MatchedRun& run_;
    std::uint32_t cohort_;
    const Json& golden_;
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> by_key_;
};

RunPtr open_run(const fs::path& folder) {
    LoadProgress progress;
    const fs::path paths[] = {folder};
    LoadOptions options;
    options.threads = 2;
    const Result<RunPtr> run = load_run(paths, options, progress, {});
    REQUIRE(run);
    return *run;
}

void check_run(const Run& run, const Json& golden, bool follows_launches) {
    const MatchedRunPtr matches = matched(run);
    const WaitsPtr raw = measure_waits(matches, std::vector<bool>(matches->cohorts.size(), false));
    const WaitsPtr aligned = measure_waits(matches, std::vector<bool>(matches->cohorts.size(), true));
    CHECK(matches->cohorts.size() == golden["sessions"].size());
    for (const Json& cohort : golden["sessions"]) {
        bool found = false;
        for (std::uint32_t s = 0; s < matches->cohorts.size() && !found; ++s) {
            const SessionCheck check(*matches, s, cohort);
            if (!check.is_for()) continue;
            found = true;
            check.check_matches(follows_launches);
            check.check_clocks();
            check.check_waits(*raw, "raw");
            check.check_waits(*aligned, "aligned");
            check.check_blame(*raw, "raw");
            check.check_blame(*aligned, "aligned");
        }
        CHECK(found);
    }
}

}  // namespace

TEST_CASE("shared runs are matched, aligned and split as an independent program does it") {
    if (!corpus_is_here()) return;
    const fs::path answers = shared_folder("LOCKSTEP_GOLDEN", "golden") / "collectives";
    if (!fs::is_directory(answers)) {
        MESSAGE("skipped: no answers in " << answers);
        return;
    }
    for (const GoldenRun& golden : kRuns) {
        INFO(golden.folder);
        const fs::path folder = corpus_folder() / golden.folder;
        std::uintmax_t bytes = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) bytes += entry.file_size();
        if (bytes > largest_of_corpus()) continue;
        std::ifstream file(answers / (std::string(golden.answer) + ".json"));
        check_run(*open_run(folder), Json::parse(file), !std::string_view(golden.folder).starts_with("Ascend"));
    }
}
