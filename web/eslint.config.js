/** Rules of this folder; above all, `sim/` keeps to arithmetic that every machine rounds alike. */

/** Functions of Math that are exact everywhere; everything else in Math is banned from `sim/`. */
const EXACT = ['abs', 'ceil', 'floor', 'fround', 'imul', 'max', 'min', 'sqrt'];
const MATH = Object.getOwnPropertyNames(Math).filter(
  (name) => typeof Math[name] === 'function' || /[A-Z]/.test(name),
);
const BANNED = MATH.filter((name) => !EXACT.includes(name));

/** Names that both browsers and Node know, and those of browsers alone. */
const EVERYWHERE = [
  ...['TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'fetch', 'performance'],
  ...['atob', 'btoa', 'structuredClone', 'setTimeout', 'clearTimeout'],
];
const BROWSER = [
  ...['window', 'document', 'location', 'navigator', 'addEventListener', 'devicePixelRatio'],
  ...['requestAnimationFrame', 'cancelAnimationFrame', 'EventSource', 'ResizeObserver'],
  ...['createImageBitmap', 'OffscreenCanvas', 'Blob', 'Image', 'matchMedia'],
  ...['IntersectionObserver', 'ImageData', 'history'],
];
const readonly = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

const portable = 'results differ between machines; use sim/maths.js';

export default [
  { ignores: ['node_modules/', 'dist/', 'test/**/built/'] },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: readonly(EVERYWHERE) },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'array-callback-return': 'error',
      'default-param-last': 'error',
      'dot-notation': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-const-assign': 'error',
      'no-dupe-keys': 'error',
      'no-duplicate-imports': 'error',
      'no-else-return': 'error',
      'no-empty': 'error',
      'no-eval': 'error',
      'no-fallthrough': 'error',
      'no-implicit-coercion': 'error',
      'no-lonely-if': 'error',
      'no-self-compare': 'error',
      'no-throw-literal': 'error',
      'no-undef': 'error',
      'no-unreachable': 'error',
      'no-unused-vars': [
        'error',
        { args: 'after-used', argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-useless-rename': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': ['error', { destructuring: 'all' }],
      'sort-imports': ['error', { ignoreDeclarationSort: true, ignoreCase: false }],
    },
  },
  {
    files: ['**/*.js'],
    ignores: ['sim/**'],
    languageOptions: { globals: readonly(BROWSER) },
  },
  {
    files: ['sim/bridge.js'],
    languageOptions: { globals: readonly(['process']) },
  },
  {
    files: ['sim/**/*.js'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...[
          'Date',
          'performance',
          'window',
          'document',
          'setTimeout',
          'requestAnimationFrame',
          'crypto',
        ].map((name) => ({
          name,
          message: 'geometry is a pure function of its arguments',
        })),
      ],
      'no-restricted-properties': [
        'error',
        ...BANNED.map((property) => ({ object: 'Math', property, message: portable })),
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "BinaryExpression[operator='**']", message: 'powers are written as products' },
        {
          selector: "AssignmentExpression[operator='**=']",
          message: 'powers are written as products',
        },
        { selector: "VariableDeclarator[init.name='Math'] > ObjectPattern", message: portable },
        {
          selector: "CallExpression[callee.property.name='toFixed']",
          message: 'round with roundHalfUp',
        },
        { selector: 'ForInStatement', message: 'the order of keys is not ours; iterate entries' },
      ],
    },
  },
  {
    files: ['sim/**/*.js'],
    // The one door to the outside; it is never part of a page.
    ignores: ['sim/bridge.js'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['three', 'three/*', '**/render/*', '**/page/*'],
              message: 'sim knows no renderer and no page',
            },
            { group: ['node:*'], message: 'sim also runs in a browser' },
          ],
        },
      ],
    },
  },
];
