#include "core/ingest/pickle/value_tree.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <charconv>
#include <cmath>

namespace core {
namespace {

class JsonText {
public:
    JsonText(const ValueTree& tree, std::size_t most_bytes) : tree_(tree), most_bytes_(most_bytes) {}

    void write(ValueId id, int depth) {
        if (depth < 0 || text_.size() > most_bytes_) {
            text_ += "null";
            return;
        }
        switch (tree_.kind(id)) {
            case ValueKind::Boolean:
                text_ += tree_.boolean(id).value_or(false) ? "true" : "false";
                return;
            case ValueKind::Integer:
                text_ += std::to_string(tree_.integer(id).value_or(0));
                return;
            case ValueKind::Number:
                text_ += nlohmann::json(tree_.number(id).value_or(0)).dump();
                return;
            case ValueKind::Text:
                text_ += to_json(tree_.text(id).value_or(""));
                return;
            case ValueKind::List:
            case ValueKind::Tuple:
                return write_list(tree_.items(id), depth);
            case ValueKind::Dictionary:
                return write_dictionary(tree_.items(id), depth);
            case ValueKind::None:
            case ValueKind::Wide:
            case ValueKind::Bytes:
                text_ += "null";
                return;
        }
    }
    std::string take() { return std::move(text_); }

private:
    void write_list(std::span<const ValueId> items, int depth) {
        text_ += '[';
        for (std::size_t i = 0; i < items.size() && text_.size() <= most_bytes_; ++i) {
            if (i > 0) text_ += ", ";
            write(items[i], depth - 1);
        }
        text_ += ']';
    }
    void write_dictionary(std::span<const ValueId> items, int depth) {
        text_ += '{';
        bool first = true;
        for (std::size_t i = 0; i + 1 < items.size() && text_.size() <= most_bytes_; i += 2) {
            const std::optional<std::string_view> key = tree_.text(items[i]);
            const std::optional<std::int64_t> number = key ? std::nullopt : tree_.integer(items[i]);
            if (!key && !number) continue;
            if (!std::exchange(first, false)) text_ += ", ";
            text_ += to_json(key ? std::string(*key) : std::to_string(*number));
            text_ += ": ";
            write(items[i + 1], depth - 1);
        }
        text_ += '}';
    }

    const ValueTree& tree_;
    std::size_t most_bytes_;
    std::string text_;
};

}  // namespace

ValueTree::ValueTree() : values_{{.kind = ValueKind::None, .index = 0, .bits = 0}} {}

std::span<const ValueId> ValueTree::items(ValueId id) const {
    const Value& value = values_[index_of(id)];
    if (value.kind < ValueKind::List) return {};
    return containers_[value.index];
}

std::optional<ValueId> ValueTree::find(ValueId dictionary, std::string_view key) const {
    if (kind(dictionary) != ValueKind::Dictionary) return std::nullopt;
    const std::span<const ValueId> pairs = items(dictionary);
    for (std::size_t i = pairs.size() / 2; i-- > 0;) {
        if (text(pairs[2 * i]) == key) return pairs[2 * i + 1];
    }
    return std::nullopt;
}

std::optional<std::int64_t> ValueTree::integer(ValueId id) const {
    const Value& value = values_[index_of(id)];
    if (value.kind == ValueKind::Integer) return value.bits;
    if (value.kind == ValueKind::Number) {
        const double number = std::bit_cast<double>(value.bits);
        constexpr double kLargest = 9.0e18;
        if (std::abs(number) > kLargest || number != std::floor(number)) return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.kind != ValueKind::Text) return std::nullopt;
    const std::string_view digits = *text(id);
    std::int64_t parsed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return parsed;
}

std::optional<double> ValueTree::number(ValueId id) const {
    const Value& value = values_[index_of(id)];
    if (value.kind == ValueKind::Number) return std::bit_cast<double>(value.bits);
    if (value.kind == ValueKind::Integer) return static_cast<double>(value.bits);
    return std::nullopt;
}

std::optional<bool> ValueTree::boolean(ValueId id) const {
    const Value& value = values_[index_of(id)];
    if (value.kind == ValueKind::Boolean || value.kind == ValueKind::Integer) return value.bits != 0;
    return std::nullopt;
}

std::optional<std::string_view> ValueTree::text(ValueId id) const {
    const Value& value = values_[index_of(id)];
    if (value.kind != ValueKind::Text) return std::nullopt;
    return texts_.text(NameId{value.index});
}

ValueId ValueTree::add(Value value) {
    values_.push_back(value);
    return ValueId{static_cast<std::uint32_t>(values_.size() - 1)};
}

ValueId ValueTree::add_boolean(bool value) {
    return add({.kind = ValueKind::Boolean, .index = 0, .bits = value ? 1 : 0});
}
ValueId ValueTree::add_integer(std::int64_t value) {
    return add({.kind = ValueKind::Integer, .index = 0, .bits = value});
}
ValueId ValueTree::add_number(double value) {
    return add({.kind = ValueKind::Number, .index = 0, .bits = std::bit_cast<std::int64_t>(value)});
}

ValueId ValueTree::add_text(std::string_view text, ValueKind kind) {
    return add({.kind = kind, .index = static_cast<std::uint32_t>(index_of(texts_.intern(text))), .bits = 0});
}

ValueId ValueTree::add_container(ValueKind kind) {
    containers_.emplace_back();
    return add({.kind = kind, .index = static_cast<std::uint32_t>(containers_.size() - 1), .bits = 0});
}

void ValueTree::append(ValueId container, std::span<const ValueId> items) {
    std::vector<ValueId>& all = containers_[values_[index_of(container)].index];
    all.insert(all.end(), items.begin(), items.end());
}

std::string to_json(const ValueTree& tree, ValueId id, int depth, std::size_t most_bytes) {
    JsonText json(tree, most_bytes);
    json.write(id, depth);
    return json.take();
}

std::string to_json(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace core
