#include "core/session/limit_settings.hpp"

#include "core/base/output_file.hpp"
#include "core/base/small_file.hpp"
#include "core/base/small_json.hpp"

#include <nlohmann/json.hpp>

namespace core {

Result<std::string> change_limit(std::string_view json, std::string_view id, std::optional<double> value) {
    nlohmann::json limits = nlohmann::json::object();
    if (json.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        Result<nlohmann::json> parsed = parse_small_json(json, {.depth = 2});
        if (!parsed) return std::move(parsed).error().within("limits.json cannot be changed here");
        limits = *std::move(parsed);
    }
    if (!limits.is_object()) return bad_input("limits.json is not a JSON object");
    if (value)
        limits[std::string(id)] = *value;
    else
        limits.erase(std::string(id));
    std::string text = limits.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    Limits read;
    if (std::optional<Error> wrong = read.add_json(text)) return *std::move(wrong);
    return text;
}

Result<bool> set_limit(const std::filesystem::path& folder, std::string_view id, std::optional<double> value) {
    if (folder.empty()) return bad_input("there is no folder that limits could be kept in");
    const std::filesystem::path file = folder / "limits.json";
    Result<std::string> before = read_small_file(file);
    if (!before && before.error().code == ErrorCode::NotFound) before = std::string();
    if (!before) return before.error();
    const Result<std::string> text = change_limit(*before, id, value);
    if (!text) return text.error();
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    if (const Result<std::uint64_t> written = write_whole_file(file, *text); !written) return written.error();
    Limits of_file;
    if (std::optional<Error> wrong = of_file.add_json(*text)) return *std::move(wrong);
    replace_file_limits(of_file);
    return true;
}

}  // namespace core
