import { f } from 'a';
import { g } from 'b';
return [f(), g()];
