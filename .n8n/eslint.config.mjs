// Keeps the linter out of what n8n stores here.
export default [{ ignores: ['**/*'] }];
