#include "core/ingest/index_file/index_layout.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace core::index_layout {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Differs after each boot; 0 if unknown.
std::uint64_t find_boot() {
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    std::string text;
    std::getline(in, text);
    return text.empty() ? 0 : checksum(std::as_bytes(std::span(text)));
}

template <class T>
std::uint64_t checksum_with_zero(T value) {
    value.checksum = 0;
    return checksum(std::as_bytes(std::span(&value, 1)));
}

}  // namespace

std::uint64_t checksum_of(Header header) { return checksum_with_zero(header); }
std::uint64_t checksum_of(Certificate certificate) { return checksum_with_zero(certificate); }

std::array<char, 32> this_program() {
    constexpr std::string_view kVersion = LOCKSTEP_VERSION;
    std::array<char, 32> program{};
    std::memcpy(program.data(), kVersion.data(), std::min(kVersion.size(), program.size()));
    return program;
}

std::int64_t mtime_ns_of(const struct stat& status) {
    return std::int64_t{status.st_mtim.tv_sec} * kSecond + status.st_mtim.tv_nsec;
}

std::optional<Certificate> certificate_for(const struct stat& status, std::uint64_t table_checksum) {
    static const std::uint64_t kBoot = find_boot();
    if (kBoot == 0) return std::nullopt;
    Certificate certificate{.boot = kBoot,
                            .device = status.st_dev,
                            .inode = status.st_ino,
                            .mtime_ns = mtime_ns_of(status),
                            .table_checksum = table_checksum,
                            .checksum = 0};
    certificate.checksum = checksum_of(certificate);
    return certificate;
}

// Sets the time one second back, where no later change can leave it.
void certify(int file, std::uint64_t table_checksum) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return;
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    const std::int64_t past = std::min<std::int64_t>(mtime_ns_of(status), now.count()) - kSecond;
    status.st_mtim = {.tv_sec = past / kSecond, .tv_nsec = past % kSecond};
    const std::optional<Certificate> certificate = certificate_for(status, table_checksum);
    if (!certificate) return;
    const ssize_t written = ::pwrite(file, &*certificate, sizeof *certificate, kCertificateAt);
    if (written != static_cast<ssize_t>(sizeof *certificate))
        return;  // without a certificate the file is checked in full
    const std::array<timespec, 2> times = {timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, status.st_mtim};
    ::futimens(file, times.data());
}

}  // namespace core::index_layout
