import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyMessage } from '../../src/protocol/api';
import { APIS } from '../../src/protocol/apis';
import { type FieldSpec, type FieldType, isNullable, isTagged } from '../../src/protocol/schema';
import { ALL_MESSAGES, versionsOf } from '../support/messages';

const facts = (file: string): string[] =>
  readFileSync(join(__dirname, 'facts', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('requests and responses are those of Apache Kafka', () => {
  const known = new Map<string, Map<number, string>>();
  for (const line of facts('schemas.txt')) {
    const [key, side, range, ...fields] = line.split(' ');
    const [first, last] = (range as string).split('-').map(Number) as [number, number?];
    const versions = known.get(`${key} ${side}`) ?? new Map<number, string>();
    known.set(`${key} ${side}`, versions);
    for (let v = first; v <= (last ?? first); v++) versions.set(v, fields.join(' '));
  }

  test('none is missing and none is made up', () => {
    const ours = APIS.flatMap((api) => [`${api.key} request`, `${api.key} response`]);
    expect(ours.sort()).toEqual([...known.keys()].sort());
  });

  for (const api of APIS) {
    for (const side of ['request', 'response'] as const) {
      test(`${api[side].name} has the same fields in every version`, () => {
        const versions = known.get(`${api.key} ${side}`);
        expect(versionsOf(api[side])).toEqual([...(versions?.keys() ?? [])]);
        for (const version of versionsOf(api[side])) {
          expect(flat(api[side], version)).toBe(versions?.get(version));
        }
      });
    }
  }
});

describe('all messages are those of Apache Kafka, with their defaults', () => {
  const known = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of facts('messages.txt')) {
    if (!line.startsWith(' ')) {
      current = [];
      known.set(line.split(' ')[0] as string, current);
    }
    current.push(line);
  }
  // Version 0 of ListConfigResources had another name up to 4.0.
  const formerNames = ['ListClientMetricsResourcesRequest', 'ListClientMetricsResourcesResponse'];

  test('none is missing and none is made up', () => {
    const expected = [...known.keys()].filter((name) => !formerNames.includes(name));
    expect(ALL_MESSAGES.map(({ name }) => name).sort()).toEqual(expected.sort());
  });

  test.each(ALL_MESSAGES.map((message) => [message.name, message] as const))(
    '%s has the same fields, versions and defaults',
    (name, message) => {
      expect(tree(message)).toEqual(known.get(name));
    },
  );

  test('ListClientMetricsResources looks like version 0 of ListConfigResources', () => {
    expect(known.get('ListClientMetricsResourcesRequest')).toHaveLength(1);
    expect(known.get('ListClientMetricsResourcesResponse')?.slice(1)).toEqual([
      ' throttleTimeMs int32',
      ' errorCode int16',
      ' clientMetricsResources []struct',
      '  name string',
    ]);
  });
});

/** A message in one version, as schemas.txt writes it. */
function flat(message: AnyMessage, version: number): string {
  const isFlexible = version >= message.flexibleSince;
  const lines: string[] = [];
  const walk = (shape: AnyMessage['shape'], dots: string, prefix: string): void => {
    const fields = Object.entries(shape).filter(
      ([, { spec }]) => version >= spec.versions.first && version <= spec.versions.last,
    );
    const regular = fields.filter(([, { spec }]) => !isTagged(spec, version));
    const tagged = fields
      .filter(([, { spec }]) => isTagged(spec, version))
      .sort(([, a], [, b]) => (a.spec.tag?.number ?? 0) - (b.spec.tag?.number ?? 0));
    for (const [name, { spec }] of [...regular, ...tagged]) {
      const tag = isTagged(spec, version) ? `@${spec.tag?.number}` : '';
      const path = `${prefix}${name.toLowerCase()}${tag}`;
      const mark = isNullable(spec, version) ? '?' : '';
      if (spec.type.kind === 'struct') walk(spec.type.shape, dots, `${path}/`);
      else if (spec.type.kind !== 'array') lines.push(`${dots}${path} ${typeName(spec, version)}`);
      else if (spec.type.element.kind !== 'struct') {
        const element: FieldSpec = { ...spec, type: spec.type.element };
        lines.push(`${dots}${path} []${typeName(withoutNull(element), version)}${mark}`);
      } else {
        lines.push(`${dots}${path} []${mark}`);
        walk(spec.type.element.shape, `${dots}.`, '');
      }
    }
  };
  const typeName = (spec: FieldSpec, v: number): string => {
    const { kind } = spec.type;
    if (kind === 'bool') return 'BOOLEAN';
    if (kind === 'bigint64') return 'INT64';
    const compact = isFlexible && !spec.isInflexible ? 'COMPACT_' : '';
    if (kind === 'records') return `${compact}RECORDS`;
    if (kind !== 'string' && kind !== 'bytes') return kind.toUpperCase();
    return `${compact}${isNullable(spec, v) ? 'NULLABLE_' : ''}${kind.toUpperCase()}`;
  };
  walk(message.shape, '', '');
  return lines.join(';');
}

function withoutNull({ nullable: _nullable, ...spec }: FieldSpec): FieldSpec {
  return spec;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** A message in all its versions, as messages.txt writes it. */
function tree({ name, versions: [first, last], flexibleSince, shape }: AnyMessage): string[] {
  const flexible = flexibleSince === Number.POSITIVE_INFINITY ? 'never' : flexibleSince;
  return [`${name} ${first}-${last} ${flexible}`, ...branch(shape, { first, last }, ' ')];
}

function branch(shape: AnyMessage['shape'], outer: Range, indent: string): string[] {
  return Object.entries(shape).flatMap(([name, { spec }]) => {
    const range = clip(spec.versions, outer);
    const words = [name, typeWord(spec.type), said(range, outer)];
    if (spec.nullable !== undefined) words.push(`?${said(clip(spec.nullable, range), range)}`);
    if (spec.tag !== undefined) {
      const since = spec.tag.first > range.first ? `:${spec.tag.first}+` : '';
      words.push(`@${spec.tag.number}${since}`);
    }
    if (spec.explicitDefault !== undefined) words.push(defaultWord(spec.explicitDefault.value));
    if (spec.isIgnorable) words.push('~');
    if (spec.isInflexible) words.push('inflexible');
    const line = `${indent}${words.filter((word) => word !== '').join(' ')}`;
    const inner = spec.type.kind === 'array' ? spec.type.element : spec.type;
    return [line, ...(inner.kind === 'struct' ? branch(inner.shape, range, `${indent} `) : [])];
  });
}

const clip = (inner: Range, outer: Range): Range => ({
  first: Math.max(inner.first, outer.first),
  last: Math.min(inner.last, outer.last),
});

function said(range: Range, outer: Range): string {
  if (range.first === outer.first && range.last === outer.last) return '';
  if (range.last === outer.last) return `${range.first}+`;
  return range.first === range.last ? `${range.first}` : `${range.first}-${range.last}`;
}

function typeWord(type: FieldType): string {
  if (type.kind === 'array') return `[]${typeWord(type.element)}`;
  return type.kind === 'bigint64' ? 'int64' : type.kind;
}

/** A default that says no more than having none is not written down. */
function defaultWord(value: unknown): string {
  return value === 0 || value === 0n || value === '' || value === false ? '' : `=${String(value)}`;
}
