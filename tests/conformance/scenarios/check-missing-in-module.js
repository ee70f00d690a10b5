import { b } from 'parts';
return b;
