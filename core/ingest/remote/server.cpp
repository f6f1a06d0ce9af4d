#include "core/ingest/remote/server.hpp"

#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/index_file/summary_file.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace core::remote {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 32;  // of folders, as runs are searched
constexpr std::size_t kListBytes = std::size_t{512} << 10;

Reply refusal(const Request& request, std::string why) {
    return {.id = request.id, .failed = true, .body = std::move(why)};
}

fs::path path_inside(const fs::path& file, const fs::path& folder) {
    const fs::path relative = file.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." || *relative.begin() == "." ? fs::path() : relative;
}

}  // namespace

Server::Server(const fs::path& path) : hello_(own_hello()) {
    hello_.problem = find_summary(path);
    if (!hello_.problem.empty()) hello_.summary = {};
}

// Why it cannot be served; empty: it can.
std::string Server::find_summary(const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::canonical(path, error);
    if (error == std::errc::no_such_file_or_directory) return path.string() + ": does not exist";
    if (error) return path.string() + ": " + error.message();
    const bool is_folder = fs::is_directory(whole, error);
    if (!is_folder && !is_summary_file(whole.filename().string()))
        return path.string() + ": is neither a folder nor a run summary";
    folder_ = is_folder ? whole : whole.parent_path();
    fs::path file = is_folder ? whole / kSummaryFileName : whole;
    std::vector<fs::path> others;
    if (is_folder && !fs::exists(file, error)) {
        for (fs::directory_iterator it(whole, error), end; !error && it != end; it.increment(error))
            if (is_summary_file(it->path().filename().string())) others.push_back(it->path());
        if (error) return path.string() + ": " + error.message();
        if (others.size() > 1)
            return path.string() + ": holds " + std::to_string(others.size()) + " run summaries: name one of them";
        hello_.is_unindexed = others.empty();
        if (others.empty()) return path.string() + ": has no run summary";
        file = others.front();
    }
    const std::optional<Served> summary = examine(file);
    if (!summary) return file.string() + ": is not a regular file in this folder that can be read";
    files_.push_back(*summary);
    hello_.summary = summary->entry;
    return {};
}

// Absent for what is not served. `file` is in the folder, by its name.
std::optional<Server::Served> Server::examine(const fs::path& file) const {
    std::error_code error;
    const fs::path whole = fs::canonical(file, error);
    if (error) return std::nullopt;
    const fs::path inside = path_inside(whole, folder_);
    const std::string name = path_inside(file, folder_).generic_string();
    if (inside.empty() || !is_served_name(name)) return std::nullopt;
    const OpenFile opened = open_below(folder_, inside, error);
    if (!opened) return std::nullopt;
    const std::optional<FileStatus> status = opened.status(error);
    if (!status || !status->is_regular() || status->bytes >= kMostFileBytes) return std::nullopt;
    return Served{.entry = {.name = name, .bytes = status->bytes, .written_ns = status->written_ns}, .inside = inside};
}

// Index files, as folders are searched for a run: hidden ones and linked folders are passed over.
void Server::collect() {
    if (std::exchange(collected_, true)) return;
    std::error_code error;
    const auto how = fs::directory_options::skip_permission_denied;
    std::vector<fs::path> found;
    fs::recursive_directory_iterator it(folder_, how, error);
    for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || it.depth() >= kMostLevels) it.disable_recursion_pending();
        if (!name.starts_with('.') && is_index_file(name) && !it->is_directory(ignored)) found.push_back(it->path());
        if (found.size() + 1 >= kMostFiles) break;
    }
    std::ranges::sort(found);
    for (const fs::path& file : found)
        if (std::optional<Served> served = examine(file)) files_.push_back(*std::move(served));
}

Reply Server::list(const Request& request) const {
    FileList part{.total = files_.size(), .files = {}};
    std::size_t bytes = 0;
    for (std::size_t i = request.file; i < files_.size() && bytes < kListBytes; ++i) {
        part.files.push_back(files_[i].entry);
        bytes += files_[i].entry.name.size() + 2 * sizeof(std::uint64_t);
    }
    return {.id = request.id, .failed = false, .body = encode(part)};
}

Reply Server::read(const Request& request) const {
    if (request.file >= files_.size()) return refusal(request, "there is no such file");
    const Served& served = files_[request.file];
    if (request.bytes == 0 || request.offset >= served.entry.bytes ||
        request.bytes > served.entry.bytes - request.offset)
        return refusal(request, served.entry.name + ": has no such bytes");
    std::error_code error;
    const OpenFile file = open_below(folder_, served.inside, error);
    const std::optional<FileStatus> status = file ? file.status(error) : std::nullopt;
    if (!status) return refusal(request, served.entry.name + ": " + error.message());
    if (!status->is_regular() || status->bytes != served.entry.bytes || status->written_ns != served.entry.written_ns)
        return refusal(request, served.entry.name + ": was changed: open the run again");
    Reply reply{.id = request.id, .failed = false, .body = std::string(request.bytes, '\0')};
    error = file.read_at(request.offset, std::as_writable_bytes(std::span(reply.body)));
    if (error) return refusal(request, served.entry.name + ": " + error.message());
    return reply;
}

std::optional<std::string> Server::answer(std::string_view payload) {
    const std::optional<Request> request = decode_request(payload);
    if (!request || !hello_.problem.empty()) return std::nullopt;
    if (request->kind == Request::Kind::Read) return encode(read(*request));
    collect();
    return encode(list(*request));
}

bool serve(Server& server, OpenFile& input, OpenFile& output) {
    if (output.write(kGreeting) || output.write(with_length(encode(server.hello())))) return false;
    if (!server.hello().problem.empty()) return false;
    MessageSplitter messages;
    std::array<char, 65536> block{};
    for (;;) {
        std::error_code error;
        const std::size_t got = input.read(block, error);
        if (error || got == 0) return !error && messages.left() == 0;
        messages.add({block.data(), got});
        while (const std::optional<std::string> request = messages.next()) {
            const std::optional<std::string> reply = server.answer(*request);
            if (!reply) {
                const Reply goodbye{.id = kGoodbye, .failed = true, .body = "that is no request that is answered here"};
                (void)output.write(with_length(encode(goodbye)));
                return false;
            }
            if (output.write(with_length(*reply))) return false;
        }
        if (messages.is_broken()) return false;
    }
}

}  // namespace core::remote
