/** What a source file says, as far as the house rules ask. */
import ts from 'typescript';

export interface SourceFile {
  /** From the project's folder. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

export const parse = (path: string, text: string): SourceFile => ({
  path,
  text,
  tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true),
});

/** Every text in quotes or backticks (without its substitutions). */
export function textsIn({ tree }: SourceFile): string[] {
  const texts: string[] = [];
  visit(tree, (node) => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
  });
  return texts;
}

/** Globals through which time, chance and the operating system come in. */
const FOREIGN_GLOBALS = new Set([
  ...['Date', 'performance', 'process', 'fetch', 'crypto', 'FinalizationRegistry'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
  ...['clearTimeout', 'clearInterval', 'clearImmediate'],
]);
/** Modules of Node's whose every use belongs to the platform. */
const FOREIGN_MODULES =
  /^(node:)?(fs|net|tls|dns|dgram|worker_threads|timers|perf_hooks|child_process|cluster|https?|os|process)(\/|$)/;
/** What may be taken of modules that are partly foreign. */
const LAWFUL: Readonly<Record<string, RegExp>> = {
  'node:zlib': /(Sync|^constants|^crc32)$/,
  'node:crypto': /^(createHash|createHmac|timingSafeEqual|pbkdf2Sync|hash)$/,
};

/** Uses of the world that only the platform may make, as `path:line what`. */
export function foreignWords({ path, tree }: SourceFile): string[] {
  const found: string[] = [];
  const own = declaredNames(tree);
  const namespaces = new Map<string, RegExp>();
  const note = (node: ts.Node, what: string): void => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path}:${line + 1} ${what}`);
  };
  visit(tree, (node) => {
    if (ts.isImportDeclaration(node)) noteImport(node, namespaces, note);
    else if (ts.isCallExpression(node)) noteCall(node, note);
    else if (ts.isPropertyAccessExpression(node)) noteAccess(node, namespaces, note);
    else if (ts.isIdentifier(node) && isForeignGlobal(node, own)) note(node, node.text);
  });
  return found;
}

type Note = (node: ts.Node, what: string) => void;

function noteImport(
  { moduleSpecifier, importClause }: ts.ImportDeclaration,
  namespaces: Map<string, RegExp>,
  note: Note,
): void {
  const module = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  if (FOREIGN_MODULES.test(module)) note(moduleSpecifier, module);
  const lawful = LAWFUL[module];
  const bindings = importClause?.namedBindings;
  if (lawful === undefined || bindings === undefined) return;
  if (ts.isNamespaceImport(bindings)) {
    namespaces.set(bindings.name.text, lawful);
    return;
  }
  for (const { name, propertyName } of bindings.elements) {
    const taken = (propertyName ?? name).text;
    if (!lawful.test(taken)) note(name, `${taken} of ${module}`);
  }
}

function noteCall({ expression, arguments: [first] }: ts.CallExpression, note: Note): void {
  if (expression.kind === ts.SyntaxKind.ImportKeyword) note(expression, 'import()');
  const isRequire = ts.isIdentifier(expression) && expression.text === 'require';
  if (isRequire && first !== undefined && ts.isStringLiteral(first)) {
    if (FOREIGN_MODULES.test(first.text)) note(first, first.text);
  }
}

function noteAccess(
  node: ts.PropertyAccessExpression,
  namespaces: ReadonlyMap<string, RegExp>,
  note: Note,
): void {
  const { expression, name } = node;
  if (!ts.isIdentifier(expression)) return;
  if (expression.text === 'Math' && name.text === 'random') note(node, 'Math.random');
  const lawful = namespaces.get(expression.text);
  if (lawful !== undefined && !lawful.test(name.text)) {
    note(node, `${expression.text}.${name.text}`);
  }
}

/** Names that the file gives to something of its own. */
function declaredNames(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  visit(tree, (node) => {
    const { name } = node as { readonly name?: ts.Node };
    const isDeclaration =
      ts.isVariableDeclaration(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isImportSpecifier(node);
    if (isDeclaration && name !== undefined && ts.isIdentifier(name)) names.add(name.text);
  });
  return names;
}

function isForeignGlobal(node: ts.Identifier, own: ReadonlySet<string>): boolean {
  if (!FOREIGN_GLOBALS.has(node.text) || own.has(node.text)) return false;
  const { parent } = node;
  // A property or a member of that name is something else.
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  const { name } = parent as { readonly name?: ts.Node };
  return name !== node && !ts.isTypeReferenceNode(parent);
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}
