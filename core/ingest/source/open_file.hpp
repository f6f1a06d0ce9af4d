#pragma once
// An owning file descriptor.

#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace core {

class OpenFile {
public:
    OpenFile(const char* path, int flags, unsigned mode = 0) : descriptor_(::open(path, flags | O_CLOEXEC, mode)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    OpenFile& operator=(OpenFile&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    explicit operator bool() const { return descriptor_ >= 0; }
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

}  // namespace core
