#pragma once
// The window from the first start to the last end of events with a duration, steps included; the
// first view of a run. No number is measured over it. Ignores instants that a profiler writes long
// before or after the work, and stray events (at most one in a hundred) more than ten times the
// length of the work away. The run's own window if no event has a duration. Made once per run, in O(lanes · log lanes),
// plus the instants at the ends of each lane.

#include "core/index/run.hpp"

namespace core {

RunRange find_work_window(const Run&);

}  // namespace core
