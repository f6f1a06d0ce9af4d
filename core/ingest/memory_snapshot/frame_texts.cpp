#include "core/ingest/memory_snapshot/frame_texts.hpp"

#include "core/base/utf8.hpp"
#include "core/store/call_stack.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostFrames = 24;
constexpr std::size_t kFarthestFrame = 1024;  // of a list that is looked through
constexpr std::size_t kLongestFunction = 96, kLongestFile = 96;

// Frames of native code, the interpreter's among them, say nothing to who wrote the model.
bool is_python(std::string_view file) {
    return file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<');  // "<string>", "<frozen …>"
}

// "CrossEntropyBackward0 (autograd)" of the native frame that runs this backward operation: its thread has no Python
// frames.
std::string backward_frame(std::string_view function) {
    constexpr std::string_view kGenerated = "torch::autograd::generated::", kApply = "::apply(";
    if (!function.starts_with(kGenerated)) return {};
    function.remove_prefix(kGenerated.size());
    const std::size_t end = function.find(kApply);
    if (end == std::string_view::npos || function.substr(0, end).find(':') != std::string_view::npos) return {};
    return std::string(function.substr(0, end)) + " (autograd)";
}

}  // namespace

FrameTexts::Frame FrameTexts::read_frame(ValueId frame) {
    const auto text = [&](std::string_view key) {
        const auto value = tree_.find(frame, key);
        return value ? tree_.text(*value).value_or(std::string_view()) : std::string_view();
    };
    const std::string_view function = text("name"), path = text("filename");
    if (function.empty()) return {};
    if (!is_python(path)) {
        const std::string backward = backward_frame(cut_utf8(function, kLongestFunction));
        if (backward.empty() || !is_utf8(backward)) return {};
        return {.name = pool_.intern(backward), .is_user = false};
    }
    const auto line_value = tree_.find(frame, "line");
    const std::optional<std::int64_t> line = line_value ? tree_.integer(*line_value) : std::nullopt;
    const std::string whole =
        frame_text(cut_utf8(function, kLongestFunction), cut_utf8(short_file(path), kLongestFile), line);
    if (!is_utf8(whole)) return {.name = pool_.intern("(unreadable frame)"), .is_user = false};
    return {.name = pool_.intern(whole), .is_user = owner_of_frame(whole) == FrameOwner::User};
}

FrameTexts::Frame FrameTexts::frame_of(ValueId frame) {
    const auto [known, is_new] = frames_.try_emplace(static_cast<std::uint32_t>(frame));
    if (is_new) known->second = read_frame(frame);
    return known->second;
}

std::string_view FrameTexts::text_of(ValueId frames) {
    text_.clear();
    const auto add = [&](std::string_view frame) { text_.append(text_.empty() ? "" : kFrameSeparator).append(frame); };
    const std::span<const ValueId> items = tree_.items(frames);
    std::size_t count = 0;
    bool has_user_frame = false;
    for (const ValueId item : items.first(std::min(items.size(), kFarthestFrame))) {
        const Frame frame = frame_of(item);
        if (frame.name == NameId{0}) continue;
        if (count == kMostFrames) add("\xE2\x80\xA6");
        if (count++ < kMostFrames || frame.is_user) add(pool_.text(frame.name));
        has_user_frame |= frame.is_user;
        if (count > kMostFrames && has_user_frame) break;
    }
    return text_;
}

}  // namespace core
