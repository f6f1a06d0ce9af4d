#include "core/analysis/engine/link_speeds.hpp"

#include "core/query/name_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr double kMostGb = 1e6;

// Sum of a GPU's links in one direction, from the vendors' datasheets, which state both directions together. PCIe cards
// are unknown: whether a bridge joins them is not in a trace.
constexpr std::string_view kStandard = R"(
P100-SXM = 80
V100-SXM = 150
A100-SXM = 300
A100-PCI = 0
A800-SXM = 200
H100 80GB HBM3 = 450
H100 SXM = 450
H100 PCIe = 0
H800 = 200
H800 PCIe = 0
H20 = 450
H200 = 450
GH200 = 450
B200 = 900
GB200 = 900
B300 = 900
GB300 = 900
MI300X = 448
MI325X = 448
MI350X = 537.6
MI355X = 537.6
)";

std::string_view trim(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

struct ProcessLinks {
    std::mutex mutex;
    LinkSpeeds of_options;
    std::shared_ptr<const LinkSpeeds> all = std::make_shared<const LinkSpeeds>(LinkSpeeds::standard());

    void join(const LinkSpeeds& of_file) {
        LinkSpeeds joined = LinkSpeeds::standard();
        joined.add(of_file);
        joined.add(of_options);
        all = std::make_shared<const LinkSpeeds>(std::move(joined));
    }
};

ProcessLinks& process_links() {
    static ProcessLinks links;
    return links;
}

}  // namespace

Result<LinkSpeeds> LinkSpeeds::parse(std::string_view text) {
    if (text.size() > kMostText) return bad_input("link speeds: more than 1 MiB of text");
    LinkSpeeds speeds;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view row = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        row = trim(row.substr(0, row.find('#')));
        if (row.empty()) continue;
        const std::size_t equals = std::min(row.find('='), row.size());
        const std::string_view name = trim(row.substr(0, equals));
        const std::string_view number = trim(row.substr(std::min(equals + 1, row.size())));
        double gb = 0;
        const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), gb);
        const bool whole = error == std::errc() && stop == number.data() + number.size() && !number.empty();
        if (name.empty() || !whole || !(gb >= 0 && gb <= kMostGb))
            return bad_input("link speeds: line " + std::to_string(line) +
                             ": expected NAME = GB/s, such as H100 SXM = 450");
        speeds.rows_.push_back({.name = lowered(name), .bytes_per_s = gb * 1e9, .layer = 0});
    }
    return speeds;
}

const LinkSpeeds& LinkSpeeds::standard() {
    static const LinkSpeeds kSpeeds = *LinkSpeeds::parse(kStandard);
    return kSpeeds;
}

std::optional<double> LinkSpeeds::find(std::string_view device) const {
    const std::string wanted = lowered(device);
    const Row* best = nullptr;
    for (const Row& row : rows_)
        if (wanted.find(row.name) != std::string::npos &&
            (!best || std::pair(row.layer, row.name.size()) >= std::pair(best->layer, best->name.size())))
            best = &row;
    return best && best->bytes_per_s > 0 ? std::optional(best->bytes_per_s) : std::nullopt;
}

void LinkSpeeds::add(const LinkSpeeds& more) {
    ++layers_;
    for (Row row : more.rows_) {
        row.layer = layers_;
        rows_.push_back(std::move(row));
    }
}

std::string LinkSpeeds::text() const {
    std::string text;
    for (const Row& row : rows_) text += fmt::format("{} {} {:?}\n", row.layer, row.bytes_per_s, row.name);
    return text;
}

void set_link_speeds(const LinkSpeeds& of_file, LinkSpeeds of_options) {
    ProcessLinks& links = process_links();
    const std::lock_guard lock(links.mutex);
    links.of_options = std::move(of_options);
    links.join(of_file);
}

void replace_file_links(const LinkSpeeds& of_file) {
    ProcessLinks& links = process_links();
    const std::lock_guard lock(links.mutex);
    links.join(of_file);
}

std::shared_ptr<const LinkSpeeds> link_speeds() {
    ProcessLinks& links = process_links();
    const std::lock_guard lock(links.mutex);
    return links.all;
}

std::shared_ptr<const LinkSpeeds> link_speeds_of(const Run& run) {
    return run.derived().get<LinkSpeeds>([] { return link_speeds(); });
}

}  // namespace core
