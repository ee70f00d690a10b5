import b, { a } from 'lib';
return [a, b];
