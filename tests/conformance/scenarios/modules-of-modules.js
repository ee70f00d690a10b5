import { two } from 'lib';
return two;
