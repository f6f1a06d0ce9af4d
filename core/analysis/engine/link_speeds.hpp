#pragma once
// Stated bandwidth of the links between the GPUs of one host, bytes per second out of one GPU: what bus bandwidth is
// compared with. From the user's file first, then from the table in link_speeds.cpp. A device that neither knows has
// none: never that of another one.

#include "core/base/result.hpp"
#include "core/index/run.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class LinkSpeeds {
public:
    // Lines "NAME = GB/s"; # begins a comment, 0 says that a device has no such links. A name fits devices that contain
    // it, without case; the longest that fits decides, of equal ones the last. At most 1 MiB.
    static Result<LinkSpeeds> parse(std::string_view text);
    static const LinkSpeeds& standard();

    std::optional<double> find(std::string_view device) const;  // absent: unknown, or without links
    void add(const LinkSpeeds& more);  // what is added decides first
    std::string text() const;  // differs where any speed does

private:
    struct Row {
        std::string name;  // in lower case
        double bytes_per_s = 0;
        std::size_t layer = 0;  // those added later decide before the others
    };
    std::vector<Row> rows_;
    std::size_t layers_ = 0;
};

// Sets the speeds for all runs that this process asks about later. Options override the user's file.
void set_link_speeds(const LinkSpeeds& of_file, LinkSpeeds of_options);
void replace_file_links(const LinkSpeeds& of_file);
std::shared_ptr<const LinkSpeeds> link_speeds();
// The same for all answers of a run. Any thread.
std::shared_ptr<const LinkSpeeds> link_speeds_of(const Run&);

}  // namespace core
