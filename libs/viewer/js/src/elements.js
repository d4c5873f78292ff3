// Elements without markup: every text is set as text, so that no label can become HTML.

/** Return an element with classes, attributes and children; `text` becomes its text. */
export function element(tag, { className, text, on, children = [], ...attributes } = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [type, listener] of Object.entries(on ?? {})) made.addEventListener(type, listener);
  made.append(...children);
  return made;
}

/** Return a button that stays pressed. */
export function toggle(text, title, isOn, onChange) {
  const button = element("button", { type: "button", text, title, "aria-pressed": String(isOn), className: "mv-button" });
  button.addEventListener("click", () => onChange(button.getAttribute("aria-pressed") !== "true"));
  return button;
}

export function press(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
}
