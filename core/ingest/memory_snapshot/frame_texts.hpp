#pragma once
// Call stacks of a memory snapshot as one line each (core/store/call_stack): the innermost frames, and the nearest one
// of user code if that is farther out. Of native frames only the backward operation of autograd is in it.

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
    struct Frame {
        NameId name{0};  // of pool_; 0: left out
        bool is_user = false;
    };
    Frame read_frame(ValueId frame);
    Frame frame_of(ValueId frame);

    const ValueTree& tree_;
    StringPool pool_;
    std::unordered_map<std::uint32_t, Frame> frames_;  // by the value of a frame, which stacks share
    std::string text_;
};

}  // namespace core
