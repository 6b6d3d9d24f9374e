// The floors of the house, lowest first: a file may import from its own room and from rooms on floors below it.
// test/project/layers.test.ts holds the code to this list; docs/architecture.md prints it.

/** [room, what it holds]. A room is a file or folder of src/ without its ending; rooms of one array share a floor and know nothing of each other. */
export const FLOORS = [
  [
    ['errors', 'errors that name the option, what was expected and what was given'],
    ['version', 'the version of the package'],
  ],
  [['kernel', 'the seam: interface Kernel, and the checks, constants and tables that both engines share']],
  [['assembly/lane', 'vectors of one lane or two, memory, objects, and the room for numbers of a question']],
  [['assembly/functions', 'elementary, error and Gaussian-DP functions, of numbers and of arrays']],
  [
    ['assembly/fft', 'Fourier transforms, and compositions by them'],
    ['assembly/sums', 'sums over nodes of contours and of outputs, and their errors'],
  ],
  [['assembly/law', 'the law of the losses of a step: cumulants, transforms, decay and truncation']],
  [['assembly/plan', 'heuristics for tilts, saddle points and thresholds: they enter no bound']],
  [['assembly/bound', 'certified answers of a contour, of bands and of one step']],
  [['assembly/question', 'a question about a run in one call: epsilon, delta, mu, power, regret']],
  [['assembly', 'the kernel: one text, compiled to WebAssembly and to JavaScript (beside src/)']],
  [['bindings', 'memory and calls of the kernel, of either engine (beside src/)']],
  [['text', 'decimals rounded outward, JSON, escaping']],
  [
    [
      'numeric',
      'brackets, root finding, quadrature rules, arithmetic of logarithms: knows nothing of privacy',
    ],
  ],
  [['chart', 'drawings as trees of SVG elements: scales, marks, colours; no DOM']],
  [
    [
      'run',
      'the questions that one pair of distributions answers: delta, epsilon, tests, the trade-off curve',
    ],
  ],
  [['law', 'pairs of distributions: the losses of one step, their sampling, their lattices']],
  [['methods/first-within', 'asks methods in order until one is narrow enough']],
  [['methods/closed', 'closed forms, B-splines, listed atoms, plain bounds']],
  [
    ['methods/grid', 'loss distributions on a lattice, composed by FFT'],
    ['methods/contour', 'integrals of the transform of the losses along vertical lines'],
  ],
  [['methods/brought', 'the methods that any run may ask: they come with an engine']],
  [['engine', 'what an engine is']],
  [
    [
      'mechanism',
      'what a person states: plain data, its parser, facts and description, and the pair it makes; private searches',
    ],
  ],
  [['bounds', 'theorems that cost next to nothing: Rényi divergences, basic and advanced composition']],
  [['account', 'loads an engine, chooses the methods of a run and joins its two directions']],
  [['engine-sync', 'loads an engine at once, with both engines']],
  [
    ['profile', 'privacy profiles and noise formulas'],
    ['gaussian-mechanism', 'noise of one Gaussian release: optimal, closed and classical formulas'],
    ['certificate', 'certificates of an answer, and a verifier that shares no code with it'],
    ['read', 'what training libraries leave, recognised from its bytes'],
  ],
  [['tradeoff', 'trade-off functions, their algebra, and the one subject of the verbs']],
  [
    ['measure', 'mu, regret and tier; identification; heads; amplification'],
    ['risk', 'what attacks reach: membership, reconstruction, attribute inference, singling out'],
    ['accountants', 'what other accountants say'],
    ['audit', 'what the counts of an attack prove, and whether they refute a claim'],
  ],
  [['budget', 'ledgers that releases are paid from: filters, odometers, exact sums']],
  [
    ['calibrate', 'noise, rate or steps for a target'],
    ['convert', 'from one statement of privacy to another'],
    ['streaming', 'accounts that grow step by step'],
    ['report', 'the report: numbers, sentences, text, Markdown, HTML, JSON'],
    ['lint', 'checks of a published claim'],
    ['sweep', 'grids of settings over workers'],
  ],
  [['plot', 'plots of runs, audits and lines, as charts in files; page and report take `chart` alone']],
  [['index', 'the root of the package']],
  [
    ['node', 'files and threads of Node: with cli/, the only rooms that import node: modules'],
    ['page', 'the page: questions to a worker, state, views'],
  ],
  [['cli', 'the command line']],
  [['embed', 'the command line without files or threads, as one script for any engine of JavaScript']],
];
