import { quotable } from '../../errors.js';
import { shippedText } from '../../node/page-file.js';
import { UsageError } from '../args.js';
import { type Command, output } from '../command.js';

export const page: Command = {
  name: 'page',
  usage: '--out gdp.html',
  summary: 'the accountant as one HTML file that opens from disk, offline',
  examples: ['gdp page --out gdp.html'],
  flags: {
    out: output('PATH', 'write there; - is standard output'),
  },
  async run(args, context) {
    if (args.operands.length > 0)
      throw new UsageError(`gdp page takes no FILE, got "${args.operands[0]}": drop it on the page`);
    const path = args.required(args.text('out'), 'out', 'a file to open in a browser, such as gdp.html');
    if (path !== '-' && !/\.html?$/i.test(path))
      throw new UsageError(
        `"--out" must be - or a file that ends in .html, such as gdp.html, got "${quotable(path)}"`,
      );
    const text = await shippedText('page.html');
    if (path === '-') return text;
    await context.files.write(path, text);
    context.note(`${path} is written: open it in a browser`);
    return '';
  },
};
