/** The document of all proofs, a chapter for each text. */
export function proofsHtml(version: string): string;
/** Prints a file with Chromium. @returns Whether there is a browser to print with. */
export function printPdf(html: string, pdf: string): boolean;
/** Writes proofs.html, and proofs.pdf where that can be. @returns Whether it could. */
export function writeProofs(out: string, version: string): boolean;
