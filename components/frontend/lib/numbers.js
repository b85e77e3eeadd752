// How numbers are written, everywhere in the app. components/theme.py holds the same rules for Python.

export const MINUS = "\u2212";
export const INFINITY = "\u221e";

/** A number with a fixed count of decimals: "0.42", "−1.30", "−∞", "NaN"; 1e6 and more in powers of ten. */
export function num(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return (value < 0 ? MINUS : "") + INFINITY;
  const size = Math.abs(value);
  const text = size >= 1e6 ? size.toExponential(1).replace("e+", "e") : size.toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? MINUS : "") + text;
}

/** As `num`, but an exact zero is "0" while a rounded one stays "0.00". */
export const cellNumber = (value, digits = 2) => (value === 0 ? "0" : num(value, digits));

/** The same without the zero before the point: ".42", "−.42". */
export const shortNumber = (value, digits = 2) => cellNumber(value, digits).replace(/^(\u2212?)0\./, "$1.");

/** A number after another one, with its sign as the operator: "+ 0.42", "− 1.30"; never "− −1.30". */
export const signed = (value, digits = 2) => (value < 0 ? `${MINUS} ${num(-value, digits)}` : `+ ${num(value, digits)}`);

/** Factors of a product: negative ones in brackets. */
export const factor = (value, digits) => (value < 0 ? `(${num(value, digits)})` : num(value, digits));

/** True where two decimals say all there is. */
export const twoDecimals = (value) => Math.abs(value * 100 - Math.round(value * 100)) < 2e-5;

/** A share as a percentage: "30 %", "0.4 %". */
export const percent = (share) => !Number.isFinite(share) ? num(share) : `${(share * 100).toFixed(share > 0 && share < 0.01 ? 1 : 0)} %`;
