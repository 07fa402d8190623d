// What a reader without a mouse, or with little sight, needs of a page: the rules of axe that tell of errors.
document.querySelectorAll("details").forEach(box => box.open = true);
const bright = colour => {
  const [r, g, b] = colour.map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const parts = colour => colour.match(/[\d.]+/g).map(Number);
const ground = box => { for (; box; box = box.parentElement) { const c = parts(getComputedStyle(box).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
const name = box => (box.getAttribute("aria-label") || box.innerText || box.title || box.querySelector("title")?.textContent || box.labels?.[0]?.innerText || "").trim();
const every = choice => [...document.querySelectorAll(choice)], seen = box => box.getClientRects().length;
const check = () => {
  const wrong = [], say = (rule, boxes) => wrong.push(...boxes.map(box => `${rule}: ${box.outerHTML.slice(0, 80)}`));
  say("contrast", every("p, li, td, th, dt, dd, h1, h2, h3, a, .pill, summary, code, pre, label, button, figcaption, .soft").filter(box => seen(box) && !box.matches(".skip") &&
    [...box.childNodes].some(node => node.nodeType === 3 && node.data.trim())).filter(box => {
      const style = getComputedStyle(box), [x, y] = [bright(parts(style.color).slice(0, 3)), bright(ground(box).slice(0, 3))].sort((a, b) => b - a);
      return (x + .05) / (y + .05) < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5);
    }));
  say("name", every("a[href], button, input, select, [role=img], [role=group], summary").filter(box => !name(box)));
  say("alternative", every("img").filter(box => !box.alt));
  say("focus", every("*").filter(box => seen(box) && /auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1 && box.tabIndex < 0));
  say("link", every("p > a, li > a, td > a, dd > a").filter(box => !getComputedStyle(box).textDecorationLine.includes("underline")));
  say("wide", every(".formula").filter(box => innerWidth > 1000 && box.scrollWidth > box.clientWidth + 1));
  const levels = every("h1, h2, h3, h4").map(box => +box.tagName[1]), ids = every("[id]").map(box => box.id);
  if (levels.filter(level => level === 1).length !== 1 || levels[0] !== 1 || levels.some((level, i) => i && level > levels[i - 1] + 1)) wrong.push("headings " + levels);
  if (every("main").length !== 1 || !every("nav[aria-label]").length || !document.documentElement.lang) wrong.push("landmarks");
  wrong.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map(id => `twice: ${id}`));
  say("header", every("table th").filter(box => !box.innerText.trim() && seen(box) && !box.getAttribute("aria-label")));
  document.documentElement.dataset.wrong = wrong.length + "\n" + [...new Set(wrong)].slice(0, 9).join("\n");
};
addEventListener("load", () => setTimeout(check, 500));
