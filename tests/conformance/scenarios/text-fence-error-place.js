Look:

```js
const a = 1;
  missing(a);
```
