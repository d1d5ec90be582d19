import { Worker } from 'node:worker_threads';

/** Runs all jobs on so many threads; answers come in the jobs' order, whoever is done first. */
export function runAll(jobs, threads, onProgress) {
  return new Promise((resolve, reject) => {
    const answers = new Array(jobs.length);
    let [next, done] = [0, 0];
    const workers = Array.from({ length: Math.max(1, Math.min(threads, jobs.length)) }, () => {
      const worker = new Worker(new URL('./worker.mjs', import.meta.url));
      worker.on('error', reject);
      worker.on('message', ({ id, kind, result }) => {
        answers[id] = { kind, result };
        onProgress((done += 1));
        if (done === jobs.length) finish();
        else give(worker);
      });
      return worker;
    });
    for (const worker of workers) give(worker);

    function give(worker) {
      if (next < jobs.length) worker.postMessage({ id: next, ...jobs[next++] });
    }

    function finish() {
      for (const worker of workers) void worker.terminate();
      resolve(answers);
    }
  });
}
