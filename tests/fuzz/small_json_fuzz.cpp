// Any text as JSON that is not a trace, as the user's settings, and as pairs of names.

#include "core/base/small_json.hpp"
#include "core/diff/align/name_pairing.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "ui/commands/key_map.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

using namespace core;
using nlohmann::json;

int depth_of(const json& value) {
    int deepest = 0;
    if (value.is_structured())
        for (const json& inner : value) deepest = std::max(deepest, depth_of(inner));
    return value.is_structured() ? deepest + 1 : 0;
}

void read_as_json(std::string_view text) {
    constexpr JsonLimits kLimits{.depth = 8, .bytes = 4096, .comments = false};
    const Result<json> value = parse_small_json(text, kLimits);
    if (!value) {
        if (value.error().message.empty()) fuzz::fail("refused without a word");
        return;
    }
    if (text.size() > kLimits.bytes) fuzz::fail("more was read than is allowed");
    if (depth_of(*value) > kLimits.depth) fuzz::fail("deeper than is allowed");
    const Result<json> again = parse_small_json(value->dump(), {.bytes = 1 << 20});
    if (!again || *again != *value) fuzz::fail("what was written reads as another value: " + value->dump());
}

void read_as_settings(std::string_view text) {
    const Result<json> value = parse_small_json(text);
    if (!value) return;
    ui::KeyMap keys;
    for (const std::string& problem : ui::apply_settings(*value, keys))
        if (problem.empty()) fuzz::fail("a setting is refused without a word");
    if (!value->is_object() || !value->contains("keys")) return;
    // Every key still has a description.
    const std::string list = keys.list();
    if (std::ranges::count(list, '\n') < 20) fuzz::fail("keys are missing: " + list);
    for (const ui::TimelineKey& key : ui::all_timeline_keys())
        for (const ui::Chord& chord : keys.chords(key.id))
            if (const auto read = ui::read_chord(ui::format_chord(chord)); !read && chord.key < 128)
                fuzz::fail("a key's name cannot be read: " + ui::format_chord(chord));
}

void read_as_pairs(std::string_view text) {
    const Result<std::vector<NamePair>> pairs = parse_name_pairs(text);
    if (!pairs) {
        if (pairs.error().message.empty()) fuzz::fail("refused without a word");
        return;
    }
    if (std::ssize(*pairs) > 1 + std::ranges::count(text, '\n')) fuzz::fail("more pairs than lines");
    for (const NameMatching matching : kNameMatchings) {
        const NamePairing pairing(matching, *pairs);
        for (const NamePair& pair : *pairs)
            if (pairing.key(Side::Baseline, pair.baseline) != pairing.key(Side::Candidate, pair.candidate))
                fuzz::fail("a pair that is none: " + pair.baseline + " = " + pair.candidate);
    }
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    return {std::string(5'000, '['), "{\"keys\": " + std::string(100, '[') + std::string(100, ']') + "}"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    read_as_json(text);
    read_as_settings(text);
    read_as_pairs(text);
    return 0;
}
