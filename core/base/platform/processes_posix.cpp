#include "core/base/platform/processes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

namespace core {
namespace {

#ifdef __linux__
std::string read_first_line(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}
#endif

}  // namespace

int own_process() { return ::getpid(); }

bool is_running(int process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

#ifdef __linux__

std::string start_of_process(int process) {
    const std::string stat = read_first_line("/proc/" + std::to_string(process) + "/stat");
    std::size_t at = stat.rfind(')');  // the name before it can hold anything
    if (at == std::string::npos) return "";
    constexpr int kFieldsBeforeStart = 19;
    for (int field = 0; field <= kFieldsBeforeStart && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
    return at == std::string::npos ? "" : stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

std::string boot_identity() { return read_first_line("/proc/sys/kernel/random/boot_id"); }

std::filesystem::path program_file() { return "/proc/self/exe"; }

std::string machine_identity() {
    std::array<char, 128> space{};
    const ssize_t length = ::readlink("/proc/self/ns/pid", space.data(), space.size() - 1);
    return boot_identity() + "/" + std::string(space.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
}

void keep_to_share_of_cores(int place, int count) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
    if (count == 1 || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != online) return;
    const int cores = CPU_COUNT(&allowed), each = std::max(1, cores / count);
    const int first = place * each % cores;
    cpu_set_t own;
    CPU_ZERO(&own);
    int number = 0;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        if (number >= first && number < first + each) CPU_SET(cpu, &own);
        ++number;
    }
    static_cast<void>(::sched_setaffinity(0, sizeof own, &own));
}

#else

// A number that is given again is not noticed here: a claim then lasts until its time is over.
std::string start_of_process(int process) { return is_running(process) ? "running" : ""; }

std::string boot_identity() { return ""; }
std::string machine_identity() { return "/"; }
void keep_to_share_of_cores(int, int) {}

#endif

OpenFileLimit allow_open_files(std::uint64_t count) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return {.allowed = true, .most = count};
    if (limit.rlim_max < count) return {.allowed = false, .most = limit.rlim_max};
    limit.rlim_cur = static_cast<rlim_t>(count);
    return {.allowed = ::setrlimit(RLIMIT_NOFILE, &limit) == 0, .most = limit.rlim_max};
}

}  // namespace core
