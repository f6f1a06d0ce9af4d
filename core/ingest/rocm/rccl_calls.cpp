#include "core/ingest/rocm/rccl_calls.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace core {
namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, is_hex ? 16 : 10);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && number <= INT64_MAX;
    return whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

// ncclDataType_t by number: int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, float8 twice.
constexpr std::array<std::int64_t, 12> kBytesOfType{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

std::optional<std::int64_t> bytes_of_type(std::string_view type) {
    if (const std::optional<std::int64_t> number = parse_number(type))
        return *number < std::ssize(kBytesOfType) ? std::optional(kBytesOfType[static_cast<std::size_t>(*number)])
                                                  : std::nullopt;
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 13> kNames{{
        {"bfloat16", 2},
        {"float16", 2},
        {"half", 2},
        {"float8", 1},
        {"fp8", 1},
        {"float64", 8},
        {"double", 8},
        {"float", 4},
        {"int8", 1},
        {"char", 1},
        {"int64", 8},
        {"int32", 4},
        {"int", 4},
    }};
    for (const auto& [name, bytes] : kNames)  // the longer ones first
        if (contains_any_case(type, name)) return bytes;
    return std::nullopt;
}

}  // namespace

void RcclCall::take(std::string_view argument, std::string_view value) {
    if (argument == "count" || argument == "sendcount" || argument == "recvcount") count = parse_number(value);
    if (argument == "datatype") element_bytes = bytes_of_type(value);
    if (argument == "comm") communicator = parse_number(value);
    if (argument == "root") root = parse_number(value);
    if (argument == "peer") peer = parse_number(value);
}

void RcclCall::add_to(RowArguments& arguments, std::string_view call) const {
    if (!call.starts_with("nccl")) return;
    // An address, which tells communicators of this process apart and no others.
    if (communicator) arguments.add("communicator", Arg::GroupId, *communicator);
    if (count) arguments.add("count", *count);
    std::int64_t bytes = 0;
    if (count && element_bytes && !__builtin_mul_overflow(*count, *element_bytes, &bytes))
        arguments.add("bytes", Arg::Bytes, bytes);
    if (root) arguments.add("root", *root);
    if (peer) arguments.add("peer", *peer);  // a rank of the communicator, not of the job
}

}  // namespace core
