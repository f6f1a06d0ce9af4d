#include "core/export/report/report_timeline.hpp"

#include "core/base/format.hpp"
#include "core/export/json.hpp"
#include "core/index/class_partition.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace core {
namespace {

constexpr std::size_t kMostBarLetters = 120;
constexpr std::string_view kTimelineLegend =
    "<ul class=\"legend\"><li><span class=\"swatch p-compute\"></span>computing</li><li><span class=\"swatch "
    "p-communication\"></span>exposed communication</li><li><span class=\"swatch p-memory\"></span>exposed "
    "copies</li><li><span class=\"swatch p-idle\"></span>idle</li></ul>\n";
constexpr std::string_view kUnnamed = "(name left out)";

// Names by number, each once, until the size limit is reached.
class TimelineNames {
public:
    TimelineNames(const ShortName& short_name, std::size_t most_bytes)
        : short_name_(short_name), most_bytes_(most_bytes) {}
    std::size_t add(std::string_view name) {
        const auto known = numbers_.find(name);
        if (known != numbers_.end()) return known->second;
        std::string shown = cut_in_the_middle(short_name_ ? short_name_(name) : std::string(name), kMostBarLetters);
        bytes_ += shown.size();
        if (bytes_ > most_bytes_) shown = kUnnamed;
        numbers_.emplace(name, names_.size());
        names_.push_back(std::move(shown));
        return names_.size() - 1;
    }
    const std::vector<std::string>& all() const { return names_; }

private:
    const ShortName& short_name_;
    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<std::string> names_;
};

char share_byte(Duration part, Duration whole) {
    const double share =
        static_cast<double>(part.count()) / static_cast<double>(std::max<std::int64_t>(1, whole.count()));
    return static_cast<char>(static_cast<unsigned char>(std::lround(255 * std::clamp(share, 0.0, 1.0))));
}

std::string shares_of(const RankView& view, RunRange span, std::size_t buckets) {
    std::string bytes;
    const double width = static_cast<double>(span.length().count()) / static_cast<double>(buckets);
    const auto edge = [&](std::size_t i) {
        return span.begin + Duration{std::llround(width * static_cast<double>(i))};
    };
    for (std::size_t i = 0; i < buckets; ++i) {
        const RankRange range = view.rank().to_rank(RunRange{edge(i), edge(i + 1)});
        const ClassTimes times = view.selection->partition().times(range);
        for (const Duration part : {times.compute(), times.exposed_communication(), times.exposed_memory()})
            bytes += share_byte(part, range.length());
    }
    return base64(bytes);
}

struct TimelineEvent {
    std::size_t rank = 0;  // of the views
    EventId event = kNoEvent;
    Duration length{};
};

class TimelineMaker {
public:
    TimelineMaker(const Run& run, const Filter& filter, const ShortName& short_name, const TimelineLimits& limits)
        : run_(run), filter_(filter), limits_(limits), names_(short_name, limits.name_bytes) {}

    Result<std::string> make(const JobContext& context) {
        const Result<bool> viewed = build_views(context);
        if (!viewed) return viewed.error();
        if (views_.empty() || span_.empty()) return std::string();
        choose_events();
        SmallJson ranks = SmallJson::array();
        for (std::size_t i = 0; i < views_.size(); ++i) {
            if (context.cancelled()) return cancelled_error();
            ranks.push_back({{"rank", format_rank(views_[i].rank().key)},
                             {"shares", shares_of(views_[i], span_, limits_.buckets)},
                             {"events", events_of(i)}});
        }
        SmallJson json{{"span", span_.length().count()}, {"ranks", std::move(ranks)}, {"names", names_.all()},
                       {"classes", SmallJson::array()},  {"steps", steps()},          {"said", said()}};
        for (const KernelClass one : {KernelClass::Compute, KernelClass::Communication, KernelClass::Memory})
            json["classes"].push_back(name_of(one));
        json["classes"].push_back("other");
        // ASCII without markup, because the text is also part of an XML page.
        std::string out;
        for (const char c : json.dump(-1, ' ', true, SmallJson::error_handler_t::replace))
            out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : std::string(1, c);
        return out;
    }

private:
    Result<bool> build_views(const JobContext& context) {
        for (std::size_t slot = 0; slot < run_.ranks().size(); ++slot) {
            if (!filter_.accepts_rank(run_.rank(slot).key)) continue;
            if (++ranks_ > limits_.ranks) continue;
            Result<RankView> view = build_rank_view(run_, slot, filter_, context);
            if (!view) return std::move(view).error();
            if (view->has_gpu_work() && !view->window().empty()) {
                const RunRange window = view->rank().to_run(view->window());
                span_ = views_.empty() ? window
                                       : RunRange{std::min(span_.begin, window.begin), std::max(span_.end, window.end)};
            }
            views_.push_back(*std::move(view));
        }
        return true;
    }

    void choose_events() {
        for (std::size_t i = 0; i < views_.size(); ++i)
            for (const EventId e : views_[i].gpu_events()) events_.push_back({i, e, views_[i].visible(e).length()});
        total_ = events_.size();
        if (events_.size() > limits_.events) {
            std::ranges::nth_element(events_, events_.begin() + static_cast<std::ptrdiff_t>(limits_.events),
                                     std::ranges::greater{}, &TimelineEvent::length);
            events_.resize(limits_.events);
        }
        std::ranges::sort(events_, {}, [](const TimelineEvent& e) { return std::pair(e.rank, e.event); });
    }

    SmallJson events_of(std::size_t rank) {
        const RankView& view = views_[rank];
        std::vector<std::array<std::int64_t, 4>> rows;
        for (const TimelineEvent& one : events_) {
            if (one.rank != rank) continue;
            const RunTime begin = view.rank().to_run(view.visible(one.event).begin);
            rows.push_back({(begin - span_.begin).count(), one.length.count(),
                            static_cast<std::int64_t>(names_.add(view.trace().name_text(one.event))),
                            static_cast<std::int64_t>(view.class_of(one.event))});
        }
        std::ranges::sort(rows);
        return rows;
    }

    SmallJson steps() const {
        SmallJson steps = SmallJson::array();
        constexpr std::size_t kMostSteps = 500;
        const RankSlot& rank = views_.front().rank();
        for (const Step& step : rank.trace().steps) {
            const RunRange range = rank.to_run(step.range);
            if (range.end <= span_.begin || range.begin >= span_.end || steps.size() == kMostSteps) continue;
            steps.push_back({(range.begin - span_.begin).count(), (range.end - span_.begin).count(), step.number});
        }
        return steps;
    }

    std::string said() const {
        std::string text = views_.size() < ranks_ ? "The first " + std::to_string(views_.size()) + " of " +
                                                        std::to_string(ranks_) + " ranks"
                                                  : format_plural(ranks_, "rank", "ranks");
        text += events_.size() < total_ ? "; the " + format_count(events_.size()) + " longest of " +
                                              format_count(total_) + " GPU events; the strips show all"
                                        : "; " + format_plural(total_, "GPU event", "GPU events");
        return text;
    }

    const Run& run_;
    const Filter& filter_;
    const TimelineLimits& limits_;
    TimelineNames names_;
    std::vector<RankView> views_;
    std::size_t ranks_ = 0;  // that pass the filter
    RunRange span_{};
    std::vector<TimelineEvent> events_;
    std::size_t total_ = 0;
};

}  // namespace

Result<std::string> timeline_to_json(const Run& run, const Filter& filter, const ShortName& short_name,
                                     const TimelineLimits& limits, const JobContext& context) {
    return TimelineMaker(run, filter, short_name, limits).make(context);
}

std::string timeline_to_html(std::string_view json, std::string_view title) {
    if (json.empty()) return {};
    return "<div class=\"timeline\">" + (title.empty() ? std::string() : "<h3>" + html_text(title) + "</h3>") +
           "<p class=\"more\"><span class=\"said\"></span> Control and wheel, or + and -, zoom; drag, or the arrows, "
           "move; 0 shows all.</p>\n" +
           std::string(kTimelineLegend) +
           "<canvas tabindex=\"0\" role=\"img\" aria-label=\"Timeline of the ranks\"></canvas>"
           "<div class=\"tip\"></div>\n<script type=\"application/json\">" +
           std::string(json) + "</script></div>\n";
}

const std::string_view kTimelineStyle = R"(
.timeline{position:relative}
.timeline canvas{display:block;width:100%;cursor:grab;touch-action:pan-y}
.timeline canvas:focus{outline:1px solid var(--accent)}
.tip{position:absolute;pointer-events:none;display:none;max-width:420px;padding:5px 9px;border-radius:6px;font-size:12.5px;
background:var(--card);border:1px solid var(--line);white-space:pre-line;overflow-wrap:anywhere;z-index:1}
)";

const std::string_view kTimelineScript = R"js(
document.querySelectorAll(".timeline").forEach(function(box){
var data=JSON.parse(box.querySelector("script").textContent);
var canvas=box.querySelector("canvas"),tip=box.querySelector(".tip"),pen=canvas.getContext("2d");
var rowHeight=34,strip=14,axis=22,left=58,from=0,to=data.span,drag=null;
box.querySelector(".said").textContent=data.said+".";
var shares=data.ranks.map(function(rank){var text=atob(rank.shares),bytes=new Uint8Array(text.length);
for(var i=0;text.length>i;++i)bytes[i]=text.charCodeAt(i);return bytes});
var cells=shares[0].length/3;
var ink=function(name){return getComputedStyle(document.documentElement).getPropertyValue("--"+name)};
var say=function(ns){var size=Math.abs(ns);var unit=size>=1e9?[1e9," s"]:size>=1e6?[1e6," ms"]:size>=1e3?[1e3," us"]:[1," ns"];
return Number((ns/unit[0]).toPrecision(4))+unit[1]};
var width=function(){return Math.max(200,box.clientWidth)};
var x=function(ns){return left+(ns-from)/(to-from)*(width()-left)};
var time=function(px){return from+(px-left)/(width()-left)*(to-from)};
var mean=function(rank,t0,t1,part){var a=Math.floor(t0/data.span*cells),b=Math.ceil(t1/data.span*cells),sum=0;
a=Math.max(0,Math.min(cells-1,a));b=Math.max(a+1,Math.min(cells,b));
for(var i=a;b>i;++i)sum+=shares[rank][3*i+part];return sum/(b-a)/255};
var drawAxis=function(height){
var rough=(to-from)/Math.max(2,(width()-left)/110),size=Math.pow(10,Math.floor(Math.log10(rough)));
var step=[1,2,5,10].map(function(f){return f*size}).find(function(s){return s>=rough});
pen.fillStyle=ink("muted");pen.textAlign="left";
for(var t=Math.ceil(from/step)*step;to>=t;t+=step){pen.fillStyle=ink("grid");pen.fillRect(x(t),axis-4,1,height);
pen.fillStyle=ink("muted");pen.fillText(say(t),x(t)+3,12)}
data.steps.forEach(function(s){[s[0],s[1]].forEach(function(t){if(t>=from)if(to>=t){pen.fillStyle=ink("accent");
pen.fillRect(x(t),axis-4,1,height)}})})};
var drawRank=function(rank,i){var top=axis+i*rowHeight,n=0;
pen.fillStyle=ink("text");pen.textAlign="left";pen.fillText("rank "+rank.rank,2,top+11);
pen.fillStyle=ink("idle");pen.fillRect(left,top,width()-left,strip);
for(var px=left;width()>px;++px){var t0=time(px),t1=time(px+1),y=top+strip;
["compute","communication","memory"].forEach(function(name,part){var h=strip*mean(i,t0,t1,part);
pen.fillStyle=ink2[name];pen.fillRect(px,y-h,1,h);y-=h})}
rank.events.forEach(function(e){var end=e[0]+e[1];if(e[0]>to)return;if(from>end)return;
var a=Math.max(left,x(e[0])),b=Math.min(width(),x(end));
pen.fillStyle=ink2[data.classes[e[3]]]||ink("slate");pen.fillRect(a,top+strip+2,Math.max(0.5,b-a),12);++n;
if(b-a>46){pen.save();pen.beginPath();pen.rect(a,top+strip+2,b-a-2,12);pen.clip();pen.fillStyle="#111";
pen.fillText(data.names[e[2]],a+3,top+strip+11);pen.restore()}});
return n};
var ink2={};
var draw=function(){var ratio=window.devicePixelRatio||1,height=axis+data.ranks.length*rowHeight;
canvas.style.height=height+"px";canvas.width=width()*ratio;canvas.height=height*ratio;pen.scale(ratio,ratio);
pen.font="11px system-ui, sans-serif";["compute","communication","memory"].forEach(function(n){ink2[n]=ink(n)});
pen.clearRect(0,0,width(),height);drawAxis(height);
var n=0;data.ranks.forEach(function(rank,i){n+=drawRank(rank,i)});
box.dataset.from=Math.round(from);box.dataset.to=Math.round(to);box.dataset.events=n};
var show=function(a,b){var least=Math.min(data.span,100),length=Math.max(least,Math.min(data.span,b-a));
from=Math.max(0,Math.min(data.span-length,a));to=from+length;tip.style.display="none";draw()};
var zoom=function(at,factor){show(at-(at-from)*factor,at+(to-at)*factor)};
canvas.addEventListener("wheel",function(e){if(!e.ctrlKey)return;e.preventDefault();
zoom(time(e.offsetX),e.deltaY>0?1.25:0.8)},{passive:false});
canvas.addEventListener("mousedown",function(e){drag={x:e.offsetX,from:from,to:to};canvas.style.cursor="grabbing"});
window.addEventListener("mouseup",function(){drag=null;canvas.style.cursor="grab"});
canvas.addEventListener("mouseleave",function(){tip.style.display="none"});
canvas.addEventListener("dblclick",function(e){zoom(time(e.offsetX),0.25)});
canvas.addEventListener("mousemove",function(e){
if(drag){var moved=(drag.x-e.offsetX)/(width()-left)*(drag.to-drag.from);show(drag.from+moved,drag.to+moved);return}
var i=Math.floor((e.offsetY-axis)/rowHeight),rank=data.ranks[i],t=time(e.offsetX);tip.style.display="none";
if(!rank)return;if(left>e.offsetX)return;
var slack=(to-from)/(width()-left)*2;
var hit=rank.events.find(function(v){return t>=v[0]-slack?v[0]+v[1]+slack>=t:false});
var low=e.offsetY-axis-i*rowHeight>strip;
tip.textContent=low?(hit?data.names[hit[2]]+"\n"+say(hit[1])+" at "+say(hit[0])+"\nrank "+rank.rank+", "+data.classes[hit[3]]:""):
"rank "+rank.rank+" at "+say(t)+"\ncompute "+Math.round(100*mean(i,t,t+slack/2,0))+" %, exposed communication "+
Math.round(100*mean(i,t,t+slack/2,1))+" %, exposed copies "+Math.round(100*mean(i,t,t+slack/2,2))+" %";
if(!tip.textContent)return;
tip.style.display="block";tip.style.left=Math.min(e.offsetX+14,width()-220)+"px";
tip.style.top=canvas.offsetTop+e.offsetY+16+"px"});
canvas.addEventListener("keydown",function(e){var middle=(from+to)/2,part=(to-from)/8;
var act={"+":function(){zoom(middle,0.5)},"=":function(){zoom(middle,0.5)},"-":function(){zoom(middle,2)},
"0":function(){show(0,data.span)},"ArrowLeft":function(){show(from-part,to-part)},
"ArrowRight":function(){show(from+part,to+part)}}[e.key];
if(!act)return;e.preventDefault();act()});
window.addEventListener("resize",draw);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change",draw);
draw()});
)js";

}  // namespace core
