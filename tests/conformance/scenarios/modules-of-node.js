import { where } from 'lib';
return where;
