import { a } from 'lib';
import { a as first, othre } from 'lib';
return [a, first, othre];
