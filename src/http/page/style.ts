// The style of the page: light and dark, desktop and phone, and paper. And its icon in the tab of a browser.

/** One style sheet. */
export const style = `
:root { color-scheme: light dark; --ink: #1d1c1d; --quiet: #616061; --line: #ddd; --ground: #fff; --soft: #f6f6f4;
  --link: #1264a3;
  --good: #0b6e3f; --bad: #b3261e; --waits: #7a5200; --odd: #5b3a8c }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e6; --quiet: #a5a5a2; --line: #3a3b3d; --ground: #1a1b1d;
  --soft: #242528;
  --link: #7ab7ea; --good: #6fd3a0; --bad: #ff9b93; --waits: #f0c674; --odd: #c9a6ff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere }
header { display: flex; gap: 12px; align-items: baseline; padding: 12px 24px; border-bottom: 1px solid var(--line) }
header form { margin-left: auto }
.home { font-weight: 700; color: inherit; text-decoration: none }
main { max-width: 1120px; margin: 0 auto; padding: 24px }
h1 { font-size: 22px; line-height: 1.35; margin: 0 0 16px }
h2 { font-size: 17px; margin: 32px 0 8px }
h3 { font-size: 15px; margin: 12px 0 4px }
a { color: var(--link) }
code, pre { font: 13px/1.5 ui-monospace, monospace }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 12px; margin: 0;
  white-space: pre-wrap }
.quiet, .none, .path, dt { color: var(--quiet) }
.problem { border-left: 3px solid var(--bad); padding: 4px 12px; background: var(--soft) }
.state { display: inline-block; font-size: 13px; font-weight: 600; border: 1px solid currentColor; border-radius: 10px;
  padding: 0 9px; white-space: nowrap; vertical-align: middle }
.good { color: var(--good) } .bad { color: var(--bad) } .waits { color: var(--waits) } .odd { color: var(--odd) }
input, select, button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--quiet);
  border-radius: 6px;
  padding: 6px 10px; height: 38px }
button { background: var(--ink); color: var(--ground); border-color: var(--ink); font-weight: 600; cursor: pointer }
a.button { display: inline-block; padding: 7px 14px; border-radius: 6px; background: var(--ink); color: var(--ground);
  font-weight: 600; text-decoration: none }
button.plain { background: none; color: var(--link); border: 0; padding: 0; height: auto; font-weight: 400 }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
label { font-size: 13px; color: var(--quiet) }
label input, label select { display: block; width: 100%; color: var(--ink); font-size: 15px }
.filters { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 12px; align-items: end;
  background: var(--soft);
  border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin-bottom: 24px }
.filters .wide { grid-column: 1 / -1 } .filters .wide input { font-family: ui-monospace, monospace }
.downloads { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: baseline; color: var(--quiet) }
.downloads a { border: 1px solid var(--link); border-radius: 6px; padding: 4px 12px; text-decoration: none }
.filters details { grid-column: 1 / -1 } summary { font-size: 13px; color: var(--link); cursor: pointer }
.grid { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 12px; margin-top: 12px }
.acts { display: flex; gap: 16px; align-items: center }
.sign-in { display: flex; gap: 12px; align-items: end; max-width: 560px } .sign-in label { flex: 1 }
table { width: 100%; border-collapse: collapse; table-layout: fixed }
thead th:nth-child(2) { width: 14% } thead th:nth-child(3) { width: 17% } thead th:nth-child(4) { width: 18% }
thead th:nth-child(5) { width: 13% }
th, td { text-align: left; vertical-align: top; padding: 9px 12px 9px 0; border-bottom: 1px solid var(--line);
  font-weight: 400 }
thead th { font-size: 13px; color: var(--quiet); white-space: nowrap }
thead a { color: inherit } [aria-sort] a::after { content: " ▾" }
.printed { display: none }
.target { display: block; font-size: 13px; font-weight: 400; color: var(--quiet) } .small { font-size: 13px }
tbody th a { font-weight: 400 } tbody th a code { font: inherit; font-weight: 600 }
h1 code, h3 code { font: inherit } h1 code { background: var(--soft); border-radius: 4px }
p.said { margin: 12px 0 4px } pre + pre { margin-top: 8px } .note { color: var(--quiet); margin: 8px 0 0 }
h1 + .note { margin: -8px 0 16px } h2 + .note { margin: 0 0 8px }
.whole { white-space: nowrap }
dd .note { display: block; margin: 0; font-size: 13px }
section details { margin-top: 12px } summary + * { margin-top: 8px }
tbody th { font-weight: 600 } td { font-size: 14px }
time { font-variant-numeric: tabular-nums; white-space: nowrap }
dl { display: grid; grid-template-columns: 1fr 1fr; gap: 0 32px; margin: 0 }
dl div { display: grid; grid-template-columns: 100px 1fr; gap: 12px; padding: 6px 0;
  border-bottom: 1px solid var(--line) }
dd { margin: 0; min-width: 0 }
ul { padding-left: 20px; margin: 0 } li { margin: 4px 0 }
.timeline { list-style: none; margin: 0; padding: 0 0 0 16px; border-left: 2px solid var(--line) }
.timeline li { display: grid; grid-template-columns: 190px 1fr auto; gap: 16px; padding: 6px 0; margin: 0 }
.timeline .quiet { font-size: 13px } .timeline .said .quiet { font-size: inherit }
.foreign .said { color: var(--bad) }
footer { max-width: 1120px; margin: 0 auto; padding: 0 24px 24px; font-size: 13px; color: var(--quiet) }
@media (max-width: 720px) {
  header { padding: 12px 16px } main { padding: 16px } footer { padding: 0 16px 16px }
  h1 { font-size: 19px } .filters, .grid { grid-template-columns: repeat(2, minmax(0, 1fr)) }
  .filters { padding: 12px } .filters > label:first-child, .acts { grid-column: 1 / -1 }
  dl { grid-template-columns: 1fr }
  table, tbody, tr, td, tbody th { display: block } thead { display: none }
  tr { padding: 10px 0; border-bottom: 1px solid var(--line) }
  th, td { border: 0; padding: 2px 0 } td { display: grid; grid-template-columns: 100px 1fr; gap: 12px }
  td::before { content: attr(data-label); color: var(--quiet); font-size: 13px }
  td.absent { display: none } td > * { justify-self: start; min-width: 0 }
  .timeline li { grid-template-columns: 1fr; gap: 0; padding: 8px 0 }
  .sign-in { flex-direction: column; align-items: stretch }
}
@media print {
  :root { color-scheme: light; --ink: #000; --quiet: #444; --line: #bbb; --ground: #fff; --soft: #fff; --link: #000;
    --good: #000; --bad: #000; --waits: #000; --odd: #000 }
  body { font-size: 10pt } main { max-width: none; padding: 0 } footer { max-width: none; padding: 16px 0 0 }
    header { padding: 0 0 8px }
  .printed { display: block } header form, .filters, .more, .downloads, .path a, .path .slash { display: none }
  code, pre { font-size: 8pt } h2, h3 { break-after: avoid } li, tr, dl div { break-inside: avoid }
  details::details-content { content-visibility: visible; display: block }
  .who::after { content: " (" attr(title) ")"; color: var(--quiet) }
  a { text-decoration: none } section a[href]::after { content: " (" attr(href) ")"; color: var(--quiet) }
}
`

/** A signature under a line of text, as an SVG. It has its own ground, so it shows on light and dark tabs. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1264a3"/>
<path d="M7 10h18" stroke="#fff" stroke-width="3" stroke-linecap="round" opacity=".6"/>
<path d="M7 21c4-7 6-7 6-3s2 5 4 1 3-3 3 0 2 2 5 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
</svg>
`
