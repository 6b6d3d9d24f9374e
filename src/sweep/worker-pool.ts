/** Messages of a worker on its task: any number on its progress, then the answer or an error. */
export type WorkerAnswer<Answer = unknown> =
  | { readonly news: unknown }
  | { readonly answer: Answer }
  | { readonly error: string };

/** A worker of any kind; it answers one task at a time. */
export interface TaskWorker<Task> {
  post(task: Task): void;
  end(): unknown;
}

/** Starts a worker. `onAnswer` is called with each `WorkerAnswer` that it posts, and `onFailure` with the reason if it ends. */
export type StartWorker<Task, Answer> = (
  onAnswer: (answer: WorkerAnswer<Answer>) => void,
  onFailure: (reason: string) => void,
) => TaskWorker<Task>;

export interface TaskOptions {
  /** Aborts the task: its worker is ended, and `run` rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with each message before the answer. */
  readonly onNews?: (news: unknown) => void;
}

interface Waiting<Task, Answer> {
  readonly task: Task;
  readonly onNews: (news: unknown) => void;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Up to `size` workers, which are started when they are needed. If one fails, its task is rejected and it is replaced. */
export class WorkerPool<Task, Answer> {
  private readonly idle: TaskWorker<Task>[] = [];
  private readonly busy = new Map<TaskWorker<Task>, Waiting<Task, Answer>>();
  private readonly queue: Waiting<Task, Answer>[] = [];
  private closed = false;

  constructor(
    private readonly size: number,
    private readonly startWorker: StartWorker<Task, Answer>,
  ) {}

  run(task: Task, { signal, onNews = () => {} }: TaskOptions = {}): Promise<Answer> {
    if (this.closed) return Promise.reject(new Error('the pool is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    let abort = () => {};
    const answered = new Promise<Answer>((resolve, reject) => {
      const job = { task, onNews, resolve, reject };
      abort = () => this.abandon(job, signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.queue.push(job);
      this.pump();
    });
    return answered.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Ends all workers and their tasks. */
  async close(): Promise<void> {
    this.closed = true;
    const ended = new Error('the pool is closed');
    const workers = [...this.idle, ...this.busy.keys()];
    for (const { reject } of [...this.busy.values(), ...this.queue]) reject(ended);
    this.idle.length = 0;
    this.queue.length = 0;
    this.busy.clear();
    await Promise.all(workers.map((worker) => worker.end()));
  }

  private pump(): void {
    while (this.queue.length > 0 && (this.idle.length > 0 || this.busy.size < this.size)) {
      const worker = this.idle.pop() ?? this.start();
      const job = this.queue.shift()!;
      this.busy.set(worker, job);
      worker.post(job.task);
    }
  }

  private start(): TaskWorker<Task> {
    const worker = this.startWorker(
      (said) => {
        const job = this.busy.get(worker);
        if (job === undefined) return;
        if ('news' in said) {
          job.onNews(said.news);
          return;
        }
        this.busy.delete(worker);
        this.idle.push(worker);
        if ('answer' in said) job.resolve(said.answer);
        else job.reject(new Error(said.error));
        this.pump();
      },
      (reason) => this.drop(worker, new Error(`a worker failed: ${reason}`)),
    );
    return worker;
  }

  /** Ends the worker of a task that was aborted: its work cannot be interrupted in any other way. */
  private abandon(job: Waiting<Task, Answer>, reason: unknown): void {
    const at = this.queue.indexOf(job);
    if (at >= 0) this.queue.splice(at, 1);
    const [worker] = [...this.busy].find(([, each]) => each === job) ?? [];
    if (worker === undefined) job.reject(reason);
    else this.drop(worker, reason);
  }

  private drop(worker: TaskWorker<Task>, reason: unknown): void {
    const job = this.busy.get(worker);
    this.busy.delete(worker);
    const at = this.idle.indexOf(worker);
    if (at >= 0) this.idle.splice(at, 1);
    worker.end();
    job?.reject(reason);
    if (!this.closed) this.pump();
  }
}
