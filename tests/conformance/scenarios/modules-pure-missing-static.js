import { a } from 'libs';
return a;
