#include "core/store/assemble/device_names.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <vector>

namespace core {
namespace {

constexpr std::string_view kXlaPrefix = "/device:";

constexpr std::array<std::string_view, 10> kDeviceWords = {"gpu", "gpus", "device", "xpu",        "npu",
                                                           "tpu", "hpu",  "gaudi",  "neuroncore", "neuroncores"};
// Words that may occur with them in the name of a device.
constexpr std::array<std::string_view, 31> kOtherWords = {
    "rank",   "node", "nvidia", "amd",     "intel",  "cuda",     "rocm",   "hip",     "hw",         "id", "dev",
    "index",  "no",   "number", "tile",    "card",   "pci",      "kernel", "compute", "engine",     "l0", "activity",
    "habana", "aws",  "neuron", "synapse", "google", "trainium", "core",   "nc",      "accelerator"};
// Words that name a device together: "Neuron core 3".
constexpr std::string_view kCoreOf = "neuron", kCore = "core";
// Its number is a generation: "Gaudi2".
constexpr std::string_view kGeneration = "gaudi";

constexpr std::array<std::string_view, 12> kXlaRepeats = {
    "steps",       "xla modules",    "xla ops",      "async xla ops", "framework ops", "framework name scope",
    "source code", "tensorflow ops", "launch stats", "xla traceme",   "tf ops",        "tensorflow name scope"};

bool is_word_byte(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }
bool opens(char c) { return c == '(' || c == '[' || c == '<'; }
bool closes(char c) { return c == ')' || c == ']' || c == '>'; }

struct Word {
    std::string text;
    bool is_bracketed = false;
};

// Words of letters or digits, in lower case: "gpu0" → "gpu", "0".
std::vector<Word> split_words(std::string_view text) {
    const std::string lower = lower_case(text);
    std::vector<Word> words;
    std::size_t depth = 0;
    for (std::size_t at = 0; at < lower.size();) {
        if (!is_word_byte(lower[at])) {
            if (opens(lower[at])) ++depth;
            if (closes(lower[at]) && depth > 0) --depth;
            ++at;
            continue;
        }
        const bool digits = is_digit(lower[at]);
        std::size_t end = at;
        while (end < lower.size() && is_word_byte(lower[end]) && is_digit(lower[end]) == digits) ++end;
        words.push_back({.text = lower.substr(at, end - at), .is_bracketed = depth > 0});
        at = end;
    }
    return words;
}

template <class Words>
bool is_one_of(const Words& words, std::string_view word) {
    return std::ranges::find(words, word) != std::end(words);
}

bool is_number(std::string_view word) { return !word.empty() && std::ranges::all_of(word, is_digit); }
bool is_hexadecimal(std::string_view word) {
    return word.size() <= 4 && std::ranges::all_of(word, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::int32_t small_number(std::string_view word) {
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} && end == word.data() + word.size() && number < 4096 ? number : 0;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

// The first number at or behind one of the words: 3 of "queue 3", "queue [3]", "stream #3", "gpu:3".
std::optional<std::int64_t> number_after_word(std::string_view text, std::initializer_list<std::string_view> words) {
    constexpr std::string_view kBetween = " #[(:-_id";
    for (const std::string_view word : words) {
        for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
            std::size_t digit = at + word.size();
            while (digit < text.size() && has(kBetween, text.substr(digit, 1))) ++digit;
            std::int64_t number = 0;
            const auto [end, error] = std::from_chars(text.data() + digit, text.data() + text.size(), number);
            if (error == std::errc{} && number >= 0) return number;
        }
    }
    return std::nullopt;
}

bool names_gpu_work(std::string_view track) {
    if (has(track, "cpu") && !has(track, "gpu")) return false;
    if (has_any(track, {"gpu", "kernel dispatch", "hip activity", "hip stream", "cuda stream",
                        "/device:", "memory copy to", "copy to agent"}))
        return true;
    return number_after_word(track, {"queue", "stream", "device", "agent"}).has_value();
}

}  // namespace

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), lower_ascii);
    return lower;
}

std::optional<std::int32_t> find_device_in_name(std::string_view process) {
    const std::string lower = lower_case(process);
    if (lower.starts_with(kXlaPrefix)) {
        const std::string_view rest = std::string_view(lower).substr(kXlaPrefix.size());
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::string_view kind = rest.substr(0, colon);
        if (kind != "gpu" && kind != "tpu") return std::nullopt;
        const std::string_view number = rest.substr(std::min(rest.size(), colon + 1));
        return small_number(number.substr(0, std::min(number.find(' '), number.size())));
    }
    bool is_device = false;
    std::optional<std::int32_t> device;
    std::string_view before, before_that;
    const std::vector<Word> words = split_words(process);
    for (const auto& [word, is_bracketed] : words) {
        const bool is_core = word == kCore && before == kCoreOf;
        const bool is_device_word = is_one_of(kDeviceWords, word) || is_core;
        const bool is_known = is_device_word || is_number(word) || is_hexadecimal(word) ||
                              is_one_of(kOtherWords, word) ||
                              (word.size() == 2 && word.back() == 'p');  // "tp", "dp", "pp"
        if (!is_known && !is_bracketed) return std::nullopt;
        is_device |= is_device_word && !is_bracketed;
        const bool follows =
            (is_one_of(kDeviceWords, before) && before != kGeneration) || (before == kCore && before_that == kCoreOf);
        if (!device && follows && is_number(word)) device = small_number(word);
        before_that = before;
        before = word;
    }
    if (!is_device) return std::nullopt;
    // "DEVICE 1B:0.0" is an address.
    const bool is_address = std::ranges::count(process, ':') > 0 && std::ranges::count(process, '.') > 0;
    return is_address ? 0 : device.value_or(0);
}

bool names_a_stream(std::string_view thread) {
    const std::vector<Word> words = split_words(thread);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const bool is_first = i == 0 || is_one_of(kDeviceWords, words[i - 1].text) || words[i - 1].text == "hw" ||
                              words[i - 1].text == "hardware";
        if ((words[i].text == "stream" || words[i].text == "queue") && is_first && is_number(words[i + 1].text))
            return true;
    }
    return false;
}

bool repeats_kernels(std::string_view row) {
    const std::string lower = lower_case(row);
    return std::ranges::any_of(kXlaRepeats, [&](std::string_view name) { return lower.starts_with(name); });
}

bool names_xla_operations(std::string_view row) { return lower_case(row).starts_with("xla ops"); }

GpuTrack read_gpu_track(std::string_view track_name, std::string_view process_name, bool is_thread) {
    const std::string track = lower_case(track_name), process = lower_case(process_name);
    GpuTrack found;
    const bool is_of_device = find_device_in_name(process).has_value();
    const bool is_of_tpu = process.starts_with("/device:tpu");
    const bool repeats = repeats_kernels(track) && !(is_of_tpu && names_xla_operations(track));
    found.is_gpu = is_thread ? names_a_stream(track) || (is_of_device && !repeats)
                             : !repeats && (names_gpu_work(track) || is_of_device);
    if (!found.is_gpu) return found;
    found.device = number_after_word(track, {"gpu", "device"});
    if (!found.device) found.device = number_after_word(process, {"gpu", "tpu", "device"});
    if (!found.device) found.device = number_after_word(track, {"dispatch", "agent"});
    found.stream = number_after_word(track, {"queue", "stream"});
    // "GPU Kernel Dispatch [0] Queue 1"
    if (const auto dispatch = number_after_word(track, {"dispatch", "activity"}); dispatch && has(track, "dispatch"))
        found.device = dispatch;
    return found;
}

}  // namespace core
