// The links that Python sent: for each head and query its strongest keys, in falling order.
import { column } from "../lib/dom.js";

/** `data` is what components/token_links.py builds; gives `row(head, query)` and `readout` lists of links. */
export function linksModel(data) {
  const keys = column(data.k);
  const weights = column(data.w);
  const { kept, heads } = data;
  const queries = data.queries.length;
  const at = (head, query) => (head * queries + query) * kept;

  /** Links of one query in one head: [{head, query, key, weight}], strongest first, zeros and NaN left out. */
  function row(head, query) {
    const found = [];
    for (let rank = 0; rank < kept; rank++) {
      const weight = weights[at(head, query) + rank];
      if (weight > 0) found.push({ head, query, key: keys[at(head, query) + rank], weight });
    }
    return found;
  }

  /** Links into one key in one head, strongest first. */
  function into(head, key) {
    const found = [];
    for (let query = 0; query < queries; query++) found.push(...row(head, query).filter((link) => link.key === key));
    return found.sort((a, b) => b.weight - a.weight);
  }

  const sinks = data.sinks && column(data.sinks);
  const broken = data.broken && column(data.broken);
  /** What the query gives to the model's sink in place of a token. */
  const sink = (head, query) => sinks?.[head * queries + query] ?? 0;
  /** Whether the query's weights are not numbers. */
  const notFinite = (head, query) => Boolean(broken?.[head * queries + query]);

  const all = (head) => Array.from({ length: queries }, (_, query) => row(head, query)).flat();
  return { heads, row, into, all, sink, notFinite };
}

/** What to draw: the links of the shown heads, only those of the token in focus if there is one, weakest first. */
export function shownLinks(model, heads, focus, least) {
  const links = heads.flatMap((head) => {
    if (!focus) return model.all(head).filter((link) => link.weight >= least);
    return focus.side === "query" ? model.row(head, focus.index) : model.into(head, focus.index);
  });
  return links.sort((a, b) => a.weight - b.weight);
}
