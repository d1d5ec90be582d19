import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Time, chance and the environment come in through kernel/ and settings/ alone, so that tests can move them. */
const REACHED_FOR = {
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'Take a Clock (kernel/clock).' },
    { object: 'performance', property: 'now', message: 'Take a Clock (kernel/clock).' },
    { object: 'process', property: 'hrtime', message: 'Take a Clock (kernel/clock).' },
    { object: 'Math', property: 'random', message: 'Take an Rng (kernel/rng).' },
    { object: 'process', property: 'env', message: 'Read it in settings/ and hand it in.' },
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector: "NewExpression[callee.name='Date'][arguments.length=0]",
      message: 'Take a Clock (kernel/clock).',
    },
  ],
};

const NODE_GLOBALS = Object.fromEntries(
  [
    ...['Buffer', 'console', 'fetch', 'performance', 'process', 'URL'],
    ...['clearTimeout', 'setImmediate', 'setTimeout'],
  ].map((name) => [name, 'readonly']),
);

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'node_modules', '.engines'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Takes every options object of a library for a missing instance.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
      'no-console': 'error',
    },
  },
  { files: ['src/**/*.ts'], ignores: ['src/kernel/**', 'src/settings/**'], rules: REACHED_FOR },
  { files: ['src/main.ts', 'src/demo/**'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**/*.ts', 'src/**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
  { files: ['bench/**/*.mjs'], languageOptions: { globals: NODE_GLOBALS } },
  prettier,
);
