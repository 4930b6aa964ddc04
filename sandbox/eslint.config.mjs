import { configWithoutCloudSupport } from '@n8n/node-cli/eslint';

export default [...configWithoutCloudSupport, { rules: { 'no-console': 'off' } }];
