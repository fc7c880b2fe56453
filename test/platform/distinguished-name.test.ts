import { distinguishedName } from '../../src/platform/distinguished-name';

// Left: what Node prints for a certificate's subject. Right: what Java's X500Principal.getName().
test.each([
  [
    'C=DE\nO=Big\\, Inc\nCN=a#b\nemailAddress=x@y.z',
    '1.2.840.113549.1.9.1=#16057840792e7a,CN=a\\#b,O=Big\\, Inc,C=DE',
  ],
  ['CN=client', 'CN=client'],
  [
    'O=Big=\\, \\"q\\" \\<x\\>\\;\\\\\\\\ end\nOU=\\ lead + UID=u1\nCN=Müller #1\\ ',
    'CN=Müller \\#1\\ ,OU=\\ lead+UID=u1,O=Big\\=\\, \\"q\\" \\<x\\>\\;\\\\\\\\ end',
  ],
  [
    'serialNumber=12\ntitle=T1\nGN=g\nSN=s\nstreet=st 1',
    'STREET=st 1,2.5.4.4=#0c0173,2.5.4.42=#0c0167,2.5.4.12=#0c025431,2.5.4.5=#13023132',
  ],
])('the subject %j is named as Java names it', (subject, name) => {
  expect(distinguishedName(subject)).toBe(name);
});
