// The page's script, as text: sends what people do, and renews the parts that changed.

/** Plain JavaScript for browsers. It only ever inserts HTML that the sandbox itself rendered and escaped. */
export const PAGE_SCRIPT = String.raw`"use strict";
const token = new URLSearchParams(location.search).get("token");
const person = document.body.dataset.person;
const say = (text) => { document.getElementById("say").textContent = text || ""; };

async function send(what, body) {
  say("");
  const response = await fetch("/control/" + what, {
    method: "POST",
    headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    body: JSON.stringify({ person, ...body }),
  });
  const outcome = await response.json();
  say(outcome.message || outcome.detail);
}

function valuesOf(form) {
  const values = {};
  for (const field of form ? form.querySelectorAll("[name]") : []) {
    if (field.multiple) values[field.name] = [...field.selectedOptions].map((option) => option.value);
    else if (field.tagName !== "SELECT" || field.value !== "") values[field.name] = field.value;
  }
  return values;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "home") return send("home", {});
  if (button.dataset.close) return send("close", { view: button.dataset.close });
  if (!button.dataset.click) return;
  if (button.dataset.confirm && !confirm(button.dataset.confirm)) return;
  send("click", { ...JSON.parse(button.dataset.click), values: valuesOf(button.closest("form[data-view]")) });
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.id === "person") {
    location.search = new URLSearchParams({ token, as: field.value });
  } else if (field.dataset.choose) {
    const choose = field.multiple ? [...field.selectedOptions].map((option) => option.value) : field.value;
    send("click", { ...JSON.parse(field.dataset.choose), choose });
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.dataset.view) return send("submit", { view: form.dataset.view, values: valuesOf(form) });
  if (form.dataset.command) {
    send("command", { channel: form.dataset.command, line: form.elements.line.value });
    form.reset();
  }
});

const shown = new Map();
for (const part of document.querySelectorAll("[data-part]")) shown.set(part.id, part.outerHTML);

function renew(part) {
  if (shown.get(part.id) === part.outerHTML) return;
  shown.set(part.id, part.outerHTML);
  const before = document.getElementById(part.id);
  const form = before && before.querySelector("form[data-view]");
  const typed = valuesOf(form);
  if (before) before.replaceWith(part); else location.reload();
  const next = part.querySelector("form[data-view]");
  if (!form || !next || form.dataset.view !== next.dataset.view) return;
  for (const field of next.querySelectorAll("[name]")) {
    if (!field.multiple && field.name in typed) field.value = typed[field.name];
  }
}

let running = false, again = false;
async function refresh() {
  again = true;
  if (running) return;
  running = true;
  while (again) {
    again = false;
    const text = await (await fetch(location.href)).text();
    const next = new DOMParser().parseFromString(text, "text/html");
    for (const part of next.querySelectorAll("[data-part]")) renew(part);
  }
  running = false;
}
new EventSource("/live?token=" + encodeURIComponent(token)).onmessage = refresh;
`
