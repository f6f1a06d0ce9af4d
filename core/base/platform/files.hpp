#pragma once
// Files as the system has them: which file a name stands for, and open files. Errors are those of the system; callers
// say what they mean. Calls with the same OpenFile are made one after another, except read_at() and write_at(). Names,
// folders and links are std::filesystem's business.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace core {

enum class FileKind : std::uint8_t { Regular, Folder, Disk, Other };

struct FileStatus {
    FileKind kind = FileKind::Other;
    std::uint64_t device = 0;
    std::uint64_t number = 0;  // inode: with the device, the same for every name of the file
    std::uint64_t bytes = 0;
    std::int64_t written_ns = 0;  // last change of the content, by the clock of the file's server, since its epoch
    std::uint64_t names = 0;  // hard links
    std::uint32_t permissions = 0;  // as set_permissions() takes them
    bool is_own = false;  // of this user, or of the superuser

    bool is_regular() const { return kind == FileKind::Regular; }
    bool is_same_file(const FileStatus& other) const { return device == other.device && number == other.number; }
};

// Whether the system makes up what lies there, as /proc and /sys: no program wrote a file there.
bool is_made_by_system(const std::filesystem::path&);

enum class LastLink : std::uint8_t { Follow, Keep };  // where the name is a symbolic link
// Absent: not there, or not to be seen.
std::optional<FileStatus> find_file_status(const std::filesystem::path&, LastLink = LastLink::Follow);

enum class OpenFor : std::uint8_t {
    Reading,  // never waits for the writer of a pipe
    Changing,  // in place
    Creating,  // fails where the name is taken, be it by a link
    Streaming,  // writing to a pipe, a terminal or a device
};
enum class NewFileAccess : std::uint8_t { Usual, ReadableByAll, OwnerOnly };  // less what the user's mask takes away

class OpenFile {
public:
    OpenFile() = default;  // none
    OpenFile(const std::filesystem::path&, OpenFor, std::error_code&, NewFileAccess = NewFileAccess::Usual);
    OpenFile(const std::filesystem::path& path, OpenFor purpose) {
        std::error_code ignored;
        *this = OpenFile(path, purpose, ignored);
    }
    ~OpenFile() { static_cast<void>(close()); }
    OpenFile(OpenFile&& other) noexcept : handle_(std::exchange(other.handle_, kNone)) {}
    OpenFile& operator=(OpenFile&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    explicit operator bool() const { return handle_ != kNone; }

    std::optional<FileStatus> status(std::error_code&) const;
    // One piece, as large as the system gives; 0 at the end and on errors.
    std::size_t read(std::span<char> to, std::error_code&);
    void rewind();
    std::error_code write(std::string_view text);
    // All of it; where the file ends before, io_error. Any thread.
    std::error_code read_at(std::uint64_t offset, std::span<std::byte> to) const;
    std::error_code write_at(std::uint64_t offset, std::span<const std::byte>) const;
    std::error_code resize(std::uint64_t bytes) const;
    std::error_code flush_to_disk() const;
    std::error_code set_written(std::int64_t written_ns) const;  // FileStatus::written_ns
    std::error_code set_permissions(std::uint32_t permissions) const;
    std::error_code close();  // where servers report what they could not keep

    // The file as a stream to write to, which owns it; null if memory is short.
    std::FILE* release_as_stream();
    std::intptr_t handle() const { return handle_; }  // the system's own, for this folder

private:
    friend OpenFile reopen_stream(const std::filesystem::path&, std::error_code&);
    friend OpenFile open_below(const std::filesystem::path&, const std::filesystem::path&, std::error_code&);
    static constexpr std::intptr_t kNone = -1;
    std::intptr_t handle_ = kNone;
};

// Names of streams that this program has open, such as /dev/stdout and /dev/fd/3: opening such a name would write a
// redirected file from its start.
bool names_open_stream(const std::filesystem::path&);
OpenFile reopen_stream(const std::filesystem::path&, std::error_code&);

OpenFile open_standard_input();  // one more handle
// Opens for reading what is `inside` the folder. Never anything else, whatever others rename meanwhile: no link below
// the folder is followed, and a name that is absolute or has ".." is refused (invalid_argument).
OpenFile open_below(const std::filesystem::path& folder, const std::filesystem::path& inside, std::error_code&);
std::error_code flush_to_disk(std::FILE*);  // what was flushed to the system
std::error_code flush_folder_to_disk(const std::filesystem::path&);  // names; empty: the current folder
std::error_code check_writable(const std::filesystem::path&);  // by this user, as the program runs now
// Sets the time of the last change to now, by the clock of the file's server. Not of what a link leads to.
std::error_code touch_file(const std::filesystem::path&);
bool is_on_network(const std::filesystem::path&);  // false if unknown
// A new folder in `parent` that only this user can enter; empty if that fails.
std::filesystem::path create_private_folder(const std::filesystem::path& parent, std::string_view prefix);
std::optional<std::uint64_t> unpredictable_bits();  // absent if the system has none

}  // namespace core
