import { a } from './lib.js';
return a;
