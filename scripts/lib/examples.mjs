// Examples of documentation as code: runs one, and tells what each line with an answer beside it answers now.
import { inspect } from 'node:util';
import ts from 'typescript';

/** Digits of a number shown beside an example. */
const DIGITS = 6;

/**
 * Runs an example with names in scope.
 *
 * @param code Statements; an expression may have its answer in a comment on the same line.
 * @param scope Values by name.
 * @param round `roundDecimal` of the library.
 * @returns What stands beside each expression (or nothing), and what it is: upper ends rounded up, lower ends down.
 */
export async function runExample(code, scope, round) {
  const source = ts.createSourceFile('example.js', code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const answers = [];
  const lines = source.statements.map((statement) => {
    if (!ts.isExpressionStatement(statement)) return statement.getText();
    const comment = ts.getTrailingCommentRanges(code, statement.end)?.[0];
    const expression = statement.expression.getText();
    answers.push({
      end: statement.end,
      said: comment && code.slice(comment.pos, comment.end).replace(/^\/\/ /, ''),
      direction: expression.endsWith('.upper') ? 'up' : expression.endsWith('.lower') ? 'down' : 'nearest',
    });
    return `answers[${answers.length - 1}].value = (${expression});`;
  });
  const names = Object.keys(scope);
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('answers', ...names, lines.join('\n'))(
    answers,
    ...names.map((name) => scope[name]),
  );
  return answers.map(({ end, said, direction, value }) => ({
    end,
    said,
    is: inspect(rounded(value, direction, round), { breakLength: Infinity, depth: 9 }),
  }));
}

function rounded(value, direction, round) {
  if (typeof value === 'number')
    return Number.isInteger(value) || direction === 'nearest'
      ? Number(value.toPrecision(DIGITS))
      : Number(round(value, direction, { digits: DIGITS }));
  if (Array.isArray(value)) return value.map((each) => rounded(each, direction, round));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      rounded(each, { lower: 'down', upper: 'up' }[name] ?? direction, round),
    ]),
  );
}
