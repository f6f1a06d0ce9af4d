#pragma once
// Event names made short enough to read on a bar: C++ kernels lose return type, namespaces, template and
// function arguments (generic ones are named by what they apply), matrix kernels keep operation, tile and
// type, collectives become "AllReduce · bf16 · RING", Python frames "forward · model.py:12".
// Only for drawing: search, copy and tooltips use the full name. O(length), at most its first 4 KiB.

#include <string>
#include <string_view>

namespace ui {

struct ShortName {
    std::string normal;
    std::string brief;   // for less room; never longer than normal
};
ShortName short_name(std::string_view full);

}  // namespace ui
