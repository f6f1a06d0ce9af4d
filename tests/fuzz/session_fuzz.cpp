// Any text as a saved session: a parsed session is written, reads back equal, and can be restored to a run.

#include "core/base/small_json.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/session/saved_session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

using nlohmann::json;

const std::filesystem::path kFolder = "/nowhere/at/all";

const core::RunPtr& small_run() {
    static const core::RunPtr run = [] {
        core::testing::TraceFixture fixture;
        fixture.rank(1).step(0, 50, 1).step(50, 50, 2);
        for (int i = 0; i < 4; ++i) fixture.kernel(25 * i + 5, 15, i % 2 == 0 ? "ncclDevKernel_AllReduce" : "gemm");
        return core::testing::run_of({fixture.build()});
    }();
    return run;
}

// As a text, so that it is JSON all the way.
json written(const ui::SavedSession& session, const ui::UiChoices& choices) {
    const std::string text = ui::write_session(session, choices, kFolder).dump();
    core::Result<json> again = core::parse_small_json(text);
    if (!again) fuzz::fail("what was written is not JSON: " + again.error().message);
    return *std::move(again);
}

void restore(const ui::SavedSession& session) {
    for (const core::Side side : core::kSides) {
        ui::View view;
        ui::restore_side(session.sides[side], *small_run(), view);
        if (ui::exists(small_run(), view.selected) && view.selected.slot != 0) fuzz::fail("an event of no rank");
        if (view.time.range().begin > view.time.range().end) fuzz::fail("a view that ends before it begins");
    }
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    return {R"({"lockstep_session": 1, "layout": )" + std::string(2'000, '[') + std::string(2'000, ']') + "}"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const core::Result<json> parsed = core::parse_small_json(fuzz::as_text(data, size));
    if (!parsed) {
        if (parsed.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    ui::UiChoices choices;
    const core::Result<ui::SavedSession> session = ui::read_session(*parsed, kFolder, choices);
    if (!session) {
        if (session.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    if (!core::parse_filter(session->filter)) fuzz::fail("a session with a filter that cannot be read");
    const json first = written(*session, choices);
    ui::UiChoices same;
    const core::Result<ui::SavedSession> again = ui::read_session(first, kFolder, same);
    if (!again) fuzz::fail("what was written is refused: " + again.error().message);
    if (const json second = written(*again, same); second != first)
        fuzz::fail("what was written reads as another session: " + first.dump() + "\n" + second.dump());
    restore(*session);
    return 0;
}
