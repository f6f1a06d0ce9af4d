#pragma once
// From the first start to the last end of events that take time, steps among them; moments that a profiler writes
// long before or after the work do not count. What "the whole run" shows first; no number is measured over it. The
// run's own window if nothing takes time. O(lanes), plus the moments at the ends of each.

#include "core/index/run.hpp"

namespace core {

RunRange find_work_window(const Run&);

}  // namespace core
