// The script of a sweep's worker threads: the pool calls its default export with each task.
import { answerTask } from '../sweep/pool.js';

export default answerTask;
