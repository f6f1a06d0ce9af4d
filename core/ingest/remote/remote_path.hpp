#pragma once
// Paths on other machines, as users write them: [USER@]HOST:/path and [USER@]HOST:~/path.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct RemotePath {
    std::string host;  // as ssh takes it: [USER@]HOST
    std::string path;  // absolute, or from "~/"
    bool operator==(const RemotePath&) const = default;
};

// By its form alone. Nothing for names of drives ("C:/x"), addresses ("https://x") and what ssh would take for an
// option.
std::optional<RemotePath> parse_remote_path(std::string_view text);
// True if it has that form and no local file has the name.
bool is_remote_path(const std::filesystem::path&);
// "gpu7:run42" of user@gpu7:/data/run42
std::string name_of_remote(const RemotePath&);

// The command that starts the server there: LOCKSTEP_SSH, split at blanks, else ssh; then HOST and the words of
// `lockstep serve --stdio PATH`. As ssh has a shell read these, PATH is quoted for one if it has other characters than
// names usually have.
std::vector<std::string> command_to_serve(const RemotePath&, std::string_view ssh);
std::string quote_for_shell(std::string_view path);

}  // namespace core
