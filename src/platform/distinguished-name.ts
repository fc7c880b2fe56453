/** A certificate's subject as Java prints it (RFC 2253), which is what principals are made of. */

/** Attributes that keep their short name in RFC 2253 §2.3. */
const SHORT_NAMES = new Set(['CN', 'L', 'ST', 'O', 'OU', 'C', 'STREET', 'DC', 'UID']);
/** DER tags of strings: IA5String, PrintableString, otherwise UTF8String. */
const STRING_TAGS: Readonly<Record<string, number>> = { emailAddress: 0x16, serialNumber: 0x13 };
const OBJECT_IDS: Readonly<Record<string, string>> = {
  emailAddress: '1.2.840.113549.1.9.1',
  serialNumber: '2.5.4.5',
  T: '2.5.4.12',
  title: '2.5.4.12',
  GN: '2.5.4.42',
  SN: '2.5.4.4',
};

/**
 * Turns the lines of `X509Certificate.subject` (`CN=a`, first attribute first) into one RFC 2253
 * name, last attribute first. Attributes without a short name appear by object id in hex.
 */
export function distinguishedName(subject: string): string {
  return subject
    .split('\n')
    .filter((line) => line !== '')
    .map(relativeName)
    .reverse()
    .join(',');
}

function relativeName(line: string): string {
  // Several attributes of one relative name are joined by " + " in Node's text.
  return line.split(' + ').map(attribute).join('+');
}

function attribute(text: string): string {
  const at = text.indexOf('=');
  const name = text.slice(0, at) === 'street' ? 'STREET' : text.slice(0, at);
  const value = unescaped(text.slice(at + 1));
  if (SHORT_NAMES.has(name)) return `${name}=${escaped(value)}`;
  const objectId = OBJECT_IDS[name] ?? name;
  return `${objectId}=#${derText(value, name).toString('hex')}`;
}

/** Node escapes like RFC 2253; taken off first so that nothing is escaped twice. */
const unescaped = (value: string): string => value.replace(/\\(.)/g, '$1');

function escaped(value: string): string {
  return value
    .replace(/[,=+<>#;"\\]/g, '\\$&')
    .replace(/^ /, '\\$&')
    .replace(/ $/, '\\ ');
}

function derText(value: string, name: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const length = bytes.length < 128 ? [bytes.length] : [0x81, bytes.length];
  return Buffer.concat([Buffer.from([STRING_TAGS[name] ?? 0x0c, ...length]), bytes]);
}
