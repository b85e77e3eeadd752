// Nodes of an SVG drawing. Text always goes in as text.

const ARCH_SVG = "http://www.w3.org/2000/svg";

/** A new SVG node with attributes and, if given, a text. */
export function archNode(tag, attributes = {}, text = undefined) {
  const node = document.createElementNS(ARCH_SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
