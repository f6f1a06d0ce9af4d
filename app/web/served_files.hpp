#pragma once
// The files that the server has: the page of assets/web, and the shaders as one JSON object. Nothing
// is read from disk, so no path of a request leads anywhere. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace app::web {

struct ServedFile {
    std::string_view type;  // MIME
    std::string content;
};

// target: "/page.js"; what follows '?' is ignored.
std::optional<ServedFile> find_served(std::string_view target);

}  // namespace app::web
