"""What assistive technology needs of a page, checked in the page itself, by rules of WCAG 2.2.

Names of controls and pictures (1.1.1, 4.1.2), labels and references (1.3.1), headings in order,
ids once, and the contrast of visible text (1.4.3). A rule is a few lines that any browser runs.
"""

from __future__ import annotations

FAULTS = """() => {
  const faults = [];
  const seen = (e) => e.checkVisibility({ visibilityProperty: true });
  const say = (rule, e) => faults.push(rule + ": " + e.outerHTML.slice(0, 120));
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) {
    faults.push("id twice: " + id);
  }
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const e of document.querySelectorAll("[" + name + "]")) {
      for (const id of e.getAttribute(name).split(/\\s+/)) {
        if (!document.getElementById(id)) say(name + " leads nowhere", e);
      }
    }
  }
  const text = (e) => (e.innerText ?? e.textContent ?? "").trim();
  const named = (e) => e.getAttribute("aria-label")?.trim() || text(e) || e.title
    || [...(e.labels ?? [])].some(text)
    || (e.getAttribute("aria-labelledby") ?? "").split(/\\s+/)
      .some((id) => id && text(document.getElementById(id)));
  const controls = "a[href], button, input, select, textarea, progress, summary, [role=img],"
    + " [role=region], nav, table[role=table]";
  for (const e of document.querySelectorAll(controls)) if (seen(e) && !named(e)) say("no name", e);
  for (const e of document.querySelectorAll("img:not([alt])")) say("no alt", e);
  for (const e of document.querySelectorAll("label :is(button, a, label)")) say("in a label", e);
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  let last = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!seen(e)) continue;
    const level = Number(e.tagName[1]);
    if (level > last + 1) say("heading skips a level", e);
    last = level;
  }
  const color = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const over = (front, back) => {
    const a = front[3] ?? 1;
    return [0, 1, 2].map((i) => front[i] * a + back[i] * (1 - a));
  };
  const ground = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(getComputedStyle(at).backgroundColor);
    return layers.reverse().map(color).reduce((back, front) => over(front, back), [255, 255, 255]);
  };
  const light = (rgb) => rgb.map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const dimmed = (e) => e.closest(":disabled, .stale, [aria-busy=true], .unseen, svg, canvas");
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!own || !seen(e) || dimmed(e)) continue;
    const style = getComputedStyle(e);
    const back = ground(e);
    const [one, other] = [light(over(color(style.color), back)), light(back)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) say("contrast " + ratio.toFixed(2), e);
  }
  return faults;
}"""


def faults_of(tab):
    """Return what is wrong with a page, a line each."""
    return tab.evaluate(FAULTS)
