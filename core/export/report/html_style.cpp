#include "core/export/report/html_style.hpp"

namespace core {

const std::string_view kReportStyle = R"(
:root{color-scheme:light dark;--back:#fbfbfc;--card:#fff;--line:#e1e4ea;--grid:#eceef2;--text:#1b1f26;--muted:#5c6573;
--accent:#1f6fc4;--warning:#a8620b;--error:#b9362f;--compute:#5c86da;--communication:#b97ab3;--memory:#e5a552;
--idle:#cfd4dc;--violet:#8c7fd6;--mint:#6fb3a2;--rose:#d98c86;--mixed:#b9b4c4;--olive:#9ca960;--slate:#728096}
@media(prefers-color-scheme:dark){:root{--back:#121418;--card:#191c22;--line:#2e333d;--grid:#262b34;--text:#dde2ea;
--muted:#98a1ae;--accent:#4c9be8;--warning:#e0a95a;--error:#e5736d;--idle:#3d434c}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif}
main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:28px;line-height:1.2;font-weight:650;letter-spacing:-.01em;margin:4px 0 6px;overflow-wrap:anywhere}
h2{font-size:19px;font-weight:620;margin:0 0 2px}
h3{font-size:15px;font-weight:620;margin:20px 0 4px}
p{margin:4px 0}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
code,pre,.name{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12.5px}
.kicker,.muted,figcaption,.more{color:var(--muted)}
.kicker{font-size:13px;font-weight:600;color:var(--accent)}
figcaption,.more,.legend{font-size:13px}
nav{margin:18px 0 0;display:flex;flex-wrap:wrap;gap:4px 18px;font-size:14px}
section{margin-top:44px;padding-top:22px;border-top:1px solid var(--line)}
.tiles{display:flex;flex-wrap:wrap;gap:1px;margin:24px 0 0;
background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden}
.tile{background:var(--card);padding:12px 16px;flex:1 1 120px}
.tile b{display:block;font-size:21px;font-weight:620;font-variant-numeric:tabular-nums;line-height:1.3}
.tile span{display:block;font-size:12.5px;color:var(--muted)}
.picture{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:8px;margin-top:24px}
dl{display:grid;grid-template-columns:minmax(110px,max-content) 1fr;gap:3px 20px;margin:10px 0}
dt{color:var(--muted)}
dd{margin:0;overflow-wrap:anywhere}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:0 32px}
.finding{border-left:3px solid var(--line);padding:2px 0 2px 14px;margin:14px 0}
.finding.error,.finding.high{border-color:var(--error)}
.finding.warning,.finding.medium{border-color:var(--warning)}
.finding b{font-weight:620}
.finding .level{font-size:12.5px;color:var(--muted);margin-left:8px}
figure{margin:16px 0}
figcaption{margin-top:4px}
.wide{overflow-x:auto}
svg{display:block;width:100%;min-width:640px;height:auto;font-size:11.5px;font-variant-numeric:tabular-nums}
svg text{fill:var(--muted)}
svg.patterns{position:absolute;width:0;height:0;min-width:0}
svg .small{font-size:10px}
.grid{fill:var(--grid)}.zero{fill:var(--line)}.limit{fill:var(--warning)}
svg .share{fill:#14171c}svg .share.on-idle{fill:var(--text)}
.whisker{fill:var(--text);fill-opacity:.82}.whisker.faint{fill-opacity:.32}
.hatch{fill:url(#hatch);pointer-events:none}
.stripe{stroke:var(--card);stroke-width:1.6}
polyline{fill:none;stroke-width:1.4;stroke-linejoin:round}
.legend{list-style:none;display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;padding:0;margin:0 0 8px;
color:var(--muted)}
.legend li{display:flex;align-items:center;gap:6px}
.swatch{width:11px;height:11px;border-radius:2px;display:inline-block;flex:none}
.swatch.plain{background:var(--slate)}
.swatch.hatched{background:repeating-linear-gradient(135deg,var(--slate) 0 2.5px,var(--card) 2.5px 4px)}
.heat{fill:var(--accent)}.heat.more{fill:var(--rose)}.heat.less{fill:var(--mint)}.nothing{fill:var(--grid)}
.p-compute{fill:var(--compute);background:var(--compute)}.l-compute{stroke:var(--compute)}
.p-communication{fill:var(--communication);background:var(--communication)}.l-communication{stroke:var(--communication)}
.p-memory{fill:var(--memory);background:var(--memory)}.l-memory{stroke:var(--memory)}
.p-idle{fill:var(--idle);background:var(--idle)}
.p-violet{fill:var(--violet);background:var(--violet)}.l-violet{stroke:var(--violet)}
.p-mint{fill:var(--mint);background:var(--mint)}.l-mint{stroke:var(--mint)}
.p-rose{fill:var(--rose);background:var(--rose)}.l-rose{stroke:var(--rose)}
.p-mixed{fill:var(--mixed);background:var(--mixed)}
.p-olive{fill:var(--olive);background:var(--olive)}
.p-slate{fill:var(--slate);background:var(--slate)}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;min-width:60%}
th{font-weight:600;text-align:left;color:var(--muted);border-bottom:1px solid var(--line);vertical-align:bottom}
th,td{padding:4px 14px 4px 0;white-space:nowrap}
th{white-space:normal}
th span{display:block;font-weight:400}
td{border-bottom:1px solid var(--grid)}
th.n,td.n{text-align:right}
td.name{font-size:12px}
tr:hover td{background:var(--grid)}
tr.noise td{color:var(--muted)}
.sortable th{cursor:pointer}
details{margin-top:12px}
summary{cursor:pointer;color:var(--accent);font-size:14px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--card);border:1px solid var(--line);border-radius:8px;
padding:14px 16px;margin:8px 0 0;line-height:1.5}
footer{margin-top:56px;padding-top:16px;border-top:1px solid var(--line);font-size:13px;color:var(--muted)}
@media print{:root{--back:#fff}main{max-width:none;padding:0}section{break-inside:auto}figure,tr,.finding{break-inside:
avoid}svg{min-width:0}nav{display:none}.wide{overflow:visible}*{print-color-adjust:exact;
-webkit-print-color-adjust:exact}}
)";

const std::string_view kReportScript = R"(
document.querySelectorAll("table").forEach(function(table){
table.classList.add("sortable");
var value=function(row,i){var cell=row.cells[i];var number=cell.getAttribute("data-v");
return number===null?cell.textContent:Number(number)};
table.querySelectorAll("th").forEach(function(head,i){head.addEventListener("click",function(){
var down=head.dataset.down!=="yes";head.dataset.down=down?"yes":"no";
var body=table.tBodies[0];
Array.from(body.rows).sort(function(a,b){var x=value(a,i),y=value(b,i);
var order=x===y?0:(x>y)?1:-1;return down?-order:order}).forEach(function(row){body.appendChild(row)})})})});
)";

const std::string_view kReportPatterns =
    "<svg class=\"patterns\" xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\"><defs>"
    "<pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><line class=\"stripe\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\"/></pattern>"
    "</defs></svg>\n";

}  // namespace core
