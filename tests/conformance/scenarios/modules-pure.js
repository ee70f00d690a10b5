import { a } from 'lib';
return [a, a instanceof Array];
