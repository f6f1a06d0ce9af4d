#pragma once
// The client's side: a conversation with one server. Any thread; several requests are under way at once, so that files
// come as fast as the line is and not as fast as it answers. No thread of its own: a waiting thread reads for all.
// Replies of the server are checked; the first fault ends the conversation, and everything fails with its reason then.

#include "core/base/jobs.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/remote/messages.hpp"
#include "core/ingest/remote/remote_path.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core::remote {

// Two streams of bytes to a server. One thread reads and one writes at a time.
class Line {
public:
    enum class Got : std::uint8_t { Bytes, Nothing, End };
    struct Piece {
        Got got = Got::End;
        std::size_t bytes = 0;
    };
    virtual ~Line() = default;
    virtual Piece read(std::span<char> to, std::chrono::milliseconds wait) = 0;
    virtual std::optional<std::size_t> write(std::string_view, std::chrono::milliseconds wait) = 0;  // absent: closed
    virtual std::string
    last_words() = 0;  // once, after the end: what is known about its reason, in words; may be empty
};

struct Patience {
    std::chrono::milliseconds silence{120'000};  // of the server while it is asked for something
};

class Connection {
public:
    // Waits for the greeting as long as that takes: somebody may be asked for a password.
    static Result<std::unique_ptr<Connection>> open(std::unique_ptr<Line>, const RemotePath&, const JobContext&,
                                                    Patience = {});

    const FileEntry& summary() const { return hello_.summary; }
    const std::string& host() const { return path_.host; }
    Result<std::vector<FileEntry>> list(const JobContext&);
    // Writes a file of the list to a new file that only this user can read. `done` is raised as bytes arrive. After a
    // failure the new file is gone.
    Result<bool> copy(std::uint64_t number, const FileEntry&, const std::filesystem::path& to,
                      std::atomic<std::uint64_t>* done, const JobContext&);

    // The line has ended or gone silent, by no fault of what the server said: a new one may help.
    bool is_lost() const;

    std::uint64_t bytes_received() const { return received_; }
    std::uint64_t bytes_sent() const { return sent_; }

private:
    Connection(std::unique_ptr<Line> line, RemotePath path, Patience patience)
        : line_(std::move(line)), path_(std::move(path)), patience_(patience) {}

    Result<bool> greet(const JobContext&);
    Result<std::uint64_t> ask(Request, const JobContext&);
    Result<std::string> wait_for(std::uint64_t id, const JobContext&);
    void give_up(std::span<const std::uint64_t> ids);
    Result<bool> copy_pages(std::uint64_t number, const FileEntry&, OpenFile&, std::atomic<std::uint64_t>* done,
                            const JobContext&);
    bool read_once(std::unique_lock<std::mutex>& lock);
    void take_messages();
    void fail(std::string why);
    void lose(std::string why);
    Error failure() const;

    std::unique_ptr<Line> line_;
    const RemotePath path_;
    const Patience patience_;
    Hello hello_{};

    std::mutex writing_;
    mutable std::mutex mutex_;  // of all below
    std::condition_variable news_;
    bool reading_ = false;  // by some thread, which alone uses block_
    std::vector<char> block_{};
    MessageSplitter messages_{};
    struct Pending {
        bool wanted = true;
        std::optional<Reply> reply{};
    };
    std::map<std::uint64_t, Pending> pending_{};
    std::uint64_t next_id_ = kGoodbye + 1;
    std::string failed_{};  // why the conversation is over
    bool lost_ = false;
    std::chrono::steady_clock::time_point heard_{};
    std::atomic<std::uint64_t> received_{0};
    std::atomic<std::uint64_t> sent_{0};
};

}  // namespace core::remote
