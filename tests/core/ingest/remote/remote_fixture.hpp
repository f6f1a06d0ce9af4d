#pragma once
// Both ends of a remote connection in one process, and servers with arbitrary answers.

#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/remote/connection.hpp"
#include "core/ingest/remote/server.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"
#include "tests/core/temp_folder.hpp"

#include <deque>
#include <thread>

namespace core::testing {

// A server's bytes: those in `said`, then whatever `on_request` returns for the bytes of a request.
class FakeLine : public remote::Line {
public:
    using Answer = std::function<std::string(std::string_view)>;
    explicit FakeLine(std::string said, Answer on_request = {}, bool ends = true, std::size_t most_per_read = 1 << 20)
        : said_(std::move(said)), on_request_(std::move(on_request)), ends_(ends), most_(most_per_read) {}

    Piece read(std::span<char> to, std::chrono::milliseconds wait) override {
        std::unique_lock lock(mutex_);
        const std::size_t bytes = std::min({to.size(), said_.size(), most_});
        said_.copy(to.data(), bytes);
        said_.erase(0, bytes);
        if (bytes > 0) return {.got = Got::Bytes, .bytes = bytes};
        if (ends_) return {};
        lock.unlock();
        std::this_thread::sleep_for(std::min(wait, std::chrono::milliseconds(1)));
        return {.got = Got::Nothing, .bytes = 0};
    }
    std::optional<std::size_t> write(std::string_view text, std::chrono::milliseconds) override {
        const std::lock_guard lock(mutex_);
        requests_.add(text);
        while (const std::optional<std::string> request = requests_.next()) {
            ++asked;
            if (on_request_) said_ += on_request_(*request);
        }
        return text.size();
    }
    std::string last_words() override { return "as a test wants"; }
    void say(std::string_view more) {
        const std::lock_guard lock(mutex_);
        said_ += more;
    }

    std::size_t asked = 0;

private:
    std::mutex mutex_;
    std::string said_;
    Answer on_request_;
    bool ends_;
    std::size_t most_;
    remote::MessageSplitter requests_;
};

inline std::string greeting_of(const remote::Hello& hello) {
    return std::string(remote::kGreeting) + remote::with_length(encode(hello));
}

// A server below this path, on the same thread.
inline std::unique_ptr<FakeLine> line_to(const std::filesystem::path& path, std::size_t most_per_read = 1 << 20) {
    const auto server = std::make_shared<remote::Server>(path);
    return std::make_unique<FakeLine>(
        greeting_of(server->hello()),
        [server](std::string_view request) {
            const std::optional<std::string> reply = server->answer(request);
            return reply ? remote::with_length(*reply) : std::string();
        },
        false, most_per_read);
}

// Bytes without nearby repetition.
inline std::string some_bytes(std::size_t size, std::uint32_t seed = 1) {
    std::string bytes(size, '\0');
    for (char& c : bytes) {
        seed = seed * 1664525 + 1013904223;
        c = static_cast<char>(seed >> 24);
    }
    return bytes;
}

// A served folder: a summary, and index files in subfolders, with names unlike their content.
struct ServedFolder {
    TempFolder temp;
    std::filesystem::path path = temp.path() / "run";
    ServedFolder() {
        std::filesystem::create_directories(path / "a");
        std::filesystem::create_directories(path / "b");
        write_bytes(path / kSummaryFileName, some_bytes(3'000'000, 3));
        write_bytes(path / "a" / "rank0.json.lockstep-index", some_bytes(1'234'567, 4));
        write_bytes(path / "b" / "rank0.json.lockstep-index", some_bytes(17, 5));
        write_bytes(path / "b" / "rank1.json.lockstep-index", some_bytes(2'000'000, 6));
        write_bytes(path / "b" / "rank1.json", "a trace");
    }
};

}  // namespace core::testing
