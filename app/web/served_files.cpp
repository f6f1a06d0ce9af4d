#include "app/web/served_files.hpp"

#include "assets/embedded.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace app::web {
namespace {

struct Type {
    std::string_view file;
    std::string_view type;
};
constexpr std::string_view kScript = "text/javascript; charset=utf-8";
constexpr std::array kFiles = {
    Type{"index.html", "text/html; charset=utf-8"},
    Type{"page.css", "text/css; charset=utf-8"},
    Type{"page.js", kScript},
    Type{"frame_reader.js", kScript},
    Type{"painter.js", kScript},
    Type{"page_input.js", kScript},
};
constexpr std::array kShaders = {"triangles.vert", "triangles.frag", "strip.vert", "strip.frag",
                                 "stacked.frag",   "rect.vert",      "rect.frag"};

// WebGL 2 takes the same shaders under another first line.
std::string as_webgl(std::string_view source) {
    source.remove_prefix(std::min(source.size(), source.find('\n')));
    return "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;" +
           std::string(source);
}

std::string shaders() {
    nlohmann::json sources;
    for (const char* const name : kShaders) sources[name] = as_webgl(assets::shader(name));
    return sources.dump();
}

}  // namespace

std::optional<ServedFile> find_served(std::string_view target) {
    target = target.substr(0, target.find('?'));
    if (!target.starts_with('/')) return std::nullopt;
    std::string_view name = target.substr(1);
    if (name.empty()) name = "index.html";
    if (name == "shaders.json") return ServedFile{.type = "application/json", .content = shaders()};
    const auto* const file = std::ranges::find(kFiles, name, &Type::file);
    if (file == kFiles.end()) return std::nullopt;
    return ServedFile{.type = file->type, .content = std::string(assets::page(name))};
}

}  // namespace app::web
