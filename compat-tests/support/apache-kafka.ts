/**
 * Apache Kafka 4.4 from Maven: its tools, its clients, and a broker beside ours. The jars are
 * kept in the user's cache, so they are fetched once.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { JavaTools } from './java-tools';
import { isInstalled, type RunOptions, runWell, Server, wellFinished } from './process';

const VERSION = '4.4.0';
const ARTIFACTS = [
  ['org.apache.kafka', 'kafka_2.13', VERSION],
  ['org.apache.kafka', 'kafka-tools', VERSION],
  ['org.apache.logging.log4j', 'log4j-core', '2.24.3'],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.24.3'],
] as const;
const home = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  `ottla-kafka-${VERSION}`,
);
const LOGGING_OPTION = `-Dlog4j2.configurationFile=${join(home, 'log4j2.xml')}`;
/** What is compiled here. */
const classes = join(home, 'classes');

/** Why Apache Kafka cannot be had on this machine; undefined once its jars are there. */
export async function missingKafka(): Promise<string | undefined> {
  if (!(await isInstalled('java')) || !(await isInstalled('javac'))) {
    return 'no JDK (17 or newer) is installed';
  }
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'log4j2.xml'), LOGGING);
  if (existsSync(join(home, 'complete'))) return undefined;
  if (!(await isInstalled('mvn'))) return 'Maven is not installed';
  writeFileSync(join(home, 'pom.xml'), pom());
  try {
    const args = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libs'];
    await runWell('mvn', args, { cwd: home, timeoutMs: 600_000 });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return `Apache Kafka could not be fetched: ${reason}`;
  }
  writeFileSync(join(home, 'complete'), '');
  return undefined;
}

export interface ToolOptions extends RunOptions {
  /** Otherwise a warning is a failure. */
  readonly toleratesWarnings?: boolean;
}

/** Runs a class of Kafka's to its end and gives what it printed; rejects if it failed. */
export async function kafkaTool(
  className: string,
  args: readonly string[],
  { toleratesWarnings = false, ...options }: ToolOptions = {},
): Promise<string> {
  const finished = await tools.run(className, args, options);
  const { stdout, stderr } = wellFinished(finished, className, args);
  if (toleratesWarnings) return stdout;
  const complaints = stderr.split('\n').filter((line) => / (WARN|ERROR|FATAL) /.test(line));
  if (complaints.length > 0) throw new Error(`${className} warned:\n${complaints.join('\n')}`);
  return stdout;
}

const newTools = (): JavaTools =>
  new JavaTools(java(['-Xmx256m'], resolve(__dirname, '../java/ToolRunner.java'), []));

const tools = newTools();
const lasting = newTools();
let compiled: Promise<unknown> | undefined;

/**
 * Runs a class of Kafka's or of `compat-tests/java` in a process beside that of the tools: its
 * clients stay open between calls, and they may warn. Gives what it printed.
 */
export async function lastingTool(className: string, args: readonly string[]): Promise<string> {
  const source = resolve(__dirname, '../java/TransactionSteps.java');
  compiled ??= compileWithKafka(source, classes);
  await compiled;
  return wellFinished(await lasting.run(className, args, {}), className, args).stdout;
}

/** Makes the folders of these properties ready for a cluster, a new one where none is named. */
export async function formatKafka(
  propertiesFile: string,
  clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A'),
): Promise<void> {
  await kafkaTool('kafka.tools.StorageTool', ['format', '-t', clusterId, '-c', propertiesFile]);
}

/** Compiles a class against Kafka's clients; gives how `java` runs it. */
export async function compileWithKafka(source: string, folder: string): Promise<JavaClass> {
  const libs = join(home, 'libs', '*');
  await runWell('javac', ['-cp', libs, '-d', folder, source], { timeoutMs: 120_000 });
  return (className, args) => [
    ...['-Xmx128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    ...['-cp', [folder, libs].join(delimiter), LOGGING_OPTION, className, ...args],
  ];
}

/** The arguments of `java`. */
export type JavaClass = (className: string, args: readonly string[]) => string[];

/** Starts an Apache Kafka node with these properties, on a folder formatted before. */
export function startKafka(propertiesFile: string, heap: readonly string[] = ['-Xmx512m']): Server {
  return new Server('java', java(heap, 'kafka.Kafka', [propertiesFile]));
}

/** Resolves once something listens on the port; rejects if the server ends before. */
export async function untilOpen(port: number, server: Server): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    if (server.exitCode !== null) throw new Error(`the server ended:\n${server.output}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A port on which nothing listens now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** The properties of a sole combined node. */
export function kafkaProperties(node: {
  readonly folder: string;
  readonly port: number;
  readonly controllerPort: number;
  /** Otherwise the voters are those in the folder (a dynamic quorum). */
  readonly hasStaticVoters: boolean;
}): string {
  const { folder, port, controllerPort, hasStaticVoters } = node;
  const controller = `localhost:${controllerPort}`;
  return [
    'process.roles=broker,controller',
    'node.id=1',
    hasStaticVoters
      ? `controller.quorum.voters=1@${controller}`
      : `controller.quorum.bootstrap.servers=${controller}`,
    `listeners=PLAINTEXT://localhost:${port},CONTROLLER://${controller}`,
    `advertised.listeners=PLAINTEXT://localhost:${port},CONTROLLER://${controller}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    `log.dirs=${folder}`,
    'offsets.topic.replication.factor=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    '',
  ].join('\n');
}

function java(heap: readonly string[], className: string, args: readonly string[]): string[] {
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const isServer = className === 'kafka.Kafka';
  return [
    ...heap,
    ...(isServer ? [] : quick),
    '-cp',
    `${join(home, 'libs', '*')}${delimiter}${classes}`,
    LOGGING_OPTION,
    className,
    ...args,
  ];
}

function pom(): string {
  const dependencies = ARTIFACTS.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>` +
      `<version>${version}</version></dependency>`,
  );
  return (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>' +
    '<groupId>ottla</groupId><artifactId>compat</artifactId><version>1</version>' +
    `<dependencies>${dependencies.join('')}</dependencies></project>\n`
  );
}

const LOGGING = `<Configuration><Appenders><Console name="C" target="SYSTEM_ERR" follow="true">
<PatternLayout pattern="%d %p %c - %m%n"/></Console></Appenders>
<Loggers><Root level="warn"><AppenderRef ref="C"/></Root></Loggers></Configuration>
`;
