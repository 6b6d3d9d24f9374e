/** SVG texts of the pictures of docs/accounting.md, by file name. */
export function accountingPictures(): Promise<Record<string, string>>;
