/** Runs jobs in the load process. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Job, JobReport, TransactionJob } from './job';

export class LoadProcess {
  readonly #child: ChildProcess = fork(join(__dirname, 'load-process.ts'), {
    execArgv: ['-r', 'ts-node/register'],
  });

  /** One job at a time. Rejects if an answer carried an error. */
  run(job: Job | TransactionJob): Promise<JobReport> {
    return new Promise((resolve, reject) => {
      this.#child.once('message', (report: JobReport) => {
        const errors = Object.keys(report.errors);
        if (errors.length > 0) reject(new Error(`answers with errors ${errors.join(', ')}`));
        else if (report.requests === 0) reject(new Error('no request was answered'));
        else resolve(report);
      });
      this.#child.send(job);
    });
  }

  stop(): void {
    this.#child.disconnect();
  }
}
