import { c } from 'lib';
return c;
