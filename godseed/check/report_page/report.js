"use strict";
// Everything here is comfort: without it every picture is still on the page.
document.documentElement.classList.add("js");
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

for (const viewer of all(".viewer")) {
  const show = (mode) => { viewer.dataset.mode = mode; delete viewer.dataset.shown; };
  const swap = viewer.querySelector(".swap");
  for (const radio of all("fieldset.modes input", viewer)) {
    radio.addEventListener("change", () => { if (radio.checked) show(radio.value); });
  }
  const range = viewer.querySelector(".slide");
  range?.addEventListener("input", () => viewer.style.setProperty("--cut", `${range.value}%`));
  swap?.addEventListener("click", () => {
    viewer.dataset.shown = viewer.dataset.shown === "actual" ? "expected" : "actual";
    swap.querySelector("span").textContent = viewer.dataset.shown;
  });
  const stage = viewer.querySelector(".stage");
  const drag = (event) => {
    if (viewer.dataset.mode !== "slide" || !range || event.buttons !== 1) return;
    const box = stage.getBoundingClientRect();
    range.value = String(Math.min(100, Math.max(0, (100 * (event.clientX - box.left)) / box.width)));
    viewer.style.setProperty("--cut", `${range.value}%`);
  };
  stage.addEventListener("pointerdown", drag);
  stage.addEventListener("pointermove", drag);
  stage.addEventListener("dragstart", (event) => event.preventDefault());
  for (const button of all("[data-toggle]", viewer)) {
    button.addEventListener("click", () => {
      const on = viewer.classList.toggle(button.dataset.toggle);
      button.setAttribute("aria-pressed", String(on));
      if (button.dataset.toggle === "wide") viewer.classList.toggle("pixels", on);
    });
  }
}

for (const button of all("[data-copy]")) {
  button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = said; }, 1600);
  });
}

const filters = all("[data-rung]");
for (const button of filters) {
  button.addEventListener("click", () => {
    for (const other of filters) other.setAttribute("aria-pressed", String(other === button));
    for (const found of all("details.case")) {
      found.hidden = button.dataset.rung !== "all" && found.dataset.kind !== button.dataset.rung;
    }
  });
}

const modes = ["side", "slide", "flicker", "difference", "flip"];
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches?.("input[type=text], textarea, select")) return;
  const cases = all("details.case").filter((found) => !found.hidden);
  const here = cases.findIndex((found) => found.contains(document.activeElement));
  if (event.key === "j" || event.key === "k") {
    const next = cases[Math.min(cases.length - 1, Math.max(0, here + (event.key === "j" ? 1 : -1)))];
    next?.querySelector("summary").focus();
    next?.scrollIntoView({ block: "start" });
  } else if (modes[Number(event.key) - 1]) {
    const root = here >= 0 ? cases[here] : document;
    for (const radio of all(`fieldset.modes input[value=${modes[Number(event.key) - 1]}]`, root)) {
      radio.checked = true;
      radio.dispatchEvent(new Event("change"));
    }
  }
});
