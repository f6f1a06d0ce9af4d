#include "core/analysis/efficiency/operator_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace core {
namespace {

constexpr std::size_t kMostArguments = 256;  // PyTorch writes far fewer
constexpr std::size_t kMostDimensions = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// Position after the JSON value that begins at `at`, blanks before it included.
std::size_t skip_value(std::string_view text, std::size_t at) {
    while (at < text.size() && is_blank(text[at])) ++at;
    std::size_t depth = 0;
    bool quoted = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\')
                ++at;
            else if (c == '"')
                quoted = false;
            if (!quoted && depth == 0) return std::min(at + 1, text.size());
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
        } else if (depth == 0 && (c == ',' || c == ':')) {
            return at;
        }
    }
    return text.size();
}

// Calls use(element text) for each element of a JSON list.
template <class Use>
void for_each_element(std::string_view list, const Use& use) {
    list = trimmed(list);
    if (list.size() < 2 || list.front() != '[' || list.back() != ']') return;
    list = list.substr(1, list.size() - 2);
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = skip_value(list, at);
        const std::string_view element = trimmed(list.substr(at, end - at));
        if (!element.empty()) use(element);
        at = end + 1;
        if (end < at - 1) return;
    }
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    text = trimmed(text);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// A list of integers; absent where anything else is in it.
std::optional<TensorSizes> parse_integers(std::string_view list) {
    TensorSizes numbers;
    bool good = true;
    for_each_element(list, [&](std::string_view element) {
        const std::optional<std::int64_t> number = parse_integer(element);
        good = good && number && numbers.size() < kMostDimensions;
        if (good) numbers.push_back(*number);
    });
    if (!good) return std::nullopt;
    return numbers;
}

std::string unquoted(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
    std::string plain;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size()) ++i;
        plain += text[i];
    }
    return plain;
}

// Calls use(part) for each part between separators.
template <class Use>
void split(std::string_view text, char separator, const Use& use) {
    for (;;) {
        const std::size_t end = text.find(separator);
        use(text.substr(0, end));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

bool is_list(std::string_view text) { return trimmed(text).starts_with('['); }

// Types without a shape of their own.
bool is_tensor_type(std::string_view type) {
    constexpr std::string_view kOthers[] = {"",       "Scalar", "ScalarList", "GenericList", "Int",    "Bool",
                                            "Double", "None",   "Device",     "TensorList",  "String", "Generator"};
    return std::ranges::find(kOthers, type) == std::end(kOthers);
}

// One argument's shape: [8, 16], or a list of such.
void read_sizes(std::string_view text, OperatorArgument& argument) {
    const std::optional<TensorSizes> sizes = parse_integers(text);
    if (sizes) {
        const bool possible = std::ranges::all_of(*sizes, [](std::int64_t n) { return n >= 0; });
        argument.is_tensor = !sizes->empty() && possible;
        if (possible) argument.sizes = *sizes;
        return;
    }
    for_each_element(text, [&](std::string_view element) {
        if (const std::optional<TensorSizes> one = parse_integers(element)) argument.list.push_back(*one);
    });
}

}  // namespace

OperatorArguments::OperatorArguments(const ArgumentTexts& texts) {
    const auto at = [&](std::size_t i) -> OperatorArgument* {
        if (i >= kMostArguments) return nullptr;
        if (i >= arguments_.size()) arguments_.resize(i + 1);
        return &arguments_[i];
    };
    const auto each = [](std::string_view text, const auto& use) {
        std::size_t i = 0;
        if (is_list(text))
            for_each_element(text, [&](std::string_view element) { use(i++, element); });
        else if (!trimmed(text).empty())
            split(text, ';', [&](std::string_view part) { use(i++, part); });
    };
    each(texts.sizes, [&](std::size_t i, std::string_view text) {
        OperatorArgument* const argument = at(i);
        if (argument == nullptr) return;
        if (is_list(text)) return read_sizes(text, *argument);
        if (!trimmed(text).empty()) read_sizes('[' + std::string(text) + ']', *argument);
    });
    each(texts.types, [&](std::size_t i, std::string_view text) {
        if (OperatorArgument* const argument = at(i)) argument->type = unquoted(trimmed(text));
    });
    each(texts.values, [&](std::size_t i, std::string_view text) {
        has_values_ = true;
        std::string value = unquoted(trimmed(text));
        if (OperatorArgument* const argument = at(i); argument && !value.empty()) argument->value = std::move(value);
    });
    each(texts.strides, [&](std::size_t i, std::string_view text) {
        if (OperatorArgument* const argument = at(i)) argument->strides = parse_integers(text);
    });
    for (OperatorArgument& argument : arguments_) {
        if (argument.sizes.empty() && argument.list.empty() && is_tensor_type(argument.type)) argument.is_tensor = true;
        if (!argument.type.empty() && !is_tensor_type(argument.type)) argument.is_tensor = false;
        if (argument.strides && argument.strides->size() != argument.sizes.size()) argument.strides.reset();
    }
}

const OperatorArgument* OperatorArguments::find(int position) const {
    return position >= 0 && static_cast<std::size_t>(position) < arguments_.size()
               ? &arguments_[static_cast<std::size_t>(position)]
               : nullptr;
}

const OperatorArgument* OperatorArguments::find_tensor(int position) const {
    const OperatorArgument* const argument = find(position);
    return argument != nullptr && argument->is_tensor ? argument : nullptr;
}

std::optional<bool> OperatorArguments::find_flag(int position) const {
    const OperatorArgument* const argument = find(position);
    if (argument == nullptr || !argument->value) return std::nullopt;
    if (*argument->value == "True" || *argument->value == "true") return true;
    if (*argument->value == "False" || *argument->value == "false") return false;
    return std::nullopt;
}

std::optional<std::int64_t> OperatorArguments::find_integer(int position) const {
    const OperatorArgument* const argument = find(position);
    return argument != nullptr && argument->value ? parse_integer(*argument->value) : std::nullopt;
}

std::optional<TensorSizes> OperatorArguments::find_integers(int position) const {
    const OperatorArgument* const argument = find(position);
    if (argument == nullptr || !argument->value) return std::nullopt;
    if (is_list(*argument->value)) return parse_integers(*argument->value);
    const std::optional<std::int64_t> one = parse_integer(*argument->value);
    return one ? std::optional<TensorSizes>(TensorSizes{*one}) : std::nullopt;
}

std::optional<double> OperatorArguments::find_number(int position) const {
    const OperatorArgument* const argument = find(position);
    if (argument == nullptr || !argument->value) return std::nullopt;
    const std::string_view text = *argument->value;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end == text.data() || !std::isfinite(number)) return std::nullopt;
    return number;
}

std::string_view find_json_member(std::string_view object, std::string_view key) {
    object = trimmed(object);
    if (object.size() < 2 || object.front() != '{') return {};
    for (std::size_t at = 1; at < object.size();) {
        const std::size_t key_end = skip_value(object, at);
        const std::string_view name = trimmed(object.substr(at, key_end - at));
        if (key_end >= object.size() || object[key_end] != ':') return {};
        const std::size_t end = skip_value(object, key_end + 1);
        if (name.size() == key.size() + 2 && name.substr(1, key.size()) == key)
            return trimmed(object.substr(key_end + 1, end - key_end - 1));
        at = end + 1;
    }
    return {};
}

}  // namespace core
