const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text of a mail as HTML: for readers that show nothing else. */
export const toHtml = (text: string): string =>
  `<!DOCTYPE html>\n<html><body><pre style="font-family: monospace; white-space: pre-wrap">${text.replaceAll(
    /[&<>"']/g,
    (character) => ESCAPED[character] ?? '',
  )}</pre></body></html>\n`;
