// The theme, set before anything is painted: no module, so that no page flashes in the wrong one.
(() => {
  let kept = null;
  try {
    kept = localStorage.getItem("shoal-theme");
  } catch {
    // Storage may be off; the system's theme is used then.
  }
  if (kept === "light" || kept === "dark") {
    document.documentElement.dataset.theme = kept;
  }
})();
