/** `ottla storage`: makes folders ready, shows them, and gives out ids, with Kafka's flags. */

import { logFolders } from '../../broker/folders';
import {
  formatFolders,
  parseFeatures,
  parseInitialControllers,
  randomUuid,
  storageInfo,
} from '../../broker/format';
import { planListeners } from '../../broker/listeners';
import { Settings } from '../../broker/settings';
import { nodePlatform } from '../../platform/node';
import { ExitError, printLine, USAGE } from '../output';
import { readProperties } from '../properties-file';

export interface FormatFlags {
  readonly config: string;
  readonly 'cluster-id': string;
  readonly standalone?: boolean | undefined;
  readonly 'initial-controllers'?: string | undefined;
  readonly 'no-initial-controllers'?: boolean | undefined;
  readonly 'ignore-formatted'?: boolean | undefined;
  readonly 'release-version'?: string | undefined;
  readonly feature?: readonly string[] | undefined;
}

export async function storageFormat(flags: FormatFlags): Promise<void> {
  const settings = new Settings(readProperties(flags.config));
  const folders = logFolders(settings);
  const [controllerListenerName = ''] = settings.value('controller.listener.names');
  const report = await formatFolders(nodePlatform(), {
    folders: folders.all,
    metadataFolder: folders.metadata,
    nodeId: settings.nodeId,
    clusterId: flags['cluster-id'],
    isController: settings.hasRole('controller'),
    hasStaticVoters: settings.value('controller.quorum.voters').length > 0,
    controllerListenerName,
    initial: initialOf(flags, settings),
    ignoreFormatted: flags['ignore-formatted'] === true,
    releaseVersion: flags['release-version'],
    features: parseFeatures(flags.feature ?? []),
  });
  for (const line of report.lines) printLine(line);
}

export function storageInfoCommand(config: string): void {
  const { all } = logFolders(new Settings(readProperties(config)));
  const { lines, hasProblems } = storageInfo(nodePlatform().disk, all);
  for (const line of lines) printLine(line);
  if (hasProblems) process.exitCode = 1;
}

export function randomUuidCommand(): void {
  printLine(randomUuid(nodePlatform().random));
}

function initialOf(flags: FormatFlags, settings: Settings) {
  const controllers = flags['initial-controllers'];
  const given = [
    flags.standalone === true,
    controllers !== undefined,
    flags['no-initial-controllers'] === true,
  ];
  if (given.filter(Boolean).length > 1) {
    throw new ExitError(
      USAGE,
      'ottla: give only one of --standalone, --initial-controllers and --no-initial-controllers.',
    );
  }
  if (controllers !== undefined) {
    return { kind: 'initial', controllers: parseInitialControllers(controllers) } as const;
  }
  if (flags['no-initial-controllers'] === true) return { kind: 'none' } as const;
  if (flags.standalone !== true) return undefined;
  const plan = planListeners(settings, () => 'localhost').find((one) => one.isForControllers);
  const { host = 'localhost', port = 0 } = plan?.advertised ?? {};
  return { kind: 'standalone', host, port } as const;
}
