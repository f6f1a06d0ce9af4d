#include "core/base/platform/terminal.hpp"

#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace core {

std::size_t terminal_columns() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

bool is_error_output_terminal() { return ::isatty(STDERR_FILENO) != 0; }
bool is_input_terminal() { return ::isatty(STDIN_FILENO) != 0; }

bool is_output_read() {
    pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    return ::poll(&output, 1, 0) <= 0 || (output.revents & (POLLERR | POLLHUP)) == 0;
}

SilencedOutput::SilencedOutput() : error_output_(::dup(STDERR_FILENO)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
}

void SilencedOutput::restore_errors() const {
    std::fflush(stdout);
    std::fflush(stderr);
    ::dup2(error_output_, STDERR_FILENO);
}

}  // namespace core
