import { f } from 'lib.ts';
f();
