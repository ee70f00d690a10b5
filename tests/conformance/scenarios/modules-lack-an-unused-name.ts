// One that only types need may be a type; A, the other, is used nowhere else.
import { a, A, type B } from 'lib';
const b: A = a;
return b;
