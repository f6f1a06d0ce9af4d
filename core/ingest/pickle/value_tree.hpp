#pragma once
// Plain data read from a pickle or from JSON: none, booleans, numbers, texts, lists, tuples, dictionaries.
// Values lie in one arena and refer to each other by number, so shared and even cyclic values cost nothing.
// Reading never recurses: walk by keys, or bound the depth.

#include "core/store/string_table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class ValueId : std::uint32_t {};

enum class ValueKind : std::uint8_t { None, Boolean, Integer, Wide, Number, Text, Bytes, List, Tuple, Dictionary };

class ValueTree {
public:
    ValueTree();

    ValueId root() const { return root_; }
    ValueKind kind(ValueId id) const { return values_[index_of(id)].kind; }
    bool is_none(ValueId id) const { return kind(id) == ValueKind::None; }
    // Elements of a list or tuple; key, value, key, value, … of a dictionary; empty for others.
    std::span<const ValueId> items(ValueId id) const;
    // The value of the last pair with this key; nullopt if there is none or this isn't a dictionary.
    std::optional<ValueId> find(ValueId dictionary, std::string_view key) const;

    // Absent for values of another kind. Integers also from texts of digits, as JSON dumps write them.
    std::optional<std::int64_t> integer(ValueId id) const;
    std::optional<double> number(ValueId id) const;
    std::optional<bool> boolean(ValueId id) const;
    std::optional<std::string_view> text(ValueId id) const;
    std::size_t size() const { return values_.size(); }

    // For readers. Texts are kept once.
    ValueId add_none() const { return ValueId{0}; }
    ValueId add_boolean(bool value);
    ValueId add_integer(std::int64_t value);
    ValueId add_wide() {
        return add({.kind = ValueKind::Wide, .index = 0, .bits = 0});
    }  // an integer of more than 64 bits
    ValueId add_number(double value);
    ValueId add_text(std::string_view text, ValueKind kind = ValueKind::Text);
    ValueId add_container(ValueKind kind);
    void append(ValueId container, std::span<const ValueId> items);
    void append(ValueId container, ValueId item) { append(container, std::span(&item, 1)); }
    void set_root(ValueId id) { root_ = id; }

private:
    struct Value {
        ValueKind kind;
        std::uint32_t index;  // text or container
        std::int64_t bits;
    };
    ValueId add(Value value);

    std::vector<Value> values_;
    std::vector<std::vector<ValueId>> containers_;
    StringPool texts_;
    ValueId root_{0};
};

// The value as JSON text; what is deeper than `depth` or beyond `most_bytes` is written as null. Bytes that aren't
// UTF-8 are replaced.
std::string to_json(const ValueTree&, ValueId, int depth = 16, std::size_t most_bytes = std::size_t{1} << 20);
// A quoted JSON text.
std::string to_json(std::string_view text);

}  // namespace core
