// A module asks for what nobody has.
import { b } from 'parts';
return b;
