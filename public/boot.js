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
