// No key, drag, drop or size crashes the window or breaks its invariants: 5,000 random actions, half of them with two
// runs. The seed is printed; LOCKSTEP_MONKEY_SEED and LOCKSTEP_MONKEY_STEPS repeat or prolong a run.

#include "tests/ui/driver/monkey.hpp"

#include "core/analysis/engine/link_speeds.hpp"

#include <cstdio>

using ui::testing::Monkey;
using ui::testing::monkey_number;
using ui::testing::WorkingFolder;

namespace {

// Two good runs, an empty one, one with a single event, a cut trace, a file that isn't a trace, and a missing folder.
std::vector<Monkey::Paths> monkey_runs(const std::filesystem::path& folder) {
    const auto write = [&](const char* name, std::string_view text) {
        std::ofstream(folder / name, std::ios::binary) << text;
        return Monkey::Paths{folder / name};
    };
    return {{ui::testing::pair().baseline},
            {ui::testing::pair().candidate},
            {ui::testing::sample_folder()},
            write("empty.json", R"({"traceEvents": []})"),
            write("one.json",
                  R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7}}])"),
            write("cut.json",
                  R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":-5,"dur":3},
 {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":7200000000,"dur":0},{"ph":"X","na)"),
            write("none.json", "hello"),
            {folder / "missing"}};
}

void let_loose(std::uint64_t salt, bool two_runs) {
    const std::uint64_t seed = monkey_number("LOCKSTEP_MONKEY_SEED", 20261122) + salt;
    const std::uint64_t steps = monkey_number("LOCKSTEP_MONKEY_STEPS", 5000) / 2;
    std::printf("seed %llu, %llu actions\n", static_cast<unsigned long long>(seed - salt),
                static_cast<unsigned long long>(steps));
    std::fflush(stdout);
    const core::testing::TempFolder folder;
    const WorkingFolder there(folder.path());
    Monkey monkey(seed, monkey_runs(folder.path()));
    monkey.open(0, core::Side::Baseline);
    if (two_runs) monkey.open(1, core::Side::Candidate);
    monkey.driver().window().set_settings_folder(folder.path() / "settings");
    monkey.act(steps);
    // Saved habits are global to the process.
    core::set_given_peaks({}, {});
    core::set_link_speeds({}, {});
    core::set_limits({}, {});
}

// Intents caused by keys, clicks and drags: the monkey's input produces them, or they follow from another intent.
using ByInput =
    ui::IntentKinds<ui::SelectEvent, ui::ShowRange, ui::ChooseKernels, ui::ResizeInterface, ui::ColorEvents,
                    ui::AlignRuns, ui::SetNames, ui::SetWhatIf, ui::SetRanks, ui::ChangeRows, ui::PlaceRuns,
                    ui::ListEvents, ui::RevealEvent, ui::StopFind, ui::CopyChart, ui::TakeEscape, ui::SetMarks,
                    ui::SetBookmark, ui::GoToBookmark, ui::SaveFile, ui::CloseNotice, ui::CloseFind, ui::SetFindText,
                    ui::SearchArguments, ui::ResizeDrawer, ui::ResizeTree, ui::SetChoices, ui::ForgetChoices,
                    ui::CarryListing, ui::ShowEvent, ui::SetClocks, ui::MoveView, ui::SelectArea, ui::NoteTopRank,
                    ui::SetView, ui::CarryView, ui::KeepWhole, ui::MirrorView, ui::DropSelection, ui::SetStatistics>;

// Kinds of a home that nothing posts, by their place in it.
template <class... Kinds>
std::vector<std::size_t> collect_unposted(std::size_t home, const std::set<std::pair<std::size_t, std::size_t>>& posted,
                                          ui::IntentKinds<Kinds...>) {
    std::vector<std::size_t> unposted;
    std::size_t at = 0;
    ((ByInput::kHas<Kinds> || posted.contains({home, at}) ? void(++at) : unposted.push_back(at++)), ...);
    return unposted;
}

}  // namespace

TEST_CASE("a monkey at one run") { let_loose(1, false); }

TEST_CASE("every intent is posted by the monkey, is a command, or is caused by its input") {
    const core::testing::TempFolder folder;
    Monkey monkey(1, monkey_runs(folder.path()));
    const auto posted = monkey.collect_posted();
    const std::vector<std::size_t> none;
    INFO("places in the lists of ui/model/intent.hpp");
    CHECK(collect_unposted(0, posted, ui::DocumentIntents{}) == none);
    CHECK(collect_unposted(1, posted, ui::SessionIntents{}) == none);
    CHECK(collect_unposted(2, posted, ui::FrameRequests{}) == none);
    CHECK(collect_unposted(3, posted, ui::WindowIntents{}) == none);
}

TEST_CASE("a monkey at two runs") { let_loose(2, true); }
