#include "core/ingest/memory_snapshot/frame_texts.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostFrames = 24;
constexpr std::size_t kLongestFunction = 96, kLongestFile = 96;

// Frames of native code, the interpreter's among them, say nothing to who wrote the model.
bool is_python(std::string_view file) {
    return file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<');  // "<string>", "<frozen …>"
}

// The path inside site-packages or dist-packages, else the file's own name.
std::string_view short_file(std::string_view path) {
    for (const std::string_view folder : {"site-packages", "dist-packages"}) {
        const std::size_t at = path.rfind(folder);
        if (at == std::string_view::npos || at + folder.size() + 1 >= path.size()) continue;
        return path.substr(at + folder.size() + 1);
    }
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

NameId FrameTexts::frame_of(ValueId frame) {
    const auto [known, is_new] = frames_.try_emplace(static_cast<std::uint32_t>(frame), NameId{0});
    if (!is_new) return known->second;
    const auto text = [&](std::string_view key) {
        const auto value = tree_.find(frame, key);
        return value ? tree_.text(*value).value_or(std::string_view()) : std::string_view();
    };
    const std::string_view function = text("name"), path = text("filename");
    if (function.empty() || !is_python(path)) return known->second;
    const auto line_value = tree_.find(frame, "line");
    const std::optional<std::int64_t> line = line_value ? tree_.integer(*line_value) : std::nullopt;
    std::string file(cut_utf8(short_file(path), kLongestFile));
    std::ranges::replace(file, '\\', '/');
    std::string whole(cut_utf8(function, kLongestFunction));
    whole += " (" + file + (line && *line > 0 ? ":" + std::to_string(*line) : "") + ")";
    known->second = pool_.intern(is_utf8(whole) ? whole : "(unreadable frame)");
    return known->second;
}

std::string_view FrameTexts::text_of(ValueId frames) {
    text_.clear();
    std::size_t count = 0;
    for (const ValueId frame : tree_.items(frames)) {
        const NameId name = frame_of(frame);
        if (name == NameId{0}) continue;
        if (count++ == kMostFrames) {
            text_ += " < \xE2\x80\xA6";
            break;
        }
        text_ += text_.empty() ? "" : " < ";
        text_ += pool_.text(name);
    }
    return text_;
}

}  // namespace core
