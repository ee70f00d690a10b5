import { a } from 'lib';
return a;
