import { default as first } from 'data:application/json,[1]' with { type: 'json' };
const json = { type: 'json' };
const { default: second } = await import('data:application/json,[2]', { with: json, assert: json });
return [first, second];
