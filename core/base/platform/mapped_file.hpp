#pragma once
// Read-only mappings of files that other programs may cut or overwrite while they are mapped.
//
// If the system announces writers (a lease), the mapping becomes a copy in memory before they write: nothing is
// lost. Elsewhere the first touch of a page that is gone (SIGBUS), or a report of a change (inotify), turns all of it
// into zeros and marks it as lost: reads go on, and owners drop what they made of it once is_lost() says so. No read
// costs more. Not watched: changes by other machines.

#include "core/base/platform/files.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <system_error>

namespace core {

// Maps the first `bytes` of an open file. After a reported change, `is_unchanged` decides on a separate thread whether
// the content is still as mapped; without it, changes are not watched. Null with the error set if mapping fails.
// Loss is noticed at the first touch of a page that is gone (SIGBUS), or by a report of a change to the file (inotify;
// on Linux, local files only). Zeroing everything at once keeps offsets and counts consistent with each other.
std::shared_ptr<const std::byte> map_file(const OpenFile& file, std::size_t bytes, std::error_code& error,
                                          std::function<bool()> is_unchanged = {});

// Asks that writers to a watched file wait until its mapping is a copy, where the system offers that. After own writes.
void ask_for_notice(const std::byte* mapped, const OpenFile& file);

// Whether a mapping that begins here is lost.
bool is_lost(const std::byte* mapped);
// Number of mappings lost so far. As long as it stays the same, is_lost() is unchanged for every mapping.
std::uint64_t count_lost_mappings();

}  // namespace core
