#pragma once
// Shortens event names for bars: C++ kernels lose return type, namespaces and arguments (generic
// ones are named by what they apply), matrix kernels keep operation, tile and type, collectives
// become "AllReduce · bf16 · RING", Python frames "forward · model.py:12". For drawing only:
// search, copy and tooltips use full names. O(length), first 4 KiB only.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct ShortenedName {
    std::string normal;
    std::string brief;   // for narrow bars; never longer than normal
};
ShortenedName short_name(std::string_view full);
// Normal short names of names shown together. Different names keep their difference: "gemm · 64x64" and
// "gemm · 128x64". Equal names have equal short ones. O(total length), and a sort.
std::vector<std::string> distinct_short_names(std::span<const std::string_view> full);

// A name as it is, or its first 96 bytes cut at the end of a word or part. O(1).
std::string cut_name(std::string_view name);

// Names of kernels with | between them: "gemm â relu Ã 3", short ones, repeats counted.
std::string describe_sequence(std::string_view names);

}  // namespace core
