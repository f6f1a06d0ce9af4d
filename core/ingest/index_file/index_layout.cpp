#include "core/ingest/index_file/index_layout.hpp"

#include "core/base/platform/processes.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>

namespace core::index_layout {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Differs after each boot; 0 if unknown.
std::uint64_t find_boot() {
    const std::string text = boot_identity();
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

std::optional<Certificate> certificate_for(const FileStatus& status, std::uint64_t table_checksum) {
    static const std::uint64_t kBoot = find_boot();
    if (kBoot == 0) return std::nullopt;
    Certificate certificate{.boot = kBoot,
                            .device = status.device,
                            .inode = status.number,
                            .mtime_ns = status.written_ns,
                            .table_checksum = table_checksum,
                            .checksum = 0};
    certificate.checksum = checksum_of(certificate);
    return certificate;
}

// Sets the time one second back, where no later change can leave it.
void certify(const OpenFile& file, std::uint64_t table_checksum) {
    std::error_code error;
    std::optional<FileStatus> status = file.status(error);
    if (!status) return;
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    status->written_ns = std::min<std::int64_t>(status->written_ns, now.count()) - kSecond;
    const std::optional<Certificate> certificate = certificate_for(*status, table_checksum);
    if (!certificate) return;
    // Without a certificate the file is checked in full.
    if (file.write_at(kCertificateAt, std::as_bytes(std::span(&*certificate, 1)))) return;
    static_cast<void>(file.set_written(status->written_ns));
}

}  // namespace core::index_layout
