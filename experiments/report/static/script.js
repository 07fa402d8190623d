"use strict";
const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eta: "η", theta: "θ", kappa: "κ", lambda: "λ", mu: "μ", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", omega: "ω" };
for (const button of document.querySelectorAll("button[data-copy]"))
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try { await navigator.clipboard.writeText(source.textContent); button.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(source); button.textContent = "Selected"; }
  });
const find = document.getElementById("find"), rows = [...document.querySelectorAll("tr[data-text]")];
if (find && rows.length) {
  const selects = [...document.querySelectorAll("select[data-field]")], hits = document.getElementById("hits");
  const body = rows[0].parentNode;
  const plain = text => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[‐‑–—−]/g, "-").toLowerCase().trim()
    .replace(/(\S*arxiv\S*[:/])?(\d{4})\.(\d{4,5})\S*/, "arxiv:$2-$3");  // no dot: 4.1 is in many of their numbers
  const has = (text, word) => text.includes(word) || (GREEK[word] && text.includes(GREEK[word]));
  // What is called so comes first, then what only mentions it; of those the statements before their parts and steps, and these before our code.
  const rank = (row, query) => (` ${query} `.includes(` ${row.dataset.name} `) || `${row.dataset.text} `.includes(`:${query} `) ? 0 : row.dataset.name.startsWith(query) ? 1 : 2)
    + (row.dataset.text.includes("/impl:") ? .5 : 0);
  // How many letters are added, lost or changed between two words.
  const distance = (one, other) => {
    let line = [...Array(other.length + 1).keys()];
    for (let i = 0; i < one.length; i++) {
      const next = [i + 1];
      for (let j = 0; j < other.length; j++) next.push(Math.min(line[j] + (one[i] !== other[j]), line[j + 1] + 1, next[j] + 1));
      line = next;
    }
    return line[other.length];
  };
  const known = new Map();  // every word of letters, and in how many rows it stands
  // A word that stands in no row as the nearest one that does, at most one letter away, or two where it is long.
  const mend = word => {
    if (/\d/.test(word) || rows.some(row => has(row.dataset.text, word))) return word;
    if (!known.size) for (const row of rows) for (const w of new Set(row.dataset.text.match(/\p{L}{3,}/gu))) known.set(w, (known.get(w) ?? 0) + 1);
    let best = word, least = word.length < 5 ? 2 : 3, often = 0;
    for (const [other, count] of known) {
      if (Math.abs(other.length - word.length) >= least + 1) continue;
      const far = distance(word, other);
      if (far < least || (far === least && best !== word && count > often)) [best, least, often] = [other, far, count];
    }
    return best;
  };
  const matches = (row, words) => words.every(word => has(row.dataset.text, word)) && selects.every(s => !s.value || row.dataset[s.dataset.field] === s.value);
  const sift = () => {
    let query = plain(find.value), words = query.split(/\s+/).filter(Boolean), told = "";
    if (!rows.some(row => matches(row, words))) {
      const apart = words.flatMap(word => /\d/.test(word) ? [word] : word.split("-").filter(Boolean)), mended = apart.map(mend);
      if (mended.some((word, i) => word !== apart[i])) [words, query, told] = [mended, mended.join(" "), ` for “${mended.join(" ")}”`];
    }
    let count = 0;
    for (const row of rows) {
      const shown = matches(row, words);
      row.classList.toggle("hide", !shown);
      count += shown;
    }
    body.append(...(query ? [...rows].sort((a, b) => rank(a, query) - rank(b, query)) : rows));
    hits.textContent = count ? `${count} of ${rows.length}${told}` : "nothing found";
  };
  find.value = new URLSearchParams(location.search).get("q") ?? "";
  for (const control of [find, ...selects]) control.addEventListener("input", sift);
  find.form.addEventListener("submit", event => { event.preventDefault(); sift(); document.querySelector("tr[data-text]:not(.hide) a")?.focus(); });
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  sift();
  if (target) { target.classList.remove("hide"); target.scrollIntoView(); }
}
// A click on a heading of a sorted table sorts its rows, and a second one the other way round: numbers before texts.
for (const table of document.querySelectorAll("table.sorted"))
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const read = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const order = (a, b) => (a === "") - (b === "") || (up ? 1 : -1) * (Number(a) - Number(b) || a.localeCompare(b));
      body.append(...[...body.rows].sort((a, b) => order(read(a), read(b))));
    });
  });
// What scrolls sideways can be reached by the keyboard; a formula becomes smaller first.
const scrolls = box => box.scrollWidth > box.clientWidth + 1;
const reach = box => {
  if (box.matches(".formula")) {
    box.style.fontSize = "";
    if (scrolls(box)) box.style.fontSize = `${Math.max(.72, .98 * box.clientWidth / box.scrollWidth)}em`;
  }
  if (scrolls(box)) {
    box.tabIndex = 0;
    if (/^(DIV|PRE)$/.test(box.tagName)) box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${box.matches(".formula") ? "Formula" : box.matches("pre") ? "Text" : "Table or figure"}, scrolls sideways`);
  } else if (box.hasAttribute("tabindex")) for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
};
const boxes = document.querySelectorAll(".formula, pre, .scroll, figure.wide, .document table"), reachAll = () => boxes.forEach(reach);
addEventListener("load", reachAll);
addEventListener("resize", reachAll);
document.addEventListener("toggle", reachAll, true);
reachAll();
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", open);
open();
