import { a, c } from 'lib';
return [a, c];
