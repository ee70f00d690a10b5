```bash
ls
```

```js
return "js";
```
