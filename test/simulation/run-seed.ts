/** Runs one world, so that even a promise that nobody awaits can fail its seed. */
import { World, type WorldOptions, type WorldReport } from './world/world';

export async function runSeed(options: WorldOptions): Promise<WorldReport> {
  const world = new World(options);
  const unhandled = (error: unknown): void => world.fail(error, 'nobody handled a rejection');
  const uncaught = (error: unknown): void => world.fail(error, 'nobody caught an exception');
  process.on('unhandledRejection', unhandled);
  process.on('uncaughtException', uncaught);
  try {
    return await world.run();
  } finally {
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', uncaught);
  }
}
