/** Commands to type first, by the name of the command; the help shows them before its options. Files are those of examples/. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  report: ['gdp report state.json --delta 1e-5', 'gdp report state.json --out report.html'],
  page: ['gdp page --out gdp.html'],
  epsilon: [
    'gdp epsilon state.json --delta 1e-5',
    'gdp epsilon --noise-multiplier 1.1 --sampling-rate 256/60000 --steps 14062',
  ],
  delta: ['gdp delta state.json --epsilon 8'],
  mu: ['gdp mu state.json', 'gdp mu state.json --svg mu.svg --digits 4'],
  tradeoff: ['gdp tradeoff state.json --alpha 0.001', 'gdp tradeoff state.json --svg curve.svg --scale log'],
  risk: ['gdp risk state.json', 'gdp risk state.json --prior 0.1 --baseline 0.001 --secrets 2'],
  identify: ['gdp identify state.json', 'gdp identify --formula laplace:2'],
  measure: ['gdp measure state.json --epsilon-head 3'],
  amplify: ['gdp amplify state.json --rate 0.1'],
  calibrate: [
    'gdp calibrate --epsilon 2 --delta 1e-5 --sampling-rate 0.01 --steps 1000',
    'gdp calibrate --mu 1 --sampling-rate 0.01 --steps 1000',
  ],
  noise: ['gdp noise --epsilon 1 --delta 1e-5'],
  convert: [
    'gdp convert --from zcdp:0.5 --to approximate-dp --delta 1e-6',
    'gdp convert state.json --to gdp',
  ],
  compare: ['gdp compare state.json --delta 1e-5'],
  sweep: ['gdp sweep grid.json --out table.csv --workers 4'],
  batch: ['gdp batch histories.jsonl --delta 1e-5 --out table.csv'],
  budget: [
    'gdp budget open ledger.log --budget gdp:1',
    'gdp budget spend ledger.log --spend gdp:0.1 --count 50',
    'gdp budget left ledger.log',
  ],
  lint: ['gdp lint state.json --claim claim.json'],
  audit: ['gdp audit evidence.json --claim state.json'],
  certify: ['gdp certify state.json --epsilon 8 > certificate.json'],
  verify: ['gdp verify certificate.json'],
  completion: ['gdp completion bash > ~/.local/share/bash-completion/completions/gdp'],
  serve: ['gdp serve --stdio'],
};
