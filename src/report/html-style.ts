import { CHART_STYLE, DARK, declarations, LIGHT } from '../chart/theme.js';

/** The page's style sheet: light and dark screens, phones, and paper. Text contrast is at least 7:1. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1c2126;--soft:#4a545e;--line:#c9d1d9;--page:#fff;--tint:#f4f6f8}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#b3bdc7;--line:#3a424c;--page:#12161b;--tint:#1a2027}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
main{max-width:66rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
h1{font-size:2.5rem;line-height:1.15;font-weight:650;letter-spacing:-.025em;margin:.5rem 0 .5rem;text-wrap:balance}
sup{font-size:.6em;line-height:0;vertical-align:baseline;position:relative;top:-.6em;letter-spacing:0}
.over{margin:0;color:var(--soft);font-size:.925rem;max-width:none;overflow-wrap:anywhere}
.under{margin:0 0 1.5rem;font-size:1.125rem;color:var(--soft)}
h2{font-size:1.2rem;line-height:1.3;margin:2.25rem 0 .75rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
p{margin:.6rem 0;max-width:44rem}
dl{display:grid;grid-template-columns:minmax(9rem,16rem) 1fr;gap:.35rem 1.25rem;margin:.75rem 0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;min-width:min(100%,30rem);margin:1rem 0;font-variant-numeric:tabular-nums;max-width:100%}
caption{text-align:left;font-weight:600;padding-bottom:.35rem}
th,td{text-align:left;vertical-align:top;padding:.3rem 1.25rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:break-word}
td{overflow-wrap:normal}
.tables{display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 2.5rem}
.tables table{min-width:0;flex:1 1 14rem}
.appendix .tables table{flex-basis:min(100%,22rem)}
table.wide{font-size:.8rem}
table.wide th,table.wide td{padding-right:.7rem}
th{font-weight:600;overflow-wrap:break-word}
tbody th{font-weight:400}
.way{width:9rem;min-width:6rem;padding:0;position:relative;background:linear-gradient(var(--line),var(--line)) 0 50%/calc(100% - 1.2rem) 1px no-repeat;print-color-adjust:exact}
thead .way{background:none}
.way i{position:absolute;top:50%;width:.6em;height:.6em;margin:-.3em;border-radius:50%;background:var(--soft);print-color-adjust:exact}
tbody tr:first-child .way i{background:#1a5fb4}
.head{display:grid;gap:1rem 2.5rem}
@media screen and (min-width:56rem){.appendix table:not(.wide) td{white-space:nowrap}.head{grid-template-columns:minmax(0,1fr) 22rem;align-items:start}.head h1{font-size:2.1rem}.head figure{margin-top:1.5rem}}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16.5rem),1fr));gap:1.5rem 2rem;margin:1rem 0}
figure{margin:0;min-width:0}
figure svg{display:block;width:100%;height:auto;max-width:34rem}
${CHART_STYLE}
.chart{${declarations(LIGHT)}}
@media screen and (prefers-color-scheme:dark){.chart{${declarations({ ...DARK, bg: '#12161b' })}}}
figcaption{color:var(--soft);font-size:.925rem;margin-top:.4rem;max-width:34rem}
figcaption b{color:var(--ink)}
footer{margin-top:2.5rem;color:var(--soft);font-size:.925rem}
@media (max-width:40rem){
main{padding:1rem 1rem 2rem}
h1{font-size:1.9rem}
dl{display:block}
dt{margin-top:.6rem;font-size:.925rem}
table{width:100%}
th,td{padding-right:.75rem}
table.wide thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.wide tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
table.wide th,table.wide td{display:block;border:0;padding:.1rem 0}
table.wide tbody th{font-weight:600}
table.wide td::before{content:attr(data-label) ": ";color:var(--soft)}
}
@media print{
@page{margin:8mm 14mm 7mm}
body{font-size:8pt;line-height:1.22}
p{margin:.2rem 0;max-width:none}
h2{margin:.45rem 0 .2rem;font-size:10pt}
.half{float:left;width:calc(50% - 4mm)}
.half+.half{float:right}
.half+:not(.half){clear:both}
.half table{min-width:0;width:100%}
.under{font-size:11pt;margin-bottom:.4rem}
.over{margin:0}
.head{grid-template-columns:minmax(0,1fr) 56mm;gap:6mm}
.second{break-before:page}
.appendix{font-size:6.6pt;line-height:1.24;columns:2;column-gap:8mm}
.appendix h2,.appendix table.wide,.appendix table.wide~*{column-span:all}
.appendix table{font-size:6.6pt;min-width:0;width:100%}
.appendix table:not(.wide) td{white-space:nowrap}
.appendix dl{grid-template-columns:minmax(5rem,7rem) 1fr}
.appendix .tables table{flex-basis:100%}
footer{margin-top:.6rem;font-size:7pt}
table{margin:.3rem 0}
th,td{padding-top:.04rem;padding-bottom:.04rem}
.appendix table{margin:.2rem 0}
.appendix table.wide{font-size:6.4pt}
table.wide{font-size:7.4pt;width:100%}
dl{gap:.1rem 1rem;margin:.25rem 0;grid-template-columns:minmax(6rem,9rem) 1fr}
figcaption{font-size:7pt;margin-top:.1rem}
figure svg{max-width:43mm}
.head figure svg{max-width:56mm}
.figures{gap:.4rem 4mm;margin:.3rem 0}
main{max-width:none;padding:0}
h1{font-size:18pt;margin:.1rem 0}
h2,caption,thead{break-after:avoid}
figure,tr,dl>div{break-inside:avoid}
.figures{grid-template-columns:1fr 1fr 1fr}
}
`.trim();
