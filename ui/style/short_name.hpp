#pragma once
// Shortens event names for bars: C++ kernels lose return type, namespaces and arguments (generic
// ones are named by what they apply), matrix kernels keep operation, tile and type, collectives
// become "AllReduce · bf16 · RING", Python frames "forward · model.py:12". For drawing only:
// search, copy and tooltips use full names. O(length), first 4 KiB only.

#include <string>
#include <string_view>

namespace ui {

struct ShortName {
    std::string normal;
    std::string brief;   // for narrow bars; never longer than normal
};
ShortName short_name(std::string_view full);

}  // namespace ui
