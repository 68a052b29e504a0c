// Watches over the start of the page. When the browser half of the console cannot be loaded, or stops, it shows a bar and
// hands links and forms back to the browser, so that every page still works by full loads.
(() => {
  let broken = false;

  const fallBack = () => {
    if (broken) return;
    broken = true;
    const show = () => document.getElementById("broken")?.removeAttribute("hidden");
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
    else show();
    for (const type of ["click", "submit", "input", "change", "keydown"]) {
      // First on the way down: the listeners of the stopped half never see it, and what the browser does by itself remains.
      window.addEventListener(type, (event) => event.stopImmediatePropagation(), { capture: true });
    }
  };

  window.addEventListener("error", (event) => {
    const isOurs = !event.filename || event.filename.startsWith(location.origin) || event.filename.startsWith("wasm:");
    if (event instanceof ErrorEvent && isOurs) fallBack();
  });
  window.addEventListener("unhandledrejection", fallBack);
})();

// The token of a mailed link or an invitation stands behind the `#`, where no server and no log sees it. It is moved into the
// form, and kept in this tab alone while its reader is at it: for a form that comes back refused, and for who signs in first.
(() => {
  const pages = { "/invite": "si_", "/reset-password": "sl_", "/confirm-email": "sl_" };
  const kept = (page) => `soit_token:${page}`;
  try {
    const page = location.pathname;
    for (const other of Object.keys(pages)) {
      if (other !== page && page !== "/sign-in") sessionStorage.removeItem(kept(other));
    }
    const prefix = pages[page];
    if (!prefix) return;
    const given = location.hash.slice(1);
    if (given.startsWith(prefix)) {
      sessionStorage.setItem(kept(page), given);
      history.replaceState(history.state, "", location.pathname + location.search);
    }
    document.addEventListener("DOMContentLoaded", () => {
      const field = document.getElementById("token");
      if (field) field.value = sessionStorage.getItem(kept(page)) ?? "";
    });
  } catch {
    // Without storage it is pasted.
  }
})();
