#include "core/telemetry/log_lines.hpp"

#include "core/base/ascii.hpp"

#include <charconv>
#include <map>

namespace core {
namespace {

constexpr std::string_view kXid = "NVRM: Xid (";
constexpr std::string_view kGpuAt = "NVRM: GPU at ";

// "PCI:0000:41:00): 63, …": the address up to the bracket.
std::string address_of(std::string_view text) {
    constexpr std::size_t kMostAddress = 32;
    if (text.starts_with("PCI:")) text.remove_prefix(4);
    return std::string(text.substr(0, std::min(text.find_first_not_of("0123456789abcdefABCDEF:."), kMostAddress)));
}

class KernelLines final : public LogLines {
public:
    void add_line(std::string_view line, LogBuilder& builder) override {
        if (const std::size_t at = line.find(kGpuAt); at != std::string_view::npos)
            return add_uuid(line.substr(at + kGpuAt.size()));
        const std::size_t at = line.find(kXid);
        if (at == std::string_view::npos) return;
        const std::string_view behind = line.substr(at + kXid.size());
        const std::size_t close = behind.find("): ");
        if (close == std::string_view::npos) return builder.count_unread();
        const std::string_view digits = behind.substr(close + 3);
        std::int64_t number = -1;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc() || number < 0) return builder.count_unread();
        const std::optional<FoundTime> time = find_time(line);
        if (!time) return builder.note_no_time();
        LoggedGpu gpu{.host = host_in(line.substr(time->end, at - time->end)), .uuid = {}, .bus = address_of(behind)};
        if (const auto known = uuids_.find(gpu.bus); known != uuids_.end()) gpu.uuid = known->second;
        builder.add_error(time->time, number, gpu);
    }

private:
    // " node-a kernel: [18296.5]": the first word, if "kernel:" follows.
    static std::string host_in(std::string_view text) {
        text = trim_spaces(text);
        const std::size_t space = text.find(' ');
        if (space == std::string_view::npos || !text.substr(space).starts_with(" kernel:")) return {};
        return std::string(text.substr(0, std::min<std::size_t>(space, 128)));
    }
    void add_uuid(std::string_view text) {
        std::string address = address_of(text);
        const std::size_t uuid = text.find("GPU-");
        while (!address.empty() && address.back() == ':') address.pop_back();
        if (uuid == std::string_view::npos || uuids_.size() >= kMostGpusOfLog) return;
        const std::string_view name = text.substr(uuid);
        uuids_[address] = std::string(name.substr(0, std::min<std::size_t>(name.find_first_of(" ,\r)"), 64)));
    }

    std::map<std::string, std::string> uuids_;
};

}  // namespace

std::unique_ptr<LogLines> make_kernel_lines() { return std::make_unique<KernelLines>(); }

}  // namespace core
