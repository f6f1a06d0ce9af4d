#pragma once
// From the first start to the last end of events that take time, steps among them. What "the whole run" shows first; no
// number is measured over it. Moments that a profiler writes long before or after the work do not count, nor do a few
// events that do take time but lie ten times farther away than the work is long: one in a hundred at most, so that a
// second burst of work is never taken for strays. The run's own window if nothing takes time.
// O(lanes · log lanes), plus the moments at the ends of each.

#include "core/index/run.hpp"

namespace core {

RunRange find_work_window(const Run&);

}  // namespace core
