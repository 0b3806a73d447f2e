// The secret of this tab, taken out of the address before anything else: no module, so that it is
// gone from there at once. It stays in the tab's own storage; api.js sends it as a header.
(() => {
  function take() {
    const found = /^#token=([\w-]{1,200})$/.exec(location.hash);
    if (!found) return false;
    history.replaceState(null, "", location.pathname + location.search);
    try {
      sessionStorage.setItem("shoal-token", found[1]);
    } catch {
      // Storage may be off; the page then says that it has no token.
    }
    return true;
  }
  take();
  addEventListener("hashchange", () => take() && location.reload()); // a newer address, same tab
})();
