"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const WORDS = {
  en: { search: "Search names and quotes", none: "nothing", found: n => `${n} found`, relations: "Relations", said: "Mentioned",
    also: "also called", facts: "Facts", sure: "confidence", session: "session", message: "message", undated: "undated",
    all: (n, e) => `${n} names, ${e} relations`, zoomIn: "Zoom in", zoomOut: "Zoom out", fit: "Show all", other: "other",
    hint: "Choose a name or an arrow to see the words that say so.", denied: "denied", over: "no longer",
    keys: "Tab: next name · Enter: choose · + − 0 and arrows: zoom, fit, move · Esc: back", graph: "Graph", types: "Types",
    start: "Names", asked: "Asked: ", empty: "Nothing is known yet.", statement: "stated",
    more: {}, person: "people", organisation: "organisations", project: "projects", technology: "technologies", product: "products", place: "places" },
  zh: { search: "搜索名称和原话", none: "没有找到", found: n => `找到 ${n} 个`, relations: "关系", said: "提到它的话",
    also: "又名", facts: "事实", sure: "可信度", session: "会话", message: "消息", undated: "日期不详",
    all: (n, e) => `${n} 个名称，${e} 条关系`, zoomIn: "放大", zoomOut: "缩小", fit: "显示全部", other: "其他",
    hint: "选择一个名称或一条连线，查看原话。", denied: "否定", over: "已不成立",
    keys: "Tab：下一个 · 回车：选择 · + − 0 与方向键：缩放、全图、移动 · Esc：返回", graph: "关系图", types: "类型",
    start: "名称", asked: "问题：", empty: "还什么都不知道。", statement: "单独陈述",
    more: { animal: "动物", work: "作品", language: "语言" }, person: "人物", organisation: "组织", project: "项目", technology: "技术", product: "产品", place: "地点" },
};
const words = WORDS[data.language];
const KNOWN = ["person", "organisation", "project", "technology", "product", "place"];
const $ = id => document.getElementById(id);
const nodes = data.nodes.map((node, id) => ({ ...node, id, degree: 0, edges: [] }));
const edges = data.edges.map((edge, id) => ({ ...edge, id }));
for (const edge of edges) {
  for (const end of new Set([edge.from, edge.to])) { nodes[end].edges.push(edge); nodes[end].degree += 1; }
}
const colour = type => `var(--c${KNOWN.includes(type) ? KNOWN.indexOf(type) : 6})`;
const view = { x: 0, y: 0, k: 1 };
// far away a dot grows, so that it can be seen and hit
const radius = node => (6 + Math.min(12, 2.4 * Math.sqrt(node.degree))) / Math.min(1, Math.sqrt(view.k / 0.9));

function make(name, attributes = {}, ...inside) {
  const svg = ["g", "path", "circle", "text"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(element.style, value);
    else element.setAttribute(key, value);
  }
  element.append(...inside);
  return element;
}

// -- where everything stands: springs along the relations, all names push each other away; the same picture every time

function lay() {
  const aspect = Math.min(2, Math.max(0.5, $("graph").clientWidth / ($("graph").clientHeight || 1)));
  const n = nodes.length, ideal = 95, order = [...nodes].sort((a, b) => b.degree - a.degree || a.id - b.id);
  order.forEach((node, at) => {
    const far = ideal * 0.7 * Math.sqrt(at + 0.5), turn = at * 2.399963;
    node.x = far * Math.cos(turn); node.y = far * Math.sin(turn);
  });
  const steps = n > 1200 ? 60 : n > 500 ? 140 : 320, reach = 5 * ideal;
  for (let step = 0; step < steps; step++) {
    const heat = ideal * 0.9 * (1 - step / steps) ** 1.4 + 0.3, cells = new Map();
    for (const node of nodes) {
      node.dx = -node.x * 0.04 / aspect; node.dy = -node.y * 0.04 * aspect;
      const cell = `${Math.floor(node.x / reach)},${Math.floor(node.y / reach)}`;
      if (!cells.has(cell)) cells.set(cell, []);
      cells.get(cell).push(node);
    }
    for (const node of nodes) {
      const column = Math.floor(node.x / reach), row = Math.floor(node.y / reach);
      for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) {
        for (const other of cells.get(`${column + i},${row + j}`) || []) {
          if (other.id <= node.id) continue;
          let x = node.x - other.x, y = node.y - other.y, square = x * x + y * y;
          if (square > reach * reach) continue;
          if (square < 0.01) { x = 0.1 * (node.id % 7 - 3) + 0.05; y = 0.1; square = x * x + y * y; }
          const push = ideal * ideal / square;
          node.dx += x * push; node.dy += y * push; other.dx -= x * push; other.dy -= y * push;
        }
      }
    }
    for (const edge of edges) {
      const a = nodes[edge.from], b = nodes[edge.to], x = b.x - a.x, y = b.y - a.y, far = Math.hypot(x, y) || 1;
      const pull = far / ideal / Math.sqrt(Math.max(1, Math.min(a.degree, b.degree) / 2));
      a.dx += x * pull; a.dy += y * pull; b.dx -= x * pull; b.dy -= y * pull;
    }
    for (const node of nodes) {
      const far = Math.hypot(node.dx, node.dy) || 1, move = Math.min(heat, far);
      node.x += node.dx / far * move; node.y += node.dy / far * move;
    }
  }
}

// -- drawn

const seen = new Map();
for (const edge of edges) {  // several between the same two are bent apart
  const key = [edge.from, edge.to].sort((a, b) => a - b).join("-");
  if (!seen.has(key)) seen.set(key, []);
  seen.get(key).push(edge);
}
for (const same of seen.values()) {
  same.forEach((edge, at) => {
    const bend = (at - (same.length - 1) / 2) * 34;
    edge.bend = edge.from <= edge.to ? bend : -bend;
  });
}

function draw() {
  for (const edge of edges) {
    const line = make("path", { class: "line" }), reach = make("path", { class: "reach" });
    edge.group = make("g", {
      class: `edge${edge.not ? " not" : ""}${edge.over ? " over" : ""}`,
      onclick: event => { event.stopPropagation(); if (!moved) chooseEdge(edge); },
      onpointerenter: event => hover(event, edge), onpointerleave: leave,
    }, line, reach);
    edge.text = make("text", {}, edge.label);
    $("edges").append(edge.group);
    $("labels").append(edge.text);
  }
  for (const node of nodes) {
    node.circle = make("circle", { style: { fill: colour(node.type) } });
    node.text = make("text", {}, clipped(node.name, 28));
    node.group = make("g", {
      class: "node", tabindex: "0", role: "button", "aria-label": spoken(node),
      onclick: event => { event.stopPropagation(); if (!moved) chooseNode(node); },
      onkeydown: event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); chooseNode(node); } },
      onfocus: () => { if (node.group.matches(":focus-visible")) show(node); },
      onpointerenter: event => hover(event, node), onpointerleave: leave,
    }, node.circle);
    $("nodes").append(node.group);
    $("names").append(node.text);
  }
}

function place() {
  for (const node of nodes) {
    node.circle.setAttribute("r", radius(node).toFixed(1));
    node.group.setAttribute("transform", `translate(${node.x.toFixed(1)} ${node.y.toFixed(1)})`);
  }
  for (const edge of edges) {
    const a = nodes[edge.from], b = nodes[edge.to], x = b.x - a.x, y = b.y - a.y, far = Math.hypot(x, y) || 1;
    const cx = (a.x + b.x) / 2 - y / far * edge.bend, cy = (a.y + b.y) / 2 + x / far * edge.bend;
    const start = toward(a, cx, cy, radius(a)), end = toward(b, cx, cy, radius(b) + 3);
    const path = `M${start} Q${cx.toFixed(1)} ${cy.toFixed(1)} ${end}`;
    for (const line of edge.group.children) line.setAttribute("d", path);
    const side = (x < 0 ? -1 : 1) * 8 / view.k;  // above the line
    edge.x = (a.x + b.x) / 4 + cx / 2 + y / far * side; edge.y = (a.y + b.y) / 4 + cy / 2 - x / far * side;
  }
}

function toward(node, x, y, far) {
  const length = Math.hypot(x - node.x, y - node.y) || 1;
  return `${(node.x + (x - node.x) / length * far).toFixed(1)} ${(node.y + (y - node.y) / length * far).toFixed(1)}`;
}

const clipped = (text, most) => { const all = [...text]; return all.length > most ? all.slice(0, most - 1).join("") + "…" : text; };
const kind = node => data.language !== "en" && KNOWN.includes(node.type) ? words[node.type] : words.more[node.type] || node.type;
const spoken = node => [node.name, node.type && kind(node), `${node.degree} ${words.relations}`].filter(Boolean).join(", ");

// -- which labels fit, at this zoom: those of what is chosen, then of what has most relations

const width = text => [...text].reduce((sum, char) => sum + (char.codePointAt(0) > 0x2e80 ? 1 : 0.56), 0);

function label() {
  place();
  const taken = [], size = 13 / view.k;
  const apart = (one, x, y, w, h) => Math.abs(one.x - x) * 2 >= one.w + w || Math.abs(one.y - y) * 2 >= one.h + h;
  const free = (x, y, w, h) => taken.every(one => apart(one, x, y, w, h));
  const dots = nodes.filter(visible).map(node => ({ x: node.x, y: node.y, w: 2 * radius(node), h: 2 * radius(node), node }));
  const any = litNodes.size > 0, few = litNodes.size <= 12;
  const wanted = nodes.filter(node => visible(node) && (!any || lit(node) || nodes.length <= 40)).sort((a, b) => (b === chosen) - (a === chosen) || lit(b) - lit(a) || b.degree - a.degree || a.id - b.id);
  for (const node of nodes) node.text.style.display = "none";
  for (const node of wanted) {
    const w = (width(node.text.textContent) * 13 + 6) / view.k, h = 16 / view.k, r = radius(node);
    const below = r + 14 / view.k, above = -r - 5 / view.k;
    const bare = y => dots.every(dot => dot.node.degree < node.degree || dot.node === node || apart(dot, node.x, y, w, h));
    const at = [below, above].find(y => free(node.x, node.y + y - 5 / view.k, w, h) && bare(node.y + y - 5 / view.k));
    if (at === undefined && !(lit(node) && few) && node !== chosen) continue;
    node.text.style.display = ""; node.text.setAttribute("x", node.x);
    node.text.setAttribute("y", node.y + (at === undefined ? below : at));
    node.text.style.fontSize = `${size}px`; node.text.style.strokeWidth = `${4 / view.k}px`;
    taken.push({ x: node.x, y: node.y + (at === undefined ? below : at) - 5 / view.k, w, h });
  }
  const near = view.k > 0.7 || edges.length <= 40;  // from far away they would only be in the way
  const shown = edges.filter(edge => shows(edge) && (near || (lights(edge) && litEdges.size <= 40))).sort((a, b) => lights(b) - lights(a) || a.id - b.id);
  for (const edge of edges) edge.text.style.display = "none";
  for (const edge of shown) {
    const a = nodes[edge.from], b = nodes[edge.to], w = (width(edge.label) * 11.5 + 6) / view.k, h = 14 / view.k;
    if (!lights(edge) && (Math.hypot(a.x - b.x, a.y - b.y) < w * 0.8 || !free(edge.x, edge.y, w, h) || dots.some(dot => !apart(dot, edge.x, edge.y, w, h)))) continue;
    edge.text.style.display = ""; edge.text.setAttribute("x", edge.x); edge.text.setAttribute("y", edge.y + 4 / view.k);
    edge.text.style.fontSize = `${11.5 / view.k}px`; edge.text.style.strokeWidth = `${4 / view.k}px`;
    taken.push({ x: edge.x, y: edge.y, w, h });
  }
}

// -- zoom and move

function look() {
  $("scene").style.setProperty("--thin", 1 / Math.min(1, Math.sqrt(view.k)));
  $("scene").setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
  clearTimeout(look.later); look.later = setTimeout(label, 30);
}
function zoom(by, x = $("graph").clientWidth / 2, y = $("graph").clientHeight / 2) {
  const k = Math.min(6, Math.max(0.05, view.k * by));
  view.x = x - (x - view.x) * k / view.k; view.y = y - (y - view.y) * k / view.k; view.k = k;
  look();
}
function fit() {
  const shown = nodes.filter(visible), w = $("graph").clientWidth, h = $("graph").clientHeight;
  if (!shown.length || !w) return;
  const xs = shown.map(node => node.x), ys = shown.map(node => node.y), foot = 60;
  const side = Math.min(w / 5, Math.max(foot, ...shown.map(node => width(node.text.textContent) * 6.5 + 8)));  // half a name
  const left = Math.min(...xs), top = Math.min(...ys), wide = Math.max(...xs) - left, high = Math.max(...ys) - top;
  view.k = Math.min(1.6, (w - 2 * side) / Math.max(1, wide), (h - 2 * foot) / Math.max(1, high));
  view.k = Math.max(0.05, view.k);
  view.x = w / 2 - (left + wide / 2) * view.k; view.y = h / 2 - (top + high / 2) * view.k;
  look(); label();
}
function centre(node) {
  const x = node.x * view.k + view.x, y = node.y * view.k + view.y, w = $("graph").clientWidth, h = $("graph").clientHeight;
  if (x > 40 && y > 40 && x < w - 40 && y < h - 40) return;
  view.x += w / 2 - x; view.y += h / 2 - y;
  look();
}

const fingers = new Map();
let moved = false;
$("graph").addEventListener("wheel", event => {
  event.preventDefault();
  const box = $("graph").getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
$("graph").addEventListener("pointerdown", event => { moved = false; fingers.set(event.pointerId, event); });
addEventListener("pointermove", event => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const x = event.clientX - before.clientX, y = event.clientY - before.clientY;
  if (!moved && Math.hypot(x, y) < 4) return;
  moved = true;
  if (fingers.size === 2) {
    const other = [...fingers.values()].find(one => one.pointerId !== event.pointerId), box = $("graph").getBoundingClientRect();
    const was = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY) || 1;
    zoom(Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY) / was,
      (event.clientX + other.clientX) / 2 - box.left, (event.clientY + other.clientY) / 2 - box.top);
  } else { view.x += x; view.y += y; look(); }
  fingers.set(event.pointerId, event);
});
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, event => fingers.delete(event.pointerId));
$("graph").addEventListener("click", () => { if (!moved) start(); });
$("graph").addEventListener("keydown", event => {
  const step = 60, keys = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  if (keys[event.key]) { view.x += keys[event.key][0]; view.y += keys[event.key][1]; look(); }
  else if (event.key === "+" || event.key === "=") zoom(1.3);
  else if (event.key === "-") zoom(1 / 1.3);
  else if (event.key === "0") fit();
  else return;
  event.preventDefault();
});
addEventListener("keydown", event => { if (event.key === "Escape") { $("search").value = ""; search(); start(); } });
$("in").onclick = () => zoom(1.3);
$("out").onclick = () => zoom(1 / 1.3);
$("fit").onclick = fit;

// -- what is lit, hidden, told

const hidden = new Set();
let litNodes = new Set(), litEdges = new Set(), chosen = null;
const visible = node => !hidden.has(node.type);
const shows = edge => visible(nodes[edge.from]) && visible(nodes[edge.to]);
const lit = node => litNodes.has(node.id) ? 1 : 0;
const lights = edge => litEdges.has(edge.id) ? 1 : 0;

function light(someNodes, someEdges) {
  litNodes = new Set(someNodes); litEdges = new Set(someEdges);
  const any = litNodes.size + litEdges.size > 0;
  for (const node of nodes) {
    node.group.style.display = visible(node) ? "" : "none";
    node.group.classList.toggle("dim", any && !lit(node));
    node.text.classList.toggle("dim", any && !lit(node));
    node.group.classList.toggle("chosen", chosen === node);
  }
  for (const edge of edges) {
    edge.group.style.display = shows(edge) ? "" : "none";
    edge.group.classList.toggle("dim", any && !lights(edge));
    edge.group.classList.toggle("lit", any && !!lights(edge));
    edge.text.classList.toggle("dim", any && !lights(edge));
    edge.text.classList.toggle("lit", any && !!lights(edge));
  }
  label();
}
function ends(some) { return some.flatMap(edge => [edge.from, edge.to]); }
function show(node) { light([node.id, ...ends(node.edges)], node.edges.map(edge => edge.id)); centre(node); }

function quoted([text, day, session, message]) {
  const where = [day || words.undated, session ? `${words.session} ${session}` : words.statement, `${words.message} ${message}`];
  return make("blockquote", {}, make("span", {}, `“${text}”`), make("span", { class: "soft" }, where.join(" · ")));
}
function sentence(edge) {
  return `${nodes[edge.from].name} —${edge.label}→ ${nodes[edge.to].name}${edge.over ? ` (${words.over})` : ""}`;
}
function relation(edge, from) {
  const go = from ? nodes[edge.from === from.id ? edge.to : edge.from] : null;
  const head = go ? make("button", { type: "button", onclick: () => { chooseNode(go); } }, sentence(edge)) : make("p", {}, make("strong", {}, sentence(edge)));
  return make("li", {}, head, ...edge.quotes.map(quoted));
}
function tell(...inside) { $("told").replaceChildren(...inside); $("told").scrollTop = 0; }

function chooseNode(node) {
  leave(); chosen = node; show(node);
  const parts = [make("h2", {}, node.name)];
  const about = [node.type && kind(node), `${words.sure} ${node.sure.toFixed(2)}`].filter(Boolean).join(" · ");
  parts.push(make("p", { class: "soft" }, make("span", { class: "dot", style: { background: colour(node.type) } }), about));
  if (node.also.length) parts.push(make("p", { class: "soft" }, `${words.also} ${node.also.join(", ")}`));
  for (const [name, text] of node.traits) parts.push(make("p", {}, name ? `${name}: ${text}` : text));
  if (node.facts.length) parts.push(make("h3", {}, words.facts), make("ul", {}, ...node.facts.map(text => make("li", {}, text))));
  const some = node.edges.filter(shows);
  if (some.length) parts.push(make("h3", {}, words.relations), make("ul", {}, ...some.map(edge => relation(edge, node))));
  if (node.quotes.length) parts.push(make("h3", {}, words.said), ...node.quotes.map(quoted));
  tell(...parts);
}
function chooseEdge(edge) {
  leave(); chosen = null; light([edge.from, edge.to], [edge.id]);
  tell(make("h2", {}, sentence(edge)), make("p", { class: "soft" }, `${words.sure} ${edge.sure.toFixed(2)}`), ...edge.quotes.map(quoted),
    make("ul", {}, ...[edge.from, edge.to].map(end => make("li", {}, make("button", { type: "button", onclick: () => chooseNode(nodes[end]) }, nodes[end].name)))));
}
function hover(event, what) {
  if (event.pointerType === "touch" || fingers.size) return;
  const quote = what.quotes[what.quotes.length - 1], tip = $("tip"), box = $("picture").getBoundingClientRect();
  tip.replaceChildren(make("strong", {}, what.circle ? what.name : sentence(what)), ...(quote ? [quoted(quote)] : []));
  tip.hidden = false;
  const x = event.clientX - box.left + 14, y = event.clientY - box.top + 14;
  tip.style.left = `${Math.max(4, Math.min(x, box.width - tip.offsetWidth - 6))}px`;
  tip.style.top = `${y + tip.offsetHeight > box.height ? Math.max(4, y - tip.offsetHeight - 28) : y}px`;
}
function leave() { $("tip").hidden = true; }

function start() {
  chosen = null;
  if (data.path.length && !$("search").value) {
    const some = data.path.map(id => edges[id]);
    light(ends(some), data.path);
    tell(make("h2", {}, data.asked || words.relations), make("ul", {}, ...some.map(edge => relation(edge))));
    return;
  }
  light([], []);
  const names = [...nodes].filter(visible).sort((a, b) => b.degree - a.degree || a.id - b.id);
  tell(make("p", { class: "soft" }, nodes.length ? words.hint : words.empty), make("h3", {}, words.start), list(names));
}
function list(some) {
  return make("ul", { id: "found" }, ...some.slice(0, 400).map(node => make("li", {},
    make("button", { type: "button", onclick: () => chooseNode(node) },
      make("span", { class: "dot", style: { background: colour(node.type) } }), node.name))));
}

function search() {
  const wanted = $("search").value.normalize("NFKC").toLowerCase().trim();
  if (!wanted) { $("count").textContent = words.all(nodes.length, edges.length); start(); return; }
  const has = text => text.normalize("NFKC").toLowerCase().includes(wanted);
  const some = nodes.filter(node => visible(node) && [node.name, ...node.also, ...node.traits.flat(), ...node.facts].some(has));
  const said = edges.filter(edge => shows(edge) && (has(edge.label) || edge.quotes.some(quote => has(quote[0]))));
  const all = [...new Set([...some, ...ends(said).map(id => nodes[id])])];
  $("count").textContent = all.length ? words.found(all.length) : words.none;
  chosen = null;
  if (all.length) light(all.map(node => node.id), said.map(edge => edge.id));
  else light([-1], []);
  tell(make("h3", {}, words.start), list(all));
  search.first = some[0] || all[0];
}
$("search").addEventListener("input", search);
$("find").addEventListener("submit", event => {
  event.preventDefault();
  if ($("search").value && search.first) { chooseNode(search.first); search.first.group.focus(); }
});

for (const type of [...KNOWN, ...new Set(nodes.map(node => node.type).filter(type => !KNOWN.includes(type)))]) {
  const count = nodes.filter(node => node.type === type).length;
  if (!count) continue;
  const button = make("button", {
    type: "button", "aria-pressed": "true",
    onclick: () => {
      const away = !hidden.has(type);
      if (away) hidden.add(type); else hidden.delete(type);
      button.setAttribute("aria-pressed", String(!away));
      search();
    },
  }, make("span", { class: "dot", style: { background: colour(type) } }), `${KNOWN.includes(type) ? words[type] : words.more[type] || type || words.other} ${count}`);
  $("types").append(button);
}

document.querySelector("[data-word=search]").textContent = words.search;
$("search").placeholder = words.search;
$("graph").setAttribute("aria-label", words.graph);
$("types").setAttribute("aria-label", words.types);
for (const [id, word] of [["in", "zoomIn"], ["out", "zoomOut"], ["fit", "fit"]]) { $(id).title = words[word]; $(id).setAttribute("aria-label", words[word]); }
$("keys").textContent = words.keys;
if (data.asked) { $("asked").textContent = words.asked + data.asked; $("asked").hidden = false; }

lay(); draw(); place(); search(); fit();
let before = 0;
new ResizeObserver(() => { const now = $("graph").clientWidth; if (now !== before) { before = now; fit(); } }).observe($("graph"));
})();
