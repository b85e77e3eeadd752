// What components/registered.py wrote for numbers that JSON has no word for becomes numbers again.

/** Replace every {"$number": "NaN" | "Infinity" | "-Infinity"} in a component's data by that number, in place. */
export function revivePayload(value) {
  if (value === null || typeof value !== "object") return value;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value; // an Arrow table
  if (typeof value.$number === "string") return Number(value.$number);
  for (const name of Object.keys(value)) value[name] = revivePayload(value[name]);
  return value;
}
