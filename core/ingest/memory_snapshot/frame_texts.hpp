#pragma once
// Call stacks of a memory snapshot as one line each: "forward (model.py:54) < step (train.py:7)", innermost first.
// Files of installed packages keep their path inside the package folder, so own code is what has no slash.

#include "core/ingest/pickle/value_tree.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

namespace core {

class FrameTexts {
public:
    explicit FrameTexts(const ValueTree& tree) : tree_(tree) {}
    // Empty if there are no frames. Valid until the next call.
    std::string_view text_of(ValueId frames);

private:
    NameId frame_of(ValueId frame);

    const ValueTree& tree_;
    StringPool pool_;
    std::unordered_map<std::uint32_t, NameId> frames_;  // by the value of a frame, which stacks share
    std::string text_;
};

}  // namespace core
