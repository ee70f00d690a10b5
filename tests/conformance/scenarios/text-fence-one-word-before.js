Code
```js
return 8;
```
