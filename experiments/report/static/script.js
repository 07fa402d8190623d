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
  const plain = text => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[‐‑–—−]/g, "-").toLowerCase().trim();
  // What is called so comes first, then what only mentions it; of those the statements before their parts and steps.
  const rank = (row, query) => (` ${query} `.includes(` ${row.dataset.name} `) ? 0 : row.dataset.name.startsWith(query) ? 1 : 2);
  const sift = () => {
    const query = plain(find.value), words = query.split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.dataset.text;
      const shown = words.every(w => text.includes(w) || (GREEK[w] && text.includes(GREEK[w])) )
        && selects.every(s => !s.value || row.dataset[s.dataset.field] === s.value);
      row.classList.toggle("hide", !shown);
      count += shown;
    }
    body.append(...(query ? [...rows].sort((a, b) => rank(a, query) - rank(b, query)) : rows));
    hits.textContent = count ? `${count} of ${rows.length}` : "nothing found";
  };
  find.value = new URLSearchParams(location.search).get("q") ?? "";
  for (const control of [find, ...selects]) control.addEventListener("input", sift);
  find.form.addEventListener("submit", event => { event.preventDefault(); sift(); document.querySelector("tr[data-text]:not(.hide) a")?.focus(); });
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  sift();
  if (target) { target.classList.remove("hide"); target.scrollIntoView(); }
}
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", open);
open();
