// A place of attention: a button with its title and a small picture of the weights that are shown there.
import { archNode } from "./svg.js";
import { archThumb, archThumbSize } from "./thumb.js";
import { archWrapped } from "./words.js";

const ARCH_PLACE = { title: 16, fact: 14, words: 72 };

export function drawArchPlace(scene, box) {
  const { data, layout } = scene;
  const label = `${box.title}. ${box.says} ${data.text.open}`;
  const chosen = box.name === data.chosen;
  const group = archNode("g", { class: "place", role: "button", tabindex: "0", "aria-pressed": chosen, "aria-label": label });
  group.classList.toggle("chosen", chosen);
  group.dataset.place = box.name;
  group.append(archNode("rect", { class: "card", x: box.x, y: box.y, width: box.w, height: box.h, rx: 8 }));
  group.append(...(layout.beside ? archBesidePicture(scene, box) : archAbovePicture(scene, box)));
  return group;
}

/** Picture left, words right of it. */
function archBesidePicture(scene, box) {
  const { ctx, data } = scene;
  const size = archThumbSize(data.pictures[box.name], { width: box.w - ARCH_PLACE.words - 22, height: box.h - 14 });
  const left = box.x + 8 + size.width + 9;
  ctx.font = ctx.fonts.title;
  const title = archWrapped(ctx, box.title, box.x + box.w - left - 4, 3);
  const facts = [box.size, box.shown];
  const top = box.y + (box.h - ARCH_PLACE.title * title.length - ARCH_PLACE.fact * facts.length - 2) / 2;
  const below = top + ARCH_PLACE.title * title.length + 13;
  return [
    ...archPicture(scene, box, { x: box.x + 8, y: box.y + (box.h - size.height) / 2, ...size }),
    ...title.map((row, n) => archNode("text", { class: "title", x: left, y: top + ARCH_PLACE.title * n + 12 }, row)),
    ...facts.map((row, n) => archNode("text", { class: n ? "fact" : "size", x: left, y: below + ARCH_PLACE.fact * n }, row)),
  ];
}

/** Title above, picture in the middle, the rest below it. */
function archAbovePicture(scene, box) {
  const { ctx, data } = scene;
  const middle = { x: box.x + box.w / 2, "text-anchor": "middle" };
  ctx.font = ctx.fonts.title;
  const title = archWrapped(ctx, box.title, box.w - 8, 2);
  const top = ARCH_PLACE.title * title.length + 5;
  const size = archThumbSize(data.pictures[box.name], { width: box.w - 14, height: box.h - top - 22 });
  const y = box.y + top + (box.h - top - 20 - size.height) / 2;
  return [
    ...archPicture(scene, box, { x: middle.x - size.width / 2, y, ...size }),
    ...title.map((row, n) => archNode("text", { class: "title", ...middle, y: box.y + ARCH_PLACE.title * n + 14 }, row)),
    archNode("text", { class: "fact", ...middle, y: box.y + box.h - 6 }, `${box.size} · ${box.shown}`),
  ];
}

function archPicture({ data, palette }, box, { x, y, width, height }) {
  const href = archThumb(data, palette, box.name, { width, height });
  return [
    archNode("image", { x, y, width, height, href, preserveAspectRatio: "none" }),
    archNode("rect", { class: "edge", x: x - 0.5, y: y - 0.5, width: width + 1, height: height + 1 }),
  ];
}
