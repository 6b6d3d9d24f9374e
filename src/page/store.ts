import { Channel, type OpenPort, Requests, type Unnumbered } from './channel.js';
import { type FileChip, formatOf, readDropped, settingFrom } from './files.js';
import { fragmentOf, linkFault, readFragment } from './fragment.js';
import { agreeing } from './loaders.js';
import type { FileRead, PageAnswer, Question, Reply, ReportFormat } from './messages.js';
import { shownAfter } from './shown-answer.js';
import {
  at,
  type FieldName,
  MOST_KEPT,
  type Setting,
  type SettingUnknown,
  type State,
  settingKey,
  settingOf,
  without,
} from './state.js';

/** Milliseconds without input after which the precise answer is asked for. */
const REST = 120;
/** Milliseconds without an answer after which the old one turns grey. */
const STALE = 300;
/** Number of states that undo keeps. */
const MOST_STATES = 500;

/** The page's state and its actions. Views read it and call its methods; nothing else changes it. */
export class Store {
  state: State;
  answer: PageAnswer | undefined;
  files: readonly FileChip[] = [];
  failure: string | undefined;
  unreached: string | undefined;
  /** Whether a solver is running whose result will replace the shown value. */
  solving = false;
  notice: string | undefined;
  toast: string | undefined;
  brackets = false;
  keys = false;
  menu = false;
  dragging = false;
  /** Seconds since the settings changed without a new answer; undefined if the shown answer is for the settings in the fields. */
  stale: number | undefined;
  /** Milliseconds from each question to the frame that shows its first answer, the latest last. */
  readonly latencies: number[] = [];

  private readonly quick: Channel;
  private readonly thorough: Channel;
  private readonly solver: Channel;
  private readonly keeper: Channel;
  private readonly requests: Requests;
  /** States for undo and for redo. */
  private readonly past: State[] = [];
  private readonly future: State[] = [];
  /** Answers of the settings kept for comparison, by key. */
  private readonly answers = new Map<string, PageAnswer>();
  private resting: ReturnType<typeof setTimeout> | undefined;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private toasting: ReturnType<typeof setTimeout> | undefined;
  private undrawn: number | undefined;
  private wanted: string | undefined;

  /** @param example The answer for the example setting, computed when the page was built. It is shown until the browser has computed an answer. */
  constructor(
    open: OpenPort,
    private readonly changed: () => void,
    example?: PageAnswer,
  ) {
    const { state, refused } = readFragment(location.hash);
    this.state = state;
    this.notice = refused;
    this.quick = new Channel(open, (reply, asked) => this.answered(reply, asked));
    this.thorough = new Channel(open, (reply, asked) => this.answered(reply, asked));
    this.solver = new Channel(open, (reply) => this.solved(reply));
    this.requests = new Requests(open);
    this.keeper = new Channel(open, (reply) => this.keptAnswered(reply));
    if (example !== undefined && settingKey(example.setting) === settingKey(state)) this.answer = example;
  }

  start(): void {
    this.compute();
    this.askKept();
  }

  /* State */

  /** Changes the state. Without `commit` (during a drag) undo and the address are not updated. */
  set(change: Partial<State>, commit = true): void {
    this.replace({ ...this.state, ...change }, commit);
  }

  /** Sets several fields at once. A field that was solved for is then no longer solved for. */
  fields(values: Partial<Record<FieldName, number>>, commit = true): void {
    const { unknown } = this.state;
    const freed = unknown !== undefined && unknown in values ? without(this.state, 'unknown') : this.state;
    this.replace({ ...freed, ...values }, commit);
  }

  /** Replaces the whole state. */
  replace(state: State, commit = true): void {
    if (commit) this.remember();
    this.apply(state);
    if (commit) this.write();
  }

  /** Changes α, an axis or a tab, on which no claim depends. Only the attack rate at a new α is computed, once the input rests. */
  look(change: Partial<Pick<State, 'alpha' | 'scale' | 'view'>>, commit = true): void {
    if (commit) this.remember();
    this.state = { ...this.state, ...change };
    if (change.alpha !== undefined) this.rest();
    if (commit) this.write();
    this.changed();
  }

  /** Stores the state for undo, before a change or a whole drag. */
  remember(): void {
    this.past.push(this.state);
    if (this.past.length > MOST_STATES) this.past.shift();
    this.future.length = 0;
  }

  /** Ends a drag. */
  settle(): void {
    this.dragging = false;
    this.write();
    this.changed();
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    this.travel(this.past, this.future);
  }

  redo(): void {
    this.travel(this.future, this.past);
  }

  private travel(from: State[], to: State[]): void {
    const next = from.pop();
    if (next === undefined) return;
    to.push(this.state);
    this.apply(next);
    this.write();
    this.askKept();
  }

  private apply(wanted: State): void {
    const state = agreeing(wanted);
    const asked = (of: State): string => settingKey(of) + JSON.stringify([of.unknown, of.aim, of.target]);
    const before = asked(this.state);
    this.state = state;
    if (before !== asked(state)) {
      this.notice = undefined;
      this.compute();
    }
    this.changed();
  }

  private write(): void {
    const fragment = linkFault(this.state) === undefined ? fragmentOf(this.state) : '';
    history.replaceState(null, '', fragment === '' ? `${location.pathname}${location.search}` : fragment);
  }

  /* Questions */

  private compute(): void {
    const { unknown, aim, target, alpha } = this.state;
    this.unreached = undefined;
    this.solving = unknown !== undefined && target !== undefined;
    clearTimeout(this.waiting);
    const since = performance.now();
    this.waiting = setTimeout(() => this.turnStale(since), STALE);
    if (unknown !== undefined && target !== undefined)
      this.solver.ask({ task: 'solve', setting: settingOf(this.state), unknown, aim, target, alpha });
    this.thorough.drop();
    this.askNow();
  }

  /** Asks for a coarse answer to the setting in the fields at once, and for a precise one when the input rests. */
  private askNow(): void {
    const setting = settingOf(this.state);
    this.wanted = settingKey(setting);
    this.quick.ask({ task: 'coarse', setting });
    this.rest();
  }

  private rest(): void {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.thorough.ask({ task: 'fine', setting: settingOf(this.state), alpha: this.state.alpha });
    }, REST);
  }

  /** Marks the shown claim as stale: it is for other settings than those in the fields. */
  private turnStale(since: number): void {
    if (this.answer !== undefined && settingKey(this.answer.setting) === this.wanted) return;
    this.stale = (performance.now() - since) / 1000;
    this.waiting = setTimeout(() => this.turnStale(since), 500);
    this.changed();
  }

  /** Cancels the computation; the last answer stays. */
  stop(): void {
    clearTimeout(this.waiting);
    for (const channel of [this.quick, this.thorough, this.solver]) channel.stop();
    this.stale = undefined;
    this.solving = false;
    this.failure = 'it was stopped';
    this.changed();
  }

  private answered(reply: Reply, { since }: Question): void {
    if (reply.kind === 'failed') {
      this.failure = reply.message;
      this.stale = undefined;
      clearTimeout(this.waiting);
    }
    if (reply.kind === 'answer') {
      const next = shownAfter(this.answer, reply, this.wanted);
      if (next === undefined) return;
      this.answer = next;
      this.failure = undefined;
      if (settingKey(next.setting) === this.wanted) {
        this.stale = undefined;
        clearTimeout(this.waiting);
      }
      if (reply.task === 'coarse') this.undrawn = since;
      this.learn(next);
    }
    this.changed();
  }

  drawn(): void {
    if (this.undrawn !== undefined && this.latencies.length < 1000)
      this.latencies.push(performance.now() - this.undrawn);
    this.undrawn = undefined;
  }

  private solved(reply: Reply): void {
    this.solving = false;
    if (reply.kind === 'failed') this.unreached = `This cannot be solved: ${reply.message}.`;
    if (reply.kind === 'unreached') this.unreached = reply.reason;
    if (reply.kind === 'solved' && this.state.unknown === reply.solved.unknown) {
      const { unknown, value } = reply.solved;
      this.unreached = undefined;
      if (value !== this.state[unknown] || this.state.phases !== undefined) {
        this.state = at(this.state, unknown, value);
        this.askNow();
        if (!this.dragging) this.write();
      }
    }
    this.changed();
  }

  /* Solving */

  /** Starts or ends solving for a field. The first target is half of the shown ε. */
  solveFor(unknown: SettingUnknown | undefined): void {
    if (unknown === undefined || unknown === this.state.unknown) {
      this.replace(without(this.state, 'unknown'));
      return;
    }
    const now = this.answer?.epsilon.upper ?? 8;
    const half = Number((Number.isFinite(now) && now > 0 ? now / 2 : 4).toPrecision(1));
    this.set({ unknown, aim: this.state.aim, target: this.state.target ?? half });
  }

  /* Comparing */

  get kept(): readonly { readonly setting: Setting; readonly answer?: PageAnswer | undefined }[] {
    return this.state.kept.map((setting) => ({ setting, answer: this.answers.get(settingKey(setting)) }));
  }

  /** Adds parts of an answer to those known of kept settings. */
  private learn(answer: Partial<PageAnswer>, kept: readonly Setting[] = this.state.kept): void {
    const key = answer.setting && settingKey(answer.setting);
    if (key !== undefined && kept.some((each) => settingKey(each) === key))
      this.answers.set(key, { ...this.answers.get(key), ...answer } as PageAnswer);
  }

  keep(): void {
    if (this.state.kept.length < MOST_KEPT) this.keepToo(settingOf(this.state));
    else this.say('Three settings are kept already. Remove one first.');
  }

  private keepToo(setting: Setting): void {
    this.set({ kept: [...this.state.kept, setting] });
    this.learn(this.answer ?? {});
    this.askKept();
  }

  unkeep(index: number): void {
    this.set({ kept: this.state.kept.filter((_, i) => i !== index) });
  }

  /** Puts a kept setting into the fields, and keeps the former setting in its place. */
  swap(index: number): void {
    const { kept } = this.state;
    const chosen = kept[index];
    if (chosen === undefined) return;
    const present = settingOf(this.state);
    this.learn(this.answer ?? {}, [present]);
    const rest = without(this.state, 'rate', 'steps', 'phases', 'mechanism', 'unknown');
    this.replace({ ...rest, ...chosen, kept: kept.with(index, present) });
  }

  private askKept(): void {
    const missing = this.kept.find(({ answer }) => answer === undefined);
    if (missing !== undefined && this.keeper.task === undefined)
      this.keeper.ask({ task: 'fine', setting: missing.setting, alpha: 1e-3 });
  }

  private keptAnswered(reply: Reply): void {
    if (reply.kind === 'answer') this.learn(reply.answer);
    if (reply.kind === 'done') this.askKept();
    this.changed();
  }

  /* Files */

  /** Reads files one after another. The first is shown, the others are kept for comparison. */
  async open(files: Iterable<File>): Promise<void> {
    let shown = false;
    const before = this.files.filter(({ bad }) => bad);
    for (const file of files) {
      const read = await readDropped(file, this.requests);
      if ('bad' in read) {
        this.files = [...this.files.filter(({ name }) => name !== file.name), read];
        this.changed();
        continue;
      }
      // messages on files refused earlier are removed when a valid file is opened
      this.files = this.files.filter((each) => !before.includes(each));
      if (!shown) this.show(read);
      else if (this.state.kept.length < MOST_KEPT) this.keepToo(settingOf(settingFrom(read, this.state)));
      shown = true;
    }
  }

  private show(read: FileRead): void {
    const chip = { name: read.name, what: formatOf(read), notes: read.notes, bad: false };
    this.files = [...this.files.filter((file) => file.bad && file.name !== read.name), chip];
    this.replace({ ...settingFrom(read, without(this.state, 'unknown')), file: read.name });
  }

  closeFile(name: string): void {
    const chip = this.files.find((file) => file.name === name);
    this.files = this.files.filter((file) => file.name !== name);
    if (chip?.bad === false) this.replace(without(this.state, 'phases', 'mechanism', 'file'));
    this.changed();
  }

  /* Exports */

  /** The text of a report or certificate of the shown answer. */
  exported(format: ReportFormat, title: string, fontFaces?: string): Promise<string> {
    return this.textOf({ task: 'export', setting: settingOf(this.state), format, title, fontFaces });
  }

  /** The verdict of `verify`, the independent method, on the certificate of the shown answer. */
  async verified(): Promise<string> {
    return this.textOf({ task: 'verify', certificate: await this.exported('certificate', '') });
  }

  private async textOf(asked: Unnumbered): Promise<string> {
    return (await this.requests.ask(asked, 'text')).text;
  }

  /* Messages and switches */

  say(words?: string): void {
    this.toast = words;
    clearTimeout(this.toasting);
    if (words !== undefined) this.toasting = setTimeout(() => this.say(), 2600);
    this.changed();
  }

  toggle(what: 'brackets' | 'keys' | 'menu', value = !this[what]): void {
    this[what] = value;
    this.changed();
  }

  /** Whether the shown answer is for the settings in the fields and complete enough to export, and no solver is running. */
  get settled(): boolean {
    const { answer } = this;
    return (
      this.solver.task === undefined &&
      answer?.measured !== undefined &&
      answer.found !== undefined &&
      settingKey(answer.setting) === settingKey(this.state)
    );
  }
}
