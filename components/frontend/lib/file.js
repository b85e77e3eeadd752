// Handing something to the reader as a file.

const FILE_KEPT_MS = 10_000; // how long a browser may take to begin to read it

/** `content` is a text or an array of bytes. */
export function saveFile(content, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), FILE_KEPT_MS);
}
