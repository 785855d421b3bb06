"""How the report's page looks: on a telephone, on a wide screen, by day and by night."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --paper: #fff; --line: #d9d9e0;
  --panel: #f4f4f7; --answered: #2f8f5b; --part: #8a9a12; --quarantined: #c77700;
  --open: #c62a2f; --link: #0a5fb8; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #a5a9b0; --paper: #14161a;
  --line: #363a3f; --panel: #1f2328; --answered: #3fb275; --part: #b9c94a;
  --quarantined: #f0a33c; --open: #ff6369;
  --link: #7cb8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: .25rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .25rem 0; } a { color: var(--link); }
header p { color: var(--soft); }
.status { display: inline-block; margin: 0; padding: 0 .6rem; border-radius: 1rem;
  color: var(--paper); background: var(--open); font-weight: 600; }
header .status { color: var(--paper); }
.status.complete { background: var(--answered); }
.status.quarantined { background: var(--quarantined); }
.numbers { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .5rem;
  margin: 1rem 0; }
.numbers div { background: var(--panel); border-radius: .5rem; padding: .5rem .75rem; }
dt { color: var(--soft); font-size: .875rem; } dd { margin: 0; }
.numbers dd { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.keys span { margin-right: 1rem; white-space: nowrap; }
.keys span::before { content: ""; display: inline-block; width: .75rem; height: .75rem;
  margin-right: .35rem; border-radius: .2rem; background: currentColor; }
.keys .answered { color: var(--answered); } .keys .part { color: var(--part); }
.keys .quarantined { color: var(--quarantined); } .keys .open { color: var(--open); }
.bars { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr));
  gap: .3rem .6rem; list-style: none; margin: .5rem 0; padding: 0; }
.bars li { font-size: .75rem; color: var(--soft); line-height: 1.3; }
.bars b { display: flex; height: .6rem; border-radius: .2rem; overflow: hidden;
  background: var(--panel); }
.bars i { display: block; min-width: 2px; } i.answered { background: var(--answered); }
i.part { background: var(--part); } i.quarantined { background: var(--quarantined); }
i.open { background: var(--open); }
.reasons { list-style: none; padding: 0; margin: .5rem 0; }
.reasons li { padding: .35rem 0; border-bottom: 1px solid var(--line); }
.reasons b { font-variant-numeric: tabular-nums; margin-right: .5rem; }
.entries { list-style: none; padding: 0; margin: 0; }
.entries li { padding: .5rem 0; border-bottom: 1px solid var(--line); }
.entries p { color: var(--soft); }
code, pre { font: .875rem/1.4 ui-monospace, monospace; }
small { color: var(--soft); white-space: nowrap; }
pre { margin: .25rem 0; padding: .35rem .5rem; background: var(--panel); border-radius: .3rem;
  white-space: pre-wrap; }
.asked { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .15rem 1rem; }
"""
