import { a } from 'lib';
import { b } from 'lib';
return [a, b];
