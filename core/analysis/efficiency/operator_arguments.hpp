#pragma once
// The arguments of one operator call as the trace writes them: shapes, types, strides and values by position in the
// operator's schema. Reads both spellings: JSON lists, and texts with ; between arguments and , between numbers.
// Whatever cannot be read is absent; nothing here fails.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

using TensorSizes = std::vector<std::int64_t>;

struct OperatorArgument {
    TensorSizes sizes;                          // of a tensor; empty for one element
    std::vector<TensorSizes> list;              // of a list of tensors
    std::optional<TensorSizes> strides;         // as many as sizes
    std::string type;                     // "c10::BFloat16"; empty if not written
    std::optional<std::string> value{};   // of a scalar, flag or list of numbers, as text; absent if not written
    bool is_tensor = false;
};

// The texts of an event, each empty if the event has none.
struct ArgumentTexts {
    std::string_view sizes;
    std::string_view types;
    std::string_view values;
    std::string_view strides;
};

class OperatorArguments {
public:
    explicit OperatorArguments(const ArgumentTexts& texts);

    bool has_values() const { return has_values_; }  // whether the writer recorded values
    std::size_t size() const { return arguments_.size(); }
    const OperatorArgument* find(int position) const;  // null if there is none
    const OperatorArgument* find_tensor(int position) const;
    std::optional<bool> find_flag(int position) const;           // True, False
    std::optional<std::int64_t> find_integer(int position) const;
    std::optional<TensorSizes> find_integers(int position) const;      // "[1, 1]", or one number
    std::optional<double> find_number(int position) const;

private:
    std::vector<OperatorArgument> arguments_;
    bool has_values_ = false;
};

// The text of a member's value in a JSON object of any depth; empty if there is none or the text is no object.
std::string_view find_json_member(std::string_view object, std::string_view key);

}  // namespace core
