```js
return 1;
```
