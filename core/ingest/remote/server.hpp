#pragma once
// The server's side of `lockstep serve --stdio PATH`: lists and reads run summaries and index files below a folder, and
// nothing else. It writes nothing. Names and links are resolved at the start of the list; what is opened then is opened
// below the folder without following links, and must still be the file of the list.

#include "core/base/platform/files.hpp"
#include "core/ingest/remote/messages.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace core::remote {

class Server {
public:
    // The folder of a run with its summary, or a summary, whose folder is served then.
    explicit Server(const std::filesystem::path& path);

    const Hello& hello() const { return hello_; }
    // The payload of a reply to the payload of a request. Absent: that was no request; the conversation is over.
    std::optional<std::string> answer(std::string_view request);

private:
    struct Served {
        FileEntry entry;
        std::filesystem::path inside;  // of the folder, without links
    };
    std::string find_summary(const std::filesystem::path& path);
    std::optional<Served> examine(const std::filesystem::path& file) const;
    void collect();
    Reply list(const Request&) const;
    Reply read(const Request&) const;

    std::filesystem::path folder_;  // without links
    Hello hello_;
    bool collected_ = false;
    std::vector<Served> files_;
};

// Greets and answers until the input ends (true), or is no conversation or cannot be answered (false).
bool serve(Server&, OpenFile& input, OpenFile& output);

}  // namespace core::remote
