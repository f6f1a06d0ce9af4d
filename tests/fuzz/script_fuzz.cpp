// Any text as a script of the window, as far as it can be read without one: steps, targets, keys, expectations.

#include "tests/fuzz/fuzz.hpp"
#include "ui/driver/match.hpp"
#include "ui/driver/read_script.hpp"
#include "ui/driver/target.hpp"
#include "ui/platform/keys.hpp"

#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

const json& small_state() {
    static const json state = {
        {"filter", "rank:0"}, {"rows", {{{"name", "gemm"}, {"count", 3}, {"busy", 0.5}}}}, {"none", nullptr}};
    return state;
}

void read_value(const json& value) {
    if (const core::Result<ui::Target> target = ui::read_target(value); target) (void)ui::format_target(*target);
    if (value.is_string()) (void)ui::parse_chord(value.get_ref<const std::string&>()).has_value();
    (void)ui::match_state(small_state(), value).has_value();
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    return {"[{\"wait\": " + std::string(2'000, '[') + std::string(2'000, ']') + "}]"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const core::Result<json> steps = ui::parse_script(fuzz::as_text(data, size));
    if (!steps) {
        if (steps.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    for (const json& step : *steps) {
        if (!ui::read_verb(step)) fuzz::fail("a script was taken with a step that has no verb");
        for (const json& value : step) read_value(value);
    }
    return 0;
}
