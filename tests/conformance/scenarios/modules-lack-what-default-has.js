import { b } from 'data:text/javascript,export default { b: 1 }';
return b;
