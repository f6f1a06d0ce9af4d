#pragma once
// Which requests the server answers, by their Host and Origin, and the headers of its answers. A
// page of another site may make a browser send requests here, but cannot choose these two. Pure.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app::web {

// Names that this server is reached by, besides those of this machine's loopback; lower case, without port.
using HostNames = std::vector<std::string>;

// A Host header without its port, in lower case: "[::1]", "localhost". Empty: not one.
std::string host_name(std::string_view host);
// Any port, because forwarded ports differ.
bool is_own_host(std::string_view host, const HostNames& names);
// An Origin header of the page that `host` serves, or of one of the names. Empty: absent, and refused.
bool is_own_origin(std::string_view origin, std::string_view host, const HostNames& names);

// Headers of every answer. names: pages of these hosts may frame ours, as JupyterLab does.
std::vector<std::pair<std::string, std::string>> answer_headers(const HostNames& names);

// The page that explains a refused Host.
std::string wrong_host_page();

}  // namespace app::web
