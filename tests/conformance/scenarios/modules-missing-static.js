Of two imports, the second:

```js
import { join } from 'node:path';
import pad, {
  trim, // and more
} from 'left-pad';
return pad(join('a', 'b'), trim);
```
