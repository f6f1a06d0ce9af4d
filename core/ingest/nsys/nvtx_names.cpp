#include "core/ingest/nsys/nvtx_names.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace core {
namespace {

constexpr std::string_view kSequence = ", seq = ";
constexpr std::string_view kOpId = ", op_id = ";
constexpr std::string_view kSizes = ", sizes = ";
constexpr std::string_view kInputIds = ", input_op_ids = ";

// Behind the marker, which ends where the next begins.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view marker) {
    const std::size_t at = text.find(marker);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(at + marker.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const bool whole = error == std::errc{} && (end == rest.data() + rest.size() || *end == ',');
    return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

NvtxName split_nvtx_name(std::string_view text) {
    NvtxName split{.name = text, .is_operator = false, .sequence = {}, .op_id = {}, .sizes = {}};
    const std::size_t marks = std::min(text.find(kSequence), text.find(kOpId));
    if (marks == std::string_view::npos || marks == 0) return split;
    const std::string_view behind = text.substr(marks);
    split.sequence = number_behind(behind, kSequence);
    split.op_id = number_behind(behind, kOpId);
    split.is_operator = split.sequence || split.op_id;
    if (!split.is_operator) return split;
    split.name = text.substr(0, marks);
    if (const std::size_t sizes = behind.find(kSizes); sizes != std::string_view::npos) {
        const std::string_view rest = behind.substr(sizes + kSizes.size());
        split.sizes = rest.substr(0, rest.find(kInputIds));
        if (!split.sizes.starts_with('[') || !split.sizes.ends_with(']')) split.sizes = {};
    }
    return split;
}

std::string_view without_version(std::string_view call) {
    const std::size_t at = call.rfind("_v");
    if (at == std::string_view::npos || at == 0 || call.size() - at < 6) return call;
    return std::ranges::all_of(call.substr(at + 2), is_digit) ? call.substr(0, at) : call;
}

}  // namespace core
