import { a } from './no-such-file-of-ours.js';
return a;
