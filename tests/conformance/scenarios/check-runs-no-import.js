// What these export is not known, so they can't be said to lack anything.
import { a } from 'data:text/javascript,process.exit(7)';
import { b, c } from 'parts';
import { d } from 'more';
return [a, b, c, d];
