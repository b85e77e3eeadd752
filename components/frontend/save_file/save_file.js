// A file whose bytes came with its button: a click hands them over.
import { readPalette } from "../lib/colour.js";
import { column } from "../lib/dom.js";
import { saveFile } from "../lib/file.js";

export default function saveFileComponent({ data, parentElement }) {
  const root = parentElement.querySelector(".am-save-file");
  const button = root.querySelector("button");
  readPalette(root);
  button.textContent = data.label;
  button.onclick = () => saveFile(column(data.bytes), data.name, data.mime);
}
