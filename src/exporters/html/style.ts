import { FILTER_STYLE } from './filters.ts';

/** The looks of the page. Its hash is in the page's policy, and so it is the only style that applies. */
export const STYLE = `
:root{color-scheme:light;--bg:#fff;--fg:#1f2328;--dim:#636c76;--faint:#8b949e;--line:#d9dee4;--soft:#f6f8fa;--card:#fbfcfd;--link:#0860ca;--user:#eef4ff;--user-line:#b6cdf7;--sum:#fff8e6;--sum-line:#ecd08a;--bad:#fff1f0;--bad-line:#f0a8a2;--bad-fg:#b42318;--warn-fg:#8a5a00;--ins:#dafbe1;--del:#ffe5e2;--mark:#ffe58a;--now:#ffb347;--ring:#0969da;--tool:#5b3fa8}
:root[data-theme=dark]{color-scheme:dark;--bg:#0f1319;--fg:#dde3ea;--dim:#98a3af;--faint:#76818d;--line:#2b323b;--soft:#171c23;--card:#141920;--link:#79b8ff;--user:#15233b;--user-line:#2c4a7c;--sum:#2a2210;--sum-line:#5c4a18;--bad:#2c1715;--bad-line:#7a332c;--bad-fg:#ff9b90;--warn-fg:#e8b44c;--ins:#12331d;--del:#401c1a;--mark:#6b5600;--now:#a15c00;--ring:#58a6ff;--tool:#c3adff}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--bg:#0f1319;--fg:#dde3ea;--dim:#98a3af;--faint:#76818d;--line:#2b323b;--soft:#171c23;--card:#141920;--link:#79b8ff;--user:#15233b;--user-line:#2c4a7c;--sum:#2a2210;--sum-line:#5c4a18;--bad:#2c1715;--bad-line:#7a332c;--bad-fg:#ff9b90;--warn-fg:#e8b44c;--ins:#12331d;--del:#401c1a;--mark:#6b5600;--now:#a15c00;--ring:#58a6ff;--tool:#c3adff}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--link);text-decoration:none}
a:hover,.text a,.note a,.fork a,.branch a{text-decoration:underline}
:focus-visible{outline:2px solid var(--ring);outline-offset:2px;border-radius:4px}
header#top,main{max-width:54rem;margin:0 auto;padding:0 1.5rem}
header#top{padding-top:2rem;padding-bottom:1.25rem;border-bottom:1px solid var(--line);margin-bottom:1.5rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 1rem;letter-spacing:-.01em;unicode-bidi:isolate}
h2,h3,h4,h5,h6{line-height:1.3;margin:1.2em 0 .5em}
dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:.4rem 1.5rem;margin:0;font-size:.875rem}
dl.facts div{display:flex;gap:.6rem;min-width:0}
dl.facts dt{color:var(--dim);flex:none}
dl.facts dd{margin:0;min-width:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
nav.branches{margin-top:1rem;font-size:.875rem}
nav.branches ul{margin:0;padding-left:1.2rem}
.label{display:inline-block;font-size:.75rem;font-weight:600;color:var(--tool);border:1px solid currentColor;border-radius:1rem;padding:0 .5rem;unicode-bidi:isolate}
.chunk{content-visibility:auto;contain-intrinsic-size:auto 8000px}
.rows{content-visibility:auto;contain-intrinsic-size:auto 80rem}
article{margin:0 0 1rem;padding:0 0 0 1rem;border-left:3px solid transparent;unicode-bidi:isolate}
article.turn{margin-top:1.75rem}
article.assistant,article.tool{border-left-color:var(--line)}
article.user{background:var(--user);border:1px solid var(--user-line);border-radius:10px;padding:.75rem 1rem}
article.summary{background:var(--sum);border:1px dashed var(--sum-line);border-radius:10px;padding:.75rem 1rem}
article.command,article.instructions,article.extension,article.unknown{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem}
article:target,.note:target,.result:target{outline:2px solid var(--ring);outline-offset:4px;border-radius:10px}
.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:.15rem .6rem;margin:0 0 .4rem}
.head h2{font-size:1rem;margin:0}
.head p{margin:0;color:var(--dim);font-size:.8125rem;font-variant-numeric:tabular-nums}
.head p span+span::before{content:"·";margin:0 .4rem;color:var(--faint)}
.head p span:first-child{white-space:nowrap}
.number{font-size:.8125rem;color:var(--dim);font-variant-numeric:tabular-nums}
article:not(.turn) .head{position:relative;padding-right:1.2rem}
article:not(.turn)>.head .number,.note .number,.result .number{opacity:0;position:absolute;right:0;top:0}
article:hover>.head .number,:is(.note,.result):hover .number,.number:focus{opacity:1}
@media(hover:none){article .number,.note .number{opacity:1!important}}
.text>:first-child{margin-top:0}
.text>:last-child,article>:last-child{margin-bottom:0}
.text{margin:.5rem 0}
.text p{white-space:pre-wrap;margin:.6em 0;unicode-bidi:plaintext}
.text li{white-space:pre-wrap;margin:.2em 0;unicode-bidi:plaintext}
.text ul,.text ol{margin:.5em 0;padding-left:1.6em;white-space:normal}
.text ol.wide{padding-left:0;list-style-position:inside}
.text h3{font-size:1.2rem}.text h4{font-size:1.08rem}.text h5,.text h6{font-size:1rem}
.text blockquote{margin:.6em 0;padding:0 0 0 1em;border-left:3px solid var(--line);color:var(--dim)}
.text hr{border:0;border-top:1px solid var(--line);margin:1.2em 0}
.table{overflow-x:auto;margin:.8em 0}
table{border-collapse:collapse;font-size:.9375rem}
th,td{border:1px solid var(--line);padding:.3rem .7rem;text-align:left;vertical-align:top;unicode-bidi:isolate}
th{background:var(--soft);font-weight:600}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{font-size:.86em;background:var(--soft);border-radius:4px;padding:.12em .35em;unicode-bidi:isolate;overflow-wrap:anywhere}
pre{position:relative;margin:.5rem 0;padding:.7rem .9rem;background:var(--soft);border:1px solid var(--line);border-radius:8px;overflow:auto;max-height:36rem;font-size:.8125rem;line-height:1.5;tab-size:4;unicode-bidi:isolate}
pre code{font-size:inherit;background:none;padding:0;border-radius:0;overflow-wrap:normal}
pre ins,pre del{display:inline-block;min-width:calc(100% + 1.8rem);margin:0 -.9rem;padding:0 .9rem;text-decoration:none}
pre ins{background:var(--ins)}pre del{background:var(--del)}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--dim);font-size:.875rem;border-radius:6px}
summary:hover{color:var(--fg)}
details.thinking{border-left:2px solid var(--line);padding-left:.9rem}
details.thinking .text{color:var(--dim);font-size:.9375rem}
details.call{border:1px solid var(--line);border-radius:8px;background:var(--card);padding:.45rem .8rem}
details.call>summary{color:var(--fg);overflow-wrap:anywhere}
details.call>summary b{color:var(--tool);font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
p.omitted{margin:.5rem 0;color:var(--dim);font-size:.875rem}
details.call[open]>summary .gist{display:none}
.took,.ending{margin-left:.4rem;color:var(--dim);font-size:.8125rem;white-space:nowrap;font-variant-numeric:tabular-nums}
details.failed>summary .ending{color:var(--bad-fg);font-weight:600}
details.call.failed{border-color:var(--bad-line)}
details.call[open]>summary{margin-bottom:.35rem}
.result{position:relative}
.result>p,.missing{margin:.5rem 0 .2rem;color:var(--dim);font-size:.8125rem}
.result.failed>p,.result.failed>summary{color:var(--bad-fg);font-weight:600}
.result.failed pre{background:var(--bad);border-color:var(--bad-line)}
.remark{margin:.5rem 0;padding:.5rem .8rem;border-radius:8px;border:1px solid var(--line);font-size:.9375rem}
.remark p{margin:0}
.remark.note{border:0;padding:0;color:var(--dim);font-style:italic}
.remark.warning{border-color:var(--sum-line);background:var(--sum);color:var(--warn-fg);font-weight:600}
.remark.error{border-color:var(--bad-line);background:var(--bad);color:var(--bad-fg);font-weight:600}
.remark pre{font-weight:400;color:var(--fg);white-space:pre-wrap}
figure{margin:.6rem 0}
figure img{max-width:100%;max-height:40rem;border:1px solid var(--line);border-radius:8px;display:block}
figcaption{color:var(--dim);font-size:.8125rem;margin-top:.25rem}
.note{position:relative;margin:.35rem 0 .35rem 1.2rem;color:var(--dim);font-size:.875rem}
.note>p{margin:0;padding-left:1rem}
.note>details{margin:0}
.note>details>summary::marker{color:var(--faint)}
.note>p::before{content:"";position:absolute;left:0;top:.62em;width:.4rem;height:.4rem;border-radius:50%;background:var(--faint)}
.fork a[aria-current=true]{font-weight:600;color:var(--fg)}
.fork{margin:1rem 0;padding:.5rem .9rem;border:1px dashed var(--tool);border-radius:8px;font-size:.875rem}
.branch{margin:2.5rem 0 1rem;padding-top:1rem;border-top:2px solid var(--line)}
.branch h2{margin:0 0 .2rem}
section:first-child .branch:first-child{margin-top:0;padding-top:0;border-top:0}
.branch p{margin:0;color:var(--dim);font-size:.875rem}
${FILTER_STYLE}#strip{position:relative;height:3rem;margin:1.25rem .25rem 0;border-bottom:1px solid var(--line)}
#strip a{position:absolute;bottom:0;transform:translateX(-50%);border-right:1px solid var(--bg);border-radius:2px 2px 0 0;background:var(--faint)}
#strip a::after{content:"";position:absolute;inset:auto -1px 0 0;height:3rem}
#strip i{position:absolute;inset:0 auto;width:.5rem;margin-left:-.25rem;background:repeating-linear-gradient(var(--faint) 0 4px,transparent 4px 8px) 50%/1px no-repeat}
#strip a.user{background:var(--link)}
#strip a.failed{background:var(--bad-fg)}
#strip a:hover{outline:2px solid var(--ring)}
#scale{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;margin:.3rem 0 0;color:var(--dim);font-size:.75rem;font-variant-numeric:tabular-nums}
#bar,#side{display:none}
.js #bar{display:flex;position:sticky;top:0;z-index:3;gap:.5rem;align-items:center;padding:.5rem 1rem;background:var(--bg);border-bottom:1px solid var(--line)}
#bar input{flex:1;min-width:6rem;max-width:26rem;font:inherit;font-size:.875rem;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:.35rem .7rem}
#bar output{font-size:.8125rem;color:var(--dim);min-width:4.5rem;font-variant-numeric:tabular-nums;white-space:nowrap}
#bar button,#side button,dialog button{font:inherit;font-size:.8125rem;color:var(--fg);background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:.35rem .7rem;cursor:pointer;white-space:nowrap}
#bar select{font:inherit;font-size:.8125rem;color:var(--fg);background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:.35rem .4rem}
#bar button:hover,#side button:hover{border-color:var(--faint)}
#bar button[aria-pressed=true],#side button[aria-current=true]{background:var(--user);border-color:var(--user-line)}
#bar .space{flex:1}
.js header#top nav.branches{display:none}
#side h3{font-size:.75rem;text-transform:uppercase;letter-spacing:.05em;color:var(--dim);margin:1rem 0 .4rem}
#side ul{list-style:none;margin:0;padding:0}
#side ul.deeper{padding-left:.9rem;border-left:1px solid var(--line);margin-left:.5rem}
#side li{display:block}
#side .entry{margin:.1rem 0}
#side .off{display:none}
:root:is([data-filter=labeled],[data-filter=errors]) #side .off{display:block}
#side li a{display:block;padding:.15rem .5rem;border-radius:6px;color:var(--dim);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
#side li a:hover{background:var(--soft);text-decoration:none}
#side li a[aria-current=true]{background:var(--user)}
#side .entry:not(.turn)>a{padding-left:1.45rem}
#side .user>a{color:var(--fg);font-weight:600}
#side .summary>a{color:var(--warn-fg)}
#side .failed>a{color:var(--bad-fg)}
#side li a i{font-style:normal;font-weight:400;color:var(--dim);font-variant-numeric:tabular-nums;margin-right:.45rem}
#side button{width:100%;text-align:left;overflow:hidden;text-overflow:ellipsis;margin:.15rem 0}
@media(min-width:70rem){
.js #side{display:block;position:fixed;top:3.1rem;bottom:0;left:0;width:18rem;overflow:auto;padding:0 1rem 2rem;border-right:1px solid var(--line);font-size:.8125rem;background:var(--bg)}
.js body{padding-left:18rem}
.js #bar{margin-left:-18rem}
#bar [data-do=side]{display:none}
}
@media(max-width:69.99rem){
.js.side #side{display:block;position:fixed;top:3.1rem;bottom:0;left:0;width:min(20rem,85vw);overflow:auto;padding:0 1rem 2rem;border-right:1px solid var(--line);font-size:.875rem;background:var(--bg);z-index:2;box-shadow:4px 0 24px rgba(0,0,0,.2)}
}
@media(max-width:48rem){
body{font-size:15px}
header#top,main{padding-left:1rem;padding-right:1rem}
#bar [data-wide]{display:none}
.js #bar{flex-wrap:wrap;padding:.5rem .75rem}
#bar input{order:2;flex-basis:60%;max-width:none}
#bar output{order:3}
#scale span:nth-child(2){order:1;flex-basis:100%}
#bar .space{order:1;display:none}
.js.side #side{top:5.6rem}
html{scroll-padding-top:6.6rem}
article{padding-left:.7rem}
}
dialog{color:var(--fg);background:var(--bg);border:1px solid var(--line);border-radius:12px;padding:1.25rem 1.5rem;max-width:30rem}
dialog::backdrop{background:rgba(0,0,0,.45)}
dialog h2{margin:0 0 .75rem;font-size:1.1rem}
dialog dl{display:grid;grid-template-columns:auto 1fr;gap:.35rem 1rem;margin:0 0 1rem;font-size:.9rem}
dialog dd{margin:0}
kbd{font:inherit;font-size:.8125rem;border:1px solid var(--line);border-bottom-width:2px;border-radius:5px;padding:.05rem .4rem;background:var(--soft)}
.hit{outline:2px solid var(--now);outline-offset:4px;border-radius:8px}
::highlight(found){background:var(--mark)}
::highlight(current){background:var(--now)}
[hidden]{display:none!important}
@media print{#bar,#side,#strip,#scale{display:none!important}.js body{padding:0}.chunk{content-visibility:visible!important}pre{max-height:none;white-space:pre-wrap}}
`;
