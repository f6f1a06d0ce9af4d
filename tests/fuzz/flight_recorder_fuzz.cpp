// Any bytes as a pickle, as JSON, and as a dump of the flight recorder.

#include "core/ingest/flight_recorder/flight_dump.hpp"
#include "core/ingest/pickle/read_json_tree.hpp"
#include "core/ingest/pickle/read_pickle.hpp"
#include "tests/core/ingest/flight_recorder/flight_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

namespace {

using namespace core;

void touch_all(Result<ValueTree> tree, std::size_t bytes) {
    if (!tree) {
        if (tree.error().message.empty()) fuzz::fail("refused without a word");
        return;
    }
    if (tree->size() > bytes + 1) fuzz::fail("more values than bytes");
    constexpr std::size_t kMostText = 10'000;
    if (to_json(*tree, tree->root(), 8, kMostText).size() > kMostText + 6 * bytes + 100)
        fuzz::fail("text without bound");
    const Result<FlightDump> dump = read_flight_dump(std::move(*tree));
    if (!dump) return;
    for (const FlightEntry& entry : dump->entries) {
        if (entry.created_ns <= 0 || entry.group.empty()) fuzz::fail("an entry without its place");
        if (dump->last_ns < entry.created_ns) fuzz::fail("an entry after the last time");
    }
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    core::testing::FlightFixture dump;
    dump.group("0", "[0, 1]").call({.number = 1, .state = "completed"}).call({.number = 2, .at = 100});
    return {core::testing::pickled(dump.build()), dump.build().dump(),
            std::string("\x80\x04]\x94h\x00"
                        "a.",
                        8),
            "\x80\x02" + std::string(1000, '('), std::string(1000, '[')};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    const PickleLimits limits{.most_values = 100'000, .most_text_bytes = 1'000'000, .most_marks = 64};
    fuzz::TextBytes pickle(text, 13), json(text, 13);
    touch_all(read_pickle(pickle, limits, JobContext{}), size);
    touch_all(read_json_tree(json, limits, JobContext{}), size);
    return 0;
}
