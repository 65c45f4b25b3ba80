/**
 * Who may import whom. Folders import downward only; each rule says what to do instead. `npm run folders` runs it
 * and fails when it saw fewer modules than there are (a missing compiler makes the cruiser see none).
 */
const ours = (...folders) => `^src/(${folders.join('|')})/`;

/** A folder below src and what of ours it may import. */
function layer(folder, allowed, comment) {
  return {
    name: `${folder}-imports`,
    comment,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: { path: '^src/', pathNot: ours(folder, ...allowed) },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    layer('protocol', [], 'protocol is pure grammar: move what needs others to the folder that needs it.'),
    {
      name: 'protocol-is-pure',
      comment:
        'protocol has no Nest, no node:*, no package, so that it runs and is tested anywhere: pass values in.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { pathNot: '^src/protocol/' },
    },
    layer('exchange', ['protocol'], 'exchange only carries what gates learned: put rules into the gate.'),
    layer('config', ['protocol'], 'config is read by everybody and knows nobody.'),
    layer(
      'errors',
      ['config', 'exchange', 'protocol'],
      'errors render refusals: throw a BoundaryError from the gate.',
    ),
    layer(
      'sessions',
      ['errors', 'config', 'exchange', 'protocol'],
      'sessions take an owner by shape and do not know auth: pass subject, tenant and revision.',
    ),
    layer(
      'auth',
      ['errors', 'config', 'exchange', 'protocol'],
      'auth knows neither sessions nor methods: use a port.',
    ),
    layer(
      'methods',
      ['sessions', 'auth', 'errors', 'config', 'exchange', 'protocol'],
      'methods know no HTTP: return a result or throw an McpMethodError.',
    ),
    layer(
      'transport',
      ['methods', 'sessions', 'auth', 'errors', 'config', 'exchange', 'protocol'],
      'transport serves the MCP endpoint; composition belongs to the top of src.',
    ),
    layer(
      'metadata',
      ['transport', 'methods', 'auth', 'errors', 'config', 'exchange', 'protocol'],
      'metadata is a controller behind the first gates.',
    ),
    layer(
      'health',
      ['transport', 'auth', 'errors', 'config', 'exchange', 'protocol'],
      'health is a controller behind the first gates.',
    ),
    layer(
      'client',
      ['protocol'],
      'the client knows a URL and no server code: a shared bug would hide itself.',
    ),
    layer('validator', ['protocol'], 'the validator is a witness of its own: it shares only the grammar.'),
    {
      name: 'validator-is-pure',
      comment: 'the validator reads no files and no network: cli/ does, and passes text in.',
      severity: 'error',
      from: { path: '^src/validator/' },
      to: { dependencyTypes: ['core'] },
    },
    layer(
      'acceptance',
      [],
      'the acceptance pack is a black box with parsers of its own: import nothing of ours.',
    ),
    {
      name: 'cli-imports',
      comment: 'a command calls the entry of what it runs; it does not reach into the server.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(cli|client|validator|acceptance|config|protocol)/|^src/(create-app|serve|teaching-app|lab|gate-trace|boundary\\.module)\\.ts$|^src/auth/(scope-catalog|token-book|token-policy)\\.ts$|^src/errors/catalog\\.ts$',
      },
    },
    {
      name: 'server-knows-no-witness',
      comment: 'the server, the validator, the acceptance pack, the client and the command line stay apart.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(cli|client|validator|acceptance)/',
      },
      to: { path: '^src/(cli|client|validator|acceptance)/' },
    },
    {
      name: 'nothing-imports-the-composition',
      comment:
        'the top of src composes the folders; a folder that needs it would turn the house upside down.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/cli/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'no-cycles',
      comment: 'a cycle has no top to start reading from: move the shared part down.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'src-is-shipped',
      comment:
        'src never imports tests, benchmarks or development dependencies: they are not installed for users.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|examples)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-dev-dependencies-in-src',
      comment: 'a package that src needs belongs into dependencies.',
      severity: 'error',
      from: { path: '^src/' },
      // The bed's packages are optional peers of the published package and development dependencies here.
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'], pathNot: '@types/' },
    },
    {
      name: 'no-unresolvable',
      comment: 'an import that cannot be resolved hides from every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'tests-stand-alone',
      comment: 'a test file imports no other test file: shared things live in test/support.',
      severity: 'error',
      from: { path: '\\.test\\.ts$' },
      to: { path: '\\.test\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    moduleSystems: ['es6', 'cjs'],
  },
};
