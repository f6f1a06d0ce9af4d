#include "core/ingest/remote/connection.hpp"

#include "core/base/terminal_text.hpp"

#include <algorithm>
#include <deque>
#include <system_error>

namespace core::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{50};  // whether the job was cancelled
constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kPagesAhead = 8;
constexpr std::size_t kShownOfJunk = 60;

std::string plain(std::string_view text) { return terminal_text(text); }

std::string describe_version(const Hello& hello) {
    return plain(hello.program) + " (reading version " + std::to_string(hello.reading_version) + ")";
}

// Why the server's version does not fit; empty: it does. Index files and summaries are those of one version.
std::string compare_versions(const Hello& theirs) {
    const Hello ours = own_hello();
    if (theirs.program == ours.program && theirs.reading_version == ours.reading_version) return {};
    return "has Lockstep " + describe_version(theirs) + ", and this is " + describe_version(ours) +
           ": install the same version on both machines";
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(std::unique_ptr<Line> line, const RemotePath& path,
                                                     const JobContext& job, Patience patience) {
    std::unique_ptr<Connection> connection(new Connection(std::move(line), path, patience));
    Result<bool> greeted = connection->greet(job);
    if (!greeted) return std::move(greeted).error();
    return connection;
}

Error Connection::failure() const { return {ErrorCode::Io, host() + ": " + failed_}; }

void Connection::fail(std::string why) {
    if (failed_.empty()) failed_ = std::move(why);
}

void Connection::lose(std::string why) {
    lost_ = lost_ || failed_.empty();
    fail(std::move(why));
}

bool Connection::is_lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
}

Result<bool> Connection::greet(const JobContext& job) {
    std::unique_lock lock(mutex_);
    std::string begin;
    while (begin.size() < kGreeting.size()) {
        if (job.checkpoint()) return cancelled_error();
        std::vector<char> block(kGreeting.size() - begin.size());
        const Line::Piece piece = line_->read(block, kLookEvery);
        received_ += piece.bytes;
        begin.append(block.data(), piece.bytes);
        if (!kGreeting.starts_with(begin)) {
            block.resize(kShownOfJunk);
            begin.append(block.data(), line_->read(block, kLookEvery).bytes);
            return Error{ErrorCode::Io, host() + ": answered '" + plain(begin.substr(0, kShownOfJunk)) +
                                            "' instead of as lockstep does: does a start-up file of the shell there "
                                            "print something?"};
        }
        if (piece.got == Line::Got::End) {
            const std::string words = plain(line_->last_words());
            return Error{ErrorCode::Io, host() + ": no answer of lockstep there" + (words.empty() ? "" : ": " + words)};
        }
    }
    heard_ = Clock::now();
    for (;;) {
        if (job.checkpoint()) return cancelled_error();
        const std::optional<std::string> payload = messages_.next();
        const std::optional<Hello> hello = payload ? decode_hello(*payload) : std::nullopt;
        if (messages_.is_broken() || (payload && !hello)) fail("its first message is damaged");
        if (!failed_.empty()) return failure();
        if (hello) {
            hello_ = *hello;
            break;
        }
        read_once(lock);
    }
    if (failed_.empty()) fail(compare_versions(hello_));
    if (failed_.empty() && !hello_.problem.empty())
        return Error{ErrorCode::NotFound,
                     host() + ": " + plain(hello_.problem) +
                         (hello_.is_unindexed
                              ? ": make it by 'ssh " + host() + " lockstep index " + quote_for_shell(path_.path) + "'"
                              : "")};
    if (!failed_.empty()) return failure();
    return true;
}

// Reads what there is, without the lock meanwhile. False where another thread does.
bool Connection::read_once(std::unique_lock<std::mutex>& lock) {
    if (reading_) return false;
    reading_ = true;
    lock.unlock();
    block_.resize(kBlock);
    const Line::Piece piece = line_->read(block_, kLookEvery);
    const std::string words = piece.got == Line::Got::End ? plain(line_->last_words()) : std::string();
    lock.lock();
    reading_ = false;
    if (piece.got == Line::Got::Bytes) {
        heard_ = Clock::now();
        received_ += piece.bytes;
        messages_.add({block_.data(), piece.bytes});
    } else if (piece.got == Line::Got::End) {
        lose("the connection has ended" + (words.empty() ? "" : ": " + words));
    } else if (Clock::now() - heard_ > patience_.silence) {
        lose("no answer for " + std::to_string(patience_.silence.count() / 1000) + " s");
    }
    return true;
}

void Connection::take_messages() {
    while (failed_.empty()) {
        const std::optional<std::string> payload = messages_.next();
        if (messages_.is_broken()) fail("sent a message that is damaged");
        if (!payload) return;
        std::optional<Reply> reply = decode_reply(*payload);
        if (!reply) return fail("sent a message that is damaged");
        if (reply->id == kGoodbye) return fail("has ended: " + plain(reply->body));
        const auto asked = pending_.find(reply->id);
        if (asked == pending_.end() || asked->second.reply) return fail("answered what was not asked");
        if (asked->second.wanted)
            asked->second.reply = std::move(reply);
        else
            pending_.erase(asked);
    }
}

Result<std::uint64_t> Connection::ask(Request request, const JobContext& job) {
    {
        const std::lock_guard lock(mutex_);
        if (!failed_.empty()) return failure();
        request.id = next_id_++;
        if (pending_.empty()) heard_ = Clock::now();
        pending_[request.id];
    }
    const std::string message = with_length(encode(request));
    const std::lock_guard writing(writing_);
    const Clock::time_point begun = Clock::now();
    for (std::string_view rest = message; !rest.empty();) {
        const std::optional<std::size_t> taken = line_->write(rest, kLookEvery);
        // A message is sent whole or the conversation is over, so a cancelled job may have to wait for a moment.
        const bool is_stuck = taken == std::size_t{0} && Clock::now() - begun > patience_.silence;
        if (!taken || is_stuck || (job.checkpoint() && rest.size() == message.size() && *taken == 0)) {
            const std::lock_guard lock(mutex_);
            pending_.erase(request.id);
            if (taken && !is_stuck) return cancelled_error();
            if (taken) lose("takes no more requests");
            // A line that is closed says why where it is read.
            if (taken) return failure();
            break;
        }
        rest.remove_prefix(*taken);
        sent_ += *taken;
    }
    const std::lock_guard lock(mutex_);
    if (!failed_.empty()) return failure();
    pending_[request.id];
    return request.id;
}

void Connection::give_up(std::span<const std::uint64_t> ids) {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t id : ids) {
        const auto asked = pending_.find(id);
        if (asked == pending_.end()) continue;
        asked->second.wanted = false;
        if (asked->second.reply) pending_.erase(asked);
    }
}

Result<std::string> Connection::wait_for(std::uint64_t id, const JobContext& job) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto asked = pending_.find(id);
        if (asked->second.reply) {
            Reply reply = *std::move(asked->second.reply);
            pending_.erase(asked);
            if (reply.failed) return Error{ErrorCode::Io, host() + ": " + plain(reply.body)};
            return std::move(reply.body);
        }
        if (!failed_.empty()) {
            pending_.erase(asked);
            return failure();
        }
        if (job.checkpoint()) {
            asked->second.wanted = false;
            return cancelled_error();
        }
        if (!read_once(lock)) {
            news_.wait_for(lock, kLookEvery);
            continue;
        }
        take_messages();
        news_.notify_all();
    }
}

Result<std::vector<FileEntry>> Connection::list(const JobContext& job) {
    std::vector<FileEntry> files;
    for (;;) {
        const Result<std::uint64_t> id = ask({.id = 0, .kind = Request::Kind::List, .file = files.size()}, job);
        if (!id) return id.error();
        const Result<std::string> body = wait_for(*id, job);
        if (!body) return body.error();
        std::optional<FileList> part = decode_list(*body);
        const std::lock_guard lock(mutex_);
        const bool is_more = part && files.size() + part->files.size() < part->total;
        if (!part || part->total > kMostFiles || files.size() + part->files.size() > part->total ||
            (is_more && part->files.empty()))
            fail("sent a list that is damaged");
        if (!failed_.empty()) return failure();
        std::ranges::move(part->files, std::back_inserter(files));
        if (!is_more) return files;
    }
}

Result<bool> Connection::copy_pages(std::uint64_t number, const FileEntry& entry, OpenFile& file,
                                    std::atomic<std::uint64_t>* done, const JobContext& job) {
    struct Page {
        std::uint64_t id = 0;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };
    std::deque<Page> ahead;
    const auto leave = [&](Error error) {
        std::vector<std::uint64_t> ids;
        for (const Page& page : ahead) ids.push_back(page.id);
        give_up(ids);
        return error;
    };
    for (std::uint64_t next = 0; next < entry.bytes || !ahead.empty();) {
        while (next < entry.bytes && ahead.size() < kPagesAhead) {
            const std::uint64_t bytes = std::min<std::uint64_t>(kPage, entry.bytes - next);
            const Result<std::uint64_t> id =
                ask({.id = 0, .kind = Request::Kind::Read, .file = number, .offset = next, .bytes = bytes}, job);
            if (!id) return leave(id.error());
            ahead.push_back({.id = *id, .offset = next, .bytes = bytes});
            next += bytes;
        }
        const Page page = ahead.front();
        ahead.pop_front();
        const Result<std::string> body = wait_for(page.id, job);
        if (!body) return leave(body.error());
        if (body->size() != page.bytes) {
            const std::lock_guard lock(mutex_);
            fail("sent " + std::to_string(body->size()) + " bytes of " + plain(entry.name) + " instead of " +
                 std::to_string(page.bytes));
            return failure();
        }
        if (const std::error_code error = file.write_at(page.offset, std::as_bytes(std::span(*body))))
            return leave({ErrorCode::Io, plain(entry.name) + ": cannot be kept here: " + error.message()});
        if (done) *done += page.bytes;
    }
    return true;
}

Result<bool> Connection::copy(std::uint64_t number, const FileEntry& entry, const std::filesystem::path& to,
                              std::atomic<std::uint64_t>* done, const JobContext& job) {
    std::error_code error;
    OpenFile file(to, OpenFor::Creating, error, NewFileAccess::OwnerOnly);
    if (!file) return Error{ErrorCode::Io, to.string() + ": " + error.message()};
    Result<bool> copied = copy_pages(number, entry, file, done, job);
    error = file.close();
    if (copied && error) copied = Error{ErrorCode::Io, to.string() + ": " + error.message()};
    std::error_code ignored;
    if (!copied) std::filesystem::remove(to, ignored);
    return copied;
}

}  // namespace core::remote
